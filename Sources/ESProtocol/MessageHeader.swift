/// The numbers of one message header, read from its bytes. The ids stay where they are: see
/// ``userIDRange`` and ``destUserIDRange``.
///
/// It is kept in two words, much as it stands on the wire: one is read for each message of a capture, and few of its numbers
/// are asked for.
public struct MessageHeader: Equatable, Sendable {
    /// The first eight bytes of the header, the first of them at the low end; those of the token are zero.
    @usableFromInline var beginning: UInt64
    /// From the low end: body length (4 bytes), the lengths of the ids, the layout's token and slot (1 byte each).
    @usableFromInline var rest: UInt64

    /// Stands where there is none yet.
    @inlinable static var empty: MessageHeader { MessageHeader(beginning: 0, rest: 0) }

    @inlinable init(beginning: UInt64, rest: UInt64) {
        self.beginning = beginning
        self.rest = rest
    }

    public var layout: HeaderLayout {
        @inlinable @inline(__always) get {
            HeaderLayout(
                startToken: HeaderLayout.StartToken(code: UInt8(truncatingIfNeeded: rest &>> 48)),
                idSlot: UInt8(truncatingIfNeeded: rest &>> 56)
            )
        }
        @inlinable set {
            rest = rest & 0xFFFF_FFFF_FFFF | UInt64(newValue.startToken.rawValue) << 48 | UInt64(newValue.idSlot) << 56
        }
    }

    /// The sender's kind of client; `nil` in the layout of 4.0, which has none.
    @inlinable public var clientType: UInt8? {
        UInt8(truncatingIfNeeded: rest &>> 48) == HeaderLayout.StartToken.ffff.rawValue
            ? nil : UInt8(truncatingIfNeeded: beginning &>> 8)
    }

    public var messageType: UInt16 {
        @inlinable @inline(__always) get { UInt16(truncatingIfNeeded: beginning &>> 16) }
        @inlinable set { beginning = beginning & ~0xFFFF_0000 | UInt64(newValue) << 16 }
    }

    public var messageID: Int32 {
        @inlinable @inline(__always) get { Int32(truncatingIfNeeded: beginning &>> 32) }
        @inlinable set { beginning = beginning & 0xFFFF_FFFF | UInt64(UInt32(bitPattern: newValue)) << 32 }
    }

    /// Bytes of body that follow the header, as declared. A header that was accepted has 0 or more.
    public var bodyLength: Int32 {
        @inlinable @inline(__always) get { Int32(truncatingIfNeeded: rest) }
        @inlinable set { rest = rest & ~0xFFFF_FFFF | UInt64(UInt32(bitPattern: newValue)) }
    }

    /// The declared lengths of the ids in bytes.
    @inlinable public var userIDLength: UInt8 { UInt8(truncatingIfNeeded: rest &>> 32) }
    @inlinable public var destUserIDLength: UInt8 { UInt8(truncatingIfNeeded: rest &>> 40) }

    /// Bytes of header and declared body.
    @inlinable public var messageLength: Int { layout.headerLength + Int(bodyLength) }

    /// Where the user id stands in the message.
    @inlinable public var userIDRange: Range<Int> {
        13..<13 + min(Int(userIDLength), Int(layout.idSlot) - 1)
    }
    /// Where the destination user id stands in the message.
    @inlinable public var destUserIDRange: Range<Int> {
        let start = layout.destUserIDOffset + 1
        return start..<start + min(Int(destUserIDLength), Int(layout.idSlot) - 1)
    }

    /// Reads a header.
    /// - Parameter bytes: at least `layout.headerLength` bytes, the header first. One bounds check is made for all fields.
    @inlinable public init(reading bytes: RawSpan, layout: HeaderLayout) {
        self.init(reading: bytes, at: 0, layout: layout)
    }

    /// Reads a header that stands at `start`.
    @inlinable @inline(__always) init(reading bytes: RawSpan, at start: Int, layout: HeaderLayout) {
        precondition(start >= 0 && bytes.byteCount &- start >= layout.headerLength)
        let word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
        beginning = word & (layout.startToken == .ffff ? ~0xFFFF : ~0xFF)
        let length = UInt32(
            littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 8, as: UInt32.self)
        )
        let user: UInt8 = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 12, as: UInt8.self)
        let dest: UInt8 = bytes.unsafeLoadUnaligned(
            fromUncheckedByteOffset: start &+ layout.destUserIDOffset,
            as: UInt8.self
        )
        rest =
            UInt64(length) | UInt64(user) &<< 32 | UInt64(dest) &<< 40
            | UInt64(layout.startToken.rawValue) &<< 48 | UInt64(layout.idSlot) &<< 56
    }
}
