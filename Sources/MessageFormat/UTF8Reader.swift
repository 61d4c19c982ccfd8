/// Reads scalars out of bytes that may or may not be UTF-8.
enum UTF8Reader {
    struct Result {
        /// The scalar; 0xFFFD if the bytes are not UTF-8.
        var scalar: UInt32
        /// Bytes that it takes; of what is not UTF-8, the longest beginning of a sequence (which becomes one U+FFFD).
        var length: Int
        var isValid: Bool
    }

    /// Reads the scalar at the beginning of bytes, of which there is at least one.
    @inline(__always)
    static func read(_ bytes: UnsafePointer<UInt8>, count: Int) -> Result {
        let first = bytes[0]
        if first < 0x80 { return Result(scalar: UInt32(first), length: 1, isValid: true) }
        return readSequence(first, bytes, count)
    }

    private static func readSequence(_ first: UInt8, _ bytes: UnsafePointer<UInt8>, _ count: Int) -> Result {
        let length: Int
        var low: UInt8 = 0x80
        var high: UInt8 = 0xBF
        var scalar: UInt32
        switch first {
        case 0xC2...0xDF: (length, scalar) = (2, UInt32(first & 0x1F))
        case 0xE0...0xEF:
            (length, scalar) = (3, UInt32(first & 0x0F))
            if first == 0xE0 { low = 0xA0 }
            if first == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            (length, scalar) = (4, UInt32(first & 0x07))
            if first == 0xF0 { low = 0x90 }
            if first == 0xF4 { high = 0x8F }
        default: return Result(scalar: 0xFFFD, length: 1, isValid: false)
        }
        var index = 1
        while index < length {
            guard index < count, bytes[index] >= low, bytes[index] <= high else {
                return Result(scalar: 0xFFFD, length: index, isValid: false)
            }
            scalar = scalar << 6 | UInt32(bytes[index] & 0x3F)
            (low, high) = (0x80, 0xBF)
            index += 1
        }
        return Result(scalar: scalar, length: length, isValid: true)
    }
}
