import ESProtocol
import MessageFormat

/// Reports with the bytes that their text needs, in the order in which they became known, in a few pieces of memory.
///
/// Whoever collects owns it, so that a message costs no look at a reference; a ``ReportChunk`` carries it to the others.
struct ReportContents: ~Copyable {
    private struct Event {
        var report: EventReport
        var input: UInt16?
        /// How many messages stand before it.
        var messagesBefore: Int
    }

    private var bytes = OutputBuffer(capacity: ReportContents.fullSize / 4)
    private var messages: ContiguousArray<MessageRecord> = []
    /// Of messages that a record does not hold.
    private var reports: ContiguousArray<MessageReport> = []
    private var events: ContiguousArray<Event> = []
    /// About how many bytes of memory it takes.
    private(set) var size = 0

    /// What a report counts beside its bytes. It was near what it takes in memory once, and is a number: how many reports may
    /// wait for their order decides what the output looks like, which must be the same wherever it is made.
    private static let messageSize = 200
    private static let eventSize = 224

    /// With so much in it, it is full.
    static let fullSize = 256 << 10

    /// With room for as many messages as fill it if nothing but their headers is kept: memory that grows by doubling has
    /// more, and has been copied.
    init() {
        messages.reserveCapacity(ReportContents.fullSize / (ReportContents.messageSize + 36) + 64)
    }

    var lineCount: Int { messages.count + events.count }

    /// - Parameters:
    ///   - needed: Bytes of the message, from its first one on, that its text will be made of.
    ///   - input: Which of several inputs its packet came from.
    /// - Returns: whether it is full now.
    @inline(__always)
    mutating func append(_ report: consuming MessageReport, _ added: RawSpan, needed: Int, input: Int?) -> Bool {
        let start = bytes.count
        added.extracting(0..<needed).withUnsafeBytes {
            bytes.append($0.assumingMemoryBound(to: UInt8.self))
        }
        let count = bytes.count - start
        size += count + ReportContents.messageSize
        if let record = MessageRecord(report, start: start, count: count, input: input) {
            messages.append(record)
        } else {
            appendWhole(report, start: start, count: count, input: input)
        }
        return size >= ReportContents.fullSize
    }

    @inline(never)
    private mutating func appendWhole(_ report: MessageReport, start: Int, count: Int, input: Int?) {
        messages.append(MessageRecord(report, at: reports.count, start: start, count: count, input: input))
        reports.append(report)
    }

    /// - Returns: whether it is full now.
    mutating func append(_ report: EventReport, input: Int?) -> Bool {
        size += ReportContents.size(of: report)
        events.append(
            Event(
                report: report,
                input: input.map { UInt16(truncatingIfNeeded: $0) },
                messagesBefore: messages.count
            )
        )
        return size >= ReportContents.fullSize
    }

    private static func size(of report: EventReport) -> Int {
        report.bytes.count + report.firstBytes.count + eventSize
    }

    mutating func removeAll() {
        bytes.removeAll()
        messages.removeAll(keepingCapacity: true)
        reports.removeAll()
        events.removeAll(keepingCapacity: true)
        size = 0
    }

    // MARK: - Its lines

    /// Calls `body` with each line, in the order in which the reports were appended.
    @inline(__always)
    func forEachLine(of chunk: Unmanaged<ReportChunk>, _ body: (ReportLine) -> Void) {
        var index = 0
        for (place, event) in events.enumerated() {
            while index < event.messagesBefore {
                body(line(ofMessage: index, chunk))
                index += 1
            }
            body(ReportLine(packet: event.report.packet, chunk, event: place, size: Self.size(of: event.report)))
        }
        while index < messages.count {
            body(line(ofMessage: index, chunk))
            index += 1
        }
    }

    @inline(__always)
    private func line(ofMessage index: Int, _ chunk: Unmanaged<ReportChunk>) -> ReportLine {
        let size = messages[index].byteCount + ReportContents.messageSize
        return ReportLine(packet: messages[index].packet, chunk, message: index, size: size)
    }

    func time(of line: ReportLine) -> Int64 {
        line.isMessage ? messages[line.index].time : events[line.index].report.time
    }

    /// Formats the reports of some lines; see ``ReportChunk``.
    func format<Formatter: ReportFormatter>(
        _ lines: ArraySlice<ReportLine>,
        number: inout Int,
        _ formatter: inout Formatter,
        to out: inout OutputBuffer,
        prepare: ((inout Formatter, _ input: Int?) -> Void)?,
        emit: (inout OutputBuffer) -> Void
    ) {
        for line in lines {
            let index = line.index
            if line.isMessage {
                let record = messages[index]
                number += 1
                if let prepare { prepare(&formatter, record.input) }
                formatter.appendLead(number: number, time: record.time, to: &out)
                bytes.withUnsafeBytes {
                    let part = UnsafeRawBufferPointer(rebasing: $0[record.byteRange])
                    if let whole = record.wholeReport {
                        formatter.appendMessage(reports[whole], bytes: part.bytes, to: &out)
                    } else {
                        formatter.appendMessage(record.report, bytes: part.bytes, to: &out)
                    }
                }
            } else {
                if let prepare { prepare(&formatter, events[index].input.map { Int($0) }) }
                formatter.appendLead(number: nil, time: events[index].report.time, to: &out)
                formatter.appendEvent(events[index].report, to: &out)
            }
            emit(&out)
        }
    }
}
