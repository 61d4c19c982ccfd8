/// Ethernet, its tags, and what an EtherType or an LLC header leads to.
extension PacketDecoder {
    func ethernet(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(14, .link) { return step }
        let type = bytes.big16(walk.at + 12)
        walk.at += 14
        return .next(.ethertype(type))
    }

    func ethertype(_ type: UInt16, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        switch type {
        case 0x0800: return .next(.ipv4)
        case 0x86DD: return .next(.ipv6)
        case 0x8100, 0x88A8, 0x9100, 0x9200, 0x9300: return tag(2, bytes, &walk)
        case 0x892F, 0x8926: return tag(4, bytes, &walk)  // HSR, VN-Tag
        case 0x8847, 0x8848: return .next(.mpls)
        case 0x8864: return .next(.pppoe)
        case 0x6558: return .next(.ethernet)
        case 0x880B: return .next(.ppp)
        case 0x8870: return .next(.llc)
        case 0x894F: return .next(.nsh)
        case 0x88E7:
            // 802.1ah: the service tag, then a frame of the customer.
            if let step = walk.lacks(4, .link) { return step }
            walk.at += 4
            return .next(.ethernet)
        case 0x88E5: return macsec(bytes, &walk)
        case 0...1500: return .next(.llc)
        default: return .end(Self.isKnownWithoutIP(type) ? .nonIP : .unknownEthertype(type))
        }
    }

    /// A tag of `length` bytes with the next EtherType behind it.
    private func tag(_ length: Int, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(length + 2, .link) { return step }
        let type = bytes.big16(walk.at + length)
        walk.at += length + 2
        return .next(.ethertype(type))
    }

    private func macsec(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(6, .link) { return step }
        let control = bytes.byte(walk.at)
        if control & 0x0C != 0 { return .end(.encrypted) }
        return tag(control & 0x20 != 0 ? 14 : 6, bytes, &walk)
    }

    func llc(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(3, .link) { return step }
        let access = bytes.big16(walk.at)
        let control = bytes.byte(walk.at + 2)
        if access == 0xAAAA, control == 0x03 {
            walk.at += 3
            return snap(bytes, &walk)
        }
        walk.at += 3
        return access == 0x0606 && control == 0x03 ? .next(.ipv4) : .end(.nonIP)
    }

    func snap(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(5, .link) { return step }
        let organization = bytes.big32(walk.at) >> 8
        let type = bytes.big16(walk.at + 3)
        walk.at += 5
        switch organization {
        // Plain, and 802.1H's bridge tunnel.
        case 0x000000, 0x0000F8: return type > 1500 ? .next(.ethertype(type)) : .end(.nonIP)
        case 0x0080C2: return type == 7 ? .next(.ethernet) : .end(.nonIP)
        default: return .end(.nonIP)
        }
    }

    /// EtherTypes that are nothing unusual and carry no IP.
    private static func isKnownWithoutIP(_ type: UInt16) -> Bool {
        switch type {
        case 0x0806, 0x8035, 0x0842, 0x2000, 0x2001, 0x22EA, 0x22F0, 0x22F3, 0x6000...0x6007, 0x809B, 0x80F3, 0x8137,
            0x8138, 0x8808, 0x8809, 0x8863, 0x886C, 0x886D, 0x888E, 0x8892, 0x8899, 0x88A2, 0x88A4, 0x88AB, 0x88B5,
            0x88B6, 0x88B7, 0x88B8, 0x88B9, 0x88BA, 0x88C7, 0x88CC, 0x88CD, 0x88D9, 0x88E1, 0x88E3, 0x88F5, 0x88F7,
            0x88FB, 0x8902, 0x8906, 0x890D, 0x8912, 0x8914, 0x8915, 0x893A, 0x8998, 0x9000, 0xFEFE:
            true
        default: false
        }
    }
}
