import Sockets

/// What the command `chat` is asked for.
struct ChatCommandOptions: Equatable, Sendable {
    var user = ""
    var server = HostAndPort(host: "localhost", port: 4530)
    var asksPassword = false
    var passwordFile: String?
    var systemToken = ""
    /// The application's number of the messages that are sent.
    var type: Int32 = 1
    var acknowledges = false
}

extension Command {
    static let chat = Command(
        name: "chat",
        operands: "--user NAME [--server HOST:PORT]",
        summary: "a chat client for the terminal",
        description: [
            "esdump chat logs on to a server, shows the messages that come, a line each, and sends what is typed: \"bb02: hello\" goes to the user bb02. /online lists who is online, /query TYPE TEXT asks the server, /group NAME TEXT writes to a group, /ping tells how long a message takes, /quit ends; /help lists this. Text is UTF-8.",
            "A connection that is lost is made again. The session ends when the same user logs on elsewhere, is kicked out, or cannot log on again; the exit status is 1 then. At the end of its input it logs off.",
            "The password is asked for (--ask-password) or is the first line of a file; without either it is empty. It goes to the server as it is: the protocol has no encryption. To a server elsewhere use a tunnel (ssh -L 4530:localhost:4530 HOST, and --server localhost).",
        ],
        action: .chat,
        options: chatOptions,
        takes: { ["profile", "user-id-length", "id-slot"].contains($0.long) },
        finish: { (parser) throws(UsageError) in try parser.finishChat() }
    )

    private static let chatOptions: [OptionDeclaration] = [
        .value(nil, "user", .init("NAME"), .command, "the user who logs on") { (parser, text) throws(UsageError) in
            guard !text.isEmpty else { throw UsageError("--user: the name is empty") }
            parser.options.chat.user = text
        },
        .value(nil, "server", .init("HOST:PORT"), .command, "the server (default localhost:4530)") {
            (parser, text) throws(UsageError) in
            do throws(SocketError) {
                parser.options.chat.server = try HostAndPort(text, defaultPort: 4530)
            } catch {
                throw UsageError("--server \(error)")
            }
        },
        .flag(nil, "ask-password", .command, "ask for the password") { $0.options.chat.asksPassword = true },
        .value(nil, "password-file", .init("FILE", .file), .command, "file whose first line is the password") {
            $0.options.chat.passwordFile = $1
        },
        .value(nil, "system-token", .init("TEXT"), .command, "what the application agreed on with its server") {
            $0.options.chat.systemToken = $1
        },
        .value(nil, "type", .init("N"), .command, "InformationType of the messages that are sent (default 1)") {
            (parser, text) throws(UsageError) in
            let range = Int(Int32.min)...Int(Int32.max)
            parser.options.chat.type = Int32(try integer(text, for: "--type", in: range))
        },
        .flag(nil, "acknowledge", .command, "have each message acknowledged, and say if it was not") {
            $0.options.chat.acknowledges = true
        },
    ]
}

extension OptionParser {
    fileprivate mutating func finishChat() throws(UsageError) {
        if let word = operands.first { throw UsageError("chat takes no \(word): \(Command.chat.usage)") }
        guard !options.chat.user.isEmpty else { throw UsageError("chat needs a user: \(Command.chat.usage)") }
        if options.chat.asksPassword, options.chat.passwordFile != nil {
            throw UsageError("--ask-password and --password-file: only one of them")
        }
    }
}
