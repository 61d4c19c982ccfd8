import PacketCapture

/// Two endpoints that exchange segments, and what is known of them together.
///
/// There may be hundreds of thousands: the order of the fields leaves no room between them, and what each packet asks for stands
/// in the first 64 bytes.
public struct Conversation: Sendable {
    /// Who sent its first packet, and to whom.
    public let first: Endpoint
    public var isOpen = true
    public var isWatched = false
    /// Whether a RST was seen.
    public var wasReset = false
    /// Whether a RST came, and no bytes after it.
    @usableFromInline private(set) var isResetPending = false
    /// The sides that sent a FIN, as bits 0 and 1.
    public var finSides: UInt8 = 0
    /// Why it was forgotten; set when it is closed.
    public var closing = Closing.inputEnded
    public let second: Endpoint
    /// 2 if it is not known.
    private var storedClientSide: UInt8 = 2
    /// Whether both streams have ended, and it waits to be forgotten.
    @usableFromInline var isFinished = false
    public var packets: UInt32 = 0
    /// Time of the last packet, nanoseconds since 1970-01-01 UTC.
    public var lastTime: Int64
    public var lastPacket: UInt64 = 0
    private var storedResetTime: Int64 = 0
    /// Segments whose bytes (or whose SYN) had been seen before.
    public var repeatedSegments: UInt32 = 0
    /// Where it is closed, and its place is free: the next free place plus 1; 0 for the last.
    var nextFree: UInt32 = 0
    /// From 1, in order of first packet.
    public let number: Int

    /// When a RST came, if nothing came after it.
    public var resetTime: Int64? {
        get { isResetPending ? storedResetTime : nil }
        set {
            isResetPending = newValue != nil
            storedResetTime = newValue ?? 0
        }
    }

    /// The side that sent the SYN, if one was seen.
    public var clientSide: Int? {
        get { storedClientSide == 2 ? nil : Int(storedClientSide) }
        set { storedClientSide = newValue.map { UInt8(truncatingIfNeeded: $0) } ?? 2 }
    }

    public enum Closing: UInt8, Sendable {
        case inputEnded, idle, portReused, limit
        /// Both streams had ended, and many others after them.
        case finished
    }

    public init(number: Int, first: Endpoint, second: Endpoint, time: Int64) {
        self.number = number
        self.first = first
        self.second = second
        lastTime = time
    }

    /// The side that sends from `source` to `destination`, if these are its endpoints.
    @inlinable @inline(__always)
    func side(from source: Endpoint, to destination: Endpoint) -> Int? {
        if first == source && second == destination { return 0 }
        return second == source && first == destination ? 1 : nil
    }

    @inlinable @inline(__always)
    mutating func notePacket(_ mark: PacketMark) {
        packets &+= 1
        lastTime = mark.time
        lastPacket = mark.packet
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
    public var hold = HoldPlace.none

    public init() {}

    /// The stream offset of a sequence number, by the sign of the 32-bit difference.
    @inlinable
    public func offset(of sequence: UInt32) -> Int64 {
        nextOffset &+ Int64(Int32(bitPattern: sequence &- nextSequence))
    }

    /// Moves on behind bytes that came in order.
    /// - Returns: the offset of the first of them.
    @inlinable @inline(__always)
    mutating func advance(by count: Int) -> Int64 {
        let offset = nextOffset
        nextOffset &+= Int64(count)
        nextSequence &+= UInt32(truncatingIfNeeded: count)
        return offset
    }

    @inlinable @inline(__always)
    mutating func acknowledge(_ number: UInt32) {
        if !hasAcknowledged || Int32(bitPattern: number &- acknowledged) > 0 {
            hasAcknowledged = true
            acknowledged = number
        }
    }
}
