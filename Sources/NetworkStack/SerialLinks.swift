/// PPP and the link layers of serial lines.
extension PacketDecoder {
    func ppp(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(1, .link) { return step }
        switch bytes.byte(walk.at) {
        case 0xFF:
            if let step = walk.lacks(2, .link) { return step }
            guard bytes.byte(walk.at + 1) == 0x03 else { return .end(.malformed(.link)) }
            walk.at += 2
        case 0x0F, 0x8F:
            // Cisco's HDLC on a line that was called PPP: address, zero, an EtherType. No PPP protocol begins so.
            if walk.captured >= 4, bytes.byte(walk.at + 1) == 0 { return .next(.ciscoHDLC) }
        default: break
        }
        if let step = walk.lacks(1, .link) { return step }
        var number = UInt16(bytes.byte(walk.at))
        if number & 1 == 1 {
            walk.at += 1
        } else {
            if let step = walk.lacks(2, .link) { return step }
            number = bytes.big16(walk.at)
            walk.at += 2
        }
        switch number {
        case 0x0021: return .next(.ipv4)
        case 0x0057: return .next(.ipv6)
        case 0x0281, 0x0283: return .next(.mpls)
        // Van Jacobson's compression, multilink, compression and encryption, bridging, other networks.
        case 0x0000...0x3FFF where number & 0x0101 == 1: return .end(.nonIP)
        // Control protocols.
        case 0x8000...0xFFFF where number & 0x0101 == 1: return .end(.nonIP)
        default: return .end(.malformed(.link))
        }
    }

    func pppoe(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(6, .link) { return step }
        let start = bytes.big16(walk.at)
        let length = Int(bytes.big16(walk.at + 4))
        guard start >> 8 == 0x11 else { return .end(.malformed(.link)) }
        walk.at += 6
        guard start & 0xFF == 0 else { return .end(.nonIP) }
        // A length that goes beyond the frame says nothing; the one in IP decides.
        if length <= walk.length { walk.limit(to: length) }
        return .next(.ppp)
    }

    func ciscoHDLC(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(4, .link) { return step }
        let type = bytes.big16(walk.at + 2)
        walk.at += 4
        return type > 1500 ? .next(.ethertype(type)) : .end(.nonIP)
    }

    /// Q.922 addresses of two to four bytes, then RFC 2427 or Cisco's EtherType.
    func frameRelay(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        var length = 0
        repeat {
            if let step = walk.lacks(length + 1, .link) { return step }
            length += 1
        } while length < 4 && bytes.byte(walk.at + length - 1) & 1 == 0
        guard length >= 2, bytes.byte(walk.at + length - 1) & 1 == 1 else { return .end(.malformed(.link)) }
        walk.at += length
        if let step = walk.lacks(2, .link) { return step }
        guard bytes.byte(walk.at) == 0x03 else {
            let type = bytes.big16(walk.at)
            walk.at += 2
            return type > 1500 ? .next(.ethertype(type)) : .end(.nonIP)
        }
        walk.at += 1
        if bytes.byte(walk.at) == 0 { walk.at += 1 }
        if let step = walk.lacks(1, .link) { return step }
        let network = bytes.byte(walk.at)
        walk.at += 1
        switch network {
        case 0xCC: return .next(.ipv4)
        case 0x8E: return .next(.ipv6)
        case 0x80: return snap(bytes, &walk)
        case 0xCF: return .next(.ppp)
        default: return .end(.nonIP)
        }
    }
}
