import ESProtocol
import MessageFormat
import Threads

/// Some reports, each with the bytes that its text needs, in the order in which they became known.
///
/// One thread fills it and hands it over. Then it is only read, by whoever formats its reports, until the last has been.
final class ReportChunk: @unchecked Sendable {
    private struct Message {
        var report: MessageReport
        /// Where its bytes stand.
        var start: Int
        var count: UInt32
        var input: UInt16?
    }

    private struct Event {
        var report: EventReport
        var input: UInt16?
    }

    /// All in one piece: each access to a property of a class is checked, which costs more than what is done here.
    private struct Contents: ~Copyable {
        var bytes = OutputBuffer(capacity: ReportChunk.fullSize / 4)
        var messages: ContiguousArray<Message> = []
        var events: ContiguousArray<Event> = []
        var lines: ContiguousArray<ReportLine> = []
        /// About how many bytes of memory it takes.
        var size = 0

        /// With room for as many messages as fill it if nothing but their headers is kept: memory that grows by doubling has
        /// more, and has been copied.
        init() {
            let count = ReportChunk.fullSize / (ReportChunk.messageSize + 36)
            messages.reserveCapacity(count + 64)
            lines.reserveCapacity(count + 64)
        }

        @inline(__always)
        mutating func append(
            _ report: consuming MessageReport,
            _ added: RawSpan,
            needed: Int,
            input: Int?,
            of chunk: Unmanaged<ReportChunk>
        ) -> Bool {
            let start = bytes.count
            added.extracting(0..<needed).withUnsafeBytes {
                bytes.append($0.assumingMemoryBound(to: UInt8.self))
            }
            let count = bytes.count - start
            let size = count + ReportChunk.messageSize
            lines.append(ReportLine(packet: report.packet, chunk, message: messages.count, size: size))
            messages.append(
                Message(
                    report: report,
                    start: start,
                    count: UInt32(truncatingIfNeeded: count),
                    input: input.map { UInt16(truncatingIfNeeded: $0) }
                )
            )
            self.size += size
            return self.size >= ReportChunk.fullSize
        }

        mutating func append(_ report: EventReport, input: Int?, of chunk: Unmanaged<ReportChunk>) -> Bool {
            let size = report.bytes.count + report.firstBytes.count + ReportChunk.eventSize
            lines.append(ReportLine(packet: report.packet, chunk, event: events.count, size: size))
            events.append(Event(report: report, input: input.map { UInt16(truncatingIfNeeded: $0) }))
            self.size += size
            return self.size >= ReportChunk.fullSize
        }

        func time(of line: ReportLine) -> Int64 {
            line.isMessage ? messages[line.index].report.time : events[line.index].report.time
        }
    }

    private var contents = Contents()
    /// Kept by ``ReportOrder``: its lines that are in no batch yet, and the number of the last batch that has one of them
    /// (0: none has).
    var waitingLines = 0
    var lastBatch = 0

    /// What a report counts beside its bytes. It is near what it takes in memory, and given as a number: how many reports may
    /// wait for their order decides what the output looks like, which must be the same wherever it is made.
    private static let messageSize = 200
    private static let eventSize = 224

    /// A chunk of this size is full.
    static let fullSize = 256 << 10

    /// - Parameters:
    ///   - needed: Bytes of the message, from its first one on, that its text will be made of.
    ///   - input: Which of several inputs its packet came from.
    /// - Returns: whether the chunk is full now.
    func append(_ report: consuming MessageReport, _ bytes: RawSpan, needed: Int, input: Int?) -> Bool {
        contents.append(report, bytes, needed: needed, input: input, of: Unmanaged.passUnretained(self))
    }

    func append(_ report: EventReport, input: Int?) -> Bool {
        contents.append(report, input: input, of: Unmanaged.passUnretained(self))
    }

    /// Where each report stands, in the order in which they were appended.
    var lines: ContiguousArray<ReportLine> { contents.lines }
    /// About how many bytes of memory it takes.
    var size: Int { contents.size }

    func time(of line: ReportLine) -> Int64 { contents.time(of: line) }

    /// Formats the reports of some lines, which are all of this chunk.
    /// - Parameters:
    ///   - number: The number of the message before; that of the last one when it returns.
    ///   - prepare: tells the formatter which of several inputs a packet came from.
    ///   - emit: is called behind each line and may take text away.
    func format<Formatter: ReportFormatter>(
        _ lines: ArraySlice<ReportLine>,
        number: inout Int,
        _ formatter: inout Formatter,
        to out: inout OutputBuffer,
        prepare: ((inout Formatter, _ input: Int?) -> Void)?,
        emit: (inout OutputBuffer) -> Void
    ) {
        { (contents: borrowing Contents) in
            for line in lines {
                let index = line.index
                if line.isMessage {
                    number += 1
                    if let prepare { prepare(&formatter, contents.messages[index].input.map { Int($0) }) }
                    formatter.appendLead(number: number, time: contents.messages[index].report.time, to: &out)
                    let start = contents.messages[index].start
                    let end = start + Int(contents.messages[index].count)
                    contents.bytes.withUnsafeBytes {
                        let part = UnsafeRawBufferPointer(rebasing: $0[start..<end])
                        formatter.appendMessage(contents.messages[index].report, bytes: part.bytes, to: &out)
                    }
                } else {
                    if let prepare { prepare(&formatter, contents.events[index].input.map { Int($0) }) }
                    formatter.appendLead(number: nil, time: contents.events[index].report.time, to: &out)
                    formatter.appendEvent(contents.events[index].report, to: &out)
                }
                emit(&out)
            }
        }(contents)
    }

    /// Forgets its reports, to be filled again.
    /// - Returns: whether its memory is worth being kept.
    func clear() -> Bool {
        guard contents.size <= 4 * Self.fullSize else { return false }
        contents.bytes.removeAll()
        contents.messages.removeAll(keepingCapacity: true)
        contents.events.removeAll(keepingCapacity: true)
        contents.lines.removeAll(keepingCapacity: true)
        contents.size = 0
        waitingLines = 0
        lastBatch = 0
        return true
    }
}

/// Where a report stands, and what its place in the output depends on.
struct ReportLine {
    var packet: UInt64
    /// Kept alive by whoever keeps the line: a reference in each line would cost more than the line.
    var chunk: Unmanaged<ReportChunk>
    /// In the chunk: of a message, or the complement of that of an event.
    private var place: Int32
    /// About how many bytes of memory the report takes.
    var size: UInt32

    init(packet: UInt64, _ chunk: Unmanaged<ReportChunk>, message index: Int, size: Int) {
        self.packet = packet
        self.chunk = chunk
        place = Int32(truncatingIfNeeded: index)
        self.size = UInt32(clamping: size)
    }

    init(packet: UInt64, _ chunk: Unmanaged<ReportChunk>, event index: Int, size: Int) {
        self.init(packet: packet, chunk, message: ~index, size: size)
    }

    var isMessage: Bool { place >= 0 }
    /// In the chunk, among the messages or among the events.
    var index: Int { Int(place >= 0 ? place : ~place) }

    func isInSameChunk(as other: ReportLine) -> Bool { chunk.toOpaque() == other.chunk.toOpaque() }
}

/// Chunks that are empty, to be filled again: memory that was used lately is quicker than new memory.
final class ReportChunkPool: @unchecked Sendable {
    private let monitor = Monitor()
    private var chunks: [ReportChunk] = []

    func take() -> ReportChunk { monitor.withLock { chunks.popLast() } ?? ReportChunk() }

    /// Takes those that nobody else has any more.
    func giveBack(_ used: inout [ReportChunk]) {
        while var chunk = used.popLast() {
            guard isKnownUniquelyReferenced(&chunk), chunk.clear() else { continue }
            monitor.withLock { chunks.append(chunk) }
        }
    }
}
