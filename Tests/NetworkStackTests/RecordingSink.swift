import NetworkStack
import PacketCapture

/// What a reassembler said, as plain values.
enum StreamFinding: Equatable {
    case opened(Int)
    case synchronized(side: Int, clientSide: Int?)
    case bytes(side: Int, offset: Int64, [UInt8])
    case gap(side: Int, offset: Int64, length: Int64, GapReason)
    case late(side: Int, offset: Int64, length: Int64)
    case repeated(side: Int, offset: Int64, [UInt8])
    case differs(side: Int, offset: Int64, length: Int64, OverlapPolicy)
    case ended(side: Int)
    case closed(Int)
}

struct RecordingSink: StreamSink {
    var findings: [StreamFinding] = []
    var keepsFindings = true
    var openedCount = 0
    var closedCount = 0
    /// Bytes or gaps that came after the end of their stream, or not at the offset where the last ones ended.
    var outOfPlace: [StreamFinding] = []
    private var positions: [StreamID: Int64] = [:]
    private var ended: Set<StreamID> = []

    mutating func conversationOpened(_ slot: Int, _ conversation: borrowing Conversation) {
        openedCount += 1
        for side in 0...1 {
            positions[StreamID(conversation: slot, side: side)] = 0
            ended.remove(StreamID(conversation: slot, side: side))
        }
        note(.opened(conversation.number))
    }

    mutating func streamSynchronized(_ stream: StreamID, clientSide: Int?) {
        note(.synchronized(side: stream.side, clientSide: clientSide))
    }

    mutating func streamBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        let finding = StreamFinding.bytes(side: stream.side, offset: offset, bytes.withUnsafeBytes { Array($0) })
        check(finding, stream, offset, Int64(bytes.byteCount))
        note(finding)
    }

    mutating func streamGap(_ stream: StreamID, offset: Int64, length: Int64, reason: GapReason, mark: PacketMark) {
        let finding = StreamFinding.gap(side: stream.side, offset: offset, length: length, reason)
        check(finding, stream, offset, length)
        note(finding)
    }

    mutating func lateSegment(_ stream: StreamID, offset: Int64, length: Int64, reason: String, mark: PacketMark) {
        note(.late(side: stream.side, offset: offset, length: length))
    }

    mutating func repeatedBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        note(.repeated(side: stream.side, offset: offset, bytes.withUnsafeBytes { Array($0) }))
    }

    mutating func overlapDiffers(
        _ stream: StreamID,
        offset: Int64,
        length: Int64,
        kept: OverlapPolicy,
        mark: PacketMark
    ) {
        note(.differs(side: stream.side, offset: offset, length: length, kept))
    }

    mutating func streamEnded(_ stream: StreamID, mark: PacketMark) {
        if !ended.insert(stream).inserted { outOfPlace.append(.ended(side: stream.side)) }
        note(.ended(side: stream.side))
    }

    mutating func conversationClosed(_ slot: Int, _ conversation: borrowing Conversation) {
        closedCount += 1
        note(.closed(conversation.number))
    }

    private mutating func check(_ finding: StreamFinding, _ stream: StreamID, _ offset: Int64, _ length: Int64) {
        if ended.contains(stream) || positions[stream] != offset || length <= 0 { outOfPlace.append(finding) }
        positions[stream] = offset + length
    }

    private mutating func note(_ finding: StreamFinding) {
        if keepsFindings { findings.append(finding) }
    }

    /// All bytes of a side, one after the other.
    func bytes(_ side: Int = 0) -> [UInt8] {
        findings.flatMap { finding -> [UInt8] in
            if case .bytes(side, _, let bytes) = finding { bytes } else { [] }
        }
    }

    func gaps(_ side: Int = 0) -> [Range<Int64>] {
        findings.compactMap {
            if case .gap(side, let offset, let length, _) = $0 { offset..<offset + length } else { nil }
        }
    }

    var gapReasons: [GapReason] {
        findings.compactMap { if case .gap(_, _, _, let reason) = $0 { reason } else { nil } }
    }

    func late(_ side: Int = 0) -> [Range<Int64>] {
        findings.compactMap {
            if case .late(side, let offset, let length) = $0 { offset..<offset + length } else { nil }
        }
    }

    func endCount(_ side: Int = 0) -> Int { findings.count { $0 == .ended(side: side) } }
}

/// Two hosts whose segments are fed to a reassembler. Sequence numbers are given as stream offsets.
struct Wire {
    var reassembler: StreamReassembler
    var sink = RecordingSink()
    var client = Endpoint(v4: 0x0A00_0001, port: 50000)
    var server = Endpoint(v4: 0x0A00_0002, port: 4530)
    /// The sequence number of the client's and the server's first byte.
    var base: [UInt32] = [1001, 5001]
    var time: Int64 = 1_700_000_000_000_000_000
    var packet: UInt64 = 0

    init(limits: ReassemblyLimits = ReassemblyLimits()) { reassembler = StreamReassembler(limits: limits) }

    static let millisecond: Int64 = 1_000_000
    static let second: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - side: who sends; 0 is the client.
    ///   - at: the stream offset of the first byte.
    ///   - wireLength: payload bytes that the segment had, if not all were captured.
    ///   - ack: the stream offset of the other side that is acknowledged.
    mutating func send(
        _ side: Int,
        at offset: Int64,
        _ bytes: [UInt8] = [],
        flags: UInt8 = 0,
        ack: Int64? = nil,
        wireLength: Int? = nil,
        after: Int64 = 0
    ) {
        time += after
        packet += 1
        let segment = TransportSegment(
            transport: .tcp,
            source: side == 0 ? client : server,
            destination: side == 0 ? server : client,
            sequence: base[side] &+ UInt32(truncatingIfNeeded: offset),
            acknowledgement: ack.map { base[1 - side] &+ UInt32(truncatingIfNeeded: $0) } ?? 0,
            flags: flags | (ack == nil ? 0 : TCPFlags.ack),
            payloadLength: wireLength ?? bytes.count
        )
        reassembler.segment(
            segment,
            payload: bytes.span.bytes,
            mark: PacketMark(packet: packet, time: time),
            into: &sink
        )
    }

    mutating func syn(_ side: Int = 0, ack: Bool = false) {
        send(side, at: -1, flags: TCPFlags.syn, ack: ack ? 0 : nil)
    }

    mutating func handshake() {
        syn(0)
        syn(1, ack: true)
        send(0, at: 0, ack: 0)
    }

    mutating func finish() { reassembler.finish(into: &sink) }
}

func pattern(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
