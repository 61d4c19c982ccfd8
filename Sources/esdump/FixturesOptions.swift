import MessageFormat

/// What the command `fixtures` is asked for.
struct FixturesOptions: Equatable, Sendable {
    enum TestLibrary: String, CaseIterable, Sendable {
        case swiftTesting = "swift-testing"
        case xctest
    }

    /// Numbers of messages, as `esdump -r` shows them; empty: all.
    var numbers: [ClosedRange<Int>] = []
    var direction: Direction?
    var form = BytesForm.annotated
    var test: TestLibrary?
    /// A file for each message goes there.
    var folder: String?
    /// All messages go into this file.
    var file: String?
    var force = false
}

extension Command {
    static let fixtures = Command(
        name: "fixtures",
        operands: "FILE [FILTER]",
        summary: "write messages of a capture as test data: annotated hex, source, raw, JSON",
        description: [
            "esdump fixtures writes the messages of a capture to be used again, for tests above all: as rows of hex with the breakdown behind them (esdump decode and text2pcap read these), as a constant in a programming language, as JSON, or as they are. --message, --direction and --where choose; the numbers are those that esdump -r shows with the same options. One text with all of them goes to standard output or into --output FILE, or a file for each message into --dir DIR, named after its number, direction and type: 003-c2s-Logon.hex. Files can be read by their owner only, and none that is there is replaced without --force.",
            "A message that holds a password needs --show-secrets, which writes it as it is, or --redact, which replaces user ids, passwords and addresses. Each message is decoded and encoded again before it is written; one that does not come back to the byte is written with a warning. The same command makes the same bytes again.",
            "--as-test writes a Swift test instead: it decodes the bytes of each message with the module ESProtocol and expects its fields, and encodes the fields and expects the bytes.",
        ],
        action: .fixtures,
        options: [
            .value(nil, "message", .init("LIST"), .command, "only these messages, by number: 3,7-9,12-") {
                (parser, text) throws(UsageError) in
                parser.options.fixtures.numbers += try messageNumbers(text, for: "--message")
            },
            .choice(
                "direction",
                "WAY",
                .command,
                "only messages that went this way: c2s or s2c",
                of: DirectionName.self
            ) {
                $0.options.fixtures.direction = $1.direction
            },
            .choice(
                "as",
                "FORM",
                .command,
                "annotated (default), hex, raw, json, or source: swift, c, objc, csharp, java, python, javascript, go",
                of: BytesForm.self
            ) {
                $0.options.fixtures.form = $1
            },
            .choice(
                "as-test",
                "LIBRARY",
                .command,
                "a Swift test: swift-testing or xctest",
                of: FixturesOptions.TestLibrary.self
            ) {
                $0.options.fixtures.test = $1
            },
            .value(nil, "dir", .init("DIR", .file), .command, "a file for each message in DIR") {
                (parser, text) throws(UsageError) in
                guard !text.isEmpty else { throw UsageError("--dir: the name of the folder is empty") }
                parser.options.fixtures.folder = text
            },
            .value("o", "output", .init("FILE", .file), .command, "all messages in FILE") {
                (parser, text) throws(UsageError) in
                guard !text.isEmpty, !text.hasSuffix("/") else {
                    throw UsageError("--output: the name of the file is empty")
                }
                parser.options.fixtures.file = text
            },
            .flag(nil, "force", .command, "replace files that are there") { $0.options.fixtures.force = true },
        ],
        takes: { option in
            switch option.group {
            case .layout, .reassembly: true
            case .selection: option.long != "until"
            default:
                ["read", "filter-file", "show-secrets", "redact", "describe", "utc", "where"].contains(option.long)
                    || option.short == "c"
            }
        },
        finish: { (parser) throws(UsageError) in try parser.finishFixtures() }
    )
}

/// The directions by the names that options take.
enum DirectionName: String, CaseIterable, Sendable {
    case c2s, s2c

    var direction: Direction { self == .c2s ? .clientToServer : .serverToClient }
}

/// Numbers of messages: `3,7-9,12-`.
func messageNumbers(_ text: String, for option: String) throws(UsageError) -> [ClosedRange<Int>] {
    var ranges: [ClosedRange<Int>] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = ends.first.flatMap { Int($0) }
        let last = ends.count == 1 ? first : ends[1].isEmpty ? Int.max : Int(ends[1])
        guard let first, let last, first >= 1, first <= last else {
            throw UsageError("\(option) \(text): not a list of numbers from 1 on (3,7-9,12-)")
        }
        ranges.append(first...last)
    }
    return ranges
}

extension OptionParser {
    fileprivate mutating func finishFixtures() throws(UsageError) {
        takeFirstOperandAsFile()
        takeOperandsAsFilter()
        guard options.readFile != nil else { throw UsageError("fixtures needs a file: \(Command.fixtures.usage)") }
        let fixtures = options.fixtures
        if fixtures.folder != nil, fixtures.file != nil {
            throw UsageError("--dir writes a file for each message, --output one for all: only one of them")
        }
        if fixtures.test != nil, given.contains(where: { $0.long == "as" }) {
            throw UsageError("--as and --as-test: only one of them")
        }
        if fixtures.force, fixtures.folder == nil, fixtures.file == nil {
            throw UsageError("--force goes with --dir or --output")
        }
    }
}
