/// A value of JSON.
package indirect enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// As it stands: a number may be longer than any type of ours.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.name == $1.name && $0.value == $1.value }
        default: false
        }
    }

    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }
    package var unsigned: UInt64? { if case .number(let text) = self { UInt64(text) } else { nil } }
    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}

/// Reads JSON values that follow one another, as a line each or otherwise.
package struct JSONReader {
    private let input: [UInt8]
    private var index = 0
    /// A value may be nested so deep.
    private static let maximumDepth = 64

    package init(_ input: [UInt8]) {
        self.input = input
        if input.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// Reads all values, each with the line that it begins in.
    package mutating func values() throws(DumpError) -> [(line: Int, value: JSONValue)] {
        var values: [(line: Int, value: JSONValue)] = []
        var line = 1
        var counted = 0
        while true {
            skipBlanks()
            guard index < input.count else { return values }
            line += input[counted..<index].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
            counted = index
            values.append((line, try value(depth: 0)))
        }
    }

    private func error(_ reason: String) -> DumpError {
        let before = input[..<min(index, input.count)]
        let line = before.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let column = before[start...].reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
        return DumpError(line: line, column: column, "JSON: \(reason)")
    }

    private mutating func skipBlanks() {
        while index < input.count, [0x20, 0x09, 0x0A, 0x0D].contains(input[index]) { index += 1 }
    }

    private mutating func take(_ character: UInt8) -> Bool {
        skipBlanks()
        guard index < input.count, input[index] == character else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(DumpError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw error("nested too deep") }
        skipBlanks()
        guard index < input.count else { throw error("it ends where a value should stand") }
        switch input[index] {
        case 0x7B: return .object(try members(depth: depth))
        case 0x5B:
            index += 1
            var elements: [JSONValue] = []
            if take(0x5D) { return .array(elements) }
            repeat { elements.append(try value(depth: depth + 1)) } while take(0x2C)
            guard take(0x5D) else { throw error("a , or ] should stand here") }
            return .array(elements)
        case 0x22: return .string(try string())
        case 0x2D, 0x30...0x39:
            let start = index
            while index < input.count,
                [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(input[index]) || (0x30...0x39).contains(input[index])
            {
                index += 1
            }
            return .number(String(decoding: input[start..<index], as: UTF8.self))
        default:
            for (word, value) in [("null", JSONValue.null), ("true", .boolean(true)), ("false", .boolean(false))]
            where input[index...].starts(with: word.utf8) {
                index += word.utf8.count
                return value
            }
            throw error("no value")
        }
    }

    private mutating func members(depth: Int) throws(DumpError) -> [(name: String, value: JSONValue)] {
        index += 1
        var members: [(name: String, value: JSONValue)] = []
        if take(0x7D) { return members }
        repeat {
            skipBlanks()
            guard index < input.count, input[index] == 0x22 else { throw error("a name should stand here") }
            let name = try string()
            guard take(0x3A) else { throw error("a : should stand here") }
            members.append((name, try value(depth: depth + 1)))
        } while take(0x2C)
        guard take(0x7D) else { throw error("a , or } should stand here") }
        return members
    }

    private mutating func string() throws(DumpError) -> String {
        index += 1
        var bytes: [UInt8] = []
        while index < input.count, input[index] != 0x22 {
            let byte = input[index]
            if byte < 0x20 { throw error("a control character in a string") }
            index += 1
            guard byte == 0x5C else {
                bytes.append(byte)
                continue
            }
            guard index < input.count else { break }
            let letter = input[index]
            index += 1
            switch letter {
            case 0x22, 0x5C, 0x2F: bytes.append(letter)
            case 0x62: bytes.append(0x08)
            case 0x66: bytes.append(0x0C)
            case 0x6E: bytes.append(0x0A)
            case 0x72: bytes.append(0x0D)
            case 0x74: bytes.append(0x09)
            case 0x75: bytes += String(Character(try scalar())).utf8
            default: throw error("an escape that is not known")
            }
        }
        guard index < input.count else { throw error("a string does not end") }
        index += 1
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func unit() -> UInt32? {
        guard index + 4 <= input.count else { return nil }
        var value: UInt32 = 0
        for offset in 0..<4 {
            guard let digit = hexValue(input[index + offset]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        index += 4
        return value
    }

    private mutating func scalar() throws(DumpError) -> Unicode.Scalar {
        guard let first = unit() else { throw error("\\u needs four hex digits") }
        if let scalar = Unicode.Scalar(first) { return scalar }
        // The second half of a pair.
        if (0xD800...0xDBFF).contains(first), index + 1 < input.count, input[index] == 0x5C, input[index + 1] == 0x75 {
            index += 2
            if let second = unit(), (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return scalar
            }
        }
        return "\u{FFFD}"
    }
}
