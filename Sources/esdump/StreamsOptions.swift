import CaptureAnalysis

/// What the command `streams` is asked for.
struct StreamsOptions: Equatable, Sendable {
    static let command = "streams"
    /// What its operands are, for the help text.
    static let usage = "esdump streams FILE [FILTER]"
    static let help = "list the conversations of a capture, or write their bytes to files"

    var sort = StreamColumn.number
    var csv = false
    var hash = false
    /// The folder that the streams are written to.
    var extract: String?
    var template = NameTemplate.standard
    var force = false

    /// Options of the other groups that it takes too.
    fileprivate static let taken = ["read", "filter-file", "format", "utc", "conversation"]

    fileprivate static func takes(_ option: OptionDeclaration) -> Bool {
        switch option.group {
        case .streams, .layout, .reassembly, .other: option.long != "strict"
        case .input, .output, .selection: taken.contains(option.long ?? "") || option.short == "c"
        }
    }
}

extension OptionParser {
    /// Decides what the command `streams` needs, and refuses its options elsewhere.
    mutating func finishStreams() throws(UsageError) {
        guard options.action == .listStreams else {
            if let option = given.first(where: { $0.group == .streams }) {
                throw UsageError("\(option.name) belongs to a command: \(StreamsOptions.usage)")
            }
            return
        }
        if let option = given.first(where: { !StreamsOptions.takes($0) }) {
            throw UsageError("\(option.name) has no meaning for esdump streams")
        }
        guard options.readFile != nil else { throw UsageError("streams needs a file: \(StreamsOptions.usage)") }
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
