/// What `--help` prints.
func helpText(width: Int = 80) -> String {
    var text = """
        esdump shows the messages of the ESFramework protocol in a capture, field by field.

        Usage: esdump [OPTION]… [FILTER]
               esdump -r FILE           explain a capture file
               esdump -i IF port 4530   explain live traffic
               \(StreamsOptions.usage)   list conversations

        FILTER is a pcap filter as for tcpdump: port 4530 and host 192.0.2.7

        """
    for group in OptionDeclaration.Group.allCases {
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
    let column = 28
    let indent = option.short == nil ? "      " : "  "
    let head = indent + spelling(option)
    var lines = wrap(option.help, width: max(20, width - column))
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
