/// What may stand in a header, judged from its bytes alone. PROTOCOL.md section 9.
@usableFromInline
enum HeaderCheck {
    /// What a header that stands where the last message ended turns out to be.
    @usableFromInline
    enum Verdict {
        case header
        /// Well formed, but its body length is over the limit.
        case overLimit
        case notAHeader
    }

    /// Whether the `count` bytes that end before `end` are all zero.
    /// - Parameter end: at least 13, so that eight bytes can be read before it.
    @inlinable @inline(__always)
    static func isZero(_ bytes: RawSpan, end: Int, count: Int) -> Bool {
        if count <= 8 { return count <= 0 || lastBytesAreZero(bytes, end: end, count: count) }
        return lastBytesAreZero(bytes, end: end, count: 8) && isZeroSlowly(bytes, end: end &- 8, count: count &- 8)
    }

    /// The same for 1 to 8 bytes.
    @inlinable @inline(__always)
    static func lastBytesAreZero(_ bytes: RawSpan, end: Int, count: Int) -> Bool {
        let word = UInt64(
            littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: end &- 8, as: UInt64.self)
        )
        return word &>> UInt64(truncatingIfNeeded: (8 &- count) &* 8) == 0
    }

    @usableFromInline
    static func isZeroSlowly(_ bytes: RawSpan, end: Int, count: Int) -> Bool {
        var end = end
        var left = count
        while left > 0 {
            guard lastBytesAreZero(bytes, end: end, count: min(8, left)) else { return false }
            end -= 8
            left -= 8
        }
        return true
    }

    /// Whether both id slots are well formed: a length that fits, and zeros behind the id.
    /// - Parameter bytes: at least `layout.headerLength` bytes from `start` on.
    @inlinable @inline(__always)
    static func idSlotsAreWellFormed(_ bytes: RawSpan, at start: Int, layout: HeaderLayout) -> Bool {
        let slot = Int(layout.idSlot)
        let user = Int(bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 12, as: UInt8.self))
        let dest = Int(bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 12 &+ slot, as: UInt8.self))
        return user < slot && dest < slot
            && isZero(bytes, end: start &+ 12 &+ slot, count: slot &- 1 &- user)
            && isZero(bytes, end: start &+ 12 &+ 2 &* slot, count: slot &- 1 &- dest)
    }

    @inlinable
    static func bodyLength(_ bytes: RawSpan, at start: Int) -> Int {
        Int(Int32(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 8, as: Int32.self)))
    }

    /// The test for a header in sync: of the token its first byte is enough.
    /// - Parameter bytes: at least `layout.headerLength` bytes from `start` on.
    @inlinable @inline(__always)
    static func inSync(_ bytes: RawSpan, at start: Int, layout: HeaderLayout, maximumMessage: Int) -> Verdict {
        precondition(start >= 0 && bytes.byteCount &- start >= layout.headerLength)
        let token: UInt8 = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt8.self)
        let length = bodyLength(bytes, at: start)
        guard token == layout.startToken.firstByte, length >= 0,
            idSlotsAreWellFormed(bytes, at: start, layout: layout)
        else { return .notAHeader }
        return length <= maximumMessage &- layout.headerLength ? .header : .overLimit
    }

    /// Whether the id at `range` is UTF-8 without control characters.
    static func isText(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        func byte(_ i: Int) -> UInt32? {
            i < range.upperBound ? UInt32(bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: i, as: UInt8.self)) : nil
        }
        func continuation(_ i: Int) -> UInt32? {
            guard let b = byte(i), b & 0xC0 == 0x80 else { return nil }
            return b & 0x3F
        }
        while let first = byte(index) {
            switch first {
            case 0x20...0x7E:
                index += 1
            case 0xC2...0xDF:
                guard let b = continuation(index + 1), (first & 0x1F) << 6 | b >= 0xA0 else { return false }
                index += 2
            case 0xE0...0xEF:
                guard let b = continuation(index + 1), let c = continuation(index + 2) else { return false }
                let scalar = (first & 0x0F) << 12 | b << 6 | c
                guard scalar >= 0x800, Unicode.Scalar(scalar) != nil else { return false }
                index += 3
            case 0xF0...0xF4:
                guard let b = continuation(index + 1), let c = continuation(index + 2), let d = continuation(index + 3)
                else { return false }
                let scalar = (first & 0x07) << 18 | b << 12 | c << 6 | d
                guard scalar >= 0x10000, scalar <= 0x10FFFF else { return false }
                index += 4
            default:
                return false
            }
        }
        return true
    }
}
