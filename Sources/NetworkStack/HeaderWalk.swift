import PacketCapture

/// A segment and where its payload lies.
public struct FoundSegment {
    public var segment: TransportSegment
    public var start: Int
    public var end: Int
}

/// The place in a packet that has been reached, header by header.
///
/// `at ≤ end ≤ wireEnd` holds throughout: what is between `at` and `end` was captured and belongs to the layer that
/// comes next; what is between `end` and `wireEnd` belonged to it and was not captured.
public struct Walk {
    var layer: Layer
    var at = 0
    var end: Int
    var wireEnd: Int
    /// Addresses of the innermost IP header.
    var source = Endpoint(high: 0, low: 0, port: 0)
    var destination = Endpoint(high: 0, low: 0, port: 0)
    var isIPv6 = false
    /// Headers so far.
    var headers = 0
    /// What was found last.
    public internal(set) var found = FoundSegment(
        segment: TransportSegment(
            transport: .tcp,
            source: Endpoint(high: 0, low: 0, port: 0),
            destination: Endpoint(high: 0, low: 0, port: 0),
            payloadLength: 0
        ),
        start: 0,
        end: 0
    )
    /// Whether `found` is the UDP datagram around a tunnel that is being entered: handed on itself if what is in it is
    /// no tunnel.
    var isEnteringTunnel = false
    /// Where the next frame of an aggregate begins, and where the aggregate ends.
    var aggregate: (at: Int, end: Int, wireEnd: Int)?

    /// Whether positions are in the datagram that was put together from fragments, not in the packet.
    public internal(set) var isInDatagram = false

    public init(packet: Packet, count: Int) {
        layer = .link(packet.linkType)
        end = count
        wireEnd = max(count, min(packet.originalLength, 1 << 32))
    }

    /// Whether another frame of the same packet is to be looked into.
    public var hasMore: Bool { aggregate != nil }

    /// Bytes of this layer that were captured, and that it had.
    var captured: Int { end - at }
    var length: Int { wireEnd - at }

    /// Says why a header of `count` bytes cannot be read, if it cannot.
    func lacks(_ count: Int, _ name: LayerName) -> Step? {
        if captured >= count { return nil }
        return .end(length >= count ? .cut : .malformed(name))
    }

    /// Ends the layer `count` bytes from here.
    mutating func limit(to count: Int) {
        wireEnd = at + count
        end = min(end, wireEnd)
    }
}

/// What comes next in a packet.
enum Layer {
    case link(UInt16)
    case ethernet
    /// An EtherType, or the length of an 802.3 frame.
    case ethertype(UInt16)
    case llc
    /// PPP, with or without the address and control bytes of HDLC.
    case ppp
    /// Behind Cisco's HDLC address byte.
    case ciscoHDLC
    case frameRelay
    case pppoe
    case mpls
    case nsh
    case erspan(type3: Bool)
    /// An 802.11 frame, its header padded to four bytes or not.
    case wireless(padded: Bool)
    /// IP, the version by the first four bits.
    case ip
    case ipv4
    case ipv6
    /// What an IP protocol number names.
    case payload(UInt8)
    case tunnel(DatagramTunnel)
}

/// Tunnels in UDP, known by their port.
enum DatagramTunnel { case vxlan, vxlanGPE, geneve, gtp, teredo, l2tp, mpls, gre }

enum LayerName { case link, tunnel, ip, tcp, udp }

/// Why a packet (or a frame of an aggregate) gives no segment.
enum EndReason {
    case nonIP, encrypted
    case unknownLink(UInt16)
    case unknownEthertype(UInt16)
    case otherTransport(UInt8)
    case cut
    case malformed(LayerName)
    case tooManyHeaders
    /// A fragment that waits, or that was counted as faulty.
    case fragment
}

enum Step {
    case next(Layer)
    /// `Walk.found` is the segment.
    case found
    case end(EndReason)
    /// `PacketDecoder.datagram` is complete, the walk stands at its beginning.
    case reassembled(Layer)
}

extension PacketDecoder {
    /// Walks on to the next segment of a packet. Says whether there is one.
    public mutating func nextSegment(_ packet: Packet, _ bytes: RawSpan, _ walk: inout Walk) -> Bool {
        if let next = walk.aggregate { enterAggregate(bytes, &walk, at: next) }
        var step = walkHeaders(packet, bytes, &walk)
        while case .reassembled(let layer) = step {
            walk.layer = layer
            walk.isInDatagram = true
            // What is around it lies in other bytes.
            walk.isEnteringTunnel = false
            let current = datagram
            step = walkHeaders(packet, current.span.bytes, &walk)
        }
        switch step {
        case .found:
            count(walk.found)
            return true
        case .end(let reason):
            if walk.isEnteringTunnel, reason.isDisbelief {
                count(walk.found)
                return true
            }
            count(reason)
        case .next, .reassembled: break
        }
        return false
    }

    private mutating func walkHeaders(_ packet: Packet, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        while true {
            walk.headers += 1
            if walk.headers > Self.maximumHeaders { return .end(.tooManyHeaders) }
            let step: Step
            switch walk.layer {
            case .link(let type): step = link(type, bytes, &walk)
            case .ethernet: step = ethernet(bytes, &walk)
            case .ethertype(let type): step = ethertype(type, bytes, &walk)
            case .llc: step = llc(bytes, &walk)
            case .ppp: step = ppp(bytes, &walk)
            case .ciscoHDLC: step = ciscoHDLC(bytes, &walk)
            case .frameRelay: step = frameRelay(bytes, &walk)
            case .pppoe: step = pppoe(bytes, &walk)
            case .mpls: step = mpls(bytes, &walk)
            case .nsh: step = nsh(bytes, &walk)
            case .erspan(let type3): step = erspan(type3: type3, bytes, &walk)
            case .wireless(let padded): step = wireless(padded: padded, bytes, &walk)
            case .ip: step = ip(bytes, &walk)
            case .ipv4: step = ipv4(packet, bytes, &walk)
            case .ipv6: step = ipv6(bytes, &walk)
            case .payload(let number): step = payload(number, packet, bytes, &walk)
            case .tunnel(let tunnel): step = enter(tunnel, bytes, &walk)
            }
            guard case .next(let layer) = step else { return step }
            walk.layer = layer
        }
    }

    private mutating func count(_ found: FoundSegment) {
        switch found.segment.transport {
        case .tcp: statistics.tcpSegments &+= 1
        case .udp: statistics.udpDatagrams &+= 1
        }
        if found.end - found.start < found.segment.payloadLength { statistics.payloadsCut &+= 1 }
    }

    private mutating func count(_ reason: EndReason) {
        switch reason {
        case .nonIP: statistics.nonIP &+= 1
        case .encrypted: statistics.encrypted &+= 1
        case .unknownLink(let type): statistics.unknownLinkTypes[type, default: 0] &+= 1
        case .unknownEthertype(let type): statistics.unknownEthertypes[type, default: 0] &+= 1
        case .otherTransport(let number): statistics.otherTransports[number, default: 0] &+= 1
        case .cut: statistics.headersCut &+= 1
        case .malformed(.link): statistics.malformedLink &+= 1
        case .malformed(.tunnel): statistics.malformedTunnel &+= 1
        case .malformed(.ip): statistics.malformedIP &+= 1
        case .malformed(.tcp): statistics.malformedTCP &+= 1
        case .malformed(.udp): statistics.malformedUDP &+= 1
        case .tooManyHeaders: statistics.tooManyHeaders &+= 1
        case .fragment: break
        }
    }
}

extension EndReason {
    /// Whether it speaks against a tunnel being one.
    var isDisbelief: Bool {
        switch self {
        case .malformed, .unknownLink, .unknownEthertype, .cut, .tooManyHeaders: true
        case .nonIP, .encrypted, .otherTransport, .fragment: false
        }
    }
}
