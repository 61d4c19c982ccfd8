/// 802.11 data frames and the headers that capture programs put in front of them.
extension PacketDecoder {
    func radiotap(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(8, .link) { return step }
        let length = Int(bytes.little16(walk.at + 2))
        guard bytes.byte(walk.at) == 0, length >= 8 else { return .end(.malformed(.link)) }
        if let step = walk.lacks(length, .link) { return step }
        let present = bytes.little32(walk.at + 4)
        // Fields begin behind the last word of the bit map; only "flags" counts, which follows the time stamp.
        var field = 8
        var word = present
        while word & 0x8000_0000 != 0, field + 4 <= length {
            word = bytes.little32(walk.at + field)
            field += 4
        }
        if present & 1 != 0 { field = ((field + 7) & ~7) + 8 }
        let padded = present & 2 != 0 && field < length && bytes.byte(walk.at + field) & 0x20 != 0
        walk.at += length
        return .next(.wireless(padded: padded))
    }

    /// Prism's header, or AVS's where link type 119 was used for both; each says its length.
    func prismOrAVS(_ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(8, .link) { return step }
        let isAVS = bytes.big32(walk.at) & 0xFFFF_F000 == 0x8021_1000
        let length: UInt32
        if isAVS {
            length = bytes.big32(walk.at + 4)
        } else {
            // In the byte order of the machine that captured: it is a small number.
            let little = bytes.little32(walk.at + 4)
            length = little > 0xFFFF ? little.byteSwapped : little
        }
        guard length >= 8, length <= 4096 else { return .end(.malformed(.link)) }
        if let step = walk.lacks(Int(length), .link) { return step }
        walk.at += Int(length)
        return .next(.wireless(padded: false))
    }

    func wireless(padded: Bool, _ bytes: RawSpan, _ walk: inout Walk) -> Step {
        if let step = walk.lacks(2, .link) { return step }
        let control = bytes.byte(walk.at)
        let flags = bytes.byte(walk.at + 1)
        // Version 0, data, and not one of the subtypes without any.
        guard control & 0x03 == 0 else { return .end(.malformed(.link)) }
        guard control & 0x0C == 0x08, control & 0x40 == 0 else { return .end(.nonIP) }
        guard flags & 0x40 == 0 else { return .end(.encrypted) }
        var length = flags & 0x03 == 0x03 ? 30 : 24
        var isAggregate = false
        if let step = walk.lacks(length, .link) { return step }
        // A fragment other than the first begins in the middle of something.
        if bytes.little16(walk.at + 22) & 0x000F != 0 { return .end(.nonIP) }
        if control & 0x80 != 0 {
            if let step = walk.lacks(length + 2, .link) { return step }
            isAggregate = bytes.byte(walk.at + length) & 0x80 != 0
            length += flags & 0x80 != 0 ? 6 : 2
        }
        if padded { length = (length + 3) & ~3 }
        if let step = walk.lacks(length, .link) { return step }
        walk.at += length
        guard isAggregate else { return .next(.llc) }
        enterAggregate(bytes, &walk, at: (walk.at, walk.end, walk.wireEnd))
        return .next(walk.layer)
    }

    /// Enters the frame of an A-MSDU at a place, and notes where the one after it begins.
    func enterAggregate(_ bytes: RawSpan, _ walk: inout Walk, at place: (at: Int, end: Int, wireEnd: Int)) {
        (walk.at, walk.end, walk.wireEnd) = place
        walk.aggregate = nil
        walk.isInDatagram = false
        walk.isEnteringTunnel = false
        walk.layer = .ethernet
        walk.headers = 0
        guard walk.captured >= 14 else { return }
        // Two addresses and a length, as in 802.3; the next one is aligned to four bytes from the first.
        let length = 14 + Int(bytes.big16(walk.at + 12))
        guard length <= walk.length else { return }
        let next = place.at + ((length + 3) & ~3)
        walk.limit(to: length)
        if next + 14 <= place.end { walk.aggregate = (next, place.end, place.wireEnd) }
    }
}
