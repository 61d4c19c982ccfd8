import PacketCapture

/// Finds the TCP segments and UDP datagrams in packets: through link layers, tags, tunnels, IP and its fragments.
///
/// `decode` itself handles what nearly all packets are (IPv4 or IPv6 without options or fragments, with TCP, behind a
/// common link header) and is specialised for its sink. Everything else is found by `nextSegment`, which knows no sink:
/// it walks from header to header and says where the payload lies.
public struct PacketDecoder {
    /// Headers inside each other in one packet, tags and extension headers included, before it is given up.
    public static let maximumHeaders = 256

    public var statistics = DecoderStatistics()
    /// Whether checksums are verified and counted; a segment with a bad one is handed on all the same.
    public var verifyChecksums: Bool
    public let fragments: FragmentReassembler
    /// The datagram that was put together last.
    public var datagram: [UInt8] = []

    public init(verifyChecksums: Bool = false, fragmentLimits: FragmentLimits = FragmentLimits()) {
        self.verifyChecksums = verifyChecksums
        fragments = FragmentReassembler(limits: fragmentLimits)
    }

    /// Hands on the TCP segments and UDP datagrams of one packet.
    @inlinable
    public mutating func decode<Sink: SegmentSink>(_ packet: Packet, bytes: RawSpan, into sink: inout Sink) {
        statistics.packets &+= 1
        let count = bytes.byteCount
        // Enough for the longest of these link headers.
        if count >= 40, !verifyChecksums {
            var ip = -1
            var type: UInt16 = 0
            switch packet.linkType {
            case 1:
                type = bytes.uncheckedBig16(12)
                ip = 14
                while type == 0x8100 || type == 0x88A8, ip < 22 {
                    type = bytes.uncheckedBig16(ip &+ 2)
                    ip &+= 4
                }
            case 113:
                type = Self.isPlainCooked(hardware: bytes.uncheckedBig16(2)) ? bytes.uncheckedBig16(14) : 0
                ip = 16
            case 276:
                type = Self.isPlainCooked(hardware: bytes.uncheckedBig16(8)) ? bytes.uncheckedBig16(0) : 0
                ip = 20
            case 101, 228, 229:
                let version = bytes.uncheckedByte(0) &>> 4
                type = version == 4 ? 0x0800 : version == 6 ? 0x86DD : 0
                ip = 0
            case 0, 108:
                // The family, in either byte order; the rarer ones take the other way.
                switch bytes.uncheckedBig32(0) {
                case 0x0200_0000, 2: type = 0x0800
                case 0x1E00_0000, 0x1800_0000, 0x1C00_0000: type = 0x86DD
                default: break
                }
                ip = 4
            default: break
            }
            if count &- ip < 40 {
                // Not even the shortest headers of IPv4 and TCP.
            } else if type == 0x0800 {
                if plainIPv4(packet, bytes, at: ip, into: &sink) { return }
            } else if type == 0x86DD {
                if plainIPv6(packet, bytes, at: ip, into: &sink) { return }
            }
        }
        decodeAny(packet, bytes, into: &sink)
    }

    /// Announces what `decode` will most likely find: TCP in IPv4 in Ethernet. Of the others nothing is told.
    @inlinable @inline(__always)
    public static func approach<Sink: SegmentSink>(
        _ number: UInt64,
        linkType: UInt16,
        bytes: RawSpan,
        into sink: inout Sink
    ) {
        guard linkType == 1, bytes.byteCount >= 54, bytes.uncheckedBig16(12) == 0x0800,
            bytes.uncheckedByte(14) == 0x45, bytes.uncheckedByte(23) == 6
        else { return }
        sink.approach(
            number,
            source: Endpoint(v4: bytes.uncheckedBig32(26), port: bytes.uncheckedBig16(34)),
            destination: Endpoint(v4: bytes.uncheckedBig32(30), port: bytes.uncheckedBig16(36))
        )
    }

    /// Whether the type behind a cooked header counts: with the hardware numbers of 802.11 and netlink another header follows.
    @inlinable @inline(__always)
    static func isPlainCooked(hardware: UInt16) -> Bool { hardware < 801 || hardware > 824 }

    /// TCP in IPv4 without options, fragments and cut headers. At least 40 bytes lie behind `ip`.
    @inlinable @inline(__always)
    mutating func plainIPv4<Sink: SegmentSink>(
        _ packet: Packet,
        _ bytes: RawSpan,
        at ip: Int,
        into sink: inout Sink
    ) -> Bool {
        let first = bytes.uncheckedBig32(ip)
        let total = Int(first & 0xFFFF)
        guard first &>> 24 == 0x45, total >= 40, bytes.uncheckedBig16(ip &+ 6) & 0x3FFF == 0,
            bytes.uncheckedByte(ip &+ 9) == 6
        else { return false }
        return plainTCP(
            packet,
            bytes,
            at: ip &+ 20,
            wireEnd: ip &+ total,
            source: Endpoint(v4: bytes.uncheckedBig32(ip &+ 12), port: 0),
            destination: Endpoint(v4: bytes.uncheckedBig32(ip &+ 16), port: 0),
            into: &sink
        )
    }

    /// TCP in IPv6 without extension headers.
    @inlinable @inline(__always)
    mutating func plainIPv6<Sink: SegmentSink>(
        _ packet: Packet,
        _ bytes: RawSpan,
        at ip: Int,
        into sink: inout Sink
    ) -> Bool {
        guard bytes.byteCount &- ip >= 60, bytes.uncheckedByte(ip) &>> 4 == 6, bytes.uncheckedByte(ip &+ 6) == 6
        else { return false }
        let length = Int(bytes.uncheckedBig16(ip &+ 4))
        guard length >= 20 else { return false }
        return plainTCP(
            packet,
            bytes,
            at: ip &+ 40,
            wireEnd: ip &+ 40 &+ length,
            source: Endpoint(
                high: bytes.uncheckedBig64(ip &+ 8),
                low: bytes.uncheckedBig64(ip &+ 16),
                port: 0
            ),
            destination: Endpoint(
                high: bytes.uncheckedBig64(ip &+ 24),
                low: bytes.uncheckedBig64(ip &+ 32),
                port: 0
            ),
            into: &sink
        )
    }

    /// At least 20 bytes lie behind `tcp`, of the packet and of the datagram.
    @inlinable @inline(__always)
    mutating func plainTCP<Sink: SegmentSink>(
        _ packet: Packet,
        _ bytes: RawSpan,
        at tcp: Int,
        wireEnd: Int,
        source: Endpoint,
        destination: Endpoint,
        into sink: inout Sink
    ) -> Bool {
        let count = bytes.byteCount
        let headerLength = Int(bytes.uncheckedByte(tcp &+ 12) &>> 4) &* 4
        let start = tcp &+ headerLength
        let end = wireEnd < count ? wireEnd : count
        // A packet whose length field goes beyond the frame is counted by the other way.
        guard headerLength >= 20, start <= end, wireEnd <= count || wireEnd <= packet.originalLength
        else { return false }
        let ports = bytes.uncheckedBig32(tcp)
        var source = source
        var destination = destination
        source.port = UInt16(truncatingIfNeeded: ports &>> 16)
        destination.port = UInt16(truncatingIfNeeded: ports)
        statistics.tcpSegments &+= 1
        if end < wireEnd { statistics.payloadsCut &+= 1 }
        sink.segment(
            TransportSegment(
                transport: .tcp,
                source: source,
                destination: destination,
                sequence: bytes.uncheckedBig32(tcp &+ 4),
                acknowledgement: bytes.uncheckedBig32(tcp &+ 8),
                flags: bytes.uncheckedByte(tcp &+ 13),
                window: bytes.uncheckedBig16(tcp &+ 14),
                payloadLength: wireEnd &- start
            ),
            payload: bytes.extracting(unchecked: start..<end),
            packet: packet.number,
            time: packet.time
        )
        return true
    }

    /// Every packet that is not of the plain kind.
    @inlinable @inline(never)
    mutating func decodeAny<Sink: SegmentSink>(_ packet: Packet, _ bytes: RawSpan, into sink: inout Sink) {
        var walk = Walk(packet: packet, count: bytes.byteCount)
        repeat {
            guard nextSegment(packet, bytes, &walk) else { continue }
            let found = walk.found
            if walk.isInDatagram {
                let datagram = datagram
                sink.segment(
                    found.segment,
                    payload: datagram.span.bytes.extracting(found.start..<found.end),
                    packet: packet.number,
                    time: packet.time
                )
            } else {
                sink.segment(
                    found.segment,
                    payload: bytes.extracting(found.start..<found.end),
                    packet: packet.number,
                    time: packet.time
                )
            }
        } while walk.hasMore
    }

    /// Gives up datagrams whose fragments did not come in time (live captures, where no packet may come to show it).
    public mutating func timePassed(_ time: Int64) {
        fragments.expire(now: time, &statistics.fragments)
    }

    /// The input has ended: datagrams that are incomplete stay so.
    public mutating func finish() {
        fragments.finish(&statistics.fragments)
    }
}
