import CaptureAnalysis
import Sockets

/// What the command `replay` is asked for.
struct ReplayOptions: Equatable, Sendable {
    /// What is done about heartbeats and pings of the server.
    enum Heartbeats: String, CaseIterable, Sendable { case ignore, answer }

    var to: HostAndPort?
    /// Numbers of messages, as `esdump -r` shows them; empty: all of the client.
    var numbers: [ClosedRange<Int>] = []
    /// How many times as fast as it was captured; `nil`: as fast as the answers come.
    var speed: Double? = 1
    /// Nanoseconds that an answer may take.
    var timeout: Int64 = 5_000_000_000
    var heartbeats = Heartbeats.ignore
    /// Nobody is asked.
    var yes = false
    var format = DiffOptions.Format.text
    var timing = false
    /// Messages that are the same around each difference; `nil` shows all.
    var context: Int?
    var comparing = DiffOptions.Comparing()
}

extension Command {
    static let replay = Command(
        name: "replay",
        operands: "FILE --to HOST:PORT",
        summary: "send the client's side of a conversation to a server again, and compare the answers",
        description: [
            "esdump replay FILE --to HOST:PORT connects to that address by TCP and sends what the client of a conversation in FILE sent, byte for byte. FILE is a capture or a fixture (what esdump fixtures writes). It sends to no other address, whatever the capture says. What is about to be sent is shown, and it asks before it does; with --yes it does not ask, and where nobody can be asked it needs --yes.",
            "Where the capture has an answer to a message, the answer is waited for before that is sent which came behind it in the capture; --timeout limits that. Pauses are those of the capture unless --speed says otherwise.",
            "Then the answers are shown beside those of the capture, and compared as esdump diff does; message ids may differ except those of answers, and heartbeats of the server are not compared. The exit status is that of diff: 0 no difference, 1 different (an answer that did not come is one), 2 trouble.",
            "A message that holds a password needs --show-secrets, which sends it as it is, or --redact, which replaces user ids, passwords and addresses in what is sent and in what it is compared with.",
        ],
        action: .replay,
        options: [
            .value(nil, "to", .init("HOST:PORT"), .command, "the server that is sent to; there is no default") {
                (parser, text) throws(UsageError) in
                // A port that is not there must not become one that somebody listens on.
                guard text.last.map({ $0.isNumber }) == true, text.contains(":"), !text.hasSuffix("]") else {
                    throw UsageError("--to \(text): a host and a port are needed, as in 127.0.0.1:4530 or [::1]:4530")
                }
                do throws(SocketError) {
                    parser.options.replay.to = try HostAndPort(text, defaultPort: 0)
                } catch { throw UsageError("--to \(error.description)") }
                if parser.options.replay.to?.port == 0 {
                    throw UsageError("--to \(text): a host and a port are needed, as in 127.0.0.1:4530 or [::1]:4530")
                }
            },
            .value(nil, "conversation", .init("N"), .command, "the conversation whose client is replayed") {
                (parser, text) throws(UsageError) in
                parser.options.conversation = try integer(text, for: "--conversation", in: 1...Int.max)
            },
            .value(nil, "message", .init("LIST"), .command, "only these messages of the client, by number: 3,7-9,12-") {
                (parser, text) throws(UsageError) in
                parser.options.replay.numbers += try messageNumbers(text, for: "--message")
            },
            .value(
                nil,
                "speed",
                .init("N"),
                .command,
                "pauses N times as short as in the capture (2, 0.5), or max: none (default 1)"
            ) { (parser, text) throws(UsageError) in
                if text == "max" {
                    parser.options.replay.speed = nil
                } else if let speed = Double(text), speed >= 0.001, speed <= 1_000_000 {
                    parser.options.replay.speed = speed
                } else {
                    throw UsageError("--speed \(text): a number from 0.001 to 1000000, or max")
                }
            },
            .value(
                nil,
                "timeout",
                .init("S"),
                .command,
                "seconds that the connection and each answer may take (default 5)"
            ) {
                (parser, text) throws(UsageError) in
                parser.options.replay.timeout = try seconds(text, for: "--timeout")
            },
            .choice(
                "heartbeats",
                "WHAT",
                .command,
                "heartbeats and pings of the server: ignore (default), or answer",
                of: ReplayOptions.Heartbeats.self
            ) { $0.options.replay.heartbeats = $1 },
            .flag(nil, "yes", .command, "send without asking") { $0.options.replay.yes = true },
            .choice(
                "format",
                "FORMAT",
                .command,
                "text (default): captured on the left, what came now on the right; json: an object a line; html: a page",
                of: DiffOptions.Format.self
            ) { $0.options.replay.format = $1 },
            .value(
                "U",
                "context",
                .init("N"),
                .command,
                "messages that are the same around each difference (default: all)"
            ) {
                (parser, text) throws(UsageError) in
                parser.options.replay.context = try integer(text, for: "--context", in: 0...1_000_000_000)
            },
            .flag(nil, "timing", .command, "the time from each request to its answer, then and now") {
                $0.options.replay.timing = true
            },
        ] + comparingOptions(\.replay.comparing),
        takes: { option in
            switch option.group {
            case .layout, .reassembly: true
            default: [
                    "read", "color", "show-secrets", "redact", "describe", "encoding", "where", "utc",
                ].contains(option.long)
            }
        },
        finish: { (parser) throws(UsageError) in try parser.finishReplay() }
    )
}

extension OptionParser {
    /// Decides what the command `replay` needs.
    fileprivate mutating func finishReplay() throws(UsageError) {
        takeFirstOperandAsFile()
        guard operands.isEmpty, options.readFiles.count == 1 else {
            let what = options.readFiles.isEmpty ? "replay needs a file" : "replay takes one file"
            throw UsageError("\(what): \(Command.replay.usage)")
        }
        guard options.replay.to != nil else {
            throw UsageError("replay needs an address to send to: \(Command.replay.usage)")
        }
        if options.showSecrets, options.redact {
            throw UsageError("--show-secrets sends passwords as they are, --redact replaces them: only one of them")
        }
        if options.readFile == "-", !options.replay.yes {
            throw UsageError("the capture comes from standard input, so nobody can be asked: --yes is needed")
        }
        if options.replay.timeout == 0 { throw UsageError("--timeout 0: no answer can come in no time") }
    }
}
