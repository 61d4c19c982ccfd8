/// An address and a port. IPv4 addresses stand as IPv4-mapped IPv6 addresses (RFC 4291 section 2.5.5.2).
public struct Endpoint: Hashable, Sendable {
    /// The address in host order: the first eight bytes, the last eight.
    public var high: UInt64
    public var low: UInt64
    public var port: UInt16

    @inlinable public init(high: UInt64, low: UInt64, port: UInt16) {
        self.high = high
        self.low = low
        self.port = port
    }

    /// - Parameter v4: the IPv4 address in host order.
    @inlinable public init(v4: UInt32, port: UInt16) {
        self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(v4), port: port)
    }
}

/// A TCP segment or a UDP datagram as found in a packet. `payload` stands for bytes of the packet (or of a reassembled
/// datagram) that were captured.
public struct TransportSegment {
    public enum Transport: UInt8, Sendable { case tcp, udp }

    public var transport: Transport
    public var source: Endpoint
    public var destination: Endpoint
    /// Sequence and acknowledgement number, flags (low eight bits, RFC 9293 section 3.1), window; 0 for UDP.
    public var sequence: UInt32
    public var acknowledgement: UInt32
    public var flags: UInt8
    public var window: UInt16
    /// Payload bytes that the segment had; more than were captured if the snap length cut it.
    public var payloadLength: Int

    @inlinable public init(
        transport: Transport,
        source: Endpoint,
        destination: Endpoint,
        sequence: UInt32 = 0,
        acknowledgement: UInt32 = 0,
        flags: UInt8 = 0,
        window: UInt16 = 0,
        payloadLength: Int
    ) {
        self.transport = transport
        self.source = source
        self.destination = destination
        self.sequence = sequence
        self.acknowledgement = acknowledgement
        self.flags = flags
        self.window = window
        self.payloadLength = payloadLength
    }
}

/// What takes the segments that the packet decoder finds.
public protocol SegmentSink {
    /// - Parameters:
    ///   - payload: the captured payload bytes (at most `segment.payloadLength`), valid during the call only.
    ///   - packet: number of the packet, from 1.
    ///   - time: its time in nanoseconds since 1970-01-01 UTC.
    mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64)
    /// Says that a TCP segment most likely comes soon: what is needed for it can be fetched from memory meanwhile.
    /// - Parameter packet: the number that its packet will have.
    mutating func approach(_ packet: UInt64, source: Endpoint, destination: Endpoint)
}

extension SegmentSink {
    @inlinable public mutating func approach(_ packet: UInt64, source: Endpoint, destination: Endpoint) {}
}
