import DumpText
import MessageFormat

/// What the command `decode` is asked for.
struct DecodeOptions: Equatable, Sendable {
    /// A file, `-` for standard input, or words that are the bytes.
    var words: [String] = []
    /// What the input is; `nil` finds out.
    var form: Dump.Form?
    /// Which way the bytes went, if that is given.
    var direction: Direction?
}

extension Command {
    static let decode = Command(
        name: "decode",
        operands: "[FILE | BYTES…]",
        summary: "explain bytes from anywhere: hex, a dump, an array in a program",
        description: [
            "esdump decode explains the messages in bytes that stand in a file, on standard input (-, or nothing) or on the command line. It finds out what it is given, and says so on standard error: hex digits in any spacing, lists of numbers as in C, Swift, C#, Java, Python or Go, rows of xxd, hexdump, od, tcpdump -x and -X, Wireshark, SmartSniff or esdump itself, whose offsets and text columns are not taken for data, JSON of esdump, or the bytes as they are. Words around them are left out. Rows that hold packets with their IP headers are read as packets.",
            "Pieces of messages, and what stands between them, are shown as in a capture. Which way a message went is taken from the text if it says so (a fixture, esdump's own output), otherwise from the ids: what goes to _0 goes to the server. --c2s and --s2c say it. In JSON, what only packets have (time, packet, conversation, transport, src, dst) is left out.",
        ],
        action: .decode,
        options: [
            .choice(
                "input",
                "FORM",
                .command,
                "what the input is: hex, rows (with offsets), list (of numbers), escapes (\\xff in a string), base64, json, raw; escapes and base64 are read only so",
                of: Dump.Form.self
            ) {
                $0.options.decode.form = $1
            },
            .flag(nil, "c2s", .command, "the messages went from client to server") {
                $0.setDirection(.clientToServer)
            },
            .flag(nil, "s2c", .command, "the messages went from server to client") {
                $0.setDirection(.serverToClient)
            },
        ],
        takes: { option in
            option.group == .layout || ["q", "v", "x", "X", "l", "n"].contains(option.short)
                || ["format", "color", "show-secrets", "redact", "describe", "encoding"].contains(option.long)
        },
        finish: { (parser) throws(UsageError) in
            parser.options.decode.words = parser.operands
            parser.operands = []
        }
    )
}

extension OptionParser {
    /// `--c2s`, `--s2c`; the last of them counts.
    fileprivate mutating func setDirection(_ direction: Direction) { options.decode.direction = direction }
}
