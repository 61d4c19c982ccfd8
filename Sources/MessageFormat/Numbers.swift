extension OutputBuffer {
    /// Appends a number in decimal.
    package mutating func append(decimal value: UInt64) {
        guard value < 1000 else { return append(decimal: value, zeroPaddedTo: Self.digitCount(value)) }
        // Most numbers are small: their digits are made without a loop, and four bytes stored of which some count.
        let small = UInt32(truncatingIfNeeded: value)
        let tens = small / 10
        let hundreds = small / 100
        let digits = (small &- tens &* 10) &<< 16 | (tens &- hundreds &* 10) &<< 8 | hundreds | 0x30_3030
        let count: UInt32 = small < 10 ? 1 : small < 100 ? 2 : 3
        let text = digits &>> (24 &- 8 &* count)
        UnsafeMutableRawPointer(room(4)).storeBytes(of: text.littleEndian, as: UInt32.self)
        advance(Int(count))
    }

    package mutating func append(decimal value: Int64) {
        if value < 0 { append(0x2D) }
        append(decimal: value.magnitude)
    }

    package mutating func append(decimal value: Int) { append(decimal: Int64(value)) }

    /// Appends a number with commas between thousands, as prose has it.
    package mutating func append(grouped value: Int64) {
        if value < 0 { append(0x2D) }
        var divisor: UInt64 = 1
        while value.magnitude / divisor >= 1000 { divisor *= 1000 }
        append(decimal: value.magnitude / divisor)
        while divisor > 1 {
            divisor /= 1000
            append(0x2C)
            append(decimal: value.magnitude / divisor % 1000, zeroPaddedTo: 3)
        }
    }

    /// "1 byte", "1,385 bytes".
    mutating func append(byteCount: Int64) {
        append(grouped: byteCount)
        append(byteCount == 1 ? " byte" : " bytes")
    }

    mutating func append(byteCount: Int) { append(byteCount: Int64(byteCount)) }

    /// Appends the last `digits` digits with leading zeros.
    @inline(__always)
    mutating func append(decimal value: UInt64, zeroPaddedTo digits: Int) {
        let pointer = room(digits)
        // 32 bits divide quicker, and hold nearly everything.
        if value <= UInt64(UInt32.max) {
            var rest = UInt32(truncatingIfNeeded: value)
            var index = digits
            while index > 0 {
                index &-= 1
                pointer[index] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        } else {
            var rest = value
            var index = digits
            while index > 0 {
                index &-= 1
                pointer[index] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
        advance(digits)
    }

    /// Appends a number right-aligned.
    mutating func append(decimal value: Int64, width: Int) {
        let digits = Self.digitCount(value.magnitude)
        appendSpaces(width - digits - (value < 0 ? 1 : 0))
        if value < 0 { append(0x2D) }
        append(decimal: value.magnitude, zeroPaddedTo: digits)
    }

    /// Appends an offset as the breakdown has it: five columns, and two blanks behind.
    mutating func append(offset: Int) {
        guard offset >= 0, offset < 100_000 else {
            append(decimal: Int64(offset), width: 5)
            return append(literal: "  ")
        }
        append(eight: Self.offsetText(UInt32(truncatingIfNeeded: offset)))
        removeAll(from: count - 1)
    }

    /// A number below 100,000 in five columns with three blanks behind, the first character at the low end.
    @inline(__always)
    static func offsetText(_ offset: UInt32) -> UInt64 {
        // A blank becomes a digit by a bit more.
        var text: UInt64 = 0x2020_2020_2020_2020
        var rest = offset
        var shift: UInt64 = 32
        repeat {
            text |= UInt64(0x10 | rest % 10) &<< shift
            rest /= 10
            shift &-= 8
        } while rest != 0
        return text
    }

    @inline(__always)
    static func digitCount(_ value: UInt64) -> Int {
        if value < 10_000 { return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4 }
        return value < 100_000 ? 5 : largeDigitCount(value)
    }

    private static func largeDigitCount(_ value: UInt64) -> Int {
        var count = 4
        var rest = value / 10_000
        while rest > 0 {
            count &+= 1
            rest /= 10
        }
        return count
    }

    /// Appends one byte as two lower-case digits.
    @inline(__always)
    package mutating func append(hexByte byte: UInt8) {
        let pointer = room(2)
        pointer[0] = Self.hexDigit(byte >> 4)
        pointer[1] = Self.hexDigit(byte & 15)
        advance(2)
    }

    /// Appends a number in lower-case hex with at least `digits` digits.
    mutating func append(hex value: UInt64, digits: Int) {
        var shift = 60
        while shift > 0, value >> UInt64(shift) == 0, shift / 4 >= digits { shift -= 4 }
        while shift >= 0 {
            append(Self.hexDigit(UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 15))
            shift -= 4
        }
    }

    @inline(__always)
    static func hexDigit(_ nibble: UInt8) -> UInt8 { nibble &+ (nibble > 9 ? 0x57 : 0x30) }

    /// The digits of sixteen bytes, two for each.
    @inline(__always)
    static func hexDigits(_ value: SIMD16<UInt8>) -> SIMD32<UInt8> {
        let nine = SIMD16<UInt8>(repeating: 9)
        let high = value &>> 4
        let low = value & 15
        var text = SIMD32<UInt8>()
        text.evenHalf = high &+ SIMD16(repeating: 0x30).replacing(with: 0x57, where: high .> nine)
        text.oddHalf = low &+ SIMD16(repeating: 0x30).replacing(with: 0x57, where: low .> nine)
        return text
    }

    /// Appends bytes in hex without blanks, sixteen at a time.
    package mutating func append(hex bytes: UnsafeRawBufferPointer) {
        let pointer = room(bytes.count * 2)
        var index = 0
        while bytes.count - index >= 16 {
            let value = bytes.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            UnsafeMutableRawPointer(pointer + 2 * index).storeBytes(of: Self.hexDigits(value), as: SIMD32<UInt8>.self)
            index += 16
        }
        while index < bytes.count {
            pointer[2 * index] = Self.hexDigit(bytes[index] >> 4)
            pointer[2 * index + 1] = Self.hexDigit(bytes[index] & 15)
            index += 1
        }
        advance(bytes.count * 2)
    }

    mutating func append(hex bytes: RawSpan) {
        bytes.withUnsafeBytes { append(hex: $0) }
    }
}

extension RawSpan {
    /// One byte, with the bounds checked.
    @inline(__always)
    func byte(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}
