import MessageFormat

/// Reads the command line into ``Options``.
///
/// Options and the words of the filter may stand in any order, as with tcpdump; `--` ends the options.
struct OptionParser {
    var options = Options()
    /// What is decided only when the whole line is known.
    var format: Options.Format?
    var hexWithText = false
    var hexWithoutText = false
    var timeOptions = 0
    var from: String?
    var to: String?
    var messageFilter: String?
    var until: String?
    var ringTime: Int64?
    var ringSize: Int?
    var fields: [String] = []
    var columnSettings: [String] = []
    /// The options that were given, for commands that do not take all.
    var given: [OptionDeclaration] = []
    /// The command; `nil` shows a capture.
    private(set) var command: Command?
    /// What is neither an option nor a command: files of a command, words of the filter.
    var operands: [String] = []
    /// The first operand stands before the first `-r`.
    private var beginsWithOperand = false
    private var actionOption: String?

    /// - Parameter arguments: the command line without the name of the program.
    static func parse(_ arguments: [String]) throws(UsageError) -> Options {
        var parser = OptionParser()
        parser.options.arguments = arguments
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--" {
                for word in rest { parser.takeOperand(word) }
                break
            } else if word.hasPrefix("--") {
                try parser.readLong(word.dropFirst(2), rest: &rest)
            } else if word.hasPrefix("-"), word.count > 1 {
                try parser.readShort(word.dropFirst(), rest: &rest)
            } else {
                parser.takeOperand(word)
            }
        }
        try parser.finish()
        return parser.options
    }

    private mutating func takeOperand(_ word: String) {
        if command == nil, operands.isEmpty, actionOption == nil, let named = Command.named(word) {
            command = named
            setAction(named.action, word)
        } else {
            if operands.isEmpty { beginsWithOperand = options.readFiles.isEmpty }
            operands.append(word)
        }
    }

    /// For a command that reads captures: the first operand is one, unless `-r` stands before it.
    mutating func takeFirstOperandAsFile() {
        if beginsWithOperand, !operands.isEmpty { options.readFiles.insert(operands.removeFirst(), at: 0) }
    }

    mutating func takeOperandsAsFilter() {
        if !operands.isEmpty { options.filter = operands.joined(separator: " ") }
        operands = []
    }

    /// Help goes before anything else; of the others the first counts.
    mutating func setAction(_ action: Options.Action, _ option: String) {
        if action == .help(command: nil) || actionOption == nil {
            options.action = action
            actionOption = option
        }
    }

    /// The options that can be given: those of the command, and the general ones.
    private var known: [OptionDeclaration] { (command?.options ?? []) + optionList }

    private mutating func readLong(_ text: Substring, rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = known.first(where: { $0.long == name }) else {
            throw unknownOption("--\(name)")
        }
        given.append(option)
        let attached = parts.count == 2 ? String(parts[1]) : nil
        switch option.effect {
        case .flag(let apply):
            if let attached { throw UsageError("--\(name) takes no value (\(attached))") }
            apply(&self)
        case .value(let value, let apply):
            guard let text = attached ?? rest.popFirst() else { throw missingValue(option, value) }
            try apply(&self, text)
        }
    }

    private mutating func readShort(_ cluster: Substring, rest: inout ArraySlice<String>) throws(UsageError) {
        var letters = cluster
        while let letter = letters.popFirst() {
            guard let option = known.first(where: { $0.short == letter }) else {
                // `-format` was meant to be `--format`.
                throw unknownOption(letters.isEmpty ? "-\(letter)" : "-\(cluster)", letter: letter)
            }
            given.append(option)
            switch option.effect {
            case .flag(let apply): apply(&self)
            case .value(let value, let apply):
                if !letters.isEmpty {
                    return try apply(&self, String(letters))
                }
                guard let text = rest.popFirst() else { throw missingValue(option, value) }
                return try apply(&self, text)
            }
        }
    }

    private func missingValue(_ option: OptionDeclaration, _ value: OptionDeclaration.Value) -> UsageError {
        let name = option.short.map { "-\($0)" } ?? option.name
        return UsageError("\(name) needs a value: \(name) \(value.name)")
    }

    private func unknownOption(_ word: String, letter: Character? = nil) -> UsageError {
        let names = known.filter { !$0.isHidden }.compactMap(\.long)
        let bare = String(word.drop { $0 == "-" })
        if !names.contains(bare), let owner = Command.all.first(where: { $0.options.contains { $0.long == bare } }) {
            return UsageError("--\(bare) belongs to a command: \(owner.usage)")
        }
        var hint = nearest(to: bare, among: names).map { "; did you mean --\($0)?" } ?? ""
        if hint.isEmpty, let letter, let other = otherCase(of: letter) { hint = "; did you mean -\(other)?" }
        if let letter, bare.count > 1, hint.isEmpty {
            return UsageError("unknown option -\(letter) (in \(word))")
        }
        return UsageError("unknown option \(word)\(hint)")
    }

    private func otherCase(of letter: Character) -> Character? {
        let candidates = [letter.lowercased(), letter.uppercased()].compactMap(\.first)
        return candidates.first { candidate in candidate != letter && known.contains { $0.short == candidate } }
    }
}

extension OptionParser {
    /// Decides what depends on several options, and refuses those that contradict each other.
    private mutating func finish() throws(UsageError) {
        switch options.action {
        case .help: return options.action = .help(command: command?.name)
        case .version, .manual, .completion: return
        default: break
        }
        if let command {
            if let option = given.first(where: { $0.group != .command && !$0.isTaken(by: command) }) {
                throw UsageError("\(option.name) has no meaning for esdump \(command.name)")
            }
            try command.finish(&self)
        } else {
            takeOperandsAsFilter()
        }
        let styles: [TimeStyle] = [.clock, .none, .epoch, .sincePrevious, .dateAndClock, .sinceFirst]
        options.timeStyle = styles[min(timeOptions, styles.count - 1)]
        guard timeOptions <= 5 else { throw UsageError("-t: at most five times") }
        try refuseContradictions()
        try decideFormat()
        try readTimes()
        try finishFilters()
        try finishRing()
        try finishColumns()
        if !options.hasNamesInFiles { try options.compileExpressions() }
    }

    private func refuse(_ condition: Bool, _ reason: String) throws(UsageError) {
        if condition { throw UsageError(reason) }
    }

    private func refuseContradictions() throws(UsageError) {
        let o = options
        if o.action == .listInterfaces {
            try refuse(o.readFile != nil, "-D lists interfaces, -r reads a file: only one of them")
            try refuse(o.interface != nil, "-D lists all interfaces, -i captures on one: only one of them")
            try refuse(o.writeFile != nil, "-D lists interfaces and has no packets for -w")
        }
        try refuse(
            o.readFile != nil && o.interface != nil,
            "-r reads a file, -i captures on an interface: only one of them"
        )
        try refuse(
            o.writeFile.map { $0 != "-" && o.readFiles.contains($0) } ?? false,
            "-r and -w are the same file: writing would destroy what is to be read"
        )
        try refuseRotation()
        try refuse(
            o.filterFile != nil && o.filter != nil,
            "the filter comes from -F or from the command line (\(o.filter ?? "")): only one of them"
        )
        try refuse(
            o.idSlot != nil && o.userIDLength != nil,
            "--id-slot and --user-id-length both say how long an id is: only one of them"
        )
        if let profile = o.profile, let token = o.startToken {
            try refuse(
                profile.version.startToken != token,
                "--profile \(profile.rawValue) has another start token than --start-token says"
            )
        }
        try refuse(
            o.profile != nil && o.profileFile != nil,
            "--profile names a version, --profile-file a file of your own: only one of them"
        )
        try refuse(
            o.gapTime > o.gapMaxTime,
            "--gap-time must not be longer than --gap-max-time"
        )
        try refuse(
            o.streamBuffer > o.totalBuffer,
            "--stream-buffer must not be more than --total-buffer"
        )
        if o.writeFile == "-" {
            let why = "-w - writes packets to standard output, and no text"
            try refuse(format != nil, "\(why): --format has no meaning with it")
            try refuse(o.count, "\(why): --count has no meaning with it")
            try refuse(hexWithText || hexWithoutText, "\(why): -x and -X have no meaning with it")
        }
        try refuse(
            o.redact && o.showSecrets,
            "--show-secrets shows passwords, --redact replaces them: only one of them"
        )
        if o.redact, o.writeFile != nil {
            try refuse(
                o.readFile == nil || o.readFiles.contains("-"),
                "--redact with -w reads its input twice: it needs files (-r FILE)"
            )
            let choosing = ["conversation", "from", "to", "where", "until", "ring"]
            if let option = given.first(where: { choosing.contains($0.long ?? "") }) {
                throw UsageError(
                    "--redact with -w writes all packets that pass the filter: \(option.name) does not go with it"
                )
            }
        }
        try refuse(o.quiet && o.verbosity > 0, "-q asks for less and -v for more: only one of them")
        if o.count {
            try refuse(
                format != nil && format != .json,
                "--count shows only totals (as text, or with --format json as an object)"
            )
            try refuse(hexWithText || hexWithoutText, "--count shows only totals: -x and -X have no meaning with it")
        }
        if hexWithText || hexWithoutText {
            try refuse(
                format != nil && format != .summary,
                "-x and -X mean --format hex, which contradicts --format \(format?.rawValue ?? "")"
            )
        }
        try refuse(
            o.quiet && format != nil && format != .summary,
            "-q means --format summary, which contradicts --format \(format?.rawValue ?? "")"
        )
    }

    private func refuseRotation() throws(UsageError) {
        let rotation = options.rotation
        let given = [
            ("-C", rotation.size != nil), ("-G", rotation.seconds != nil), ("-W", rotation.count != nil),
        ].first { $0.1 }
        guard let option = given?.0 else { return }
        guard let file = options.writeFile else { throw UsageError("\(option) goes with -w") }
        try refuse(file == "-", "-w - writes to standard output: \(option) needs files")
        try refuse(rotation.size == nil && rotation.seconds == nil, "-W goes with -C or -G")
        if rotation.seconds != nil {
            try refuse(
                !file.contains("%") && rotation.count != 1,
                "-G with -w \(file): every file would overwrite the one before; put the time into the name, as in all-%H%M%S.pcap"
            )
            let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            try refuse(folder.contains { $0.contains("%") }, "-w \(file): only the name of the file may hold the time")
        }
    }

    private mutating func decideFormat() throws(UsageError) {
        if let format {
            options.format = format
        } else if hexWithText || hexWithoutText {
            options.format = .summary
        } else if options.quiet {
            options.format = .summary
        }
        if hexWithText {
            options.hexDump = .hexAndText
        } else if hexWithoutText {
            options.hexDump = .hex
        }
    }

    private mutating func readTimes() throws(UsageError) {
        if let from { options.from = try TimeArgument(from, for: "--from", utc: options.utc) }
        if let to { options.to = try TimeArgument(to, for: "--to", utc: options.utc) }
        if case .instant(let first) = options.from, case .instant(let last) = options.to {
            try refuse(first > last, "--from \(from ?? "") is later than --to \(to ?? "")")
        }
    }
}
