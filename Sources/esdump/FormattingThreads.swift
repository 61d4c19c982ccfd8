import MessageFormat
import Threads

/// Makes text of batches of reports and writes it, in the order in which they are handed over.
///
/// Formatting takes longer than all that comes before it, so that the work is shared out by batches: as many threads
/// format as there are, each a batch of its own, and whoever finds that the next text in order is ready writes it. The
/// thread that hands over helps when too much waits, so that with one thread it does all the work itself.
final class FormattingThreads<Formatter: ReportFormatter>: @unchecked Sendable {
    /// A thread's own formatter: formatters keep state, and sharing one would cost more than having several.
    private final class Context: @unchecked Sendable {
        var formatter: Formatter
        init(_ formatter: Formatter) { self.formatter = formatter }
    }

    private struct Entry {
        enum State { case waiting, formatting, formatted }
        let batch: ReportBatch
        var state = State.waiting
    }

    private let contexts: [Context]
    private let writer: OutputWriter
    /// Tells a formatter which of several inputs a report's packet came from.
    private let prepare: (@Sendable (inout Formatter, _ input: Int?) -> Void)?
    /// Bytes of reports that may wait before the thread that hands over has to help or to wait.
    private let limit: Int
    private var workers: [WorkerThread] = []
    private var areStarted = false

    private let monitor = Monitor()
    // All below is guarded by the monitor.
    /// In the order in which they are to be written.
    private var underWay: [Entry] = []
    private var waitingSize = 0
    private var free: [ReportBatch] = []
    private var isWriting = false
    private var isEnding = false
    private var sleeping = 0

    /// Text is written in pieces of about this size where the thread that formats may write.
    private static var pieceSize: Int { 1 << 16 }
    /// The most batches under way, however small they are.
    private static var maximumBatches: Int { 1024 }
    /// So many batches may be text that is not written yet: text takes more memory than reports.
    private var textLimit: Int { 2 * contexts.count }

    /// - Parameters:
    ///   - formatters: one for each thread; the first is that of the thread that hands over.
    ///   - limit: bytes of reports that may wait.
    init(
        _ formatters: [Formatter],
        writer: OutputWriter,
        limit: Int,
        prepare: (@Sendable (inout Formatter, _ input: Int?) -> Void)?
    ) {
        precondition(!formatters.isEmpty)
        contexts = formatters.map { Context($0) }
        self.writer = writer
        self.limit = limit
        self.prepare = prepare
    }

    /// The formatter of the thread that hands over.
    var formatter: Formatter {
        get { contexts[0].formatter }
        set { contexts[0].formatter = newValue }
    }

    /// An empty batch, to be filled.
    func emptyBatch() -> ReportBatch {
        monitor.withLock { free.popLast() } ?? ReportBatch()
    }

    /// Takes a batch.
    /// - Parameter isLast: whether nothing else will come. If nothing was handed over before, no thread is worth its start.
    func handOver(_ batch: ReportBatch, isLast: Bool = false) {
        if !areStarted, !isLast { start() }
        guard !workers.isEmpty else { return printHere(batch) }
        monitor.lock()
        defer { monitor.unlock() }
        underWay.append(Entry(batch: batch))
        waitingSize += batch.size
        if sleeping > 0 { monitor.wakeAll() }
        while waitingSize > limit || underWay.count > Self.maximumBatches {
            if !formatNext(contexts[0]) { monitor.wait() }
        }
    }

    /// Waits until everything is written, and ends the threads.
    func finish() {
        monitor.withLock {
            isEnding = true
            monitor.wakeAll()
            guard !workers.isEmpty else { return }
            while !underWay.isEmpty {
                if !formatNext(contexts[0]) { monitor.wait() }
            }
        }
        for worker in workers { worker.join() }
        workers = []
    }

    private func start() {
        areStarted = true
        for context in contexts.dropFirst() {
            guard let worker = WorkerThread.start({ [self] in work(context) }) else { break }
            workers.append(worker)
        }
    }

    /// With no other thread: formats and writes piece by piece, which keeps the text in the cache.
    private func printHere(_ batch: ReportBatch) {
        batch.format(&contexts[0].formatter, prepare: prepare) { text in
            if text.count >= Self.pieceSize { write(&text) }
        }
        write(&batch.text)
        batch.removeAll()
        monitor.withLock { free.append(batch) }
    }

    private func write(_ text: inout OutputBuffer) {
        guard !text.isEmpty else { return }
        text.withUnsafeBytes { writer.write($0) }
        text.removeAll()
    }

    // MARK: - Within the monitor

    /// What a worker does until the end.
    private func work(_ context: Context) {
        monitor.lock()
        defer { monitor.unlock() }
        while true {
            if writeNext() || formatNext(context) { continue }
            if isEnding, underWay.isEmpty { return }
            sleeping += 1
            monitor.wait()
            sleeping -= 1
        }
    }

    /// Formats the oldest batch that waits for it. Called with the monitor held, which is given up meanwhile.
    /// - Returns: whether there was one.
    private func formatNext(_ context: Context) -> Bool {
        guard let batch = takeWaiting() else { return false }
        monitor.unlock()
        batch.format(&context.formatter, prepare: prepare) { _ in }
        monitor.lock()
        if let index = underWay.firstIndex(where: { $0.batch === batch }) { underWay[index].state = .formatted }
        monitor.wakeAll()
        return true
    }

    private func takeWaiting() -> ReportBatch? {
        guard let index = underWay.firstIndex(where: { $0.state == .waiting }), index < textLimit else { return nil }
        underWay[index].state = .formatting
        waitingSize -= underWay[index].batch.size
        return underWay[index].batch
    }

    /// Writes the next batch in order, if its text is ready and nobody is writing. Only workers do, so that the thread
    /// that takes packets waits for no reader as long as there is room. The monitor is given up meanwhile.
    /// - Returns: whether it was.
    private func writeNext() -> Bool {
        guard !isWriting, let first = underWay.first, first.state == .formatted else { return false }
        isWriting = true
        monitor.unlock()
        write(&first.batch.text)
        first.batch.removeAll()
        monitor.lock()
        isWriting = false
        underWay.removeFirst()
        free.append(first.batch)
        monitor.wakeAll()
        return true
    }
}
