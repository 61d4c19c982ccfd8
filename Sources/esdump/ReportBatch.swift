import MessageFormat

/// Lines on their way to be formatted by one thread, and then their text.
final class ReportBatch: @unchecked Sendable {
    private var lines: ContiguousArray<ReportLine> = []
    /// Keeps what the lines refer to.
    private var chunks: [ReportChunk] = []
    /// About how many bytes of memory the reports take.
    private(set) var size = 0
    private(set) var messageCount = 0

    /// The messages that are printed before this batch, and the times of the first line of all and of the one before.
    var messagesBefore = 0
    var firstTime: Int64?
    var previousTime: Int64?

    /// What its reports look like.
    var text = OutputBuffer()

    /// A longer text's memory is given back.
    private static let keptText = 8 << 20

    var startTime: Int64? { lines.first?.time }
    var endTime: Int64? { lines.last?.time }

    /// - Parameter isNewChunk: whether this is the first line of its chunk here.
    func append(_ line: ReportLine, isNewChunk: Bool, _ chunk: ReportChunk) {
        lines.append(line)
        size += Int(line.size)
        if line.isMessage { messageCount += 1 }
        if isNewChunk { chunks.append(chunk) }
    }

    /// Appends the text of all lines.
    /// - Parameters:
    ///   - prepare: tells the formatter which of several inputs a report's packet came from.
    ///   - emit: is called behind each line and may take text away.
    func format<Formatter: ReportFormatter>(
        _ formatter: inout Formatter,
        prepare: ((inout Formatter, _ input: Int?) -> Void)?,
        emit: (inout OutputBuffer) -> Void
    ) {
        formatter.continueAfter(first: firstTime, previous: previousTime)
        var number = messagesBefore
        for line in lines {
            if line.isMessage { number += 1 }
            line.chunk._withUnsafeGuaranteedRef {
                $0.format(line, number: line.isMessage ? number : nil, &formatter, to: &text, prepare: prepare)
            }
            emit(&text)
        }
        // The reports are freed by the thread that has used them, while they are in its cache.
        lines.removeAll(keepingCapacity: true)
        chunks.removeAll(keepingCapacity: true)
    }

    /// Forgets everything, to be filled again.
    func removeAll() {
        if text.count > Self.keptText { text = OutputBuffer() } else { text.removeAll() }
        lines.removeAll(keepingCapacity: true)
        chunks.removeAll(keepingCapacity: true)
        size = 0
        messageCount = 0
    }
}
