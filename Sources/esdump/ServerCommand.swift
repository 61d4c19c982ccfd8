import ESProtocol
import ESServer

/// What the command `server` is asked for. Times in nanoseconds.
struct ServerCommandOptions: Equatable, Sendable {
    var port: UInt16 = 4530
    /// Where it listens; the loopback interface if there is none.
    var addresses: [String] = []
    var users: String?
    var newUser: String?
    var answers: String?
    var groups: [String: [String]] = [:]
    var secondLogon = SecondLogonChoice.replace
    var echoesHeartbeats = false
    var offersPeerToPeer = false
    var allowsKickOut = false
    var maximumConnections = 1000
    var logonTime: Int64 = 10_000_000_000
    var heartbeatTime: Int64 = 30_000_000_000
    /// The longest body, in bytes.
    var maximumBody = 1 << 20

    enum SecondLogonChoice: String, CaseIterable, Sendable { case replace, refuse }
}

extension Command {
    static let server = Command(
        name: "server",
        operands: "[OPTION]...",
        summary: "a small server: logon, who is online, messages from user to user",
        description: [
            "esdump server is a small server of the protocol, to try clients with: users log on, are told who comes and goes, and write to each other; it relays files, blobs and broadcasts to groups, answers questions and heartbeats as the framework's clients expect it, and pushes out an older logon of the same user. It takes the versions 4.7, 6.5 and 7.2 side by side, each client in the version that it speaks. Every message that comes or goes, and every thing that it does, is a line (or what --format says); passwords are hidden unless --show-secrets is given.",
            "It listens on the loopback interface alone, unless --listen names another address. The protocol sends passwords and everything else in clear: over a network that others can reach, let it listen on the loopback interface and lead clients to it through a tunnel (ssh -L 4530:localhost:4530 HOST, or one with TLS).",
            "Without --users everybody may log on. FILE holds a line for each user, aa01:HASH, with the hash as crypt(5) has it; --add-user NAME asks for a password and writes such a line. Not on macOS, whose system makes no such hashes.",
            "A question is answered with what was asked. --answers FILE answers from a file: on each line the type of the question (or *) and the answer, in which {content} and {user} are replaced; !null, !empty, !fail (as if the handler had failed) and !none (no answer) are answers too.",
            "Limits: a body has at most 1 MiB (--max-message), before the logon 64 KiB; who does not log on within --logon-time or is silent for --heartbeat-time is cut off, and so is who does not read what it is sent.",
        ],
        action: .serve,
        options: serverOptions,
        takes: { option in
            switch option.group {
            case .output: !["count", "fields"].contains(option.long) && option.short != "E"
            default: ["profile", "user-id-length", "id-slot", "max-message"].contains(option.long)
            }
        },
        finish: { (parser) throws(UsageError) in try parser.finishServer() }
    )

    private static let serverOptions: [OptionDeclaration] = [
        .value(nil, "port", .init("PORT"), .command, "port to listen on (default 4530; 0: any that is free)") {
            (parser, text) throws(UsageError) in
            parser.options.server.port = UInt16(try integer(text, for: "--port", in: 0...65_535))
        },
        .value(
            nil,
            "listen",
            .init("ADDRESS"),
            .command,
            "address or name of a host to listen on, as often as needed; 0.0.0.0 and :: are all (default 127.0.0.1 and ::1)"
        ) {
            (parser, text) throws(UsageError) in
            guard !text.isEmpty else { throw UsageError("--listen: the address is empty") }
            parser.options.server.addresses.append(text)
        },
        .value(
            nil,
            "users",
            .init("FILE", .file),
            .command,
            "users and hashes of their passwords; others may not log on"
        ) {
            $0.options.server.users = $1
        },
        .value(
            nil,
            "add-user",
            .init("NAME"),
            .command,
            "ask for a password, write its hash to the file of --users, and end"
        ) {
            $0.options.server.newUser = $1
        },
        .value(
            nil,
            "answers",
            .init("FILE", .file),
            .command,
            "answers to questions, by type (default: what was asked)"
        ) {
            $0.options.server.answers = $1
        },
        .value(
            nil,
            "group",
            .init("NAME=USER,..."),
            .command,
            "a group and its members, as often as needed (default: everybody is in every group)"
        ) {
            (parser, text) throws(UsageError) in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let members = parts.count == 2 ? parts[1].split(separator: ",").map(String.init) : []
            guard let name = parts.first, !name.isEmpty, !members.isEmpty else {
                throw UsageError("--group \(text): it is written as g1=aa01,bb02")
            }
            parser.options.server.groups[String(name), default: []] += members
        },
        .choice(
            "second-logon",
            "WHAT",
            .command,
            "a second logon of a user: replace (the first is pushed out, default) or refuse",
            of: ServerCommandOptions.SecondLogonChoice.self
        ) {
            $0.options.server.secondLogon = $1
        },
        .flag(nil, "echo-heartbeats", .command, "hand heartbeats back to their sender") {
            $0.options.server.echoesHeartbeats = true
        },
        .flag(nil, "peer-to-peer", .command, "let clients find each other for direct connections") {
            $0.options.server.offersPeerToPeer = true
        },
        .flag(nil, "allow-kick-out", .command, "let clients kick out each other") {
            $0.options.server.allowsKickOut = true
        },
        .value(nil, "max-connections", .init("N"), .command, "connections at a time (default 1000)") {
            (parser, text) throws(UsageError) in
            parser.options.server.maximumConnections = try integer(text, for: "--max-connections", in: 1...100_000)
        },
        .value(nil, "logon-time", .init("S"), .command, "time for the logon (default 10)") {
            (parser, text) throws(UsageError) in
            parser.options.server.logonTime = try positiveSeconds(text, for: "--logon-time")
        },
        .value(nil, "heartbeat-time", .init("S"), .command, "time without a sign of life (default 30)") {
            (parser, text) throws(UsageError) in
            parser.options.server.heartbeatTime = try positiveSeconds(text, for: "--heartbeat-time")
        },
    ]
}

/// Seconds, more than none.
func positiveSeconds(_ text: String, for option: String) throws(UsageError) -> Int64 {
    let nanoseconds = try seconds(text, for: option)
    guard nanoseconds > 0 else { throw UsageError("\(option) \(text): must be more than 0") }
    return nanoseconds
}

extension OptionParser {
    fileprivate mutating func finishServer() throws(UsageError) {
        if let word = operands.first { throw UsageError("server takes no \(word): \(Command.server.usage)") }
        if options.server.newUser != nil, options.server.users == nil {
            throw UsageError("--add-user needs --users FILE, the file that it writes to")
        }
        if given.contains(where: { $0.long == "max-message" }) { options.server.maximumBody = options.maxMessage }
        // One line for each thing that happens, unless more is asked for.
        if format == nil { format = .summary }
    }
}
