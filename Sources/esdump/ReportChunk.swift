import MessageFormat
import Threads

/// Some reports, each with the bytes that its text needs, in the order in which they became known.
///
/// One thread fills it and hands it over. Then it is only read, by whoever formats its reports, until the last has been.
final class ReportChunk: @unchecked Sendable {
    private var contents = ReportContents()
    /// Kept by ``ReportOrder``: its lines that are in no batch yet, and the number of the last batch that has one of them
    /// (0: none has).
    var waitingLines = 0
    var lastBatch = 0

    /// A chunk of this size is full.
    static let fullSize = ReportContents.fullSize

    /// Takes what was collected, and gives what it had, which is nothing, but has memory.
    func exchange(_ collected: inout ReportContents) { swap(&contents, &collected) }

    /// About how many bytes of memory it takes.
    var size: Int { contents.size }
    var lineCount: Int { contents.lineCount }

    /// Calls `body` with each line, in the order in which the reports were appended.
    @inline(__always)
    func forEachLine(_ body: (ReportLine) -> Void) {
        { [chunk = Unmanaged.passUnretained(self)] (contents: borrowing ReportContents) in
            contents.forEachLine(of: chunk, body)
        }(contents)
    }

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
        { (contents: borrowing ReportContents) in
            contents.format(lines, number: &number, &formatter, to: &out, prepare: prepare, emit: emit)
        }(contents)
    }

    /// Forgets its reports, to be filled again.
    /// - Returns: whether its memory is worth being kept.
    func clear() -> Bool {
        guard contents.size <= 4 * Self.fullSize else { return false }
        contents.removeAll()
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
