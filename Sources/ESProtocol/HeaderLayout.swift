/// Where the fields of a message header stand: the start token and the length of one id slot.
///
/// A header is twelve fixed bytes and two id slots. A slot is a length byte and a field of
/// ``idSlot`` − 1 bytes, filled up with zeros. All integers are little endian.
/// Measured, see PROTOCOL.md sections 1 and 2.
public struct HeaderLayout: Hashable, Sendable {
    /// What a header starts with.
    public enum StartToken: UInt8, Hashable, Sendable, CaseIterable {
        /// The two bytes `FF FF` of version 4.0; there is no client type.
        case ffff
        /// The byte `FF` of versions 4.7 and 6.5, then the client type.
        case ff
        /// The byte `0F` of version 7.2, then the client type.
        case zeroF

        /// - Parameter code: a raw value.
        @inlinable @inline(__always) init(code: UInt8) { self = code == 0 ? .ffff : code == 1 ? .ff : .zeroF }

        /// The token as a number: 0xFFFF, 0xFF or 0x0F.
        @inlinable public var value: UInt16 {
            switch self {
            case .ffff: 0xFFFF
            case .ff: 0xFF
            case .zeroF: 0x0F
            }
        }

        /// The first byte on the wire.
        @inlinable public var firstByte: UInt8 { self == .zeroF ? 0x0F : 0xFF }

        /// The number of bytes of the token.
        @inlinable public var byteCount: Int { self == .ffff ? 2 : 1 }
    }

    public var startToken: StartToken
    /// Bytes of one id slot: the length byte and its field. 2 … 255.
    public var idSlot: UInt8

    @inlinable public init(startToken: StartToken, idSlot: UInt8) {
        self.startToken = startToken
        self.idSlot = idSlot
    }

    /// Bytes of the whole header.
    @inlinable public var headerLength: Int { 12 + 2 * Int(idSlot) }

    /// Offset of the length byte of the destination user id.
    @inlinable public var destUserIDOffset: Int { 12 + Int(idSlot) }
}
