extension BodySchema {
    /// Writes a value in this form.
    public func bytes(of value: BodyValue) throws(BodyError) -> [UInt8] {
        var writer = BodyWriter()
        try writer.write(value, self, "")
        return writer.bytes
    }
}

/// Writes values one after the other.
struct BodyWriter {
    var bytes: [UInt8] = []

    private func fail(_ reason: BodyError.Reason, _ path: String) -> BodyError {
        BodyError(reason: reason, offset: bytes.count, path: path)
    }

    private mutating func put(_ value: UInt64, _ count: Int) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }

    private mutating func putLength(_ count: Int, _ path: String) throws(BodyError) {
        guard let count = Int32(exactly: count) else { throw fail(.outOfRange, path) }
        put(UInt64(UInt32(bitPattern: count)), 4)
    }

    private mutating func putNull() { put(0xFFFF_FFFF, 4) }

    private mutating func putInteger(_ value: Int64, _ count: Int, _ path: String) throws(BodyError) {
        let bits = Int64(count * 8)
        guard bits == 64 || (value >= -(1 << (bits - 1)) && value < 1 << (bits - 1)) else {
            throw fail(.outOfRange, path)
        }
        put(UInt64(bitPattern: value), count)
    }

    private mutating func putUnsigned(_ value: UInt64, _ count: Int, _ path: String) throws(BodyError) {
        guard count == 8 || value >> UInt64(count * 8) == 0 else { throw fail(.outOfRange, path) }
        put(value, count)
    }

    mutating func write(_ value: BodyValue, _ schema: BodySchema, _ path: String) throws(BodyError) {
        switch (schema, value) {
        case (.boolean, .boolean(let value)):
            bytes.append(value ? 1 : 0)
        case (.byte, _), (.uint16, _), (.uint32, _), (.uint64, _), (.character, _):
            let count = schema.fixedSize ?? 1
            switch value {
            case .unsigned(let value): try putUnsigned(value, count, path)
            case .integer(let value):
                guard value >= 0 else { throw fail(.outOfRange, path) }
                try putUnsigned(UInt64(value), count, path)
            default: throw fail(.wrongKind, path)
            }
        case (.int16, _), (.int32, _), (.int64, _), (.enumeration, _):
            switch value {
            case .integer(let value): try putInteger(value, schema.fixedSize ?? 4, path)
            case .unsigned(let value):
                guard let value = Int64(exactly: value) else { throw fail(.outOfRange, path) }
                try putInteger(value, schema.fixedSize ?? 4, path)
            default: throw fail(.wrongKind, path)
            }
        case (.float, .float(let value)):
            put(UInt64(value.bitPattern), 4)
        case (.double, .double(let value)):
            put(value.bitPattern, 8)
        case (.date(let encoding), .date(let date)):
            guard date.encoding == encoding else { throw fail(.wrongKind, path) }
            put(UInt64(bitPattern: date.raw), 8)
        case (.string, .null), (.bytes, .null), (.content, .null), (.list, .null), (.dictionary, .null),
            (.object, .null):
            putNull()
        case (.string, .string(let text)):
            try putLength(text.utf8.count, path)
            bytes.append(contentsOf: text.utf8)
        case (.string, .bytes(let value)), (.bytes, .bytes(let value)), (.content, .bytes(let value)):
            try putLength(value.count, path)
            bytes.append(contentsOf: value)
        case (.list(let element), .list(let values)):
            try putLength(values.count, path)
            for (index, value) in values.enumerated() { try write(value, element, path + "[\(index)]") }
        case (.dictionary(let key, let value), .dictionary(let entries)):
            try putLength(entries.count, path)
            for (index, entry) in entries.enumerated() {
                try write(entry.key, key, path + "[\(index)]")
                try write(entry.value, value, path + "[\(index)]")
            }
        case (.object(let properties), .object(let values)):
            try writeObject(values, properties, path)
        case (.rest, .bytes(let value)):
            bytes.append(contentsOf: value)
        case (.rest(isText: true), .string(let text)):
            bytes.append(contentsOf: text.utf8)
        default:
            throw fail(.wrongKind, path)
        }
    }

    private mutating func writeObject(
        _ values: [BodyValue.Property],
        _ properties: [BodyProperty],
        _ path: String
    ) throws(BodyError) {
        let start = bytes.count
        put(0, 4)
        for (index, property) in properties.enumerated() {
            let inner = path.isEmpty ? property.name : path + "." + property.name
            // Usually they stand in the same order.
            let found =
                index < values.count && values[index].name == property.name
                ? values[index] : values.first { $0.name == property.name }
            guard let found else { throw fail(.missing, inner) }
            try write(found.value, property.schema, inner)
        }
        guard values.count == properties.count else { throw fail(.missing, path) }
        guard let length = Int32(exactly: bytes.count - start - 4) else { throw fail(.outOfRange, path) }
        for index in 0..<4 {
            bytes[start + index] = UInt8(truncatingIfNeeded: UInt32(bitPattern: length) >> UInt32(8 * index))
        }
    }
}
