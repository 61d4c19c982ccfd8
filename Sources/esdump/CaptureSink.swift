import CaptureAnalysis
import MessageFormat
import PacketCapture

/// What is asked of each packet beside its analysis: writing it, counting it, statistics on request, progress.
struct CaptureSink: PacketSink {
    var analyzer: CaptureAnalyzer
    /// Looks after the lines after each packet that brought any.
    let afterPacket: ((inout CaptureAnalyzer) -> Void)?
    var filter: FilterSet?
    var writer: RotatingWriter?
    /// Takes the packets in place of the writer, and gives it the last of them at the end.
    var ring: PacketRing?
    /// Comments and interfaces of the packets, for the writer.
    var details: (any PacketDetails)?
    /// Whether the clock of the packets is this machine's.
    var isLiveCapture = false
    var writeError: CaptureError?
    /// Notes which input each packet came from, if there are several.
    var origins: (merged: MergedCapture, names: PacketOrigins)?
    /// With `-w -` there is nothing to analyse.
    var analyses = true
    /// Packets that are wanted (`-c`).
    var wanted: UInt64?
    var passed: UInt64 = 0
    var progress: Progress
    private var position: UInt64 = 24
    let tellStatistics: (AnalysisTotals) -> Void
    /// Looks after the lines while no packet comes.
    let whileQuiet: ((inout CaptureAnalyzer) -> Void)?
    /// Called when all packets at hand have been looked at.
    var whenIdle: ((inout CaptureAnalyzer) -> Void)?
    var from: TimeArgument?
    var to: TimeArgument?
    /// Whether nothing but the analysis is asked of a packet; found out with the first one.
    private var onlyAnalyses = false
    /// Packets that were read, whether or not they passed the filter.
    private(set) var read: UInt64 = 0
    /// The time of the last packet, and since when (of the monotonic clock) nothing came after it.
    private var lastTime: Int64?
    private var quietSince: Int64?

    init(
        analyzer: CaptureAnalyzer,
        progress: Progress,
        afterPacket: ((inout CaptureAnalyzer) -> Void)?,
        whileQuiet: ((inout CaptureAnalyzer) -> Void)?,
        tellStatistics: @escaping (AnalysisTotals) -> Void
    ) {
        self.analyzer = analyzer
        self.progress = progress
        self.afterPacket = afterPacket
        self.whileQuiet = whileQuiet
        self.tellStatistics = tellStatistics
    }

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        position &+= UInt64(bytes.byteCount + 16)
        if packet.number & 1023 == 0 { now() }
        read = packet.number
        lastTime = packet.time
        quietSince = nil
        guard !onlyAnalyses else {
            passed &+= 1
            let goesOn = analyzer.packet(packet, bytes: bytes)
            if afterPacket != nil, analyzer.hasNews { afterPacket?(&analyzer) }
            return goesOn
        }
        if let filter, !filter.matches(packet, bytes: bytes) { return true }
        if passed == 0 {
            analyzer.select(from: from?.instant(firstPacket: packet.time), to: to?.instant(firstPacket: packet.time))
        }
        passed += 1
        onlyAnalyses = analyses && filter == nil && writer == nil && origins == nil && wanted == nil
        if let writer {
            do throws(CaptureError) {
                if let ring {
                    try ring.append(packet, bytes: bytes, details: details)
                } else {
                    try writer.write(packet, bytes: bytes, details: details)
                }
            } catch {
                writeError = error
                return false
            }
            if writer.isOver { return false }
        }
        if analyses {
            if let origins { origins.names.note(packet: packet.number, input: origins.merged.currentInput) }
            let goesOn = analyzer.packet(packet, bytes: bytes)
            if afterPacket != nil, analyzer.hasNews { afterPacket?(&analyzer) }
            if !goesOn { return false }
        }
        return passed != wanted
    }

    /// - Parameter time: the present time. The analysis is told that of the capture instead, which may be an old one that
    ///   comes through a slow pipe, or from a machine whose clock is wrong.
    mutating func timePassed(_ time: Int64) -> Bool {
        now()
        if isLiveCapture, let writer {
            writer.timePassed(time)
            if writer.isOver { return false }
        }
        guard analyses, let lastTime else { return true }
        let present = monotonicNanoseconds()
        let since = quietSince ?? present
        quietSince = since
        let goesOn = analyzer.timePassed(lastTime.addingReportingOverflow(present - since).partialValue)
        whileQuiet?(&analyzer)
        return goesOn
    }

    static var looksAhead: Bool { true }

    mutating func approach(_ number: UInt64, linkType: UInt16, bytes: RawSpan) {
        if analyses { analyzer.approach(number, linkType: linkType, bytes: bytes) }
    }

    mutating func willWait() { whenIdle?(&analyzer) }

    /// What is done now and then.
    private mutating func now() {
        progress.update(position: position)
        if Signals.takeStatisticsRequest() {
            progress.erase()
            tellStatistics(analyzer.totals)
        }
    }
}
