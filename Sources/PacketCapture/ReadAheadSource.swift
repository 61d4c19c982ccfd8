import Threads

/// Reads another source on a thread of its own, a few chunks ahead of whoever wants the bytes: uncompressing takes longer
/// than all else that is done with a capture, and to have the system copy a file takes about as long as to count the messages in it.
///
/// A chunk is handed over when it is full, or earlier when somebody waits for it or nothing more is at hand, so that what comes through a
/// pipe is not held back. Who takes whole chunks (``nextChunk()``) reads the bytes where they are.
final class ReadAheadSource: ByteSource {
    private let shared: Shared
    private let stop: StopFlag
    private let thread: WorkerThread
    private var current: InputChunk?

    /// Chunks are so large that handing one over costs nothing beside filling it.
    static let chunk = 512 << 10
    /// So many are there at a time.
    static let chunkCount = 6
    /// When so many are free, the thread that fills them is woken: to wake it for each would cost more than it saves.
    static let wakingCount = 4

    /// - Parameter source: is from now on used by the other thread only.
    /// - Returns: `nil` if the system gives no thread.
    init?(_ source: any ByteSource, stop: StopFlag, chunk: Int = ReadAheadSource.chunk) {
        let shared = Shared(source, chunk: chunk)
        guard let thread = WorkerThread.start({ shared.work() }) else { return nil }
        self.shared = shared
        self.thread = thread
        self.stop = stop
    }

    deinit {
        shared.cancel()
        thread.join()
    }

    func read(into room: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Reading {
        switch try nextChunk() {
        case .idle: return .idle
        case .stopped: return .stopped
        case .end: return .end
        case .chunk(let chunk):
            let count = chunk.take(into: room)
            if chunk.isUsedUp { giveBack(chunk) } else { current = chunk }
            return .bytes(count)
        }
    }

    /// What one attempt to get a chunk gave.
    enum ChunkReading {
        /// It has bytes, and is to be given back.
        case chunk(InputChunk)
        /// Nothing came for 100 ms.
        case idle
        case stopped, end
    }

    /// The chunk with the bytes that come next.
    func nextChunk() throws(CaptureError) -> ChunkReading {
        if stop.isSet { return .stopped }
        if let chunk = current {
            current = nil
            return .chunk(chunk)
        }
        switch shared.next() {
        case .chunk(let chunk): return .chunk(chunk)
        case .idle: return stop.isSet ? .stopped : .idle
        case .stopped: return .stopped
        case .end: return .end
        case .failure(let error): throw error
        }
    }

    /// Takes back a chunk that is no longer looked at.
    func giveBack(_ chunk: InputChunk) { shared.giveBack(chunk) }
}

extension ReadAheadSource {
    /// What one attempt to get bytes gave.
    fileprivate enum Next {
        case chunk(InputChunk)
        /// Nothing came for 100 ms.
        case idle
        case stopped, end
        case failure(CaptureError)
    }

    /// What both threads know.
    fileprivate final class Shared: @unchecked Sendable {
        /// Used by the reading thread only.
        private let source: any ByteSource
        private let monitor = Monitor()
        // All below is guarded by the monitor.
        private var free: [InputChunk]
        private var filled: [InputChunk] = []
        /// How the source ended, to be told behind the chunks.
        private var ending: Next?
        private var isCancelled = false
        private var isWaitedFor = false

        init(_ source: any ByteSource, chunk: Int) {
            self.source = source
            free = (0..<ReadAheadSource.chunkCount).map { _ in InputChunk(size: chunk) }
        }

        // MARK: - The thread that wants bytes

        func next() -> Next {
            monitor.withLock {
                if filled.isEmpty, ending == nil {
                    isWaitedFor = true
                    monitor.wakeAll()
                    monitor.wait(milliseconds: 100)
                    isWaitedFor = false
                }
                if !filled.isEmpty { return .chunk(filled.removeFirst()) }
                return ending ?? .idle
            }
        }

        func giveBack(_ chunk: InputChunk) {
            chunk.clear()
            monitor.withLock {
                free.append(chunk)
                if free.count >= ReadAheadSource.wakingCount { monitor.wakeAll() }
            }
        }

        func cancel() {
            monitor.withLock {
                isCancelled = true
                monitor.wakeAll()
            }
        }

        // MARK: - The thread that reads

        func work() {
            while let chunk = freeChunk() {
                let ending = fill(chunk)
                monitor.withLock {
                    if chunk.isUsedUp { free.append(chunk) } else { filled.append(chunk) }
                    self.ending = ending
                    monitor.wakeAll()
                }
                if ending != nil { return }
            }
        }

        /// - Returns: `nil` when nobody wants any more.
        private func freeChunk() -> InputChunk? {
            monitor.withLock {
                while free.isEmpty, !isCancelled { monitor.wait() }
                return isCancelled ? nil : free.popLast()
            }
        }

        /// Reads until the chunk is full, or somebody waits for what is in it, or reading would wait for somebody.
        /// - Returns: how the source ended, if it did.
        private func fill(_ chunk: InputChunk) -> Next? {
            do throws(CaptureError) {
                while !chunk.isFull {
                    switch try source.read(into: chunk.room) {
                    case .bytes(let count): chunk.filled(count)
                    case .idle: break
                    case .stopped: return .stopped
                    case .end: return .end
                    }
                    if monitor.withLock({ isCancelled || isWaitedFor && !chunk.isUsedUp }) { return nil }
                    if !chunk.isUsedUp, source.wouldWait { return nil }
                }
                return nil
            } catch {
                return .failure(error)
            }
        }
    }
}
