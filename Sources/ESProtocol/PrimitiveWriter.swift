/// Writes the body of a message by hand: values one after the other, as the framework's serializer writes them (PROTOCOL.md
/// section 3). All integers are little endian.
///
///     var body = PrimitiveWriter()
///     body.object { object in
///         object.append("bb02")
///         object.append(Int32(7))
///     }
///
/// For the framework's own bodies, and for everything whose form can be declared, there are ``BodySchema`` and ``BodyValue``,
/// which this is made of.
public struct PrimitiveWriter: Sendable {
    /// What was written.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    private mutating func put(_ value: BodyValue, _ schema: BodySchema) {
        // A value fits its own schema; only what is longer than a length can say does not.
        guard let written = try? schema.bytes(of: value) else {
            preconditionFailure("more than 2,147,483,647 bytes or elements cannot be written")
        }
        bytes += written
    }

    /// One byte, 0 or 1.
    public mutating func append(_ value: Bool) { put(.boolean(value), .boolean) }
    public mutating func append(_ value: UInt8) { put(.unsigned(UInt64(value)), .byte) }
    public mutating func append(_ value: Int16) { put(.integer(Int64(value)), .int16) }
    public mutating func append(_ value: UInt16) { put(.unsigned(UInt64(value)), .uint16) }
    public mutating func append(_ value: Int32) { put(.integer(Int64(value)), .int32) }
    public mutating func append(_ value: UInt32) { put(.unsigned(UInt64(value)), .uint32) }
    public mutating func append(_ value: Int64) { put(.integer(value), .int64) }
    public mutating func append(_ value: UInt64) { put(.unsigned(value), .uint64) }
    public mutating func append(_ value: Float) { put(.float(value), .float) }
    public mutating func append(_ value: Double) { put(.double(value), .double) }
    public mutating func append(_ value: BodyDate) { put(.date(value), .date(value.encoding)) }

    /// An int32 length and the text in UTF-8; `nil` is the length −1.
    public mutating func append(_ value: String?) { put(value.map { .string($0) } ?? .null, .string) }

    /// An int32 length and the bytes; `nil` is the length −1.
    public mutating func append(_ value: [UInt8]?) { put(value.map { .bytes($0) } ?? .null, .bytes) }

    /// An int32 count and the elements, each as `write` writes it; `nil` is the count −1.
    public mutating func append<Element>(
        list: [Element]?,
        _ write: (inout PrimitiveWriter, Element) -> Void
    ) {
        guard let list else {
            append(Int32(-1))
            return
        }
        append(Int32(list.count))
        for element in list { write(&self, element) }
    }

    /// A list of strings.
    public mutating func append(_ list: [String]?) { append(list: list) { $0.append($1) } }

    /// An object: an int32 length of what follows, and what `write` writes. Its properties stand in the ordinal order of their
    /// names.
    public mutating func object(_ write: (inout PrimitiveWriter) -> Void) {
        var inner = PrimitiveWriter()
        write(&inner)
        append(inner.bytes)
    }
}
