/// A schema made ready for the breakdown: the names of all fields put together once.
struct BodyPlan: Sendable {
    struct Node: Sendable {
        enum Kind: UInt8, Sendable {
            case boolean, unsigned, signed, enumeration, character, float, double, date
            case string, bytes, list, dictionary, object, rest
        }

        var kind: Kind
        /// Of the bytes on the wire, where the kind alone tells.
        var size = 0
        /// Of the field: `es.body.password`. Behind a list element's own name: `.user_id`, or empty for the element.
        var name: String
        /// Of the length in front: `es.body.password.length`.
        var lengthName = ""
        /// The framework's name.
        var label: String
        var isSecret = false
        /// `rest`: of text. `date`: in milliseconds.
        var isAlternative = false
        var enumeration: BodyEnumeration?
        /// Properties of an object; element of a list; key and value of a dictionary. Indices of ``BodyPlan/nodes``.
        var children = 0..<0
        /// Of a list or dictionary: the names of its first elements, `es.body.user_list[0]`, and of their lengths.
        var elementNames: [String] = []
        var elementLengthNames: [String] = []
        /// Of one element of a list or dictionary, at least.
        var elementSize = 1
        var contents: [Content] = []
    }

    struct Content: Sendable {
        /// Node and the value that it must have.
        var conditions: [(node: Int, value: Int64)]
        var node: Int
        var isRequired: Bool
    }

    private(set) var nodes: [Node] = []

    /// How many elements of a list have names that are made beforehand: most lists are short.
    static let readyElements = 32

    init(_ schema: BodySchema) {
        nodes.append(Node(kind: .rest, name: "", label: ""))
        fill(0, schema, name: "es.body", label: "", isSecret: false)
    }

    private mutating func reserve(_ count: Int) -> Range<Int> {
        let start = nodes.count
        for _ in 0..<count { nodes.append(Node(kind: .rest, name: "", label: "")) }
        return start..<nodes.count
    }

    private mutating func fill(_ index: Int, _ schema: BodySchema, name: String, label: String, isSecret: Bool) {
        var node = Node(kind: .rest, size: schema.fixedSize ?? 0, name: name, label: label, isSecret: isSecret)
        node.lengthName = name + ".length"
        switch schema {
        case .boolean: node.kind = .boolean
        case .byte, .uint16, .uint32, .uint64: node.kind = .unsigned
        case .int16, .int32, .int64: node.kind = .signed
        case .character: node.kind = .character
        case .enumeration(let enumeration):
            node.kind = .enumeration
            node.enumeration = enumeration
        case .float: node.kind = .float
        case .double: node.kind = .double
        case .date(let encoding):
            node.kind = .date
            node.isAlternative = encoding == .milliseconds
        case .string: node.kind = .string
        case .bytes, .content: node.kind = .bytes
        case .list(let element):
            node.kind = .list
            node.lengthName = name + ".count"
            node.children = reserve(1)
            node.elementSize = max(element.minimumSize, 1)
            fill(node.children.lowerBound, element, name: "", label: "", isSecret: isSecret)
        case .dictionary(let key, let value):
            node.kind = .dictionary
            node.lengthName = name + ".count"
            node.children = reserve(2)
            node.elementSize = max(key.minimumSize + value.minimumSize, 1)
            fill(node.children.lowerBound, key, name: ".key", label: "Key", isSecret: isSecret)
            fill(node.children.lowerBound + 1, value, name: ".value", label: "Value", isSecret: isSecret)
        case .object(let properties):
            node.kind = .object
            node.children = reserve(properties.count)
            for (child, property) in zip(node.children, properties) {
                fill(
                    child,
                    property.schema,
                    name: name + "." + property.fieldName,
                    label: property.name,
                    isSecret: isSecret || property.isSecret
                )
            }
            // Only now the siblings are known to whose values the contents are bound.
            for (child, property) in zip(node.children, properties) {
                guard case .content(let contents) = property.schema else { continue }
                for content in contents {
                    addContent(content, to: child, siblings: node.children, properties)
                }
            }
        case .rest(let isText):
            node.isAlternative = isText
        }
        if node.kind == .list || node.kind == .dictionary {
            node.elementNames = (0..<Self.readyElements).map { "\(name)[\($0)]" }
            node.elementLengthNames = node.elementNames.map { $0 + ".length" }
        }
        nodes[index] = node
    }

    private mutating func addContent(
        _ content: BodyContent,
        to index: Int,
        siblings: Range<Int>,
        _ properties: [BodyProperty]
    ) {
        var conditions: [(node: Int, value: Int64)] = []
        for condition in content.conditions {
            guard let position = properties.firstIndex(where: { $0.name == condition.property }) else { return }
            conditions.append((siblings.lowerBound + position, condition.value))
        }
        let inner = reserve(1).lowerBound
        var name = nodes[index].name
        // What has a length of its own needs a name beside the one of the bytes around it.
        if case .rest = content.schema {} else { name += ".content" }
        fill(inner, content.schema, name: name, label: "", isSecret: nodes[index].isSecret)
        nodes[index].contents.append(Content(conditions: conditions, node: inner, isRequired: content.isRequired))
    }
}

/// The plans of all bodies by message type, made when the first body is described.
struct BodyPlanTable: Sendable {
    struct Entry: Sendable {
        let title: String
        let versions: ProtocolVersions
        let direction: BodyDirection
        /// Seen on the wire.
        let isMeasured: Bool
        let plan: BodyPlan
    }

    static let shared = BodyPlanTable()

    /// By message type; of each the newest version first.
    private let entries: [[Entry]]

    private init() {
        var entries: [UInt16: [Entry]] = [:]
        for type in MessageTypeDescription.all {
            for body in type.bodies {
                entries[type.number, default: []].append(
                    Entry(
                        title: type.title(body.direction),
                        versions: body.versions,
                        direction: body.direction,
                        isMeasured: body.isMeasured,
                        plan: BodyPlan(body.schema)
                    )
                )
            }
        }
        let count = 1 + Int(entries.keys.max() ?? 0)
        self.entries = (0..<count).map { number in
            (entries[UInt16(number)] ?? []).sorted { $0.versions.newest > $1.versions.newest }
        }
    }

    func entries(of type: UInt16) -> [Entry] { Int(type) < entries.count ? entries[Int(type)] : [] }
}

extension ProtocolVersions {
    /// The bit of the newest one, for comparing.
    fileprivate var newest: UInt8 { 8 - UInt8(rawValue.leadingZeroBitCount) }
}
