import Threads

/// Reads another source on a thread of its own, a few chunks ahead of whoever wants the bytes: uncompressing takes longer
/// than all else that is done with a capture.
///
/// A chunk is handed over when it is full, or earlier when somebody waits for it, so that what comes through a pipe is
/// not held back.
final class ReadAheadSource: ByteSource {
    private let shared: Shared
    private let stop: StopFlag
    private let thread: WorkerThread
    private var current: Chunk?

    /// Chunks are so large that handing one over costs nothing beside filling it.
    static let chunk = 1 << 20
    /// So many are there at a time.
    static let chunkCount = 3

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
        if stop.isSet { return .stopped }
        if current == nil {
            switch shared.next() {
            case .chunk(let chunk): current = chunk
            case .idle: return stop.isSet ? .stopped : .idle
            case .stopped: return .stopped
            case .end: return .end
            case .failure(let error): throw error
            }
        }
        guard let chunk = current else { return .idle }
        let count = chunk.take(into: room)
        if chunk.isUsedUp {
            shared.giveBack(chunk)
            current = nil
        }
        return .bytes(count)
    }
}

extension ReadAheadSource {
    /// A piece of memory that goes back and forth; one thread has it at a time.
    fileprivate final class Chunk {
        private let memory: UnsafeMutableRawBufferPointer
        private var start = 0
        private(set) var end = 0

        init(size: Int) { memory = .allocate(byteCount: size, alignment: 4096) }

        deinit { memory.deallocate() }

        var isUsedUp: Bool { start == end }
        var isFull: Bool { end == memory.count }
        var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[end...]) }

        func clear() { (start, end) = (0, 0) }

        func filled(_ count: Int) { end += count }

        func take(into room: UnsafeMutableRawBufferPointer) -> Int {
            let count = min(room.count, end - start)
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<start + count]))
            start += count
            return count
        }
    }

    /// What one attempt to get bytes gave.
    fileprivate enum Next {
        case chunk(Chunk)
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
        private var free: [Chunk]
        private var filled: [Chunk] = []
        /// How the source ended, to be told behind the chunks.
        private var ending: Next?
        private var isCancelled = false
        private var isWaitedFor = false

        init(_ source: any ByteSource, chunk: Int) {
            self.source = source
            free = (0..<ReadAheadSource.chunkCount).map { _ in Chunk(size: chunk) }
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

        func giveBack(_ chunk: Chunk) {
            chunk.clear()
            monitor.withLock {
                free.append(chunk)
                monitor.wakeAll()
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
        private func freeChunk() -> Chunk? {
            monitor.withLock {
                while free.isEmpty, !isCancelled { monitor.wait() }
                return isCancelled ? nil : free.popLast()
            }
        }

        /// Reads until the chunk is full, or somebody waits for what is in it.
        /// - Returns: how the source ended, if it did.
        private func fill(_ chunk: Chunk) -> Next? {
            do throws(CaptureError) {
                while !chunk.isFull {
                    switch try source.read(into: chunk.room) {
                    case .bytes(let count): chunk.filled(count)
                    case .idle: break
                    case .stopped: return .stopped
                    case .end: return .end
                    }
                    if monitor.withLock({ isCancelled || isWaitedFor && !chunk.isUsedUp }) { return nil }
                }
                return nil
            } catch {
                return .failure(error)
            }
        }
    }
}
