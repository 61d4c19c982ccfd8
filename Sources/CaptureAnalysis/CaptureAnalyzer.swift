import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture

/// From packets to messages: the whole pipeline behind the source of packets.
package struct CaptureAnalyzer: PacketSink {
    package var decoder = PacketDecoder()
    private var stage: AnalysisStage
    /// Packets so far, and the number of the last.
    private var packets: UInt64 = 0
    private var lastNumber: UInt64 = 0

    package init(output: (any AnalysisOutput)?, options: AnalysisOptions, limits: ReassemblyLimits) {
        stage = AnalysisStage(
            reassembler: StreamReassembler(limits: limits),
            framing: FramingStage(output: output, options: options),
            datagrams: DatagramStage(options: options, limits: limits)
        )
    }

    package var totals: AnalysisTotals {
        var totals = stage.framing.reporter.allTotals
        totals.packets = packets
        return totals
    }

    package mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        packets &+= 1
        lastNumber = packet.number
        stage.framing.reporter.hasNews = false
        decoder.decode(packet, bytes: bytes, into: &stage)
        // Whether anybody still listens is asked when there is something to hear, and now and then.
        return !stage.framing.reporter.hasNews && packets & 15 != 0 || goesOn
    }

    /// Whether the last packet brought anything to report.
    package var hasNews: Bool {
        @inline(__always) get { stage.framing.reporter.hasNews }
    }

    package static var looksAhead: Bool { true }

    @inline(__always)
    package mutating func approach(_ number: UInt64, linkType: UInt16, bytes: RawSpan) {
        if stage.framing.reporter.looksAtBytes { LookAhead.fetch(bytes) }
        PacketDecoder.approach(number, linkType: linkType, bytes: bytes, into: &stage)
    }

    package mutating func timePassed(_ time: Int64) -> Bool {
        stage.timePassed(time, packet: lastNumber)
        return goesOn
    }

    private var goesOn: Bool {
        stage.framing.reporter.end == nil && (stage.framing.reporter.output?.isOpen ?? true)
    }

    /// The packet that brought the message which ends the analysis; `nil` if it did not come.
    package var end: PacketMark? { stage.framing.reporter.end }
    /// Matches of regular expressions that were given up, since they took too many steps.
    package var givenUpMatches: Int { stage.framing.reporter.givenUpMatches }

    /// The input has ended.
    package mutating func finish() {
        stage.finish()
    }

    /// Shows and counts only what ends within these times (nanoseconds since 1970-01-01 UTC, both ends included).
    package mutating func select(from: Int64?, to: Int64?) {
        stage.framing.reporter.options.from = from ?? .min
        stage.framing.reporter.options.to = to ?? .max
    }

    /// Whether anything may wait for later packets; cheap to ask.
    package var mayWait: Bool { !stage.reassembler.watched.isEmpty || stage.framing.isUndecided }

    /// The earliest packet that can still bring a message which is not reported yet, beside the packets to come;
    /// `nil` if all is reported.
    package mutating func earliestOpenPacket() -> UInt64? {
        let held = stage.reassembler.earliestHeldPacket()
        let undecided = stage.framing.earliestUndecidedPacket()
        if let held, let undecided { return min(held, undecided) }
        return held ?? undecided
    }
}

/// From segments to messages.
struct AnalysisStage: SegmentSink {
    var reassembler: StreamReassembler
    var framing: FramingStage
    var datagrams: DatagramStage

    @inline(__always)
    mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64) {
        let mark = PacketMark(packet: packet, time: time)
        guard segment.transport == .tcp else { return datagram(segment, payload: payload, mark: mark) }
        framing.reporter.now = mark
        reassembler.segment(segment, payload: payload, mark: mark, into: &framing)
        if let slot = framing.conversationOverLimit { closeOverLimit(slot, mark: mark) }
    }

    @inline(__always)
    mutating func approach(_ packet: UInt64, source: Endpoint, destination: Endpoint) {
        reassembler.approach(packet, source: source, destination: destination)
    }

    private mutating func datagram(_ segment: TransportSegment, payload: RawSpan, mark: PacketMark) {
        datagrams.datagram(
            segment,
            payload: payload,
            mark: mark,
            count: &reassembler.conversationCount,
            reporter: &framing.reporter
        )
    }

    private mutating func closeOverLimit(_ slot: Int, mark: PacketMark) {
        framing.conversationOverLimit = nil
        framing.limitReason = "too many bytes of unfinished messages (--total-buffer); the conversation starts anew"
        reassembler.close(slot, reason: .bufferLimit, closing: .limit, mark: mark, into: &framing)
    }

    mutating func timePassed(_ time: Int64, packet: UInt64) {
        framing.reporter.now = PacketMark(packet: packet, time: time)
        reassembler.timePassed(time, packet: packet, into: &framing)
    }

    mutating func finish() {
        reassembler.finish(into: &framing)
        datagrams.finish(mark: framing.reporter.now, reporter: &framing.reporter)
    }
}
