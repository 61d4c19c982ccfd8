/// Makes text that came from outside safe to show.
///
/// A terminal obeys control characters, turns the order of characters around on bidirectional ones and does not show
/// invisible ones: all of these, what Unicode has not assigned, and what is not UTF-8 are written as escapes.
/// In text they are `\n`, `\x1b` (one byte), `\u{202e}` (a scalar), and the backslash is `\\`; in JSON `\u202e`.
enum TextEscaping {
    /// Whether a scalar shows as what it is. Marks and spaces do; what has no shape of its own does not.
    static func isVisible(_ scalar: UInt32) -> Bool {
        if scalar < 0xA0 { return scalar >= 0x20 && scalar < 0x7F }
        if scalar < 0x800 { return TwoByteScalars.isVisible(scalar) }
        // Ideographs, kana, Yi and Hangul; nobody knows what those for private use show.
        if (0x3400...0x4DBF).contains(scalar) || (0x4E00...0xA48C).contains(scalar)
            || (0x3041...0x3096).contains(scalar) || (0xAC00...0xD7A3).contains(scalar)
        {
            return true
        }
        return !(0xE000...0xF8FF).contains(scalar) && looksVisible(scalar)
    }

    /// The same, as the standard library knows it.
    static func looksVisible(_ scalar: UInt32) -> Bool {
        guard let scalar = Unicode.Scalar(scalar) else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
        default: return !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}

extension OutputBuffer {
    /// Appends bytes from outside up to the first that may have to be escaped: all are visible ASCII (or blanks), none is a
    /// quote or a backslash.
    /// - Parameter least: the smallest byte that is taken; a blank, or the one behind it.
    /// - Returns: how many were appended.
    mutating func append(plainOf bytes: UnsafePointer<UInt8>, count: Int, least: UInt8 = 0x20) -> Int {
        let pointer = UnsafeMutableRawPointer(room(count))
        let source = UnsafeRawPointer(bytes)
        var index = 0
        while count &- index >= 8 {
            let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let special = Self.specialBytes(of: UInt64(littleEndian: word), least: least)
            pointer.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
            guard special == 0 else {
                index &+= special.trailingZeroBitCount / 8
                advance(index)
                return index
            }
            index &+= 8
        }
        while index < count {
            let byte = bytes[index]
            guard byte >= least, byte < 0x7F, byte != 0x22, byte != 0x5C else { break }
            pointer.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
            index &+= 1
        }
        advance(index)
        return index
    }

    /// Of eight bytes those that are not plain: the first of them has its highest bit set, and none before it has.
    @inline(__always)
    private static func specialBytes(of word: UInt64, least: UInt8) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // A byte is less than another if taking that away borrows from the bit above it.
        func less(_ word: UInt64, _ byte: UInt8) -> UInt64 { (word &- (ones &* UInt64(byte))) & ~word }
        func equal(_ byte: UInt8) -> UInt64 { less(word ^ (ones &* UInt64(byte)), 1) }
        return (word | less(word, least) | equal(0x7F) | equal(0x22) | equal(0x5C)) & (ones &* 0x80)
    }

    /// Appends text from outside for a person to read.
    /// - Parameter quote: `true`: between `"` and `"`, with `"` inside escaped.
    /// - Returns: The columns that it takes.
    @discardableResult
    package mutating func append(text bytes: UnsafeRawBufferPointer, quote: Bool = false) -> Int {
        let begin = count
        if quote { append(0x22) }
        guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
            if quote { append(0x22) }
            return quote ? 2 : 0
        }
        var isASCII = true
        var index = 0
        while index < bytes.count {
            index += append(plainOf: start + index, count: bytes.count - index)
            guard index < bytes.count else { break }
            let byte = start[index]
            if byte == 0x5C || byte == 0x22 {
                if byte == 0x5C || quote { append(0x5C) }
                append(byte)
                index += 1
                continue
            }
            let next = UTF8Reader.read(start + index, count: bytes.count - index)
            if next.isValid, TextEscaping.isVisible(next.scalar) {
                isASCII = false
                append(UnsafeBufferPointer(start: start + index, count: next.length))
            } else if next.isValid, next.scalar >= 0x80 {
                append(literal: "\\u{")
                append(hex: UInt64(next.scalar), digits: 1)
                append(0x7D)
            } else {
                for offset in index..<index + next.length { append(escaped: start[offset]) }
            }
            index += next.length
        }
        if quote { append(0x22) }
        return isASCII ? count - begin : width(from: begin)
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        default:
            append(literal: "\\x")
            append(hexByte: byte)
        }
    }

    @discardableResult
    package mutating func append(text: String, quote: Bool = false) -> Int {
        var text = text
        return text.withUTF8 { append(text: UnsafeRawBufferPointer($0), quote: quote) }
    }

    @discardableResult
    mutating func append(text bytes: RawSpan, quote: Bool = false) -> Int {
        bytes.withUnsafeBytes { append(text: $0, quote: quote) }
    }

    /// Appends a JSON string, quotes included. What is not UTF-8 becomes U+FFFD.
    package mutating func append(json bytes: UnsafeRawBufferPointer) {
        append(0x22)
        defer { append(0x22) }
        guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        var index = 0
        while index < bytes.count {
            index += append(plainOf: start + index, count: bytes.count - index)
            guard index < bytes.count else { break }
            if start[index] == 0x22 || start[index] == 0x5C {
                append(0x5C)
                append(start[index])
                index += 1
                continue
            }
            let next = UTF8Reader.read(start + index, count: bytes.count - index)
            index += next.length
            if !next.isValid {
                append(literal: "\u{FFFD}")
            } else if TextEscaping.isVisible(next.scalar) {
                append(UnsafeBufferPointer(start: start + index - next.length, count: next.length))
            } else if next.scalar > 0xFFFF {
                let rest = next.scalar - 0x10000
                append(utf16: 0xD800 + rest >> 10)
                append(utf16: 0xDC00 + rest & 0x3FF)
            } else {
                append(utf16: next.scalar)
            }
        }
    }

    private mutating func append(utf16 unit: UInt32) {
        append(literal: "\\u")
        append(hex: UInt64(unit), digits: 4)
    }

    package mutating func append(json text: String) {
        var text = text
        text.withUTF8 { append(json: UnsafeRawBufferPointer($0)) }
    }

    mutating func append(json bytes: RawSpan) {
        bytes.withUnsafeBytes { append(json: $0) }
    }
}
