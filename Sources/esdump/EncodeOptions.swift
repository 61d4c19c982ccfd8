import CaptureAnalysis
import ESProtocol
import MessageFormat

/// What the command `encode` is asked for.
struct EncodeOptions: Equatable, Sendable {
    /// `--set NAME=VALUE`, `--null NAME`, in order.
    enum Setting: Equatable, Sendable {
        case value(name: String, text: String)
        case null(name: String)
    }

    /// Files with JSON; `-` is standard input.
    var files: [String] = []
    /// Number or name; with it a message is made from options.
    var type: String?
    var user: String?
    var destination: String?
    var messageID: Int32?
    var clientType: UInt8?
    var direction: Direction?
    var settings: [Setting] = []
    var bodyHex: String?
    var bodyFile: String?
    var form = BytesForm.hex
}

extension Command {
    static let encode = Command(
        name: "encode",
        operands: "[FILE…]",
        summary: "make a message from JSON or from options, the reverse of decode",
        description: [
            "esdump encode reads messages as --format json prints them, from files or standard input, and prints their bytes. header_hex and body_hex are the message; without them it is made from es and fields (-v), with the lengths that follow from the contents. What contradicts, is masked or is not complete is refused.",
            "With --type it makes one message from options instead: --user and --dest are its ids (--dest is _0, the server, unless it is given), --set gives the fields of the body by the names of --format json -v or those of the framework. What is not given is empty text, 0, false, an empty list, or the date that was never set; MessageID is 1 (0 for a HeartBeat), ClientType that of .NET (of the server in 7.2, if the message goes to the client). The version is 6.5 unless --profile or --start-token says otherwise, and ids have the room of the framework's default of 11 bytes unless --id-slot or --user-id-length does.",
        ],
        action: .encode,
        options: [
            .value(nil, "type", .init("TYPE"), .command, "make a message of this type: Logon, 112 …") {
                $0.options.encode.type = $1
            },
            .value(
                nil,
                "user",
                .init("ID"),
                .command,
                "its UserID, the sender: aa01, in 7.2 also 9#aa01; _0 is the server"
            ) {
                $0.options.encode.user = $1
            },
            .value(nil, "dest", .init("ID"), .command, "its DestUserID (default _0)") {
                $0.options.encode.destination = $1
            },
            .value(nil, "id", .init("N"), .command, "its MessageID (default 1)") { (parser, text) throws(UsageError) in
                parser.options.encode.messageID = Int32(
                    try integer(text, for: "--id", in: Int(Int32.min)...Int(Int32.max))
                )
            },
            .value(nil, "client-type", .init("N"), .command, "its ClientType, 0 to 255") {
                (parser, text) throws(UsageError) in
                parser.options.encode.clientType = UInt8(try integer(text, for: "--client-type", in: 0...255))
            },
            .value(
                nil,
                "set",
                .init("NAME=VALUE"),
                .command,
                "a field of the body: password=x, p2p_address.public_ip=192.0.2.7, content=hex:01ff; for a list once for each element, user_list=aa01; body=… for a body that is a list itself"
            ) { (parser, text) throws(UsageError) in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, !parts[0].isEmpty else { throw UsageError("--set \(text): not NAME=VALUE") }
                parser.options.encode.settings.append(.value(name: String(parts[0]), text: String(parts[1])))
            },
            .value(nil, "null", .init("NAME"), .command, "a field of the body that is null") {
                $0.options.encode.settings.append(.null(name: $1))
            },
            .value(nil, "body-hex", .init("HEX"), .command, "the whole body, for types that are an application's own") {
                $0.options.encode.bodyHex = $1
            },
            .value(nil, "body-file", .init("FILE", .file), .command, "the whole body, from a file as it is") {
                $0.options.encode.bodyFile = $1
            },
            .flag(nil, "c2s", .command, "a message from client to server: requests and replies have different bodies") {
                $0.options.encode.direction = .clientToServer
            },
            .flag(nil, "s2c", .command, "a message from server to client (also if --user is _0)") {
                $0.options.encode.direction = .serverToClient
            },
            .choice(
                "as",
                "FORM",
                .command,
                "hex (default), raw, annotated (rows with the breakdown), json, or source: swift, c, objc, csharp, java, python, javascript, go",
                of: BytesForm.self
            ) {
                $0.options.encode.form = $1
            },
        ],
        takes: { option in
            ["profile", "start-token", "id-slot", "user-id-length"].contains(option.long)
        },
        finish: { (parser) throws(UsageError) in try parser.finishEncode() }
    )
}

extension OptionParser {
    fileprivate mutating func finishEncode() throws(UsageError) {
        options.encode.files = operands
        operands = []
        let encode = options.encode
        if encode.type == nil {
            let needsType = ["user", "dest", "id", "client-type", "set", "null", "body-hex", "body-file"]
            if let option = given.first(where: { needsType.contains($0.long ?? "") }) {
                throw UsageError("\(option.name) goes with --type: without it a message is made from JSON")
            }
            return
        }
        guard encode.files.isEmpty else {
            throw UsageError("--type makes a message from options, \(encode.files[0]) is JSON: only one of them")
        }
        if encode.bodyHex != nil, encode.bodyFile != nil {
            throw UsageError("--body-hex and --body-file: only one of them")
        }
        if encode.bodyHex != nil || encode.bodyFile != nil, !encode.settings.isEmpty {
            throw UsageError("--set gives single fields, --body-hex and --body-file the whole body: only one of them")
        }
    }
}
