import ESProtocol
import MessageFormat

/// Keeps reports back until none that belongs before them can come, and gives them in the order of their packets.
///
/// A message behind a hole, or one whose header needs the next one as a witness, is known only some packets after the one
/// that completed it. A line is *settled* once none that belongs before it can come any more. What is kept back is
/// limited: beyond ``maximumSize`` lines are settled as they are known.
struct ReportOrder {
    /// The lines; those that are settled first, in the order in which they are printed.
    private var lines: ContiguousArray<ReportLine> = []
    private var settled = 0
    /// About how many bytes of memory the settled lines and the others take.
    private(set) var settledSize = 0
    private(set) var unsettledSize = 0
    /// When to look for lines that can go: a multiple of what could not go the last time.
    private var settleAt = ReportChunk.fullSize
    /// Keeps what the lines refer to; the last is being filled.
    private var chunks: [ReportChunk] = []
    private var batches = 0

    static var maximumSize: Int { 32 << 20 }

    /// Whether so much is kept back that it is worth a look at what can go.
    var isDue: Bool { unsettledSize >= settleAt }

    mutating func append(_ report: MessageReport, _ bytes: RawSpan, needed: Int, input: Int?) {
        add(chunkToFill().append(report, bytes, needed: needed, input: input))
    }

    mutating func append(_ report: EventReport, input: Int?) {
        add(chunkToFill().append(report, input: input))
    }

    private mutating func chunkToFill() -> ReportChunk {
        // A chunk of which another thread may have lines is changed no more.
        if let last = chunks.last, !last.isFull, last.lastBatch == 0 { return last }
        let chunk = ReportChunk()
        chunks.append(chunk)
        return chunk
    }

    private mutating func add(_ line: ReportLine) {
        lines.append(line)
        unsettledSize += Int(line.size)
    }

    /// Says that no line of a packet before `packet` can come any more; none at all, if it is `nil`.
    mutating func settle(before packet: UInt64?) {
        guard settled < lines.count else { return }
        sortUnsettled()
        let limit = unsettledSize > Self.maximumSize ? nil : packet
        while settled < lines.count, limit == nil || lines[settled].packet < limit! {
            settledSize += Int(lines[settled].size)
            unsettledSize -= Int(lines[settled].size)
            settled += 1
        }
        settleAt = max(ReportChunk.fullSize, 2 * unsettledSize)
    }

    private mutating func sortUnsettled() {
        var index = settled + 1
        while index < lines.count, lines[index - 1].packet <= lines[index].packet { index += 1 }
        if index < lines.count { lines[settled...].sort { $0.packet < $1.packet } }
    }

    /// Takes all settled lines out, and hands them on in batches of about ``ReportChunk/fullSize``.
    mutating func takeSettled(makeBatch: () -> ReportBatch, _ body: (ReportBatch) -> Void) {
        guard settled > 0 else { return }
        var start = 0
        while start < settled {
            batches += 1
            let batch = makeBatch()
            var end = start
            while end < settled, batch.size < ReportChunk.fullSize {
                lines[end].chunk._withUnsafeGuaranteedRef { chunk in
                    chunk.waitingLines -= 1
                    batch.append(lines[end], isNewChunk: chunk.lastBatch != batches, chunk)
                    chunk.lastBatch = batches
                }
                end += 1
            }
            start = end
            body(batch)
        }
        lines.removeFirst(settled)
        settled = 0
        settledSize = 0
        chunks.removeAll { $0.waitingLines == 0 }
    }
}
