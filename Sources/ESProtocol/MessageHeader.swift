/// The numbers of one message header, read from its bytes. The ids stay where they are: see
/// ``userIDRange`` and ``destUserIDRange``.
public struct MessageHeader: Equatable, Sendable {
    public var layout: HeaderLayout
    /// The sender's kind of client; `nil` in the layout of 4.0, which has none.
    public var clientType: UInt8?
    public var messageType: UInt16
    public var messageID: Int32
    /// Bytes of body that follow the header, as declared. A header that was accepted has 0 or more.
    public var bodyLength: Int32
    /// The declared lengths of the ids in bytes.
    public var userIDLength: UInt8
    public var destUserIDLength: UInt8

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
        precondition(bytes.byteCount >= layout.headerLength)
        self.layout = layout
        clientType =
            layout.startToken == .ffff ? nil : bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 1, as: UInt8.self)
        messageType = UInt16(
            littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 2, as: UInt16.self)
        )
        messageID = Int32(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 4, as: Int32.self))
        bodyLength = Int32(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 8, as: Int32.self))
        userIDLength = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 12, as: UInt8.self)
        destUserIDLength = bytes.unsafeLoadUnaligned(
            fromUncheckedByteOffset: layout.destUserIDOffset,
            as: UInt8.self
        )
    }
}
