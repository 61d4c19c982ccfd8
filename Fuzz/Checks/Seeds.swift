import NetworkStack
import PacketCapture

/// Takes a capture apart into inputs for each target.
package struct SeedMaker: PacketSink, SegmentSink, StreamSink {
    /// Takes each input, with the name of its target.
    private let take: (_ target: String, _ input: [UInt8]) -> Void
    private var decoder = PacketDecoder()
    private var reassembler = StreamReassembler()
    private var packets = 0
    private var decoderSeed: [UInt8] = []
    private var segmentSeed: [UInt8] = [0]
    private var firstSequences: [Endpoint: UInt32] = [:]
    private var sides: [Endpoint] = []
    private var streams: [Int: [UInt8]] = [:]
    private var filterCount = 0

    package init(take: @escaping (_ target: String, _ input: [UInt8]) -> Void) { self.take = take }

    package mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        packets += 1
        if let link = fuzzedLinkTypes.firstIndex(of: packet.linkType), packets <= 60 {
            let array = bytes.withUnsafeBytes { Array($0.prefix(1600)) }
            let cut = UInt8(min(packet.originalLength - array.count, 255))
            decoderSeed += [UInt8(link), cut, 1, UInt8(array.count & 255), UInt8(array.count >> 8)] + array
            if decoderSeed.count > 1500 {
                take("decoder", decoderSeed)
                decoderSeed = []
            }
        }
        var copy = decoder
        copy.decode(packet, bytes: bytes, into: &self)
        decoder = copy
        return packets < 2000
    }

    package mutating func timePassed(_ time: Int64) -> Bool { true }

    package mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64) {
        guard segment.transport == .tcp else { return }
        if sides.isEmpty { sides = [segment.source, segment.destination] }
        if sides.contains(segment.source), sides.contains(segment.destination), segmentSeed.count < 1500 {
            let first = firstSequences[segment.source] ?? segment.sequence
            firstSequences[segment.source] = first
            let offset = UInt16(truncatingIfNeeded: segment.sequence &- first)
            let side: UInt8 = segment.source == sides[0] ? 0 : 0x80
            let length = min(segment.payloadLength, 1500)
            let isLong: UInt8 = length > 255 ? 0x20 : 0
            segmentSeed += [side | isLong | segment.flags & 0x1F, 2 | (length > 0 ? 8 : 0), 1]
            segmentSeed += [UInt8(offset & 255), UInt8(offset >> 8)]
            if length > 0 { segmentSeed.append(UInt8(isLong == 0 ? length : length / 6)) }
        }
        var copy = reassembler
        reassembler = StreamReassembler()
        copy.segment(segment, payload: payload, mark: PacketMark(packet: packet, time: time), into: &self)
        reassembler = copy
    }

    package mutating func conversationOpened(_ slot: Int, _ conversation: borrowing Conversation) {}
    package mutating func streamSynchronized(_ stream: StreamID, clientSide: Int?) {}
    package mutating func streamBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        guard streams[stream.index, default: []].count < 3000 else { return }
        streams[stream.index, default: []] += bytes.withUnsafeBytes { Array($0.prefix(1500)) }
    }
    package mutating func streamGap(
        _ stream: StreamID,
        offset: Int64,
        length: Int64,
        reason: GapReason,
        mark: PacketMark
    ) {}
    package mutating func lateSegment(
        _ stream: StreamID,
        offset: Int64,
        length: Int64,
        reason: String,
        mark: PacketMark
    ) {}
    package mutating func streamEnded(_ stream: StreamID, mark: PacketMark) {}
    package mutating func conversationClosed(_ slot: Int, _ conversation: borrowing Conversation) {}

    package mutating func finish() {
        for seed in descriptionSeeds { take("descriptions", seed) }
        if !decoderSeed.isEmpty { take("decoder", decoderSeed) }
        if segmentSeed.count > 1 { take("reassembler", segmentSeed) }
        // Only what may be of the framework is of use to the framer.
        for (_, bytes) in streams.sorted(by: { $0.key < $1.key }).prefix(4) where [0xFF, 0x0F].contains(bytes.first) {
            take("framer", [1, 12, 0, 5, 0] + bytes)
            take("framer", [0, 12, 0, 77, 1, 100, 0, 20, 0] + bytes)
            writeMessages(bytes)
        }
    }

    /// The messages of a stream, one by one.
    private mutating func writeMessages(_ bytes: [UInt8]) {
        let slot = bytes[0] == 0x0F ? 14 : 12
        let header = 12 + 2 * slot
        var start = 0
        while start + header <= bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[start + 8 + $1]) << (8 * $1) }
            guard length <= bytes.count - start - header else { return }
            let body = bytes[start + header..<start + header + length]
            let token: UInt8 = bytes[0] == 0x0F ? 2 : 1
            take("dumps", dumpRows(bytes[start..<start + header + length]))
            take("bodies", [bytes[start + 2], bytes[start + 3], token, 0] + body)
            let place: UInt8 = token | (slot == 14 ? 4 : 0)
            take("formats", [0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 0, place] + bytes[start..<start + header] + body)
            takeFilter(Array(bytes[start..<start + header + length]), slot: slot)
            start += header + length
        }
    }

    /// A filter, and a message that it may match.
    private mutating func takeFilter(_ message: [UInt8], slot: Int) {
        let filters = [
            "es.message_type == Logon && es.user_id contains \"a\" || es.message_id in {1..5, 9}",
            "es.body.password matches \"^a.*b$\" or not (src == 10.0.0.0/8 and time > 2026-11-30T00:00:00Z)",
            "any es.body.user_list != \"aa01\" && len(es.body.content) > 4 && es.body[2:4] == 5f:30:00:00",
            "es.body.logon_result == Succeed || upper(es.user_id) == \"AA\\x30\\u{31}\" || count(es.body.user_list) >= 2",
            "status != complete || missing > 3 || port in {80, 4530..4540} || es.dest_user_id === es.user_id",
            "es.body.content ~ r\"(a|b)+\\xff\" && direction == c2s || 5 < es.body_length <= 0x20",
        ]
        filterCount += 1
        let filter = Array(filters[filterCount % filters.count].utf8) + [0x20]
        let even = filter.prefix(filter.count & ~1)
        let user = message[13..<13 + Int(min(message[12], 13))]
        let settings: UInt8 = (message[0] == 0x0F ? 2 : 1) | (slot == 14 ? 4 : 0)
        let head = [UInt8(even.count / 2)] + even + [settings, message[2], message[3], UInt8(user.count)]
        take("filters", head + user + message[(12 + 2 * slot)...])
    }
}
