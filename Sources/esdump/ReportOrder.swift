import MessageFormat

/// Keeps lines back until none that belongs before them can come, and gives them in the order of their packets.
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
    private var settledSize = 0
    private var unsettledSize = 0
    /// Keeps what the lines refer to.
    private var chunks: [ReportChunk] = []
    private var batches = 0
    private var messageCount = 0
    private var firstTime: Int64?
    private var previousTime: Int64?

    private static var maximumSize: Int { 32 << 20 }
    /// So much goes at a time when the limit is reached.
    private static var excess: Int { 2 * ReportChunk.fullSize }

    /// Takes the lines of a chunk, which is changed no more.
    mutating func add(_ chunk: ReportChunk) {
        guard chunk.lineCount > 0 else { return }
        chunks.append(chunk)
        chunk.waitingLines = chunk.lineCount
        unsettledSize += chunk.size
        var latest = inOrder.last?.packet ?? 0
        chunk.forEachLine { line in
            if line.packet >= latest {
                latest = line.packet
                inOrder.append(line)
            } else {
                if let last = late.last, last.packet > line.packet { isLateSorted = false }
                late.append(line)
            }
        }
    }

    // MARK: - Settling

    /// Says that no line of a packet before `packet` can come any more; none at all, if it is `nil`.
    mutating func settle(before packet: UInt64?) {
        // Those that came first stay first among those of one packet: sorting is stable.
        if !isLateSorted { late.sort { $0.packet < $1.packet } }
        isLateSorted = true
        let limit = packet ?? .max
        let kept = unsettledSize > Self.maximumSize ? Self.maximumSize - Self.excess : .max
        var nextLate = 0
        while true {
            // A late line came behind all that are in order and of its packet.
            let line: ReportLine
            let isLate: Bool
            if next < inOrder.count, nextLate == late.count || inOrder[next].packet <= late[nextLate].packet {
                (line, isLate) = (inOrder[next], false)
            } else if nextLate < late.count {
                (line, isLate) = (late[nextLate], true)
            } else {
                break
            }
            guard line.packet < limit || unsettledSize > kept else { break }
            if isLate { nextLate += 1 } else { next += 1 }
            settled.append(line)
            settledSize += Int(line.size)
            unsettledSize -= Int(line.size)
        }
        late.removeFirst(nextLate)
        if next > inOrder.count / 2 {
            inOrder.removeFirst(next)
            next = 0
        }
    }

    // MARK: - Handing on

    /// Takes settled lines out, in batches of about ``ReportChunk/fullSize``.
    /// - Parameter all: also those that do not fill a batch.
    mutating func takeSettled(all: Bool, makeBatch: () -> ReportBatch) -> [ReportBatch] {
        guard settledSize > (all ? 0 : ReportChunk.fullSize) else { return [] }
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
            batch.messagesBefore = messageCount
            batch.firstTime = firstTime
            batch.previousTime = previousTime
            messageCount += batch.messageCount
            if firstTime == nil { firstTime = batch.startTime }
            previousTime = batch.endTime
            result.append(batch)
            start = end
        }
        settled.removeAll(keepingCapacity: true)
        settledSize = 0
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
