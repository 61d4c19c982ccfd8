import MessageFormat

/// Lines on their way to be formatted by one thread, and then their text.
final class ReportBatch: @unchecked Sendable {
    private var lines: [ReportLine] = []
    /// Keeps what the lines refer to.
    private var chunks: [ReportChunk] = []
    /// About how many bytes of memory the reports take.
    private(set) var size = 0
    private(set) var messageCount = 0

    /// The messages that are printed before this batch, and the times of the first line of all and of the one before.
    var messagesBefore = 0
    var firstTime: Int64?
    var previousTime: Int64?

    /// What its reports look like, from when they are formatted until they are written.
    var text: BatchText?

    var startTime: Int64? { lines.first.map { time(of: $0) } }
    var endTime: Int64? { lines.last.map { time(of: $0) } }

    private func time(of line: ReportLine) -> Int64 {
        line.chunk._withUnsafeGuaranteedRef { $0.time(of: line) }
    }

    /// - Parameters:
    ///   - chunks: what the lines refer to.
    ///   - size: about how many bytes of memory their reports take.
    func fill(_ lines: ArraySlice<ReportLine>, chunks: [ReportChunk], size: Int) {
        self.lines.append(contentsOf: lines)
        self.chunks = chunks
        self.size = size
        messageCount = lines.count(where: \.isMessage)
    }

    /// Makes text of all lines, which then are gone.
    /// - Parameters:
    ///   - prepare: tells the formatter which of several inputs a report's packet came from.
    ///   - emit: is called behind each line and may take text away.
    ///   - pool: takes the chunks that nobody needs any more.
    func format<Formatter: ReportFormatter>(
        _ formatter: inout Formatter,
        to out: inout OutputBuffer,
        prepare: ((inout Formatter, _ input: Int?) -> Void)?,
        pool: ReportChunkPool,
        emit: (inout OutputBuffer) -> Void
    ) {
        formatter.continueAfter(first: firstTime, previous: previousTime)
        var number = messagesBefore
        var start = 0
        while start < lines.count {
            var end = start + 1
            while end < lines.count, lines[end].isInSameChunk(as: lines[start]) { end += 1 }
            lines[start].chunk._withUnsafeGuaranteedRef {
                $0.format(
                    lines[start..<end],
                    number: &number,
                    &formatter,
                    to: &out,
                    prepare: prepare,
                    emit: emit
                )
            }
            start = end
        }
        lines.removeAll(keepingCapacity: true)
        // The reports are freed by the thread that has used them, while they are in its cache.
        pool.giveBack(&chunks)
    }

    /// To be filled again.
    func clear() {
        lines.removeAll(keepingCapacity: true)
        chunks.removeAll()
        size = 0
        messageCount = 0
    }
}

/// The text of a batch: fewer are needed than batches, and they take more memory.
final class BatchText {
    var out = OutputBuffer()

    /// A longer text's memory is given back.
    private static let keptSize = 4 << 20

    func clear() {
        if out.count > Self.keptSize { out = OutputBuffer() } else { out.removeAll() }
    }
}
