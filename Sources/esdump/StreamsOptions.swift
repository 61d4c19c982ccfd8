import CaptureAnalysis

/// What the command `streams` is asked for.
struct StreamsOptions: Equatable, Sendable {
    var sort = StreamColumn.number
    var csv = false
    var hash = false
    /// The folder that the streams are written to.
    var extract: String?
    var template = NameTemplate.standard
    var force = false
}

extension Command {
    static let streams = Command(
        name: "streams",
        operands: "FILE [FILTER]",
        summary: "list the conversations of a capture, or write their bytes to files",
        description: [
            "esdump streams FILE lists the TCP conversations of a capture: client and server, start, duration, packets, payload bytes each way, messages, the users who logged on, segments that came again, gaps, and how it ended (FIN; half-closed: one side only; RST; open; idle; port reused; limit). It waits for missing bytes as long as their buffers last, and ends no conversation for its silence, unless the options of reassembly say otherwise; --from and --to do not go with it.",
            "With --format json, an object a line: conversation, transport, client, server, start, duration (seconds), packets, messages, versions (of the framework, those that the messages leave open), users, retransmissions, ended, and c2s and s2c, each with bytes, messages, damaged_messages, syn (whether offset 0 is the byte after the SYN), missing, gaps ([[offset, length], ...]), late (bytes that could not be put in their place, if any), with --hash sha256 (of the payload without filler; of bytes that came twice the first copy) and, if there are gaps, runs ([{\"offset\", \"length\", \"sha256\"}, ...]), and file with --extract. gap_count is there if there are more gaps than are listed.",
            "--extract DIR writes the payload of each direction to a file of its own, readable by its owner only. Gaps are left out; index.jsonl in DIR holds the same objects as --format json, which say where they are.",
        ],
        action: .listStreams,
        options: [
            .choice(
                "sort",
                "KEY",
                .command,
                "order of the list: \(StreamColumn.allCases.map(\.rawValue).joined(separator: ", ")); quantities from the largest down (default number)",
                of: StreamColumn.self
            ) {
                $0.options.streams.sort = $1
            },
            .flag(
                nil,
                "csv",
                .command,
                "comma-separated values, with a line of names first (--format json: an object a line)"
            ) {
                $0.options.streams.csv = true
            },
            .flag(nil, "hash", .command, "with --csv or --format json: the SHA-256 of each direction's payload") {
                $0.options.streams.hash = true
            },
            .value(
                nil,
                "extract",
                .init("DIR", .file),
                .command,
                "write each direction's payload to a file in DIR, and what is missing to DIR/index.jsonl"
            ) {
                (parser, text) throws(UsageError) in
                guard !text.isEmpty else { throw UsageError("--extract: the name of the folder is empty") }
                parser.options.streams.extract = text
            },
            .value(
                nil,
                "name",
                .init("TEMPLATE"),
                .command,
                "names of these files: %A %a source address and port, %B %b destination, %C%c count, %# conversation, %T %t start (default \(NameTemplate.standardText))"
            ) {
                (parser, text) throws(UsageError) in
                guard let template = NameTemplate(text), !text.isEmpty else {
                    throw UsageError("--name \(text): a variable is one of %A %a %B %b %C %c %T %t %# %%")
                }
                parser.options.streams.template = template
            },
            .flag(nil, "force", .command, "with --extract: replace files that are there") {
                $0.options.streams.force = true
            },
        ],
        takes: { option in
            switch option.group {
            case .layout, .reassembly: true
            default:
                ["read", "filter-file", "format", "utc", "conversation"].contains(option.long) || option.short == "c"
            }
        },
        finish: { (parser) throws(UsageError) in try parser.finishStreams() }
    )
}

extension OptionParser {
    /// Decides what the command `streams` needs.
    fileprivate mutating func finishStreams() throws(UsageError) {
        takeFirstOperandAsFile()
        takeOperandsAsFilter()
        guard options.readFile != nil else { throw UsageError("streams needs a file: \(Command.streams.usage)") }
        if let format, format != .json { throw UsageError("esdump streams prints a table, --csv or --format json") }
        let streams = options.streams
        if streams.csv, format != nil { throw UsageError("--csv and --format json: only one of them") }
        if streams.hash, !streams.csv, format != .json, streams.extract == nil {
            throw UsageError("--hash needs --csv or --format json: a table has no room for it")
        }
        if streams.extract == nil, let option = given.first(where: { $0.long == "name" || $0.long == "force" }) {
            throw UsageError("\(option.name) goes with --extract")
        }
        waitForMissingBytes()
    }

    /// Nobody looks on while a file is listed: a hole stays open until its bytes come, its connection ends or its buffer is
    /// full, unless the options say when to give it up.
    private mutating func waitForMissingBytes() {
        let ever: Int64 = 1_000_000_000 * 1_000_000_000
        if !given.contains(where: { $0.long == "idle-time" }) { options.idleTime = ever }
        let times = ["gap-packets", "gap-time", "gap-max-time", "one-way-time", "one-way-bytes"]
        guard !given.contains(where: { times.contains($0.long ?? "") }) else { return }
        options.gapTime = ever
        options.gapMaxTime = ever
        options.oneWayTime = ever
        options.oneWayBytes = .max
    }
}
