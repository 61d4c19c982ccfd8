import PacketCapture

/// IPv4, IPv6 and its extension headers.
extension PacketDecoder {
    func ip(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(1, .ip) { return step }
        switch bytes.byte(walk.at) >> 4 {
        case 4: return .next(.ipv4)
        case 6: return .next(.ipv6)
        default: return .end(.malformed(.ip))
        }
    }

    mutating func ipv4(_ packet: Packet, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(20, .ip) { return step }
        let start = walk.at
        let first = bytes.byte(start)
        let headerLength = Int(first & 0x0F) * 4
        guard first >> 4 == 4, headerLength >= 20 else { return .end(.malformed(.ip)) }
        if let step = walk.lacks(headerLength, .ip) { return step }
        let total = Int(bytes.big16(start + 2))
        // Zero comes from segmentation offload: the packet is as long as it is.
        if total != 0 {
            guard total >= headerLength else { return .end(.malformed(.ip)) }
            if let step = take(total, &walk) { return step }
        }
        walk.isEnteringTunnel = false
        walk.isIPv6 = false
        walk.source = Endpoint(v4: bytes.big32(start + 12), port: 0)
        walk.destination = Endpoint(v4: bytes.big32(start + 16), port: 0)
        if verifyChecksums { verifyIPv4Header(bytes, start..<start + headerLength) }
        walk.at += headerLength
        let number = bytes.byte(start + 9)
        let fragment = bytes.big16(start + 6)
        if fragment & 0x3FFF != 0 {
            let key = FragmentKey(
                source: walk.source,
                destination: walk.destination,
                identification: UInt32(bytes.big16(start + 4)),
                number: number,
                isIPv6: false
            )
            return addFragment(
                key,
                number,
                offset: Int(fragment & 0x1FFF) * 8,
                more: fragment & 0x2000 != 0,
                packet,
                bytes,
                &walk
            )
        }
        return .next(.payload(number))
    }

    /// Ends the layer where an IP header says that it ends, at most where the layer around it ends: what is said to
    /// lie beyond was not on the wire.
    private mutating func take(_ total: Int, _ walk: inout Walk) -> Step? {
        if total > walk.length {
            // What was taken for a tunnel is none if what is in it does not fit.
            if walk.isEnteringTunnel { return .end(.malformed(.ip)) }
            statistics.longerThanFrame &+= 1
        } else {
            walk.limit(to: total)
        }
        return nil
    }

    mutating func ipv6(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(40, .ip) { return step }
        let start = walk.at
        guard bytes.byte(start) >> 4 == 6 else { return .end(.malformed(.ip)) }
        let length = Int(bytes.big16(start + 4))
        let number = bytes.byte(start + 6)
        // Zero: a jumbogram (its hop-by-hop option has the length), or segmentation offload.
        if length != 0 || number == 59 {
            if let step = take(40 + length, &walk) { return step }
        }
        walk.isEnteringTunnel = false
        walk.isIPv6 = true
        walk.source = Endpoint(high: bytes.big64(start + 8), low: bytes.big64(start + 16), port: 0)
        walk.destination = Endpoint(high: bytes.big64(start + 24), low: bytes.big64(start + 32), port: 0)
        walk.at += 40
        if length == 0, number == 0 {
            if let jumbo = jumboLength(bytes, walk), jumbo <= walk.length { walk.limit(to: jumbo) }
        }
        return .next(.payload(number))
    }

    /// The length in the hop-by-hop header that the walk stands at, if it has one.
    private func jumboLength(_ bytes: RawSpan, _ walk: Walk) -> Int? {
        guard walk.captured >= 8 else { return nil }
        let end = min(walk.end, walk.at + 8 + Int(bytes.byte(walk.at + 1)) * 8)
        var option = walk.at + 2
        while option + 2 <= end {
            let type = bytes.byte(option)
            if type == 0 {
                option += 1
                continue
            }
            if type == 0xC2 {
                guard bytes.byte(option + 1) == 4, option + 6 <= end else { return nil }
                return Int(bytes.big32(option + 2))
            }
            option += 2 + Int(bytes.byte(option + 1))
        }
        return nil
    }

    /// Hop-by-hop, routing, destination, mobility, HIP and shim6 headers have the same beginning.
    func extensionHeader(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(8, .ip) { return step }
        let number = bytes.byte(walk.at)
        let length = 8 + Int(bytes.byte(walk.at + 1)) * 8
        if let step = walk.lacks(length, .ip) { return step }
        walk.at += length
        return .next(.payload(number))
    }

    func authenticationHeader(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(12, .ip) { return step }
        let number = bytes.byte(walk.at)
        let length = 8 + Int(bytes.byte(walk.at + 1)) * 4
        guard length >= 12 else { return .end(.malformed(.ip)) }
        if let step = walk.lacks(length, .ip) { return step }
        walk.at += length
        return .next(.payload(number))
    }

    mutating func fragmentHeader(_ packet: Packet, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(8, .ip) { return step }
        let start = walk.at
        let number = bytes.byte(start)
        let offset = bytes.big16(start + 2)
        walk.at += 8
        if offset & 0xFFF9 == 0 { return .next(.payload(number)) }
        let key = FragmentKey(
            source: walk.source,
            destination: walk.destination,
            identification: bytes.big32(start + 4),
            number: 0,
            isIPv6: true
        )
        return addFragment(key, number, offset: Int(offset & 0xFFF8), more: offset & 1 != 0, packet, bytes, &walk)
    }

    private mutating func addFragment(
        _ key: FragmentKey,
        _ number: UInt8,
        offset: Int,
        more: Bool,
        _ packet: Packet,
        _ bytes: RawSpan,
        _ walk: inout Walk
    ) -> Step {
        let complete = fragments.add(
            key,
            number: number,
            offset: offset,
            more: more,
            bytes: bytes.extracting(walk.at..<walk.end),
            length: walk.length,
            time: packet.time,
            &statistics.fragments
        )
        guard let complete else { return .end(.fragment) }
        datagram = complete.bytes
        walk.at = 0
        walk.end = complete.bytes.count
        walk.wireEnd = complete.length
        return .reassembled(.payload(complete.number))
    }
}
