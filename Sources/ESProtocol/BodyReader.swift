/// Why bytes are no body of a form, or a value cannot be written in it.
public struct BodyError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// A value needs more bytes than its object or the body has left.
        case needs(Int, left: Int)
        /// A length field says how many bytes follow, and it is not so.
        case length(says: Int, left: Int)
        /// A list says how many elements follow, and there cannot be so many in the bytes that are left.
        case count(says: Int, left: Int)
        /// Bytes are left behind the last value.
        case unused(Int)
        /// A bool is neither 0 nor 1.
        case notABoolean(UInt8)
        /// Writing: the value is not of the kind that the form has there.
        case wrongKind
        /// Writing: a number or a size that does not fit.
        case outOfRange
        /// Writing: the object has no property of that name, or one that the form does not have.
        case missing
    }

    public var reason: Reason
    /// Offset in the body.
    public var offset: Int
    /// The property, with those around it: `P2PAddress.PublicIP`. Empty for the body itself.
    public var path: String

    public var description: String {
        let place = path.isEmpty ? "body" : path
        return switch reason {
        case .needs(let count, let left): "\(place) at \(offset) needs \(count) bytes, \(left) are left"
        case .length(let says, let left): "\(place) at \(offset) says \(says) bytes, \(left) are there"
        case .count(let says, let left): "\(place) at \(offset) says \(says) elements, \(left) bytes are left"
        case .unused(let count): "\(place): \(count) bytes are left at \(offset)"
        case .notABoolean(let value): "\(place) at \(offset) is \(value), not a bool"
        case .wrongKind: "\(place): not a value of the kind that stands there"
        case .outOfRange: "\(place): does not fit"
        case .missing: "\(place): no such property"
        }
    }
}

extension BodyError: CustomStringConvertible {}

extension BodySchema {
    /// Reads a whole body. What it accepts, ``bytes(of:)`` writes back identically.
    public func value(parsing body: RawSpan) throws(BodyError) -> BodyValue {
        var reader = BodyReader()
        let value = try reader.read(self, to: body.byteCount, "", body)
        guard reader.position == body.byteCount else {
            throw BodyError(reason: .unused(body.byteCount - reader.position), offset: reader.position, path: "")
        }
        return value
    }

    /// Reads a whole body.
    public func value(parsing body: [UInt8]) throws(BodyError) -> BodyValue { try value(parsing: body.span.bytes) }
}

/// Reads values one after the other. Strict: what does not fit is an error.
struct BodyReader {
    var position = 0

    private func path(_ outer: String, _ name: String) -> String { outer.isEmpty ? name : outer + "." + name }

    private mutating func take(_ count: Int, _ end: Int, _ path: String) throws(BodyError) -> Int {
        guard count <= end - position else {
            throw BodyError(reason: .needs(count, left: end - position), offset: position, path: path)
        }
        defer { position += count }
        return position
    }

    /// A length or a count; `nil` is null. At least `size` bytes for each are there.
    private mutating func takeLength(of size: Int, _ end: Int, _ path: String, _ body: RawSpan) throws(BodyError)
        -> Int?
    {
        let offset = try take(4, end, path)
        let count = Int(body.int32(at: offset))
        if count == -1 { return nil }
        guard count >= 0, count <= (end - position) / size else {
            let left = end - position
            throw BodyError(
                reason: size == 1 ? .length(says: count, left: left) : .count(says: count, left: left),
                offset: offset,
                path: path
            )
        }
        return count
    }

    /// Reads one value that ends at `end` or before.
    mutating func read(_ schema: BodySchema, to end: Int, _ path: String, _ body: RawSpan) throws(BodyError)
        -> BodyValue
    {
        switch schema {
        case .boolean:
            let offset = try take(1, end, path)
            let byte = body.byte(at: offset)
            guard byte <= 1 else { throw BodyError(reason: .notABoolean(byte), offset: offset, path: path) }
            return .boolean(byte == 1)
        case .byte, .uint16, .uint32, .uint64, .character:
            let count = schema.fixedSize ?? 1
            return .unsigned(body.unsigned(at: try take(count, end, path), count))
        case .int16, .int32, .int64, .enumeration:
            let count = schema.fixedSize ?? 4
            return .integer(body.signed(at: try take(count, end, path), count))
        case .float:
            return .float(Float(bitPattern: UInt32(truncatingIfNeeded: body.unsigned(at: try take(4, end, path), 4))))
        case .double:
            return .double(Double(bitPattern: body.unsigned(at: try take(8, end, path), 8)))
        case .date(let encoding):
            return .date(BodyDate(raw: body.signed(at: try take(8, end, path), 8), encoding: encoding))
        case .string:
            guard let count = try takeLength(of: 1, end, path, body) else { return .null }
            defer { position += count }
            let bytes = body.array(position, count)
            return .utf8(bytes)
        case .bytes, .content:
            guard let count = try takeLength(of: 1, end, path, body) else { return .null }
            defer { position += count }
            return .bytes(body.array(position, count))
        case .list(let element):
            guard let count = try takeLength(of: max(element.minimumSize, 1), end, path, body) else { return .null }
            var values: [BodyValue] = []
            values.reserveCapacity(count)
            for index in 0..<count { values.append(try read(element, to: end, path + "[\(index)]", body)) }
            return .list(values)
        case .dictionary(let key, let value):
            let size = max(key.minimumSize + value.minimumSize, 1)
            guard let count = try takeLength(of: size, end, path, body) else { return .null }
            var entries: [BodyValue.Entry] = []
            entries.reserveCapacity(count)
            for index in 0..<count {
                let name = path + "[\(index)]"
                let key = try read(key, to: end, name, body)
                entries.append(BodyValue.Entry(key: key, value: try read(value, to: end, name, body)))
            }
            return .dictionary(entries)
        case .object(let properties):
            guard let count = try takeLength(of: 1, end, path, body) else { return .null }
            let objectEnd = position + count
            var values: [BodyValue.Property] = []
            values.reserveCapacity(properties.count)
            for property in properties {
                let inner = self.path(path, property.name)
                values.append(
                    BodyValue.Property(property.name, try read(property.schema, to: objectEnd, inner, body))
                )
            }
            guard position == objectEnd else {
                throw BodyError(reason: .unused(objectEnd - position), offset: position, path: path)
            }
            return .object(values)
        case .rest(let isText):
            defer { position = end }
            let bytes = body.array(position, end - position)
            return isText ? .utf8(bytes) : .bytes(bytes)
        }
    }
}

extension BodyValue {
    /// A string if the bytes are UTF-8, otherwise bytes.
    fileprivate static func utf8(_ bytes: [UInt8]) -> BodyValue {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.isDecoded(from: bytes) ? .string(text) : .bytes(bytes)
    }
}

extension String {
    /// Whether it is the text of those bytes, with nothing repaired. (`String(validating:as:)` needs newer systems.)
    func isDecoded(from bytes: some Collection<UInt8>) -> Bool { utf8.elementsEqual(bytes) }
}

extension RawSpan {
    /// Bounds have been checked against the length that the caller was given; the span checks them once more.
    func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    func int32(at offset: Int) -> Int32 {
        Int32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Int32.self))
    }

    /// An unsigned integer of 1, 2, 4 or 8 bytes.
    func unsigned(at offset: Int, _ count: Int) -> UInt64 {
        switch count {
        case 1: UInt64(byte(at: offset))
        case 2: UInt64(UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)))
        case 4: UInt64(UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        default: UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    /// A signed integer of 1, 2, 4 or 8 bytes.
    func signed(at offset: Int, _ count: Int) -> Int64 {
        let value = unsigned(at: offset, count)
        return switch count {
        case 1: Int64(Int8(truncatingIfNeeded: value))
        case 2: Int64(Int16(truncatingIfNeeded: value))
        case 4: Int64(Int32(truncatingIfNeeded: value))
        default: Int64(bitPattern: value)
        }
    }

    func array(_ offset: Int, _ count: Int) -> [UInt8] {
        extracting(offset..<offset + count).withUnsafeBytes { Array($0) }
    }
}
