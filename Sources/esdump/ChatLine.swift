/// What a line that was typed into the chat means.
enum ChatLine: Equatable {
    case message(to: String, String)
    case group(String, String)
    case online
    case query(type: Int32, String)
    case ping(String?)
    case help
    case quit
    /// An empty line.
    case nothing
    /// What is wrong with it.
    case mistake(String)

    static let helpText = """
        bb02: hello         to the user bb02
        /online             who is online
        /query TYPE TEXT    ask the server
        /group NAME TEXT    to the members of a group
        /ping [USER]        how long a message takes
        /quit               log off and end
        """

    init(_ line: String) {
        let line = line.drop { $0 == " " || $0 == "\t" }
        guard !line.isEmpty else {
            self = .nothing
            return
        }
        guard line.hasPrefix("/") else {
            self = Self.message(line)
            return
        }
        let (command, rest) = Self.split(line.dropFirst())
        switch command {
        case "online" where rest.isEmpty: self = .online
        case "query":
            let (type, text) = Self.split(rest)
            self =
                Int32(type).map { .query(type: $0, String(text)) }
                ?? .mistake("it is written: /query TYPE TEXT (TYPE is a number)")
        case "group":
            let (name, text) = Self.split(rest)
            self =
                name.isEmpty || text.isEmpty
                ? .mistake("it is written: /group NAME TEXT") : .group(String(name), String(text))
        case "ping": self = .ping(rest.isEmpty ? nil : String(rest))
        case "help", "?": self = .help
        case "quit" where rest.isEmpty, "exit" where rest.isEmpty: self = .quit
        default: self = .mistake("there is no /\(command); /help lists what there is")
        }
    }

    private static func message(_ line: Substring) -> ChatLine {
        guard let colon = line.firstIndex(of: ":") else {
            return .mistake("to whom? It is written: bb02: hello (/help lists what there is)")
        }
        let user = line[..<colon]
        guard !user.isEmpty, !user.contains(" ") else { return .mistake("it is written: bb02: hello") }
        let text = line[line.index(after: colon)...]
        return .message(to: String(user), String(text.first == " " ? text.dropFirst() : text))
    }

    /// The first word, and what stands behind it.
    private static func split(_ text: Substring) -> (Substring, Substring) {
        let word = text.prefix { $0 != " " && $0 != "\t" }
        return (word, text[word.endIndex...].drop { $0 == " " || $0 == "\t" })
    }
}
