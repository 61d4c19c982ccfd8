import ESProtocol
import MessageFormat

/// Keeps reports back until none that belongs before them can come, and gives them in the order of their packets.
///
/// A message behind a hole, or one whose header needs the next one as a witness, is known only some packets after the one
/// that completed it. A line is *settled* once none that belongs before it can come any more. What is kept back is
/// limited: beyond ``maximumSize`` the first lines are settled all the same.
struct ReportOrder {
    /// Lines that came in the order of their packets, from `next` on.
    private var inOrder: ContiguousArray<ReportLine> = []
    private var next = 0
    /// Lines that came late: of earlier packets than one before them.
    private var late: ContiguousArray<ReportLine> = []
    private var isLateSorted = true
    /// Lines that are settled, in the order in which they are printed.
    private var settled: [ReportLine] = []
    /// About how many bytes of memory the settled lines and the others take.
    private(set) var settledSize = 0
    private(set) var unsettledSize = 0
    /// When to look for lines that can go: a multiple of what could not go the last time.
    private var settleAt = ReportChunk.fullSize
    /// Keeps what the lines refer to. The last is being filled, if `isFilling`.
    private var chunks: [ReportChunk] = []
    private var isFilling = false
    private let pool: ReportChunkPool
    private var batches = 0

    static var maximumSize: Int { 32 << 20 }
    /// So much goes at a time when the limit is reached.
    private static var excess: Int { 2 * ReportChunk.fullSize }

    init(pool: ReportChunkPool) { self.pool = pool }

    /// Whether so much is kept back that it is worth a look at what can go.
    var isDue: Bool { unsettledSize >= settleAt }

    mutating func append(_ report: consuming MessageReport, _ bytes: RawSpan, needed: Int, input: Int?) {
        add(chunkToFill().append(report, bytes, needed: needed, input: input))
    }

    mutating func append(_ report: EventReport, input: Int?) {
        add(chunkToFill().append(report, input: input))
    }

    private mutating func chunkToFill() -> ReportChunk {
        if !isFilling {
            chunks.append(pool.take())
            isFilling = true
        }
        return chunks[chunks.count - 1]
    }

    private mutating func add(_ added: (line: ReportLine, isFull: Bool)) {
        unsettledSize += Int(added.line.size)
        if added.isFull { isFilling = false }
        if let last = inOrder.last, last.packet > added.line.packet {
            if let last = late.last, last.packet > added.line.packet { isLateSorted = false }
            late.append(added.line)
        } else {
            inOrder.append(added.line)
        }
    }

    // MARK: - Settling

    /// Says that no line of a packet before `packet` can come any more; none at all, if it is `nil`.
    mutating func settle(before packet: UInt64?) {
        guard unsettledSize > 0 else { return }
        // Those that came first stay first among those of one packet: sorting is stable.
        if !isLateSorted { late.sort { $0.packet < $1.packet } }
        isLateSorted = true
        let limit = packet ?? .max
        let kept = unsettledSize > Self.maximumSize ? Self.maximumSize - Self.excess : .max
        var nextLate = 0
        while let line = nextLine(nextLate), line.packet < limit || unsettledSize > kept {
            // A late line came behind all that are in order and of its packet.
            if next < inOrder.count, inOrder[next].packet == line.packet { next += 1 } else { nextLate += 1 }
            settled.append(line)
            settledSize += Int(line.size)
            unsettledSize -= Int(line.size)
        }
        late.removeFirst(nextLate)
        if next > inOrder.count / 2 {
            inOrder.removeFirst(next)
            next = 0
        }
        settleAt = min(max(ReportChunk.fullSize, 2 * unsettledSize), Self.maximumSize + 1)
    }

    private func nextLine(_ nextLate: Int) -> ReportLine? {
        guard next < inOrder.count else { return nextLate < late.count ? late[nextLate] : nil }
        guard nextLate < late.count, late[nextLate].packet < inOrder[next].packet else { return inOrder[next] }
        return late[nextLate]
    }

    // MARK: - Handing over

    /// Takes all settled lines out, in batches of about ``ReportChunk/fullSize``.
    mutating func takeSettled(makeBatch: () -> ReportBatch) -> [ReportBatch] {
        guard !settled.isEmpty else { return [] }
        var result: [ReportBatch] = []
        var start = 0
        while start < settled.count {
            var end = start
            var size = 0
            while end < settled.count, size < ReportChunk.fullSize {
                size += Int(settled[end].size)
                end += 1
            }
            let batch = makeBatch()
            batch.fill(settled[start..<end], chunks: claim(start..<end), size: size)
            result.append(batch)
            start = end
        }
        settled.removeAll(keepingCapacity: true)
        settledSize = 0
        // Another thread may read it from now on.
        if let last = chunks.last, last.lastBatch > 0 { isFilling = false }
        chunks.removeAll { $0.waitingLines == 0 }
        return result
    }

    /// The chunks of some settled lines, which these do not wait in any more.
    private mutating func claim(_ range: Range<Int>) -> [ReportChunk] {
        var claimed: [ReportChunk] = []
        batches += 1
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start + 1
            while end < range.upperBound, settled[end].isInSameChunk(as: settled[start]) { end += 1 }
            let chunk = settled[start].chunk.takeUnretainedValue()
            chunk.waitingLines -= end - start
            if chunk.lastBatch != batches { claimed.append(chunk) }
            chunk.lastBatch = batches
            start = end
        }
        return claimed
    }
}
