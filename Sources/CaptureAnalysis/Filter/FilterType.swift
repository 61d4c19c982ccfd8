import ESProtocol
import MessageFormat

/// What values a field can have, as far as that is known before a message is seen.
struct FilterType: Sendable {
    struct Kinds: OptionSet, Sendable {
        let rawValue: UInt16
        static let number = Kinds(rawValue: 1)
        static let boolean = Kinds(rawValue: 2)
        static let text = Kinds(rawValue: 4)
        static let bytes = Kinds(rawValue: 8)
        static let time = Kinds(rawValue: 16)
        static let date = Kinds(rawValue: 32)
        /// Address and port.
        static let endpoint = Kinds(rawValue: 64)
        static let host = Kinds(rawValue: 128)
        /// One of the names of ``valueNames`` and nothing else.
        static let name = Kinds(rawValue: 256)
        /// An object, a list: it has no value itself.
        static let container = Kinds(rawValue: 512)
        /// A field of a body that the framework does not have.
        static let unknown = Kinds(rawValue: 1024)

        static let octets: Kinds = [.text, .bytes]
    }

    typealias ValueName = MessageNames.Value

    var kinds: Kinds
    var valueNames: [ValueName] = []
    /// Second names of values, in lower case, with those that messages show in their place.
    var shownNames: [String: String] = [:]
    /// Names that a user's files replace, in lower case, with what is called so now.
    var replaced: [String: String] = [:]
    /// What the names are names of: "message type".
    var nameOf = "value"

    init(_ kinds: Kinds) { self.kinds = kinds }

    private init(names: [String]) {
        kinds = .name
        valueNames = names.enumerated().map { ValueName(name: $1, value: Int64($0)) }
    }

    init(of name: MessageFieldName, _ names: MessageNames) {
        switch name {
        case .typeName: kinds = .text
        case .headerBytes, .bodyBytes: kinds = .bytes
        case .header(.userID), .header(.destUserID): kinds = .text
        case .header(.messageType):
            kinds = .number
            valueNames = names.messageTypes
            replaced = names.replaced
            nameOf = "message type"
        case .header(.clientType):
            kinds = .number
            valueNames = names.clientTypes
            nameOf = "client type"
        case .header: kinds = .number
        case .property(let property): self = Self.type(of: property)
        case .body(let body): self = names.known(body).map { Self.type(of: $0) } ?? FilterType(.unknown)
        }
    }

    private static func type(of property: MessageProperty) -> FilterType {
        switch property {
        case .time: FilterType(.time)
        case .transport: FilterType(names: ["tcp", "udp"])
        case .direction: FilterType(names: ["c2s", "s2c"])
        case .status: FilterType(names: ["complete", "gap", "truncated"])
        case .source, .destination: FilterType(.endpoint)
        case .sourceHost, .destinationHost, .host: FilterType(.host)
        case .packet, .conversation, .sourcePort, .destinationPort, .port, .streamOffset, .length, .missing, .gaps:
            FilterType(.number)
        }
    }

    private static func type(of field: KnownBodyField) -> FilterType {
        var kinds: Kinds = []
        let pairs: [(KnownBodyField.Kinds, Kinds)] = [
            (.boolean, .boolean), (.integer, .number), (.real, .number), (.date, .date), (.text, .text),
            (.bytes, .bytes), (.container, .container),
        ]
        for (known, kind) in pairs where field.kinds.contains(known) { kinds.insert(kind) }
        // A list of texts: its elements have its name.
        if kinds != .container { kinds.remove(.container) }
        var type = FilterType(kinds)
        type.valueNames = field.valueNames.map { ValueName(name: $0.name, value: $0.value) }
        type.shownNames = field.shownNames
        return type
    }

    func values(named name: String) -> [ValueName] {
        let name = name.lowercased()
        return valueNames.filter { $0.name.lowercased() == name }
    }

    /// What a value must be: "a number", "text".
    var description: String {
        if kinds == .name { return "one of " + valueNames.map(\.name).joined(separator: ", ") }
        let words: [(Kinds, String)] = [
            (.number, "a number"), (.boolean, "true or false"), (.text, "text"), (.bytes, "bytes"), (.time, "a time"),
            (.date, "a date"), (.endpoint, "an address and port"), (.host, "an address"),
            (.container, "an object or a list"), (.unknown, "not known"),
        ]
        return words.filter { kinds.contains($0.0) }.map(\.1).joined(separator: " or ")
    }
}
