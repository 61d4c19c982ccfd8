/// The completion script for a shell.
func completionScript(for shell: Options.Shell) -> String {
    switch shell {
    case .bash: bashCompletion()
    case .zsh: zshCompletion()
    case .fish: fishCompletion()
    }
}

private var visibleOptions: [OptionDeclaration] { optionList.filter { !$0.isHidden } }

/// The names of the interfaces, from the list of `-D` (`1.eth0 [Up, Running]`).
private let interfaceCommand = "esdump -D 2>/dev/null | sed -n 's/^[0-9]*\\.\\([^ ]*\\).*/\\1/p'"

private func bashCompletion() -> String {
    var cases = ""
    for option in visibleOptions {
        guard let value = option.value else { continue }
        let names = [option.short.map { "-\($0)" }, option.long.map { "--\($0)" }].compactMap { $0 }
        let words: String
        switch value.kind {
        case .file: words = "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))"
        case .interface: words = "COMPREPLY=($(compgen -W \"$(\(interfaceCommand))\" -- \"$current\"))"
        case .user: words = "COMPREPLY=($(compgen -u -- \"$current\"))"
        case .choice(let choices):
            words = "COMPREPLY=($(compgen -W '\(choices.joined(separator: " "))' -- \"$current\"))"
        case .other: words = "COMPREPLY=()"
        }
        cases += "        \(names.joined(separator: "|"))) \(words) ;;\n"
    }
    let names = visibleOptions.flatMap { option in
        [option.short.map { "-\($0)" }, option.long.map { "--\($0)" }].compactMap { $0 }
    }
    return """
        # bash completion for esdump: source it, or put it into bash-completion's folder.
        _esdump() {
            local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
            if [[ $current == = ]]; then
                current=
            elif [[ $previous == = ]]; then
                previous="${COMP_WORDS[COMP_CWORD-2]}"
            fi
            case "$previous" in
        \(cases)        \(StreamsOptions.command)) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
                *) [[ $COMP_CWORD == 1 ]] && COMPREPLY=($(compgen -W \(StreamsOptions.command) -- "$current"))
                   [[ $current == -* ]] && COMPREPLY=($(compgen -W '\(names.joined(separator: " "))' -- "$current")) ;;
            esac
        }
        complete -F _esdump esdump

        """
}

private func zshCompletion() -> String {
    var lines = ""
    for option in visibleOptions {
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
        let repeats = option.short == "v" || option.short == "t" ? "*" : ""
        if let short = option.short {
            lines += "    '\(repeats)-\(short)\(option.value == nil ? "" : "+")[\(help)]\(action)' \\\n"
        }
        if let long = option.long {
            lines += "    '--\(long)\(option.value == nil ? "" : "=")[\(help)]\(action)' \\\n"
        }
    }
    return """
        #compdef esdump
        # zsh completion for esdump: save it as _esdump in a folder of $fpath.
        _arguments -s -S \\
        \(lines)    '1:command or filter:(\(StreamsOptions.command))' \\
            '*:file or filter:_files'

        """
}

private func fishCompletion() -> String {
    var text =
        "# fish completion for esdump: save it as ~/.config/fish/completions/esdump.fish\ncomplete -c esdump -f\n"
    text += "complete -c esdump -n __fish_use_subcommand -a \(StreamsOptions.command) -d '\(StreamsOptions.help)'\n"
    text += "complete -c esdump -n '__fish_seen_subcommand_from \(StreamsOptions.command)' -F\n"
    for option in visibleOptions {
        text += "complete -c esdump"
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
        text += " -d '\(option.help.escaped("\\'".contains, quote: "\\'"))'\n"
    }
    return text
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
