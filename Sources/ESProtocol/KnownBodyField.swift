/// A name that fields in bodies have, and what is known of it before a message is seen: of the framework's own bodies, or of
/// those that a user describes.
public struct KnownBodyField: Sendable {
    /// What such a field can hold.
    public struct Kinds: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let boolean = Kinds(rawValue: 1)
        /// An integer, or an enum.
        public static let integer = Kinds(rawValue: 2)
        public static let real = Kinds(rawValue: 4)
        public static let date = Kinds(rawValue: 8)
        public static let text = Kinds(rawValue: 16)
        public static let bytes = Kinds(rawValue: 32)
        /// It has no value of its own: an object, a list or a dictionary.
        public static let container = Kinds(rawValue: 64)
    }

    /// Without the numbers of elements: `es.body.user_list` for `es.body.user_list[3]`.
    public let name: String
    public internal(set) var kinds: Kinds = []
    /// The types of messages that can have it.
    public internal(set) var messageTypes: Set<UInt16> = []
    /// Messages of every type can have it.
    public internal(set) var isInAnyMessage = false
    /// The names of an enum's values: `Succeed` → 0.
    public internal(set) var valueNames: [(name: String, value: Int64)] = []
    /// Second names of values, in lower case, with the names that are shown: `log_on` → `LogOn`.
    public internal(set) var shownNames: [String: String] = [:]
    /// A password or the like.
    public internal(set) var isSecret = false

    init(name: String) { self.name = name }

    package init(
        name: String,
        kinds: Kinds = [],
        messageTypes: Set<UInt16>? = [],
        valueNames: [(name: String, value: Int64)] = [],
        shownNames: [String: String] = [:],
        isSecret: Bool = false
    ) {
        self.name = name
        self.kinds = kinds
        self.messageTypes = messageTypes ?? []
        isInAnyMessage = messageTypes == nil
        self.valueNames = valueNames
        self.shownNames = shownNames
        self.isSecret = isSecret
    }

    /// Adds what another description says of the same name.
    package mutating func add(_ other: KnownBodyField) {
        kinds.formUnion(other.kinds)
        messageTypes.formUnion(other.messageTypes)
        isInAnyMessage = isInAnyMessage || other.isInAnyMessage
        for value in other.valueNames where !valueNames.contains(where: { $0 == value }) { valueNames.append(value) }
        shownNames.merge(other.shownNames) { first, _ in first }
        isSecret = isSecret || other.isSecret
    }

    /// The same in messages of further types.
    package mutating func addMessageTypes(_ types: Set<UInt16>) { messageTypes.formUnion(types) }

    /// All names that the framework's own bodies have, made when the first of them is asked for.
    public static let all: [String: KnownBodyField] = {
        var names = KnownBodyFieldNames()
        for type in MessageTypeDescription.all {
            for body in type.bodies { names.add(BodyPlan(body.schema), type: type.number) }
        }
        return names.fields
    }()
}

/// Goes through plans and collects the names as ``BodyBreakdown`` makes them.
private struct KnownBodyFieldNames {
    var fields: [String: KnownBodyField] = [:]
    private var type: UInt16 = 0

    mutating func add(_ plan: BodyPlan, type: UInt16) {
        self.type = type
        visit(0, of: plan.nodes, prefix: "")
        add("es.body.rest", .bytes, isSecret: plan.nodes.contains { $0.isSecret })
    }

    private mutating func add(
        _ name: String,
        _ kind: KnownBodyField.Kinds,
        isSecret: Bool = false,
        names: [String] = []
    ) {
        var field = fields[name] ?? KnownBodyField(name: name)
        field.kinds.insert(kind)
        field.messageTypes.insert(type)
        field.isSecret = field.isSecret || isSecret
        for (value, valueName) in names.enumerated()
        where !field.valueNames.contains(where: { $0.name == valueName && $0.value == Int64(value) }) {
            field.valueNames.append((valueName, Int64(value)))
        }
        fields[name] = field
    }

    private mutating func visit(_ index: Int, of nodes: [BodyPlan.Node], prefix: String) {
        let node = nodes[index]
        let name = prefix + node.name
        let lengthName = prefix + node.lengthName
        switch node.kind {
        case .boolean: add(name, .boolean)
        case .unsigned, .signed, .character: add(name, .integer)
        case .enumeration: add(name, .integer, names: node.enumeration?.names ?? [])
        case .float, .double: add(name, .real)
        case .date: add(name, .date)
        case .string, .bytes:
            add(lengthName, .integer)
            add(name, node.kind == .string ? .text : .bytes, isSecret: node.isSecret)
            for content in node.contents { visit(content.node, of: nodes, prefix: prefix) }
        case .rest: add(name, node.isAlternative ? .text : .bytes, isSecret: node.isSecret)
        case .object:
            add(name, .container)
            add(lengthName, .integer)
            add(name + ".rest", .bytes, isSecret: node.isSecret)
            for child in node.children { visit(child, of: nodes, prefix: prefix) }
        case .list, .dictionary:
            add(name, .container)
            add(lengthName, .integer)
            for child in node.children { visit(child, of: nodes, prefix: name) }
        }
    }
}
