import ESProtocol
import MessageFormat

/// Some reports, each with the bytes that its text needs, in the order in which they became known.
///
/// One thread fills it, until it hands over one of its lines. Then it is only read, by whoever formats its reports, and
/// freed when the last has been.
final class ReportChunk: @unchecked Sendable {
    private struct Message {
        var report: MessageReport
        /// Where its bytes stand.
        var start: Int
        var count: Int
        var input: Int?
    }

    private struct Event {
        var report: EventReport
        var input: Int?
    }

    private var bytes: OutputBuffer
    private var messages: ContiguousArray<Message> = []
    private var events: ContiguousArray<Event> = []
    /// About how many bytes of memory it takes.
    private(set) var size = 0
    /// Of the thread that fills it: its lines that are not handed over yet, and the number of the last batch that has one
    /// of them (0: none has).
    var waitingLines = 0
    var lastBatch = 0

    /// A chunk of this size is full.
    static let fullSize = 256 << 10

    init() {
        bytes = OutputBuffer(capacity: 1 << 12)
    }

    var isFull: Bool { size >= Self.fullSize }

    /// - Parameters:
    ///   - needed: Bytes of the message, from its first one on, that its text will be made of.
    ///   - input: Which of several inputs its packet came from.
    func append(_ report: MessageReport, _ bytes: RawSpan, needed: Int, input: Int?) -> ReportLine {
        let start = self.bytes.count
        bytes.withUnsafeBytes {
            let part = UnsafeRawBufferPointer(rebasing: $0.prefix(needed))
            self.bytes.append(part.assumingMemoryBound(to: UInt8.self))
        }
        let count = self.bytes.count - start
        messages.append(Message(report: report, start: start, count: count, input: input))
        return line(
            report.packet,
            report.time,
            index: messages.count - 1,
            isMessage: true,
            size: count + MemoryLayout<Message>.stride
        )
    }

    func append(_ report: EventReport, input: Int?) -> ReportLine {
        events.append(Event(report: report, input: input))
        return line(
            report.packet,
            report.time,
            index: events.count - 1,
            isMessage: false,
            size: report.bytes.count + report.firstBytes.count + MemoryLayout<Event>.stride
        )
    }

    private func line(_ packet: UInt64, _ time: Int64, index: Int, isMessage: Bool, size: Int) -> ReportLine {
        let size = size + MemoryLayout<ReportLine>.stride
        self.size += size
        waitingLines += 1
        return ReportLine(
            packet: packet,
            time: time,
            chunk: Unmanaged.passUnretained(self),
            index: UInt32(truncatingIfNeeded: index),
            size: UInt32(clamping: size),
            isMessage: isMessage
        )
    }

    /// Formats one report.
    /// - Parameters:
    ///   - number: The message's number; `nil` for an event.
    ///   - prepare: tells the formatter which of several inputs the packet came from.
    func format<Formatter: ReportFormatter>(
        _ line: ReportLine,
        number: Int?,
        _ formatter: inout Formatter,
        to out: inout OutputBuffer,
        prepare: ((inout Formatter, _ input: Int?) -> Void)?
    ) {
        let index = Int(line.index)
        if line.isMessage {
            prepare?(&formatter, messages[index].input)
            formatter.appendLead(number: number, time: line.time, to: &out)
            let (start, count) = (messages[index].start, messages[index].count)
            bytes.withUnsafeBytes {
                let part = UnsafeRawBufferPointer(rebasing: $0[start..<start + count])
                formatter.appendMessage(messages[index].report, bytes: part.bytes, to: &out)
            }
        } else {
            prepare?(&formatter, events[index].input)
            formatter.appendLead(number: nil, time: line.time, to: &out)
            formatter.appendEvent(events[index].report, to: &out)
        }
    }
}

/// Where a report stands, and what its place in the output depends on.
struct ReportLine {
    var packet: UInt64
    var time: Int64
    /// Kept alive by whoever keeps the line: a reference in each line would cost more than the line.
    var chunk: Unmanaged<ReportChunk>
    /// In the chunk, among the messages or among the events.
    var index: UInt32
    /// About how many bytes of memory the report takes.
    var size: UInt32
    var isMessage: Bool
}
