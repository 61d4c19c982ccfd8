/// The completion script for a shell.
func completionScript(for shell: Options.Shell) -> String {
    switch shell {
    case .bash: bashCompletion()
    case .zsh: zshCompletion()
    case .fish: fishCompletion()
    }
}

private func visible(_ options: [OptionDeclaration]) -> [OptionDeclaration] { options.filter { !$0.isHidden } }

/// `-r`, `--read`
private func names(_ option: OptionDeclaration) -> [String] {
    [option.short.map { "-\($0)" }, option.long.map { "--\($0)" }].compactMap { $0 }
}

/// The options that a command line with this command can have.
private func options(with command: Command) -> [OptionDeclaration] {
    let own = visible(command.options)
    return own
        + visible(optionList).filter { general in
            general.isTaken(by: command) && !own.contains { $0.long != nil && $0.long == general.long }
        }
}

private let commandNames = Command.all.map(\.name).joined(separator: " ")

/// The names of the interfaces, from the list of `-D` (`1.eth0 [Up, Running]`).
private let interfaceCommand = "esdump -D 2>/dev/null | sed -n 's/^[0-9]*\\.\\([^ ]*\\).*/\\1/p'"

private func bashCompletion() -> String {
    var text = """
        # bash completion for esdump: source it, or put it into bash-completion's folder.
        _esdump() {
            local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" options
            if [[ $current == = ]]; then
                current=
            elif [[ $previous == = ]]; then
                previous="${COMP_WORDS[COMP_CWORD-2]}"
            fi
            case "${COMP_WORDS[1]}" in

        """
    for command in Command.all {
        text += "    \(command.name))\n" + bashCases(options(with: command))
        text +=
            "        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\")); return; } ;;\n"
    }
    text += "    *)\n" + bashCases(visible(optionList))
    return text + """
                [[ $COMP_CWORD == 1 ]] && COMPREPLY=($(compgen -W '\(commandNames)' -- "$current")) ;;
            esac
            [[ $current == -* ]] && COMPREPLY=($(compgen -W "$options" -- "$current"))
        }
        complete -F _esdump esdump

        """
}

/// What completes the values of options, and their names in `options`.
private func bashCases(_ options: [OptionDeclaration]) -> String {
    var text = "        case \"$previous\" in\n"
    for option in options {
        guard let value = option.value else { continue }
        let words: String
        switch value.kind {
        case .file: words = "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))"
        case .interface: words = "COMPREPLY=($(compgen -W \"$(\(interfaceCommand))\" -- \"$current\"))"
        case .user: words = "COMPREPLY=($(compgen -u -- \"$current\"))"
        case .choice(let choices):
            words = "COMPREPLY=($(compgen -W '\(choices.joined(separator: " "))' -- \"$current\"))"
        case .other: words = "COMPREPLY=()"
        }
        text += "        \(names(option).joined(separator: "|"))) \(words); return ;;\n"
    }
    return text + "        esac\n        options='\(options.flatMap(names).joined(separator: " "))'\n"
}

private func zshCompletion() -> String {
    var text = """
        #compdef esdump
        # zsh completion for esdump: save it as _esdump in a folder of $fpath.
        case $words[2] in

        """
    for command in Command.all {
        text += "\(command.name))\n_arguments -s -S \\\n" + zshArguments(options(with: command))
        text += "    '1:command:(\(commandNames))' \\\n    '*:file:_files' ;;\n"
    }
    text += "*)\n_arguments -s -S \\\n" + zshArguments(visible(optionList))
    return text + """
            '1:command or filter:(\(commandNames))' \\
            '*:file or filter:_files' ;;
        esac

        """
}

private func zshArguments(_ options: [OptionDeclaration]) -> String {
    var lines = ""
    for option in options {
        let help = option.help.escaped("\\[]:'`$\"".contains, quote: "'\\''")
        var action = ""
        if let value = option.value {
            switch value.kind {
            case .file: action = ":\(value.name):_files"
            case .interface: action = ":\(value.name):($(\(interfaceCommand.replacingQuotes())))"
            case .user: action = ":\(value.name):_users"
            case .choice(let choices): action = ":\(value.name):(\(choices.joined(separator: " ")))"
            case .other: action = ":\(value.name): "
            }
        }
        let repeats = ["v", "t", "E"].contains(option.short) || option.long == "fields" ? "*" : ""
        if let short = option.short {
            lines += "    '\(repeats)-\(short)\(option.value == nil ? "" : "+")[\(help)]\(action)' \\\n"
        }
        if let long = option.long {
            lines += "    '--\(long)\(option.value == nil ? "" : "=")[\(help)]\(action)' \\\n"
        }
    }
    return lines
}

private func fishCompletion() -> String {
    var text =
        "# fish completion for esdump: save it as ~/.config/fish/completions/esdump.fish\ncomplete -c esdump -f\n"
    for command in Command.all {
        text += "complete -c esdump -n __fish_use_subcommand -a \(command.name)"
        text += " -d '\(command.summary.escaped("\\'".contains, quote: "\\'"))'\n"
        text += "complete -c esdump -n '__fish_seen_subcommand_from \(command.name)' -F\n"
        for option in options(with: command) {
            text += fishLine(option, condition: "__fish_seen_subcommand_from \(command.name)")
        }
    }
    for option in visible(optionList) {
        text += fishLine(option, condition: "not __fish_seen_subcommand_from \(commandNames)")
    }
    return text
}

private func fishLine(_ option: OptionDeclaration, condition: String) -> String {
    var text = "complete -c esdump -n '\(condition)'"
    if let short = option.short { text += " -s \(short)" }
    if let long = option.long { text += " -l \(long)" }
    if let value = option.value {
        switch value.kind {
        case .file: text += " -r -F"
        case .interface: text += " -x -a '(\(interfaceCommand.escaped("\\'".contains, quote: "\\'")))'"
        case .user: text += " -x -a '(__fish_complete_users)'"
        case .choice(let choices): text += " -x -a '\(choices.joined(separator: " "))'"
        case .other: text += " -x"
        }
    }
    return text + " -d '\(option.help.escaped("\\'".contains, quote: "\\'"))'\n"
}

extension String {
    /// Puts a backslash before some characters; a single quote becomes `quote`.
    fileprivate func escaped(_ special: (Character) -> Bool, quote: String) -> String {
        reduce(into: "") { result, character in
            if character == "'" {
                result += quote
            } else if special(character) {
                result += "\\\(character)"
            } else {
                result.append(character)
            }
        }
    }

    /// For use within a word in single quotes of sh.
    fileprivate func replacingQuotes() -> String {
        escaped({ _ in false }, quote: "'\\''")
    }
}
