/// What a capture says of one packet beside its bytes.
public struct Packet {
    /// Number in the input, from 1.
    public var number: UInt64
    /// Nanoseconds since 1970-01-01 00:00:00 UTC.
    public var time: Int64
    /// The link type (a LINKTYPE_ value of the tcpdump group's registry) of the interface that it came from.
    public var linkType: UInt16
    /// Bytes that the packet had on the wire; at least as many as were captured.
    public var originalLength: Int

    @inlinable public init(number: UInt64, time: Int64, linkType: UInt16, originalLength: Int) {
        self.number = number
        self.time = time
        self.linkType = linkType
        self.originalLength = originalLength
    }
}

/// What takes packets from a source. The call is generic and specialised: no existential stands in the hot path.
public protocol PacketSink {
    /// Takes one packet.
    /// - Parameter bytes: the captured bytes, valid during the call only.
    /// - Returns: false to end the reading.
    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool
    /// Says that time has passed without a packet (live captures, about every 100 ms), so that waiting can end.
    /// - Parameter time: nanoseconds since 1970-01-01 UTC.
    /// - Returns: false to end the reading.
    mutating func timePassed(_ time: Int64) -> Bool
    /// Says that all packets at hand have been handed on, and that getting more may take time: what was held back to be
    /// done for many packets at once should be done now.
    mutating func willWait()
    /// Whether ``approach(_:linkType:bytes:)`` is of any use.
    static var looksAhead: Bool { get }
    /// Says that a packet is at hand, and most likely comes soon: what is needed for it can be fetched from memory meanwhile.
    /// Each reading tells it of some packets at a time, or of none.
    /// - Parameters:
    ///   - number: the number that the packet will have.
    ///   - bytes: the captured bytes, valid during the call only.
    mutating func approach(_ number: UInt64, linkType: UInt16, bytes: RawSpan)
}

extension PacketSink {
    @inlinable public mutating func willWait() {}
    @inlinable public static var looksAhead: Bool { false }
    @inlinable public mutating func approach(_ number: UInt64, linkType: UInt16, bytes: RawSpan) {}
}
