import CaptureAnalysis

/// What the command `diff` is asked for.
struct DiffOptions: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable { case text, json, html }

    /// The captures, as they stand on the command line.
    var a = ""
    var b = ""
    var format = Format.text
    var isSideBySide = false
    var timing = false
    /// Messages that are the same, shown before and behind those that are not.
    var context = 3
    var comparing = Comparing()
    /// The conversations to be compared.
    var conversationA: Int?
    var conversationB: Int?
    /// Most bytes of messages that are kept of each capture.
    var maximumBytes = 1 << 30

    /// What may differ; `diff` and `replay` ask for it alike.
    struct Comparing: Equatable, Sendable {
        var ignored: [String] = []
        var usersA: [String] = []
        var usersB: [String] = []
        var ignoresHeartbeats = false
        var isExact = false

        var options: ComparisonOptions {
            var options = ComparisonOptions()
            options.ignoredFields = ignored
            options.users = Array(zip(usersA, usersB)).map { (a: $0, b: $1) }
            options.ignoresHeartbeats = ignoresHeartbeats
            options.isExact = isExact
            return options
        }
    }
}

extension Command {
    static let diff = Command(
        name: "diff",
        operands: "A B",
        summary: "compare two captures message by message, and say where they differ first",
        description: [
            "esdump diff A B compares the messages of two captures. A#12 is message 12 of A alone, by the number that esdump -r A shows. Conversations are paired by the port of the server, then by what is in them; messages are aligned by direction, type and content. How they were cut into packets, repeated or timed makes no difference, nor do the addresses and ports of clients.",
            "The first line says where the first difference is. Then, in the manner of diff -u, come the messages that differ with those around them: ! changed, with its fields (- in A, + in B); - only in A; + only in B; > the same at another place. Each field has the offset of the first byte that differs, those bytes, and what it holds.",
            "What may differ, unless --exact is given: users, groups and addresses that are others throughout (a name that is another one in at least two messages, and nowhere anything else, is told as one renaming), message ids that differ by a constant (one renumbering), dates, the device in front of a login id (1#aa01 is aa01), and across versions of the framework what only the layout of one has. It is told, and is no difference.",
            "Passwords are compared, and said to differ without being shown; --show-secrets shows them.",
            "Exit status: 0 no difference, 1 different, 2 trouble.",
        ],
        action: .diffCaptures,
        options: [
            .choice(
                "format",
                "FORMAT",
                .command,
                "text (default); json: an object a line; html: a page that needs nothing else",
                of: DiffOptions.Format.self
            ) { $0.options.diff.format = $1 },
            .flag("y", "side-by-side", .command, "A on the left, B on the right, in the width of the terminal") {
                $0.options.diff.isSideBySide = true
            },
            .value(
                "U",
                "context",
                .init("N"),
                .command,
                "messages that are the same around each difference (default 3)"
            ) {
                (parser, text) throws(UsageError) in
                parser.options.diff.context = try integer(text, for: "--context", in: 0...1_000_000_000)
            },
            .flag(nil, "timing", .command, "the time from each request to its answer, in both") {
                $0.options.diff.timing = true
            },
            .value(
                nil,
                "conversation",
                .init("N[:M]"),
                .command,
                "only conversation N of A, and M (or also N) of B"
            ) { (parser, text) throws(UsageError) in
                let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                parser.options.diff.conversationA = try integer(parts[0], for: "--conversation", in: 1...Int.max)
                parser.options.diff.conversationB = try integer(
                    parts.count > 1 ? parts[1] : parts[0],
                    for: "--conversation",
                    in: 1...Int.max
                )
            },
            .value(
                nil,
                "max-kept",
                .init("SIZE"),
                .command,
                "most bytes of messages that are kept of each capture (default 1g)"
            ) { (parser, text) throws(UsageError) in
                parser.options.diff.maximumBytes = try size(text, for: "--max-kept", in: 1...(1 << 40))
            },
        ] + comparingOptions(\.diff.comparing),
        takes: { option in
            switch option.group {
            case .layout, .reassembly: true
            default: ["color", "show-secrets", "redact", "describe", "encoding", "where", "utc"].contains(option.long)
            }
        },
        finish: { (parser) throws(UsageError) in try parser.finishDiff() }
    )

    /// The options that say what may differ.
    /// - Parameter place: Where the command keeps them.
    static func comparingOptions(
        _ place: WritableKeyPath<Options, DiffOptions.Comparing> & Sendable
    ) -> [OptionDeclaration] {
        [
            .value(
                nil,
                "ignore",
                .init("FIELD"),
                .command,
                "a field that may differ, with what is below it: es.message_id, es.body.content, es.body; may be repeated"
            ) { (parser, text) throws(UsageError) in
                for name in text.split(separator: ",").map(String.init) {
                    guard name.hasPrefix("es.") else {
                        throw UsageError("--ignore \(name): the name of a field begins with es. (es.body.content)")
                    }
                    parser.options[keyPath: place].ignored.append(name)
                }
            },
            .value(
                nil,
                "map-user",
                .init("AA=BB"),
                .command,
                "user AA of A is user BB in B, and must be; may be repeated"
            ) { (parser, text) throws(UsageError) in
                let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                    throw UsageError("--map-user \(text): two users are needed, as in aa01=bb02")
                }
                parser.options[keyPath: place].usersA.append(parts[0])
                parser.options[keyPath: place].usersB.append(parts[1])
            },
            .flag(nil, "ignore-heartbeats", .command, "leave heartbeats out") {
                $0.options[keyPath: place].ignoresHeartbeats = true
            },
            .flag(
                nil,
                "exact",
                .command,
                "nothing may differ but what --ignore and --map-user say: no renaming, no renumbering, no date"
            ) {
                $0.options[keyPath: place].isExact = true
            },
        ]
    }
}

extension OptionParser {
    /// Decides what the command `diff` needs.
    fileprivate mutating func finishDiff() throws(UsageError) {
        guard operands.count == 2 else {
            let found =
                operands.isEmpty
                ? "none is given" : operands.count == 1 ? "one is given" : "\(operands.count) are given"
            throw UsageError("diff compares two captures, \(found): \(Command.diff.usage)")
        }
        options.diff.a = operands[0]
        options.diff.b = operands[1]
        let diff = options.diff
        if diff.a == "-", diff.b == "-" { throw UsageError("only one of the captures can be standard input") }
        if diff.isSideBySide, diff.format != .text {
            throw UsageError("--side-by-side is text: it does not go with --format \(diff.format.rawValue)")
        }
        if given.contains(where: { $0.long == "context" }), diff.format == .json {
            throw UsageError("--context has no meaning with --format json, which has only what differs")
        }
        let users = Set(diff.comparing.usersA)
        if users.count < diff.comparing.usersA.count || Set(diff.comparing.usersB).count < users.count {
            throw UsageError("--map-user: a user is named twice")
        }
    }
}
