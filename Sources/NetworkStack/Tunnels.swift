/// What stands between an outer IP or Ethernet header and an inner one.
extension PacketDecoder {
    /// A label stack. What follows it is not said; the first four bits tell, as routers tell.
    func mpls(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        while true {
            if let step = walk.lacks(4, .tunnel) { return step }
            let isBottom = bytes.byte(walk.at + 2) & 1 == 1
            walk.at += 4
            if isBottom { break }
        }
        if let step = walk.lacks(1, .tunnel) { return step }
        switch bytes.byte(walk.at) >> 4 {
        case 4 where isBelievableIPv4(bytes, walk, at: walk.at) || !isBelievableFrame(bytes, walk, at: walk.at):
            return .next(.ipv4)
        case 6 where !isBelievableFrame(bytes, walk, at: walk.at): return .next(.ipv6)
        case 0 where isBelievableFrame(bytes, walk, at: walk.at + 4) || !isBelievableFrame(bytes, walk, at: walk.at):
            // The control word of a pseudowire (RFC 4448).
            if let step = walk.lacks(4, .tunnel) { return step }
            walk.at += 4
            return .next(.ethernet)
        case 1: return .end(.nonIP)  // an associated channel (RFC 5586)
        default: return .next(.ethernet)
        }
    }

    /// Whether an IPv4 header is at a place: version, lengths and checksum.
    func isBelievableIPv4(_ bytes: RawSpan, _ walk: Walk, at place: Int) -> Bool {
        guard place + 20 <= walk.end, bytes.byte(place) >> 4 == 4 else { return false }
        let headerLength = Int(bytes.byte(place) & 0x0F) * 4
        let total = Int(bytes.big16(place + 2))
        guard headerLength >= 20, place + headerLength <= walk.end, total == 0 || total >= headerLength,
            place + total <= walk.wireEnd
        else { return false }
        return bytes.big16(place + 10) == 0
            || InternetChecksum.sum(bytes, place..<place + headerLength) == 0xFFFF
    }

    /// Whether an Ethernet frame with IP in it is at a place.
    func isBelievableFrame(_ bytes: RawSpan, _ walk: Walk, at place: Int) -> Bool {
        guard place + 15 <= walk.end else { return false }
        var type = place + 12
        while type + 7 <= walk.end, type < place + 24, [0x8100, 0x88A8].contains(bytes.big16(type)) { type += 4 }
        switch bytes.big16(type) {
        case 0x0800: return isBelievableIPv4(bytes, walk, at: type + 2)
        case 0x86DD: return bytes.byte(type + 2) >> 4 == 6
        case 0x0806: return type + 10 <= walk.end && bytes.big32(type + 2) == 0x0001_0800
        default: return false
        }
    }

    func nsh(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(8, .tunnel) { return step }
        let length = Int(bytes.byte(walk.at + 1) & 0x3F) * 4
        let next = bytes.byte(walk.at + 3)
        guard bytes.byte(walk.at) >> 6 == 0, length >= 8 else { return .end(.malformed(.tunnel)) }
        if let step = walk.lacks(length, .tunnel) { return step }
        walk.at += length
        return .next(number: next)
    }

    func gre(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(4, .tunnel) { return step }
        let flags = bytes.big16(walk.at)
        let type = bytes.big16(walk.at + 2)
        switch flags & 7 {
        case 0: break
        case 1: return pointToPointGRE(flags, bytes, &walk)
        default: return .end(.malformed(.tunnel))
        }
        // Checksum and offset, key, sequence number, routing.
        var length = 4
        if flags & 0xC000 != 0 { length += 4 }
        if flags & 0x2000 != 0 { length += 4 }
        if flags & 0x1000 != 0 { length += 4 }
        if let step = walk.lacks(length, .tunnel) { return step }
        walk.at += length
        if flags & 0x4000 != 0 {
            var isLast = false
            while !isLast {
                if let step = walk.lacks(4, .tunnel) { return step }
                let entry = Int(bytes.byte(walk.at + 3))
                isLast = bytes.big16(walk.at) == 0 && entry == 0
                if let step = walk.lacks(4 + entry, .tunnel) { return step }
                walk.at += 4 + entry
            }
        }
        switch type {
        case 0: return .end(.nonIP)  // Cisco's keep-alive
        case 0x88BE:
            // Without a sequence number it is ERSPAN's first type, which has no header.
            return .next(flags & 0x1000 == 0 ? .ethernet : .erspan(type3: false))
        case 0x22EB: return .next(.erspan(type3: true))
        case 0x883E:
            // WCCP: version 2 has a word before the packet.
            if walk.captured >= 4, bytes.byte(walk.at) >> 4 != 4 { walk.at += 4 }
            return .next(.ipv4)
        default: return .next(.ethertype(type))
        }
    }

    /// PPTP's version of GRE.
    private func pointToPointGRE(_ flags: UInt16, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(8, .tunnel) { return step }
        guard bytes.big16(walk.at + 2) == 0x880B, flags & 0x2000 != 0 else { return .end(.malformed(.tunnel)) }
        let payload = Int(bytes.big16(walk.at + 4))
        let length = 8 + (flags & 0x1000 != 0 ? 4 : 0) + (flags & 0x0080 != 0 ? 4 : 0)
        if let step = walk.lacks(length, .tunnel) { return step }
        walk.at += length
        // An acknowledgement on its own.
        if flags & 0x1000 == 0 || payload == 0 { return .end(.nonIP) }
        guard payload <= walk.length else { return .end(.malformed(.tunnel)) }
        walk.limit(to: payload)
        return .next(.ppp)
    }

    func erspan(type3: Bool, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        var length = type3 ? 12 : 8
        if let step = walk.lacks(length, .tunnel) { return step }
        // Type III may have a header of its platform behind the usual one.
        if type3, bytes.byte(walk.at + 11) & 1 == 1 { length += 8 }
        if let step = walk.lacks(length, .tunnel) { return step }
        walk.at += length
        return .next(.ethernet)
    }

    /// L2TP version 3 over IP. How long cookie and sublayer are is agreed outside: the first place where a frame with IP is decides.
    func l2tp3(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(4, .tunnel) { return step }
        if bytes.big32(walk.at) == 0 { return .end(.nonIP) }  // control
        walk.at += 4
        for skipped in stride(from: 0, through: 12, by: 4) {
            if isBelievableFrame(bytes, walk, at: walk.at + skipped) {
                walk.at += skipped
                return .next(.ethernet)
            }
            if isBelievableIPv4(bytes, walk, at: walk.at + skipped) {
                walk.at += skipped
                return .next(.ipv4)
            }
        }
        return .end(walk.isEnteringTunnel ? .malformed(.tunnel) : .nonIP)
    }

    /// Tunnels in a UDP datagram.
    func enter(_ tunnel: DatagramTunnel, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        switch tunnel {
        case .vxlan:
            if let step = walk.lacks(8, .tunnel) { return step }
            guard bytes.byte(walk.at) & 0x08 != 0 else { return .end(.malformed(.tunnel)) }
            walk.at += 8
            return .next(.ethernet)
        case .vxlanGPE:
            if let step = walk.lacks(8, .tunnel) { return step }
            let flags = bytes.byte(walk.at)
            let next = flags & 0x04 != 0 ? bytes.byte(walk.at + 3) : 3
            guard flags & 0x08 != 0 else { return .end(.malformed(.tunnel)) }
            walk.at += 8
            return .next(number: next)
        case .geneve:
            if let step = walk.lacks(8, .tunnel) { return step }
            let first = bytes.byte(walk.at)
            let type = bytes.big16(walk.at + 2)
            guard first >> 6 == 0, type >= 0x0600 else { return .end(.malformed(.tunnel)) }
            let length = 8 + Int(first & 0x3F) * 4
            if let step = walk.lacks(length, .tunnel) { return step }
            walk.at += length
            return .next(.ethertype(type))
        case .gtp: return gtp(bytes, &walk)
        case .teredo: return teredo(bytes, &walk)
        case .l2tp: return l2tp(bytes, &walk)
        case .mpls: return .next(.mpls)
        case .gre: return gre(bytes, &walk)
        }
    }

    private func gtp(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(8, .tunnel) { return step }
        let flags = bytes.byte(walk.at)
        // Version 1, GTP and not GTP', a user's packet.
        guard flags & 0xF0 == 0x30, bytes.byte(walk.at + 1) == 0xFF else { return .end(.malformed(.tunnel)) }
        let length = Int(bytes.big16(walk.at + 2))
        walk.at += 8
        guard length <= walk.length else { return .end(.malformed(.tunnel)) }
        walk.limit(to: length)
        if flags & 0x07 != 0 {
            if let step = walk.lacks(4, .tunnel) { return step }
            var next = flags & 0x04 != 0 ? bytes.byte(walk.at + 3) : 0
            walk.at += 4
            while next != 0 {
                if let step = walk.lacks(1, .tunnel) { return step }
                let count = Int(bytes.byte(walk.at)) * 4
                guard count > 0 else { return .end(.malformed(.tunnel)) }
                if let step = walk.lacks(count, .tunnel) { return step }
                next = bytes.byte(walk.at + count - 1)
                walk.at += count
            }
        }
        return .next(.ip)
    }

    private func teredo(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(2, .tunnel) { return step }
        if bytes.big16(walk.at) == 0x0001 {
            // Authentication: lengths of the client's identifier and of the value, then a nonce and a byte.
            if let step = walk.lacks(4, .tunnel) { return step }
            let length = 4 + Int(bytes.byte(walk.at + 2)) + Int(bytes.byte(walk.at + 3)) + 9
            if let step = walk.lacks(length, .tunnel) { return step }
            walk.at += length
            if let step = walk.lacks(2, .tunnel) { return step }
        }
        if bytes.big16(walk.at) == 0x0000 {
            if let step = walk.lacks(8, .tunnel) { return step }
            walk.at += 8
        }
        return .next(.ipv6)
    }

    private func l2tp(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(6, .tunnel) { return step }
        let start = walk.at
        let flags = bytes.big16(start)
        // Control messages are no tunnel.
        guard flags & 0x8000 == 0 else { return .end(.malformed(.tunnel)) }
        switch flags & 0x000F {
        case 2: break
        case 3:
            walk.at += 4
            return l2tp3(bytes, &walk)
        default: return .end(.malformed(.tunnel))
        }
        // Length, tunnel and session, sequence numbers, offset.
        var length = 6
        if flags & 0x4000 != 0 {
            let total = Int(bytes.big16(start + 2))
            guard total <= walk.length else { return .end(.malformed(.tunnel)) }
            walk.limit(to: total)
            length += 2
        }
        if flags & 0x0800 != 0 { length += 4 }
        if flags & 0x0200 != 0 {
            if let step = walk.lacks(length + 2, .tunnel) { return step }
            length += 2 + Int(bytes.big16(start + length))
        }
        if let step = walk.lacks(length, .tunnel) { return step }
        walk.at += length
        return .next(.ppp)
    }
}

extension Step {
    /// What a number of NSH or of VXLAN's extension leads to.
    fileprivate static func next(number: UInt8) -> Step {
        switch number {
        case 1: .next(.ipv4)
        case 2: .next(.ipv6)
        case 3: .next(.ethernet)
        case 4: .next(.nsh)
        case 5: .next(.mpls)
        default: .end(.nonIP)
        }
    }
}
