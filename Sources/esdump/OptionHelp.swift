/// What `esdump COMMAND --help` prints; without a command, what `esdump --help` prints.
func helpText(of command: String?, width: Int = 80) -> String {
    guard let command = command.flatMap(Command.named) else { return helpText(width: width) }
    var text = "Usage: \(command.usage)\n"
    for paragraph in command.description {
        text += "\n" + wrap(paragraph, width: width).joined(separator: "\n") + "\n"
    }
    let shown = command.options.filter { !$0.isHidden }
    if !shown.isEmpty { text += "\nOptions:\n" }
    for option in shown { text += helpLines(option, width: width) }
    let general = optionList.filter { !$0.isHidden && $0.isTaken(by: command) }
    text += "\nOptions as without a command (esdump --help):\n"
    let names = general.map { $0.long.map { "--\($0)" } ?? $0.name }
    for line in wrap(names.joined(separator: ", "), width: width - 2) { text += "  \(line)\n" }
    return text
}

/// What `--help` prints.
func helpText(width: Int = 80) -> String {
    var text = """
        esdump shows the messages of the ESFramework protocol in a capture, field by field.

        Usage: esdump [OPTION]… [FILTER]
               esdump -r FILE           explain a capture file
               esdump -i IF port 4530   explain live traffic
               esdump COMMAND …         one of the commands below

        FILTER is a pcap filter as for tcpdump: port 4530 and host 192.0.2.7

        Commands (esdump COMMAND --help tells more):

        """
    for command in Command.all {
        text += helpLines(head: "  \(command.name)", command.summary, column: 12, width: width)
    }
    for group in OptionDeclaration.Group.allCases where group != .command {
        text += "\n\(group.rawValue):\n"
        for option in optionList where option.group == group && !option.isHidden {
            text += helpLines(option, width: width)
        }
    }
    text += """

        SIZE takes k, m or g (powers of 1024); S is seconds and may have a fraction.
        Exit status: 0 all was read; 1 the file is damaged or cut short; 2 wrong usage,
        no such file, no permission.

        """
    return text
}

/// `-r, --read FILE`
func spelling(_ option: OptionDeclaration) -> String {
    let short = option.short.map { "-\($0)" }
    let long = option.long.map { "--\($0)" }
    let names = [short, long].compactMap { $0 }.joined(separator: ", ")
    return names + (option.value.map { " \($0.name)" } ?? "")
}

private func helpLines(_ option: OptionDeclaration, width: Int) -> String {
    let indent = option.short == nil ? "      " : "  "
    return helpLines(head: indent + spelling(option), option.help, column: 28, width: width)
}

/// A name, and beside it what it means; below it if the name is too long.
private func helpLines(head: String, _ help: String, column: Int, width: Int) -> String {
    var lines = wrap(help, width: max(20, width - column))
    var text = ""
    if head.count < column - 1 {
        text = head + String(repeating: " ", count: column - head.count) + lines.removeFirst() + "\n"
    } else {
        text = head + "\n"
    }
    for line in lines { text += String(repeating: " ", count: column) + line + "\n" }
    return text
}

/// Breaks a text at blanks into lines of at most `width` characters.
func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
        if !line.isEmpty, line.count + 1 + word.count > width {
            lines.append(line)
            line = ""
        }
        line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
}
