/// The form of a body, by the rules of the framework's serializer (PROTOCOL.md section 3).
///
/// Declared once for each body; ``BodyReader``, ``BodyWriter`` and ``BodyDescriber`` follow it. A schema cannot contain
/// itself, so its depth is known.
public indirect enum BodySchema: Hashable, Sendable {
    /// One byte, 0 or 1.
    case boolean
    case byte
    case int16
    case uint16
    case int32
    case uint32
    case int64
    case uint64
    case float
    case double
    /// A unit of UTF-16, two bytes.
    case character
    /// An int32 with names.
    case enumeration(BodyEnumeration)
    /// Eight bytes.
    case date(BodyDate.Encoding)
    /// An int32 length and so many bytes of UTF-8; −1 is null.
    case string
    /// An int32 length and so many bytes; −1 is null.
    case bytes
    /// The same on the wire, and it is known what is in the bytes.
    case content([BodyContent])
    /// An int32 count and so many elements; −1 is null.
    case list(BodySchema)
    /// An int32 count and so many keys with their values; −1 is null.
    case dictionary(key: BodySchema, value: BodySchema)
    /// An int32 length of what follows, then the properties in ordinal order of their names; −1 is null.
    case object([BodyProperty])
    /// All bytes that are left.
    case rest(isText: Bool)

    /// Bytes on the wire where the schema alone tells.
    public var fixedSize: Int? {
        switch self {
        case .boolean, .byte: 1
        case .int16, .uint16, .character: 2
        case .int32, .uint32, .float, .enumeration: 4
        case .int64, .uint64, .double, .date: 8
        case .string, .bytes, .content, .list, .dictionary, .object, .rest: nil
        }
    }

    /// The fewest bytes that a value can have: a null for what may be null.
    public var minimumSize: Int {
        if case .rest = self { return 0 }
        return fixedSize ?? 4
    }
}

/// A property of an object.
public struct BodyProperty: Hashable, Sendable {
    /// The framework's name: `AuthorizedUser`.
    public let name: String
    public let schema: BodySchema
    /// A password or the like.
    public let isSecret: Bool

    public init(_ name: String, _ schema: BodySchema, isSecret: Bool = false) {
        self.name = name
        self.schema = schema
        self.isSecret = isSecret
    }

    /// The name as it stands in the names of fields: `authorized_user`.
    public var fieldName: String { Self.fieldName(of: name) }

    /// `P2PAddress` → `p2p_address`, `UserID` → `user_id`.
    static func fieldName(of name: String) -> String {
        var result: [UInt8] = []
        let letters = Array(name.utf8)
        func isUpper(_ index: Int) -> Bool { letters.indices.contains(index) && (65...90).contains(letters[index]) }
        func isLower(_ index: Int) -> Bool { letters.indices.contains(index) && (97...122).contains(letters[index]) }
        for index in letters.indices {
            if isUpper(index) {
                if isLower(index - 1) || (index > 0 && letters[index - 1] != 95 && isLower(index + 1)) {
                    result.append(95)
                }
                result.append(letters[index] + 32)
            } else {
                result.append(letters[index])
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// What stands in a property of bytes, and when.
public struct BodyContent: Hashable, Sendable {
    /// That a later property of the same object has a value.
    public struct Condition: Hashable, Sendable {
        public let property: String
        public let value: Int64

        public init(_ property: String, _ value: Int64) {
            self.property = property
            self.value = value
        }
    }

    /// All of them hold.
    public let conditions: [Condition]
    public let schema: BodySchema
    /// It is an error if the bytes do not have that form; otherwise they are just bytes then.
    public let isRequired: Bool

    public init(when conditions: [Condition], _ schema: BodySchema, isRequired: Bool) {
        self.conditions = conditions
        self.schema = schema
        self.isRequired = isRequired
    }
}

/// Names of the values of an enum.
public struct BodyEnumeration: Hashable, Sendable {
    /// Of the enum: `LogonResult`.
    public let name: String
    /// Of its values, from 0 on.
    public let names: [String]
    /// `0 = Succeed` …, made once.
    let meanings: [String]

    public init(_ name: String, _ names: [String]) {
        self.name = name
        self.names = names
        meanings = names.enumerated().map { $1 == String($0) ? $1 : "\($0) = \($1)" }
    }

    /// `0 = Succeed`; the bare number for a value without a name.
    func meaning(of value: Int64) -> String {
        value >= 0 && value < Int64(meanings.count)
            ? meanings[Int(value)] : "\(value) is not a known \(name)"
    }
}

/// Whose body it is where request and reply share a number.
public enum BodyDirection: UInt8, Hashable, Sendable {
    /// From client to server.
    case request
    /// From server to client.
    case reply
    case both
}
