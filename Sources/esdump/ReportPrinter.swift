import CaptureAnalysis
import ESProtocol
import MessageFormat

/// Collects reports and hands them over, in chunks, to be brought into order, formatted and written.
///
/// What is decided here does not depend on how many threads there are, so that the output does not either.
final class ReportPrinter<Formatter: ReportFormatter>: AnalysisOutput {
    private let threads: FormattingThreads<Formatter>
    private let writer: OutputWriter
    /// Whether the text of a message is made of more than its header.
    private let needsBodies: Bool
    /// Whether streams that are not ES, and layouts, are told of (they are in JSON and with `-v`).
    private let tellsEverything: Bool
    private let tellsLayouts: Bool
    /// Whether anything but messages is shown.
    private let tellsEvents: Bool
    /// Which of several inputs packets came from.
    private let origins: PacketOrigins?
    private var hasToldOfLimit = false
    // Changed for each message, by one thread, and by nothing that is called meanwhile: to check that would cost more than all
    // that is done here.
    @exclusivity(unchecked) private var collected = ReportContents()
    /// Whether so much has been collected that it is to be handed over.
    @exclusivity(unchecked) private(set) var isDue = false
    /// Whether some lines may be kept back, here or behind.
    @exclusivity(unchecked) private(set) var keepsLines = false

    /// - Parameters:
    ///   - formatters: one for each thread that formats; at least one.
    ///   - waitingLimit: bytes of reports that may wait to be formatted.
    init(
        _ formatters: [Formatter],
        writer: OutputWriter,
        waitingLimit: Int,
        tellsEverything: Bool,
        tellsLayouts: Bool,
        tellsEvents: Bool = true,
        origins: PacketOrigins? = nil,
        prepare: (@Sendable (inout Formatter, _ input: Int?) -> Void)? = nil
    ) {
        threads = FormattingThreads(formatters, writer: writer, limit: waitingLimit, prepare: prepare)
        needsBodies = formatters[0].needsBodies
        self.writer = writer
        self.tellsEverything = tellsEverything
        self.tellsLayouts = tellsLayouts
        self.tellsEvents = tellsEvents
        self.origins = origins
    }

    /// Writes what stands before everything else.
    func begin() {
        var out = OutputBuffer()
        threads.formatter.appendBegin(to: &out)
        if !out.isEmpty { out.withUnsafeBytes { writer.write($0) } }
    }

    var isOpen: Bool { writer.isOpen }

    func message(_ report: consuming MessageReport, bytes: RawSpan) {
        let needed = needsBodies ? bytes.byteCount : min(report.header.layout.headerLength, bytes.byteCount)
        let input = origins?.input(ofPacket: report.packet)
        if collected.append(report, bytes, needed: needed, input: input) { isDue = true }
        keepsLines = true
    }

    func event(_ report: EventReport) {
        guard tellsEvents else { return }
        switch report.kind {
        case .gap where !tellsEverything && !report.isInES, .late where !tellsEverything && !report.isInES: return
        case .notES where !tellsEverything: return
        case .layout where !tellsLayouts: return
        // One conversation that is forgotten, in which nothing was found, is like the other.
        case .limit where !tellsEverything && !report.isInES && report.length == nil:
            if hasToldOfLimit { return }
            hasToldOfLimit = true
        default: break
        }
        if collected.append(report, input: origins?.input(ofPacket: report.packet)) { isDue = true }
        keepsLines = true
    }

    /// Whether the threads have so much to do that what is not due may as well wait here.
    var isBehind: Bool { threads.isBehind }

    /// Hands over what was collected, and says that no line of a packet before `packet` can come any more; none at all,
    /// if it is `nil`.
    func release(before packet: UInt64?) { release(before: packet, isLast: false) }

    private func release(before packet: UInt64?, isLast: Bool) {
        guard keepsLines else { return }
        isDue = false
        if packet == nil { keepsLines = false }
        let chunk = threads.pool.take()
        chunk.exchange(&collected)
        threads.handOver(chunk, before: packet, isLast: isLast)
    }

    /// Prints the rest and what closes the output, and waits until it is written.
    func finish() {
        release(before: nil, isLast: true)
        threads.finish()
        var out = OutputBuffer()
        threads.formatter.appendEnd(to: &out)
        out.withUnsafeBytes { writer.write($0) }
    }
}
