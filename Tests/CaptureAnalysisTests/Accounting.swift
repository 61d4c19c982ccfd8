import CaptureAnalysis
import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture

extension RecordingOutput {
    /// For each source of a direction of a TCP conversation the bytes that were named: those of messages that were there, and those of events.
    var account: [String: Int64] {
        var sums: [String: Int64] = [:]
        for message in messages where !message.report.isUDP {
            sums[message.report.source, default: 0] += Int64(message.bytes.count)
        }
        for event in events where !event.isUDP {
            switch event.kind {
            case .skipped, .truncated, .limit, .preface, .notES: sums[event.source, default: 0] += event.length ?? 0
            default: break
            }
        }
        return sums
    }
}

/// Counts what the reassembler hands on, for each source.
struct CountingSink: StreamSink {
    var sums: [String: Int64] = [:]
    private var sources: [StreamID: String] = [:]

    mutating func conversationOpened(_ slot: Int, _ conversation: borrowing Conversation) {
        sources[StreamID(conversation: slot, side: 0)] = conversation.first.description
        sources[StreamID(conversation: slot, side: 1)] = conversation.second.description
    }

    mutating func streamBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        sums[sources[stream] ?? "?", default: 0] += Int64(bytes.byteCount)
    }

    mutating func streamSynchronized(_ stream: StreamID, clientSide: Int?) {}
    mutating func streamGap(_ stream: StreamID, offset: Int64, length: Int64, reason: GapReason, mark: PacketMark) {}
    mutating func lateSegment(_ stream: StreamID, offset: Int64, length: Int64, reason: String, mark: PacketMark) {}
    mutating func streamEnded(_ stream: StreamID, mark: PacketMark) {}
    mutating func conversationClosed(_ slot: Int, _ conversation: borrowing Conversation) {}
}

/// The streams alone, beside the analysis.
struct StreamCounter: PacketSink, SegmentSink {
    var decoder = PacketDecoder()
    var reassembler = StreamReassembler()
    var sink = CountingSink()

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        var copy = decoder
        copy.decode(packet, bytes: bytes, into: &self)
        decoder = copy
        return true
    }

    mutating func timePassed(_ time: Int64) -> Bool { true }

    mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64) {
        guard segment.transport == .tcp else { return }
        reassembler.segment(segment, payload: payload, mark: PacketMark(packet: packet, time: time), into: &sink)
    }

    mutating func counted() -> [String: Int64] {
        reassembler.finish(into: &sink)
        return sink.sums.filter { $0.value > 0 }
    }
}

/// Keeps the packets of a capture, to change them.
struct PacketStore: PacketSink {
    var packets: [(packet: Packet, bytes: [UInt8])] = []

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        packets.append((packet, bytes.withUnsafeBytes { Array($0) }))
        return true
    }

    mutating func timePassed(_ time: Int64) -> Bool { true }
}
