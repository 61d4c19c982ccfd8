/// What stands in one field of a message.
public enum FieldValue: Equatable, Sendable {
    /// Nothing: a null string or object, padding.
    case none
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    /// Text. What is not UTF-8 in it has become U+FFFD; the bytes say what was there.
    case text(String)
    /// Bytes that stand for themselves.
    case bytes
    /// Milliseconds since 1970-01-01 of the clock that the sender looked at (the protocol does not say which zone).
    case date(milliseconds: Int64)
}

/// One field of a message, found in its bytes.
///
/// Fields come in the order of their bytes and do not overlap. Text and bytes with a length in front are two fields:
/// the length (`es.body.password.length`, with the label) and the contents (`es.body.password`, without one).
/// The contents are there even if they are empty or null: such a field has a length of 0 and covers no byte, so that the
/// value can be asked for. A view that shows bytes leaves it out, as the meaning of the length already says it.
public struct Field: Equatable, Sendable {
    /// Dotted name, the same everywhere: `es.body.password`.
    public var name: String
    /// The protocol's own name: `Password`. Empty for the contents behind a length.
    public var label: String
    /// Offset within the message, over the bytes that were declared (missing ones count).
    public var offset: Int
    public var length: Int
    public var value: FieldValue
    /// What it means, to be read by people: `0 = .NET`, `24 = bytes of body that follow`. May hold text from the network:
    /// to be escaped before it is shown. May be empty for text, which is shown from its bytes.
    public var meaning: String
    /// A password or the like, hidden unless asked for.
    public var isSecret: Bool
    /// How deep it is nested within the body; 0 for the fields of the message itself.
    public var depth: Int
    /// The text cannot be read from the field's bytes: they are in an encoding that its description names, compressed, or
    /// other bytes than these. The value says what it is.
    public var isTextDecoded: Bool

    /// It has bytes, or a value without any.
    public var holdsSomething: Bool {
        if length > 0 { return true }
        return switch value {
        case .none: false
        case .text(let text): !text.isEmpty
        case .bytes: !meaning.isEmpty
        default: true
        }
    }

    public init(
        name: String,
        label: String,
        offset: Int,
        length: Int,
        value: FieldValue,
        meaning: String = "",
        isSecret: Bool = false,
        depth: Int = 0,
        isTextDecoded: Bool = false
    ) {
        self.name = name
        self.label = label
        self.offset = offset
        self.length = length
        self.value = value
        self.meaning = meaning
        self.isSecret = isSecret
        self.depth = depth
        self.isTextDecoded = isTextDecoded
    }
}
