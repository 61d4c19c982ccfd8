import PacketCapture

/// What is in an IP packet: TCP, UDP, extension headers, tunnels.
extension PacketDecoder {
    mutating func payload(_ number: UInt8, _ packet: Packet, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        switch number {
        case 6: return tcp(bytes, &walk)
        case 17: return udp(bytes, &walk)
        case 0, 43, 60, 135, 139, 140:
            return walk.isIPv6 ? extensionHeader(bytes, &walk) : .end(.otherTransport(number))
        case 44: return walk.isIPv6 ? fragmentHeader(packet, bytes, &walk) : .end(.otherTransport(number))
        case 51: return authenticationHeader(bytes, &walk)
        case 4: return .next(.ipv4)
        case 41: return .next(.ipv6)
        case 47: return gre(bytes, &walk)
        case 97:
            // EtherIP: version 3, then a frame.
            if let step = walk.lacks(2, .tunnel) { return step }
            guard bytes.byte(walk.at) >> 4 == 3 else { return .end(.malformed(.tunnel)) }
            walk.at += 2
            return .next(.ethernet)
        case 115: return l2tp3(bytes, &walk)
        case 137: return .next(.mpls)
        case 143: return .next(.ethernet)
        default: return .end(.otherTransport(number))
        }
    }

    private mutating func tcp(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(20, .tcp) { return step }
        let start = walk.at
        let headerLength = Int(bytes.byte(start + 12) >> 4) * 4
        guard headerLength >= 20, headerLength <= walk.length else { return .end(.malformed(.tcp)) }
        var segment = TransportSegment(
            transport: .tcp,
            source: walk.source,
            destination: walk.destination,
            sequence: bytes.big32(start + 4),
            acknowledgement: bytes.big32(start + 8),
            flags: bytes.byte(start + 13),
            window: bytes.big16(start + 14),
            payloadLength: walk.length - headerLength
        )
        segment.source.port = bytes.big16(start)
        segment.destination.port = bytes.big16(start + 2)
        if verifyChecksums, walk.captured == walk.length {
            verifyTransport(6, bytes, walk, checksumAt: start + 16, \.badTCPChecksums)
        }
        // Options may have been cut; then nothing of the payload was captured.
        let payload = min(start + headerLength, walk.end)
        walk.found = FoundSegment(segment: segment, start: payload, end: walk.end)
        return .found
    }

    private mutating func udp(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(8, .udp) { return step }
        let start = walk.at
        let length = Int(bytes.big16(start + 4))
        // Zero: a jumbogram, or segmentation offload.
        if length != 0 {
            guard length >= 8 else { return .end(.malformed(.udp)) }
            if length <= walk.length {
                walk.limit(to: length)
            } else {
                // More than there was: what there was is the datagram.
                statistics.malformedUDP &+= 1
            }
        }
        var segment = TransportSegment(
            transport: .udp,
            source: walk.source,
            destination: walk.destination,
            payloadLength: walk.length - 8
        )
        segment.source.port = bytes.big16(start)
        segment.destination.port = bytes.big16(start + 2)
        if verifyChecksums, walk.captured == walk.length, length == walk.length, bytes.big16(start + 6) != 0 {
            verifyTransport(17, bytes, walk, checksumAt: start + 6, \.badUDPChecksums)
        }
        walk.at += 8
        walk.found = FoundSegment(segment: segment, start: walk.at, end: walk.end)
        guard walk.captured > 0,
            let tunnel = Self.tunnel(segment.destination.port) ?? Self.tunnel(segment.source.port)
        else { return .found }
        walk.isEnteringTunnel = true
        return .next(.tunnel(tunnel))
    }

    private static func tunnel(_ port: UInt16) -> DatagramTunnel? {
        switch port {
        case 1701: .l2tp
        case 2152: .gtp
        case 3544: .teredo
        case 4754: .gre
        case 4789, 8472: .vxlan
        case 4790: .vxlanGPE
        case 6081: .geneve
        case 6635: .mpls
        default: nil
        }
    }
}
