import Sockets

/// What comes to a client, in order. An event goes to one of those who iterate.
///
/// As long as somebody iterates nothing is dropped: if too much waits to be taken, the client reads no more from the connection,
/// and the server has to wait. So the loop must not wait for a reply itself while messages pour in: let another task do that.
/// Until somebody begins to iterate, the oldest events are dropped when there are too many, and ``ClientEvent/eventsDropped(_:)``
/// says how many.
public struct IncomingEvents: AsyncSequence, Sendable {
    public typealias Element = ClientEvent

    let queue: IncomingQueue

    public struct AsyncIterator: AsyncIteratorProtocol {
        let queue: IncomingQueue

        /// - Returns: `nil` behind the last event, and if the task is cancelled.
        public mutating func next() async -> ClientEvent? { await queue.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: queue) }
}

/// The events that wait to be taken: a bounded number of them, and of their bytes.
final class IncomingQueue: @unchecked Sendable {
    private let maximumEvents: Int
    private let maximumBytes: Int
    private let lock = Lock()
    private var events: [ClientEvent] = []
    /// Those before it were taken.
    private var start = 0
    private var bytes = 0
    private var dropped = 0
    private var isFinished = false
    private var hasReader = false
    private var readers: [(number: UInt64, continuation: CheckedContinuation<ClientEvent?, Never>)] = []
    private var writers: [OneShot<Void>] = []
    private var lastReader: UInt64 = 0

    init(maximumEvents: Int, maximumBytes: Int) {
        self.maximumEvents = max(maximumEvents, 1)
        self.maximumBytes = max(maximumBytes, 1)
    }

    private var count: Int { events.count - start }
    private var isFull: Bool { count >= maximumEvents || bytes >= maximumBytes }

    /// Adds an event. Waits while too many wait to be taken and somebody takes them.
    func put(_ event: ClientEvent) async {
        while true {
            let room: OneShot<Void>? = lock.withLock {
                guard isFull, hasReader, !isFinished else {
                    add(event)
                    return nil
                }
                let room = OneShot<Void>()
                writers.append(room)
                return room
            }
            guard let room else { return }
            // Who is cancelled adds nothing more: the connection is being closed.
            do { try await room.value() } catch { return }
        }
    }

    /// Adds the last event, whether or not there is room.
    func finish(_ event: ClientEvent) {
        lock.withLock {
            guard !isFinished else { return }
            add(event)
            isFinished = true
            for reader in readers { reader.continuation.resume(returning: nil) }
            readers = []
            wakeWriters()
        }
    }

    // With the lock held.

    private func add(_ event: ClientEvent) {
        guard !isFinished else { return }
        if !readers.isEmpty {
            readers.removeFirst().continuation.resume(returning: event)
            return
        }
        while isFull, !hasReader, count > 0 {
            _ = removeFirst()
            dropped += 1
        }
        events.append(event)
        bytes += event.byteCount
    }

    private func removeFirst() -> ClientEvent {
        let event = events[start]
        start += 1
        bytes -= event.byteCount
        if start == events.count {
            events.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 256, start > events.count / 2 {
            events.removeFirst(start)
            start = 0
        }
        return event
    }

    private func wakeWriters() {
        for writer in writers { writer.give(.success(())) }
        writers = []
    }

    // MARK: - Taking

    func next() async -> ClientEvent? {
        let number = lock.withLock {
            hasReader = true
            lastReader += 1
            return lastReader
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<ClientEvent?, Never>) in
                let taken: ClientEvent?? = lock.withLock {
                    if Task.isCancelled { return .some(nil) }
                    if dropped > 0 {
                        defer { dropped = 0 }
                        return .some(.eventsDropped(dropped))
                    }
                    if count > 0 {
                        let event = removeFirst()
                        if !isFull { wakeWriters() }
                        return event
                    }
                    if isFinished { return .some(nil) }
                    readers.append((number, continuation))
                    return nil
                }
                if let taken { continuation.resume(returning: taken) }
            }
        } onCancel: {
            let continuation = lock.withLock {
                readers.firstIndex { $0.number == number }.map { readers.remove(at: $0).continuation }
            }
            continuation?.resume(returning: nil)
        }
    }
}

extension ClientEvent {
    /// About what it takes in memory.
    var byteCount: Int {
        switch self {
        case .message(let message), .blob(let message): 256 + (message.content?.count ?? 0)
        case .query(let query): 256 + (query.content?.count ?? 0)
        case .other(let message): 256 + message.body.count
        default: 256
        }
    }
}
