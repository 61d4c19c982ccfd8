/// Reads what ``PrimitiveWriter`` writes. What does not fit is an error, never a trap.
public struct PrimitiveReader: Sendable {
    private let bytes: [UInt8]
    private var reader = BodyReader()

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Offset of the next value.
    public var offset: Int { reader.position }
    /// Bytes that were not read.
    public var remaining: Int { bytes.count - reader.position }

    private mutating func take(_ schema: BodySchema) throws(BodyError) -> BodyValue {
        // What fails has read nothing.
        var ahead = reader
        let value = try ahead.read(schema, to: bytes.count, "", bytes.span.bytes)
        reader = ahead
        return value
    }

    private mutating func number(_ schema: BodySchema) throws(BodyError) -> UInt64 {
        switch try take(schema) {
        case .unsigned(let value): value
        case .integer(let value): UInt64(bitPattern: value)
        default: 0
        }
    }

    public mutating func bool() throws(BodyError) -> Bool { try take(.boolean) == .boolean(true) }
    public mutating func uint8() throws(BodyError) -> UInt8 { UInt8(truncatingIfNeeded: try number(.byte)) }
    public mutating func int16() throws(BodyError) -> Int16 { Int16(truncatingIfNeeded: try number(.int16)) }
    public mutating func uint16() throws(BodyError) -> UInt16 { UInt16(truncatingIfNeeded: try number(.uint16)) }
    public mutating func int32() throws(BodyError) -> Int32 { Int32(truncatingIfNeeded: try number(.int32)) }
    public mutating func uint32() throws(BodyError) -> UInt32 { UInt32(truncatingIfNeeded: try number(.uint32)) }
    public mutating func int64() throws(BodyError) -> Int64 { Int64(bitPattern: try number(.int64)) }
    public mutating func uint64() throws(BodyError) -> UInt64 { try number(.uint64) }
    public mutating func float() throws(BodyError) -> Float { Float(bitPattern: try uint32()) }
    public mutating func double() throws(BodyError) -> Double { Double(bitPattern: try uint64()) }

    /// A string; what is not UTF-8 in it has become U+FFFD. `nil` is null.
    public mutating func string() throws(BodyError) -> String? {
        switch try take(.string) {
        case .string(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// Bytes with their length before them. `nil` is null.
    public mutating func lengthPrefixedBytes() throws(BodyError) -> [UInt8]? {
        if case .bytes(let bytes) = try take(.bytes) { bytes } else { nil }
    }

    /// A list of strings; an element that is null becomes an empty string. `nil` is null.
    public mutating func strings() throws(BodyError) -> [String]? {
        guard case .list(let values) = try take(.list(.string)) else { return nil }
        return values.map { $0.text ?? "" }
    }

    /// An object, as a reader of its own. `nil` is null.
    public mutating func object() throws(BodyError) -> PrimitiveReader? {
        try lengthPrefixedBytes().map { PrimitiveReader($0) }
    }
}
