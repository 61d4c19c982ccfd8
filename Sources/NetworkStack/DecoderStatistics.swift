/// What the packet decoder met, counted. Every packet that gives no segment is in one of these counters.
public struct DecoderStatistics: Sendable, Equatable {
    public var packets: UInt64 = 0
    /// TCP segments and UDP datagrams that were handed on.
    public var tcpSegments: UInt64 = 0
    public var udpDatagrams: UInt64 = 0

    /// Packets of a known kind that hold no IP: ARP, LLDP, 802.11 management, PPP negotiation …
    public var nonIP: UInt64 = 0
    /// 802.11 and MACsec frames whose content is encrypted.
    public var encrypted: UInt64 = 0
    /// Packets by a link type that this decoder does not know. The caller says each once.
    public var unknownLinkTypes: [UInt16: UInt64] = [:]
    /// Frames by an EtherType (or PPP or GRE protocol) that this decoder does not know.
    public var unknownEthertypes: [UInt16: UInt64] = [:]
    /// IP packets by a protocol that is neither TCP, UDP nor a tunnel that can be unwrapped: ICMP, SCTP, ESP …
    public var otherTransports: [UInt8: UInt64] = [:]

    /// Headers that contradict themselves or do not fit in the layer that holds them, by layer.
    public var malformedLink: UInt64 = 0
    public var malformedTunnel: UInt64 = 0
    public var malformedIP: UInt64 = 0
    public var malformedTCP: UInt64 = 0
    public var malformedUDP: UInt64 = 0
    /// Packets with more headers inside each other than `PacketDecoder.maximumHeaders`.
    public var tooManyHeaders: UInt64 = 0

    /// Packets whose headers the snap length cut, so that there is no segment.
    public var headersCut: UInt64 = 0
    /// Segments that were handed on with less payload than they had.
    public var payloadsCut: UInt64 = 0
    /// IP packets whose length field goes beyond the frame (or tunnel) that they were in; its end counts.
    public var longerThanFrame: UInt64 = 0

    public var fragments = FragmentStatistics()

    /// With `PacketDecoder.verifyChecksums` only. A checksum left to the network card is none of these.
    public var badIPChecksums: UInt64 = 0
    public var badTCPChecksums: UInt64 = 0
    public var badUDPChecksums: UInt64 = 0
    /// Checksums that were zero or the sum of the pseudo header only: left to the network card.
    public var offloadedChecksums: UInt64 = 0

    @inlinable public init() {}

    public var malformed: UInt64 {
        malformedLink &+ malformedTunnel &+ malformedIP &+ malformedTCP &+ malformedUDP &+ tooManyHeaders
    }
}

/// What became of IP fragments.
public struct FragmentStatistics: Sendable, Equatable {
    /// Fragments that were seen.
    public var seen: UInt64 = 0
    /// Datagrams put together.
    public var reassembled: UInt64 = 0
    /// Datagrams that wait for fragments now.
    public var pending: UInt64 = 0
    /// Datagrams given up: a fragment did not come in time.
    public var timedOut: UInt64 = 0
    /// Datagrams that were still incomplete when the input ended.
    public var unfinished: UInt64 = 0
    /// Datagrams given up because there were too many at once, too many bytes, or too many pieces of one.
    public var overDatagramLimit: UInt64 = 0
    public var overByteLimit: UInt64 = 0
    public var overPieceLimit: UInt64 = 0
    /// Fragments that repeat bytes that were there already; the first copy stands.
    public var overlapping: UInt64 = 0
    /// Those of them whose bytes were not the same.
    public var conflicting: UInt64 = 0
    /// Fragments beyond the end of their datagram, beyond 65,535 bytes, or empty.
    public var malformed: UInt64 = 0
    /// Fragments of a datagram that was put together less than a second before: a packet captured twice.
    public var repeated: UInt64 = 0

    @inlinable public init() {}
}
