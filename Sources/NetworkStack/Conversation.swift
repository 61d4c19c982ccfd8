import PacketCapture

/// Two endpoints that exchange segments, and what is known of them together.
public struct Conversation: Sendable {
    /// From 1, in order of first packet.
    public var number: Int
    /// Who sent its first packet, and to whom.
    public let first: Endpoint
    public let second: Endpoint
    public var packets: UInt32 = 0
    /// Time of the last packet, nanoseconds since 1970-01-01 UTC.
    public var lastTime: Int64
    public var lastPacket: UInt64 = 0
    /// The side that sent the SYN, if one was seen.
    public var clientSide: Int?
    /// When a RST came, if nothing came after it.
    public var resetTime: Int64?
    public var isOpen = true
    public var isWatched = false
    /// The sides that sent a FIN, as bits 0 and 1.
    public var finSides: UInt8 = 0
    /// Whether a RST was seen.
    public var wasReset = false
    /// Segments whose bytes (or whose SYN) had been seen before.
    public var repeatedSegments: UInt32 = 0
    /// Why it was forgotten; set when it is closed.
    public var closing = Closing.inputEnded

    public enum Closing: UInt8, Sendable {
        case inputEnded, idle, portReused, limit
    }

    public init(number: Int, first: Endpoint, second: Endpoint, time: Int64) {
        self.number = number
        self.first = first
        self.second = second
        lastTime = time
    }
}

/// Where one direction of a conversation stands.
public struct StreamState: Sendable {
    /// Sequence number of the next byte in order; valid if `hasBase`.
    public var nextSequence: UInt32 = 0
    /// The highest acknowledgement number that this side sent; valid if `hasAcknowledged`.
    public var acknowledged: UInt32 = 0
    /// Stream offset of the next byte in order.
    public var nextOffset: Int64 = 0
    public var hasBase = false
    public var hasSYN = false
    public var hasAcknowledged = false
    public var hasEnded = false
    /// What is out of order; made when it is needed.
    public var hold: StreamHold?

    public init() {}

    /// The stream offset of a sequence number, by the sign of the 32-bit difference.
    @inlinable
    public func offset(of sequence: UInt32) -> Int64 {
        nextOffset &+ Int64(Int32(bitPattern: sequence &- nextSequence))
    }
}
