import CaptureAnalysis
import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture

/// Takes packets and does nothing with them.
struct PacketCounter: PacketSink {
    var packets = 0

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        packets += 1
        return true
    }

    mutating func timePassed(_ time: Int64) -> Bool { true }
}

/// Finds segments and does nothing with them.
struct SegmentCounter: PacketSink {
    var decoder = PacketDecoder()
    var sink = Sink()

    struct Sink: SegmentSink {
        var bytes = 0

        mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64) {
            bytes &+= payload.byteCount
        }
    }

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        decoder.decode(packet, bytes: bytes, into: &sink)
        return true
    }

    mutating func timePassed(_ time: Int64) -> Bool { true }
}

/// Puts streams in order and does nothing with them.
struct StreamCounter: PacketSink {
    var decoder = PacketDecoder()
    var stage = Stage()

    struct Stage: SegmentSink {
        var reassembler = StreamReassembler()
        var sink = Sink()

        mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64) {
            reassembler.segment(
                segment,
                payload: payload,
                mark: PacketMark(packet: packet, time: time),
                into: &sink
            )
        }
    }

    struct Sink: StreamSink {
        var bytes = 0

        mutating func conversationOpened(_ slot: Int, _ conversation: borrowing Conversation) {}
        mutating func streamSynchronized(_ stream: StreamID, clientSide: Int?) {}
        mutating func streamBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
            self.bytes &+= bytes.byteCount
        }
        mutating func streamGap(
            _ stream: StreamID,
            offset: Int64,
            length: Int64,
            reason: GapReason,
            mark: PacketMark
        ) {}
        mutating func lateSegment(
            _ stream: StreamID,
            offset: Int64,
            length: Int64,
            reason: String,
            mark: PacketMark
        ) {}
        mutating func streamEnded(_ stream: StreamID, mark: PacketMark) {}
        mutating func conversationClosed(_ slot: Int, _ conversation: borrowing Conversation) {}
    }

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        decoder.decode(packet, bytes: bytes, into: &stage)
        return true
    }

    mutating func timePassed(_ time: Int64) -> Bool { true }
}

/// Formats each message at once and throws the text away.
final class FormattingOutput<Formatter: ReportFormatter>: AnalysisOutput {
    private var formatter: Formatter
    private var out = OutputBuffer(capacity: 1 << 17)
    private(set) var messages = 0
    var isOpen: Bool { true }

    init(_ formatter: Formatter) { self.formatter = formatter }

    func message(_ report: MessageReport, bytes: RawSpan) {
        messages += 1
        formatter.appendLead(number: messages, time: report.time, to: &out)
        formatter.appendMessage(report, bytes: bytes, to: &out)
        if out.count >= 1 << 16 { out.removeAll() }
    }

    func event(_ report: EventReport) {
        formatter.appendEvent(report, to: &out)
    }
}

/// What can be measured: each stage together with those before it.
enum Stage: String, CaseIterable {
    case read, decode, reassemble, count, summary, json, hex, breakdown

    var whatItAdds: String {
        switch self {
        case .read: "reading packets from a file"
        case .decode: "finding segments in them"
        case .reassemble: "putting streams in order"
        case .count: "finding and counting messages"
        case .summary: "formatting them as a summary (instead of counting)"
        case .json: "the same as JSON"
        case .hex: "the same as hex"
        case .breakdown: "the same as a breakdown"
        }
    }

    /// Runs over a capture.
    /// - Returns: packets and messages in it.
    func run(_ path: String) throws -> (packets: Int, messages: Int) {
        var file = try CaptureFile(path: path)
        switch self {
        case .read:
            var sink = PacketCounter()
            _ = try file.read(into: &sink)
        case .decode:
            var sink = SegmentCounter()
            _ = try file.read(into: &sink)
        case .reassemble:
            var sink = StreamCounter()
            _ = try file.read(into: &sink)
            sink.stage.reassembler.finish(into: &sink.stage.sink)
        case .count: return try analyse(&file, nil)
        case .summary: return try analyse(&file, FormattingOutput(SummaryFormatter(FormatOptions())))
        case .json: return try analyse(&file, FormattingOutput(JSONFormatter(FormatOptions())))
        case .hex: return try analyse(&file, FormattingOutput(HexFormatter(FormatOptions())))
        case .breakdown: return try analyse(&file, FormattingOutput(BreakdownFormatter(FormatOptions())))
        }
        return (Int(file.packetCount), 0)
    }

    private func analyse(_ file: inout CaptureFile, _ output: (any AnalysisOutput)?) throws -> (Int, Int) {
        var options = AnalysisOptions()
        options.framer.keepsBodies = output != nil
        var analyzer = CaptureAnalyzer(output: output, options: options, limits: ReassemblyLimits())
        _ = try file.read(into: &analyzer)
        analyzer.finish()
        return (Int(file.packetCount), analyzer.totals.completeMessages + analyzer.totals.damagedMessages)
    }
}
