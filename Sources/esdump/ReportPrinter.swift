import CaptureAnalysis
import MessageFormat

/// Collects reports, brings them into the order of their packets, numbers them, and hands them over to be formatted and
/// written.
///
/// What is decided here does not depend on how many threads format, so that the output does not either.
final class ReportPrinter<Formatter: ReportFormatter>: AnalysisOutput {
    private let threads: FormattingThreads<Formatter>
    private let writer: OutputWriter
    /// Asked how much of a message its text needs.
    private let sample: Formatter
    /// Whether streams that are not ES, and layouts, are told of (they are in JSON and with `-v`).
    private let tellsEverything: Bool
    private let tellsLayouts: Bool
    /// Whether anything but messages is shown.
    private let tellsEvents: Bool
    /// Which of several inputs packets came from.
    private let origins: PacketOrigins?
    private var order = ReportOrder()
    private(set) var messageCount = 0
    private var hasToldOfLimit = false
    private var firstTime: Int64?
    private var previousTime: Int64?

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
        sample = formatters[0]
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

    func message(_ report: MessageReport, bytes: RawSpan) {
        order.append(
            report,
            bytes,
            needed: sample.bytesNeeded(of: report, there: bytes.byteCount),
            input: origins?.input(ofPacket: report.packet)
        )
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
        order.append(report, input: origins?.input(ofPacket: report.packet))
    }

    /// Whether lines are kept back.
    var hasLines: Bool { order.unsettledSize > 0 }
    /// Whether so much is kept back that it is worth a look at what can go.
    var isDue: Bool { order.isDue }

    /// Says that no line of a packet before `packet` can come any more; none at all, if it is `nil`.
    func release(before packet: UInt64?) {
        order.settle(before: packet)
        if order.settledSize >= ReportChunk.fullSize { handOver() }
    }

    /// Hands over what was released, however little it is.
    func handOver() { handOver(isLast: false) }

    private func handOver(isLast: Bool) {
        order.takeSettled(makeBatch: threads.emptyBatch) { batch in
            batch.messagesBefore = messageCount
            batch.firstTime = firstTime
            batch.previousTime = previousTime
            messageCount += batch.messageCount
            if firstTime == nil { firstTime = batch.startTime }
            previousTime = batch.endTime
            threads.handOver(batch, isLast: isLast && batch.size < ReportChunk.fullSize)
        }
    }

    /// Prints the rest and what closes the output, and waits until it is written.
    func finish() {
        release(before: nil)
        handOver(isLast: true)
        threads.finish()
        var out = OutputBuffer()
        threads.formatter.appendEnd(to: &out)
        out.withUnsafeBytes { writer.write($0) }
    }
}
