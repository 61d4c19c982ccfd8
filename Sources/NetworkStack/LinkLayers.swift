import PacketCapture

/// The header that a link type promises.
extension PacketDecoder {
    /// Whether packets of a link type can be read at all.
    public static func knows(linkType: UInt16) -> Bool {
        var decoder = PacketDecoder()
        let packet = Packet(number: 1, time: 0, linkType: linkType, originalLength: 0)
        var walk = Walk(packet: packet, count: 0)
        if case .end(.unknownLink) = decoder.link(linkType, [UInt8]().span.bytes, &walk) { return false }
        return true
    }

    mutating func link(_ type: UInt16, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        switch type {
        case 1: return .next(.ethernet)
        case 113: return linuxCooked(bytes, &walk)
        case 276: return linuxCooked2(bytes, &walk)
        case 0, 108: return loopback(bytes, &walk)
        // 228 and 229 name a version; as everywhere, the packet's own is believed.
        case 12, 14, 101, 228, 229: return .next(.ip)
        case 9, 50: return .next(.ppp)
        case 51: return .next(.pppoe)
        case 104: return .next(.ciscoHDLC)
        case 107: return .next(.frameRelay)
        default: return rareLink(type, bytes, &walk)
        }
    }

    /// Link types with a header of their own in front of one of the usual ones.
    private mutating func rareLink(_ type: UInt16, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        switch type {
        case 6: return tokenRing(bytes, &walk)
        case 8:
            // SLIP: direction and compressed header, 16 bytes in all.
            return skip(16, then: .ip, &walk)
        case 10:
            // FDDI: frame control and two addresses. 0b01cc_xxxx with the class "LLC" in the first byte.
            if let step = walk.lacks(13, .link) { return step }
            let control = bytes.byte(walk.at)
            walk.at += 13
            return control & 0xF0 == 0x50 ? .next(.llc) : .end(.nonIP)
        case 100: return .next(.llc)
        case 105: return .next(.wireless(padded: false))
        case 109: return skip(12, then: .ip, &walk)
        case 117:
            // OpenBSD's pflog: the first byte is the length, without its padding.
            if let step = walk.lacks(1, .link) { return step }
            return skip((Int(bytes.byte(walk.at)) + 3) & ~3, then: .ip, &walk)
        case 119, 163: return prismOrAVS(bytes, &walk)
        case 127: return radiotap(bytes, &walk)
        case 129: return arcnet(bytes, &walk)
        case 138:
            if let step = walk.lacks(18, .link) { return step }
            let type = bytes.big16(walk.at + 16)
            walk.at += 18
            return .next(.ethertype(type))
        case 149, 258: return pktap(type, bytes, &walk)
        case 166, 204:
            // pppd's and the kernel's direction byte; pppd's stands in place of the address byte.
            if let step = walk.lacks(2, .link) { return step }
            walk.at += type == 166 && bytes.byte(walk.at + 1) == 0x03 ? 2 : 1
            return .next(.ppp)
        case 178: return juniperEthernet(bytes, &walk)
        case 192: return perPacketInformation(bytes, &walk)
        case 239: return nflog(bytes, &walk)
        case 253: return .end(.nonIP)
        default: return .end(.unknownLink(type))
        }
    }

    private func skip(_ count: Int, then layer: Layer, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(count, .link) { return step }
        walk.at += count
        return .next(layer)
    }

    private func linuxCooked(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(16, .link) { return step }
        let hardware = bytes.big16(walk.at + 2)
        let type = bytes.big16(walk.at + 14)
        walk.at += 16
        return cooked(hardware: hardware, type: type)
    }

    private func linuxCooked2(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(20, .link) { return step }
        let type = bytes.big16(walk.at)
        let hardware = bytes.big16(walk.at + 8)
        walk.at += 20
        return cooked(hardware: hardware, type: type)
    }

    /// - Parameter hardware: an ARPHRD_ value of Linux.
    private func cooked(hardware: UInt16, type: UInt16) -> Step {
        switch hardware {
        case 801: return .next(.wireless(padded: false))
        case 802: return .next(.link(119))
        case 803: return .next(.link(127))
        case 824: return .end(.nonIP)  // netlink
        default: break
        }
        // Below 1536 these are Linux's own numbers, 4 is 802.2.
        if type == 4 { return .next(.llc) }
        return type < 0x0600 ? .end(.nonIP) : .next(.ethertype(type))
    }

    /// The address family, in the byte order of the machine that captured (NULL) or of the network (LOOP).
    private func loopback(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(4, .link) { return step }
        let little = bytes.little32(walk.at)
        walk.at += 4
        switch little > 0xFFFF ? little.byteSwapped : little {
        case 2: return .next(.ipv4)
        // Linux, NetBSD and Windows, FreeBSD, macOS.
        case 10, 23, 24, 28, 30: return .next(.ipv6)
        default: return .end(.nonIP)
        }
    }

    private func tokenRing(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(14, .link) { return step }
        let isLLC = bytes.byte(walk.at + 1) & 0xC0 == 0x40
        let isSourceRouted = bytes.byte(walk.at + 8) & 0x80 != 0
        walk.at += 14
        guard isLLC else { return .end(.nonIP) }
        if isSourceRouted {
            if let step = walk.lacks(2, .link) { return step }
            let length = Int(bytes.byte(walk.at) & 0x1F)
            guard length >= 2 else { return .end(.malformed(.link)) }
            return skip(length, then: .llc, &walk)
        }
        return .next(.llc)
    }

    /// ARCNET as Linux hands it on: addresses, two bytes of offset, the protocol, and RFC 1201's split flag.
    private func arcnet(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(5, .link) { return step }
        let type = bytes.byte(walk.at + 4)
        walk.at += 5
        switch type {
        case 240: return .next(.ipv4)
        case 212, 196:
            if let step = walk.lacks(3, .link) { return step }
            let split = bytes.byte(walk.at)
            walk.at += 3
            return split == 0 ? .next(.ip) : .end(.nonIP)
        default: return .end(.nonIP)
        }
    }

    /// Apple's header with the process that a packet belongs to; its own link type stands in it.
    private func pktap(_ type: UInt16, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(12, .link) { return step }
        let length = Int(bytes.little32(walk.at))
        let inner = bytes.little32(walk.at + 8)
        // 149 is a number for anybody's use.
        guard length >= 108, length <= 4096, inner <= 0xFFFF, inner != 149, inner != 258 else {
            return .end(type == 149 ? .unknownLink(type) : .malformed(.link))
        }
        return skip(length, then: .link(UInt16(truncatingIfNeeded: inner)), &walk)
    }

    private func juniperEthernet(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(4, .link) { return step }
        guard bytes.big32(walk.at) >> 8 == 0x4D4743 else { return .end(.malformed(.link)) }
        let flags = bytes.byte(walk.at + 3)
        walk.at += 4
        if flags & 0x80 != 0 {
            if let step = walk.lacks(2, .link) { return step }
            let length = 2 + Int(bytes.big16(walk.at))
            if let step = walk.lacks(length, .link) { return step }
            walk.at += length
        }
        return flags & 0x02 == 0 ? .next(.ethernet) : .end(.nonIP)
    }

    private func perPacketInformation(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(8, .link) { return step }
        let length = Int(bytes.little16(walk.at + 2))
        let inner = bytes.little32(walk.at + 4)
        guard bytes.byte(walk.at) == 0, length >= 8, inner <= 0xFFFF else { return .end(.malformed(.link)) }
        return skip(length, then: .link(UInt16(truncatingIfNeeded: inner)), &walk)
    }

    /// Netfilter's log: fields of length, type and value in the byte order of the machine that captured; one of them is the packet.
    private func nflog(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(4, .link) { return step }
        let version = bytes.byte(walk.at + 1)
        guard version == 0 else { return .end(.malformed(.link)) }
        walk.at += 4
        while true {
            if let step = walk.lacks(4, .link) { return step }
            var length = bytes.little16(walk.at)
            var type = bytes.little16(walk.at + 2)
            // Types are small numbers, so their byte order shows.
            if type > 0xFF {
                length = length.byteSwapped
                type = type.byteSwapped
            }
            guard length >= 4 else { return .end(.malformed(.link)) }
            if type == 9 {
                walk.at += 4
                guard Int(length) - 4 <= walk.length else { return .end(.malformed(.link)) }
                walk.limit(to: Int(length) - 4)
                return .next(.ip)
            }
            let padded = (Int(length) + 3) & ~3
            if let step = walk.lacks(padded, .link) { return step }
            walk.at += padded
        }
    }
}
