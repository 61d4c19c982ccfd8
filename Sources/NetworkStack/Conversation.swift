import PacketCapture

/// Two endpoints that exchange segments, and what is known of them together.
package struct Conversation: Sendable {
    /// From 1, in order of first packet.
    package var number: Int
    /// Who sent its first packet, and to whom.
    package let first: Endpoint
    package let second: Endpoint
    package var packets: UInt32 = 0
    /// Time of the last packet, nanoseconds since 1970-01-01 UTC.
    package var lastTime: Int64
    package var lastPacket: UInt64 = 0
    /// The side that sent the SYN, if one was seen.
    package var clientSide: Int?
    /// When a RST came, if nothing came after it.
    package var resetTime: Int64?
    package var isOpen = true
    package var isWatched = false

    package init(number: Int, first: Endpoint, second: Endpoint, time: Int64) {
        self.number = number
        self.first = first
        self.second = second
        lastTime = time
    }
}

/// Where one direction of a conversation stands.
package struct StreamState: Sendable {
    /// Sequence number of the next byte in order; valid if `hasBase`.
    package var nextSequence: UInt32 = 0
    /// The highest acknowledgement number that this side sent; valid if `hasAcknowledged`.
    package var acknowledged: UInt32 = 0
    /// Stream offset of the next byte in order.
    package var nextOffset: Int64 = 0
    package var hasBase = false
    package var hasSYN = false
    package var hasAcknowledged = false
    package var hasEnded = false
    /// What is out of order; made when it is needed.
    package var hold: StreamHold?

    package init() {}

    /// The stream offset of a sequence number, by the sign of the 32-bit difference.
    @inlinable
    package func offset(of sequence: UInt32) -> Int64 {
        nextOffset &+ Int64(Int32(bitPattern: sequence &- nextSequence))
    }
}
