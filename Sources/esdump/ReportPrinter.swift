import CaptureAnalysis
import MessageFormat

/// Formats reports, numbers them in the order of their packets, and writes them to standard output.
final class ReportPrinter<Formatter: ReportFormatter>: AnalysisOutput {
    private var formatter: Formatter
    private var order = LineOrder()
    private var out = OutputBuffer(capacity: 1 << 17)
    private let writer: OutputWriter
    /// Whether streams that are not ES, and layouts, are told of (they are in JSON and with `-v`).
    private let tellsEverything: Bool
    private let tellsLayouts: Bool
    /// Whether anything but messages is shown.
    private let tellsEvents: Bool
    /// Tells the formatter what it is to know of a packet before a report of it.
    private let prepare: ((inout Formatter, _ packet: UInt64) -> Void)?
    private(set) var messageCount = 0
    private var hasToldOfLimit = false

    init(
        _ formatter: Formatter,
        writer: OutputWriter,
        tellsEverything: Bool,
        tellsLayouts: Bool,
        tellsEvents: Bool = true,
        prepare: ((inout Formatter, _ packet: UInt64) -> Void)? = nil
    ) {
        self.formatter = formatter
        self.prepare = prepare
        self.writer = writer
        self.tellsEverything = tellsEverything
        self.tellsLayouts = tellsLayouts
        self.tellsEvents = tellsEvents
    }

    /// Writes what stands before everything else.
    func begin() {
        formatter.appendBegin(to: &out)
        emit()
    }

    var isOpen: Bool { writer.isOpen }

    func message(_ report: MessageReport, bytes: RawSpan) {
        let start = order.text.count
        prepare?(&formatter, report.packet)
        formatter.appendMessage(report, bytes: bytes, to: &order.text)
        order.note(packet: report.packet, time: report.time, start: start, isMessage: true)
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
        let start = order.text.count
        prepare?(&formatter, report.packet)
        formatter.appendEvent(report, to: &order.text)
        order.note(packet: report.packet, time: report.time, start: start, isMessage: false)
    }

    var hasLines: Bool { !order.isEmpty }
    /// Whether so much is kept back that it is worth a look at what can go.
    var isDue: Bool { order.isDue }

    /// Writes the lines of packets before `packet`; all, if it is `nil`.
    func release(before packet: UInt64?) {
        order.flush(before: packet) { line, text in
            if line.isMessage { messageCount += 1 }
            formatter.appendLead(number: line.isMessage ? messageCount : nil, time: line.time, to: &out)
            out.append(text.assumingMemoryBound(to: UInt8.self))
            if out.count >= 1 << 16 { emit() }
        }
        emit()
    }

    /// Writes what closes the output.
    func finish() {
        release(before: nil)
        formatter.appendEnd(to: &out)
        emit()
    }

    private func emit() {
        guard !out.isEmpty else { return }
        out.withUnsafeBytes { writer.write($0) }
        out.removeAll()
    }
}
