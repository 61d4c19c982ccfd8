import MessageFormat
import Threads

/// Brings reports into order, makes text of them and writes it.
///
/// Formatting takes longer than all that comes before it, so that the work is shared out by batches: as many threads
/// format as there are, each a batch of its own. Whoever finds a chunk that has arrived brings its lines into order, and
/// whoever finds that the next text is ready writes it, one thread at a time. The thread that hands over helps when too
/// much waits, so that with one thread it does all the work itself.
final class FormattingThreads<Formatter: ReportFormatter>: @unchecked Sendable {
    /// A thread's own formatter: formatters keep state, and sharing one would cost more than having several.
    private final class Context: @unchecked Sendable {
        var formatter: Formatter
        init(_ formatter: Formatter) { self.formatter = formatter }
    }

    private struct Arrival {
        let chunk: ReportChunk
        let before: UInt64?
        let size: Int

        init(chunk: ReportChunk, before: UInt64?) {
            self.chunk = chunk
            self.before = before
            size = chunk.size
        }
    }

    private struct Entry {
        enum State { case waiting, formatting, formatted }
        let batch: ReportBatch
        var state = State.waiting
    }

    /// What the batches are made of.
    let pool = ReportChunkPool()
    private let contexts: [Context]
    private let writer: OutputWriter
    /// Tells a formatter which of several inputs a report's packet came from.
    private let prepare: (@Sendable (inout Formatter, _ input: Int?) -> Void)?
    /// Bytes of reports that may wait before the thread that hands over has to help or to wait.
    private let limit: Int
    private var workers: [WorkerThread] = []
    private var areStarted = false

    /// Used by one thread at a time: by who set `isOrdering`, or by the only one.
    private var reportOrder = ReportOrder()

    private let monitor = Monitor()
    // All below is guarded by the monitor.
    private var arrived: [Arrival] = []
    private var isOrdering = false
    /// In the order in which they are to be written.
    private var underWay: [Entry] = []
    private var waitingSize = 0
    private var free: [ReportBatch] = []
    private var freeTexts: [BatchText] = []
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

    /// An empty batch, to be filled. Called without the monitor.
    private func emptyBatch() -> ReportBatch {
        monitor.withLock { free.popLast() } ?? ReportBatch()
    }

    /// Takes a chunk, which is changed no more. No line of a packet before `packet` comes behind it; none at all, if that is
    /// `nil`.
    /// - Parameter isLast: whether nothing else will come. If nothing was handed over before, no thread is worth its start.
    func handOver(_ chunk: ReportChunk, before packet: UInt64?, isLast: Bool = false) {
        if !areStarted, !isLast { start() }
        let arrival = Arrival(chunk: chunk, before: packet)
        guard !workers.isEmpty else {
            for batch in order(arrival) { printHere(batch) }
            return
        }
        monitor.lock()
        defer { monitor.unlock() }
        arrived.append(arrival)
        waitingSize += chunk.size
        if sleeping > 0 { monitor.wakeAll() }
        while waitingSize > limit || underWay.count > Self.maximumBatches {
            if !orderNext(), !formatNext(contexts[0]) { monitor.wait() }
        }
    }

    /// Whether a good deal waits to be formatted.
    var isBehind: Bool { !workers.isEmpty && monitor.withLock { arrived.count + underWay.count > textLimit } }

    /// Waits until everything is written, and ends the threads.
    func finish() {
        monitor.withLock {
            isEnding = true
            monitor.wakeAll()
            guard !workers.isEmpty else { return }
            while !isDone {
                if !orderNext(), !formatNext(contexts[0]) { monitor.wait() }
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

    /// - Returns: what can be formatted now.
    private func order(_ arrival: Arrival) -> [ReportBatch] {
        reportOrder.add(arrival.chunk)
        reportOrder.settle(before: arrival.before)
        return reportOrder.takeSettled(all: arrival.before == nil, makeBatch: emptyBatch)
    }

    /// With no other thread: formats and writes piece by piece, which keeps the text in the cache.
    private func printHere(_ batch: ReportBatch) {
        let text = monitor.withLock { freeTexts.popLast() } ?? BatchText()
        batch.format(&contexts[0].formatter, to: &text.out, prepare: prepare, pool: pool) { out in
            if out.count >= Self.pieceSize { write(&out) }
        }
        write(&text.out)
        batch.clear()
        monitor.withLock {
            free.append(batch)
            freeTexts.append(text)
        }
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
            if writeNext() || orderNext() || formatNext(context) { continue }
            if isEnding, isDone { return }
            sleeping += 1
            monitor.wait()
            sleeping -= 1
        }
    }

    private var isDone: Bool { arrived.isEmpty && !isOrdering && underWay.isEmpty }

    /// Brings the lines of the next chunk into order, unless another thread is at it. Called with the monitor held, which is
    /// given up meanwhile.
    /// - Returns: whether there was one.
    private func orderNext() -> Bool {
        guard !isOrdering, !arrived.isEmpty else { return false }
        let arrival = arrived.removeFirst()
        isOrdering = true
        monitor.unlock()
        let batches = order(arrival)
        monitor.lock()
        isOrdering = false
        waitingSize -= arrival.size
        for batch in batches {
            underWay.append(Entry(batch: batch))
            waitingSize += batch.size
        }
        monitor.wakeAll()
        return true
    }

    /// Formats the oldest batch that waits for it. Called with the monitor held, which is given up meanwhile.
    /// - Returns: whether there was one.
    private func formatNext(_ context: Context) -> Bool {
        guard let batch = takeWaiting() else { return false }
        let text = freeTexts.popLast() ?? BatchText()
        batch.text = text
        monitor.unlock()
        batch.format(&context.formatter, to: &text.out, prepare: prepare, pool: pool) { _ in }
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
        guard !isWriting, let first = underWay.first, first.state == .formatted, let text = first.batch.text else {
            return false
        }
        isWriting = true
        monitor.unlock()
        text.out.withUnsafeBytes { writer.write($0) }
        text.clear()
        first.batch.clear()
        monitor.lock()
        isWriting = false
        underWay.removeFirst()
        first.batch.text = nil
        free.append(first.batch)
        freeTexts.append(text)
        monitor.wakeAll()
        return true
    }
}
