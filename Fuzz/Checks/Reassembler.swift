import NetworkStack
import PacketCapture

/// The byte that every stream has at a sequence number: so each byte that comes out can be judged.
private func streamByte(_ sequence: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: (sequence &* 0x9E37_79B1) >> 24)
}

/// Checks what the reassembler says against what was sent.
private struct StreamJudge: StreamSink {
    struct Stream {
        var isOpen = false
        var hasEnded = false
        var position: Int64 = 0
        /// The sequence number of offset 0, as known before the segment.
        var base: UInt32?
        /// Bytes that were handed on during this segment, as the base may change with it.
        var unjudged: [(offset: Int64, bytes: [UInt8])] = []
        /// What was said of: bytes, gaps, late bytes.
        var told: [Range<Int64>] = []
        var sent: [Range<Int64>] = []
    }
    var streams: [Int: Stream] = [:]
    var finding: Finding?
    var open = 0

    mutating func report(_ what: String) { if finding == nil { finding = Finding(what) } }

    mutating func conversationOpened(_ slot: Int, _ conversation: borrowing Conversation) {
        open += 1
        for side in 0...1 {
            if streams[slot * 2 + side]?.isOpen == true { report("a slot is used twice") }
            streams[slot * 2 + side] = Stream(isOpen: true)
        }
    }

    mutating func streamSynchronized(_ stream: StreamID, clientSide: Int?) {}

    mutating func streamBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        place(stream, offset, Int64(bytes.byteCount), "bytes")
        streams[stream.index]?.unjudged.append((offset, bytes.array))
    }

    mutating func streamGap(_ stream: StreamID, offset: Int64, length: Int64, reason: GapReason, mark: PacketMark) {
        place(stream, offset, length, "a gap")
    }

    private mutating func place(_ stream: StreamID, _ offset: Int64, _ length: Int64, _ what: String) {
        guard let state = streams[stream.index], state.isOpen else { return report("\(what) of a closed stream") }
        if state.hasEnded { report("\(what) after the end") }
        if state.position != offset { report("\(what) at \(offset) instead of \(state.position)") }
        if length <= 0 { report("\(what) of \(length) bytes") }
        streams[stream.index]?.position = offset + length
        tell(stream, offset, length)
    }

    private mutating func tell(_ stream: StreamID, _ offset: Int64, _ length: Int64) {
        guard length > 0 else { return }
        streams[stream.index]?.told.append(offset..<offset + length)
    }

    mutating func lateSegment(_ stream: StreamID, offset: Int64, length: Int64, reason: String, mark: PacketMark) {
        if streams[stream.index]?.isOpen != true { report("late bytes of a closed stream") }
        if length <= 0 { report("late: \(length) bytes") }
        tell(stream, offset, length)
    }

    mutating func bytesAfterEnd(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        guard let state = streams[stream.index], state.isOpen else { return report("bytes of a closed stream") }
        if !state.hasEnded { report("bytes after an end that was not told") }
        if offset < state.position { report("bytes after the end at \(offset), before \(state.position)") }
        streams[stream.index]?.position = offset + Int64(bytes.byteCount)
        streams[stream.index]?.unjudged.append((offset, bytes.array))
        tell(stream, offset, Int64(bytes.byteCount))
    }

    mutating func streamEnded(_ stream: StreamID, mark: PacketMark) {
        if streams[stream.index]?.hasEnded != false { report("an end twice") }
        streams[stream.index]?.hasEnded = true
    }

    mutating func conversationClosed(_ slot: Int, _ conversation: borrowing Conversation) {
        open -= 1
        for index in [slot * 2, slot * 2 + 1] {
            guard let state = streams[index], state.isOpen else { return report("closed twice") }
            if !state.hasEnded { report("closed before its streams ended") }
            judge(index, base: state.base)
            lookForLost(index)
            streams[index]?.isOpen = false
        }
    }

    /// Whether the bytes are those of their sequence numbers.
    mutating func judge(_ index: Int, base: UInt32?) {
        for (offset, bytes) in streams[index]?.unjudged ?? [] {
            guard let base else { return report("bytes without a base") }
            for (place, byte) in bytes.enumerated()
            where byte != streamByte(base &+ UInt32(truncatingIfNeeded: offset + Int64(place))) {
                return report("a wrong byte at offset \(offset + Int64(place))")
            }
        }
        streams[index]?.unjudged = []
        streams[index]?.base = base
    }

    /// Every byte that was sent must have been told of.
    private mutating func lookForLost(_ index: Int) {
        guard let state = streams[index] else { return }
        let told = state.told.sorted { $0.lowerBound < $1.lowerBound }
        for sent in state.sent {
            var position = sent.lowerBound
            for range in told where range.lowerBound <= position && range.upperBound > position {
                position = range.upperBound
            }
            if position < sent.upperBound { return report("the byte at \(position) was lost in silence") }
        }
    }
}

/// Segments: flags and side, conversation, place of the sequence number and of the acknowledgement, lengths, time.
///
/// What comes out must be in order, have the bytes that were sent at that place, and leave none out without a word.
@Sendable func checkReassembler(_ bytes: [UInt8]) throws(Finding) {
    var input = Input(bytes)
    var limits = ReassemblyLimits()
    let settings = input.byte()
    if settings & 1 != 0 { limits.streamBytes = 2000 }
    if settings & 2 != 0 { limits.streamPieces = 4 }
    if settings & 4 != 0 { limits.totalBytes = 3000 }
    if settings & 8 != 0 { limits.conversations = 2 }
    if settings & 16 != 0 { limits.idleTime = 5_000_000_000 }
    if settings & 32 != 0 { limits.oneWayBytes = 500 }
    let bases: [UInt32] = [settings & 64 != 0 ? 0xFFFF_FF00 : 1000, settings & 128 != 0 ? 0x7FFF_FF80 : 5000]
    var reassembler = StreamReassembler(limits: limits)
    var judge = StreamJudge()
    var time: Int64 = 1_700_000_000_000_000_000
    var number: UInt64 = 0
    // Where each side stands, for sequence numbers that are near.
    var next: [UInt32] = [bases[0], bases[1]]
    while !input.isEmpty, number < 2000 {
        number += 1
        let kind = input.byte()
        let more = input.byte()
        let side = Int(kind >> 7)
        let step = input.byte()
        time &+=
            step == 255 ? -2_000_000_000 : step & 0x80 != 0 ? Int64(step & 0x7F) * 100_000_000 : Int64(step) * 100_000
        if kind & 0x40 != 0, more & 0xF0 == 0xF0 {
            reassembler.timePassed(time, packet: number, into: &judge)
            continue
        }
        // Four ways to say where: next in order, near it, far from it, anywhere.
        let sequence: UInt32 =
            switch more & 3 {
            case 0: next[side]
            case 1: next[side] &+ UInt32(truncatingIfNeeded: Int(Int8(bitPattern: input.byte())))
            case 2: bases[side] &+ UInt32(truncatingIfNeeded: Int(Int16(bitPattern: input.uint16())))
            default: input.uint32()
            }
        var flags = kind & 0x1F
        var acknowledgement: UInt32 = 0
        if flags & TCPFlags.ack != 0 {
            acknowledgement =
                more & 4 == 0
                ? next[1 - side] : bases[1 - side] &+ UInt32(truncatingIfNeeded: Int(Int16(bitPattern: input.uint16())))
        }
        let length = more & 8 == 0 ? 0 : Int(input.byte()) * (kind & 0x20 != 0 ? 6 : 1)
        let cut = more & 0x10 != 0 ? min(Int(input.byte()), length) : 0
        // SYN and RST are rare.
        if more & 0xE0 != 0 { flags &= ~(TCPFlags.syn | TCPFlags.rst) }
        let first = sequence &+ (flags & TCPFlags.syn != 0 ? 1 : 0)
        let payload = (0..<length - cut).map { streamByte(first &+ UInt32($0)) }
        next[side] = first &+ UInt32(length)
        let client = Endpoint(v4: 0x0A00_0001, port: 50_000 + UInt16(more >> 5 & 3))
        let server = Endpoint(v4: 0x0A00_0002, port: 4530)
        let segment = TransportSegment(
            transport: .tcp,
            source: side == 0 ? client : server,
            destination: side == 0 ? server : client,
            sequence: sequence,
            acknowledgement: acknowledgement,
            flags: flags,
            payloadLength: length
        )
        let before = reassembler.table.find(segment.source, segment.destination).map { slot in
            (
                slot, reassembler.conversation(slot).number, reassembler.table.streams[slot * 2].nextOffset,
                reassembler.table.streams[slot * 2 + 1].nextOffset
            )
        }
        withExactCopy(payload) { span in
            reassembler.segment(segment, payload: span, mark: PacketMark(packet: number, time: time), into: &judge)
        }
        for index in reassembler.table.streams.indices where reassembler.table.conversations[index / 2].isOpen {
            let state = reassembler.table.streams[index]
            judge.judge(
                index,
                base: state.hasBase ? state.nextSequence &- UInt32(truncatingIfNeeded: state.nextOffset) : nil
            )
        }
        if let finding = judge.finding { throw finding }
        // Where it was sent to. What may be a keep-alive is left out, and what lies before a SYN.
        if payload.count > 1 || payload.count == 1 && length > 1,
            let slot = reassembler.table.find(segment.source, segment.destination)
        {
            let index = slot * 2 + reassembler.sideOfSource(slot, segment)
            let isSame = before.map { $0.0 == slot && $0.1 == reassembler.number(slot) } ?? false
            let reference = isSame ? (index % 2 == 0 ? before!.2 : before!.3) : 0
            let state = reassembler.table.streams[index]
            if state.hasBase {
                let base = state.nextSequence &- UInt32(truncatingIfNeeded: state.nextOffset)
                let place =
                    reference + Int64(Int32(bitPattern: first &- (base &+ UInt32(truncatingIfNeeded: reference))))
                let start = state.hasSYN ? max(place, 0) : place
                if start < place + Int64(payload.count) {
                    judge.streams[index]?.sent.append(start..<place + Int64(payload.count))
                }
            }
        }
        let held = reassembler.table.streams.reduce(0) { $0 + (reassembler.hold(of: $1)?.byteCount ?? 0) }
        try require(held == reassembler.heldBytes, "\(held) bytes are held, \(reassembler.heldBytes) are counted")
        try require(held <= limits.totalBytes, "\(held) bytes are held")
        try require(reassembler.openConversations == judge.open, "conversations are counted wrongly")
        try require(judge.open <= limits.conversations, "\(judge.open) conversations are open")
        for stream in reassembler.table.streams {
            guard let hold = reassembler.hold(of: stream) else { continue }
            try require(hold.byteCount <= limits.streamBytes, "a stream holds too many bytes")
            try require(hold.pieceCount <= limits.streamPieces, "a stream holds too many pieces")
        }
    }
    reassembler.finish(into: &judge)
    if let finding = judge.finding { throw finding }
    try require(judge.open == 0 && reassembler.openConversations == 0, "conversations stay open")
    try require(reassembler.heldBytes == 0, "\(reassembler.heldBytes) bytes are still held")
}
