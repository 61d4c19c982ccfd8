import Dispatch

/// Where the system says that sockets are ready, and where time-outs end. What runs on it is short.
enum ReadinessQueue {
    static let queue = DispatchQueue(label: "sockets")

    static func after(_ time: Duration, _ body: @escaping @Sendable () -> Void) {
        let nanoseconds = time.components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        // A time that does not fit is longer than anybody waits.
        guard !nanoseconds.overflow, nanoseconds.partialValue < Int64.max / 2 else { return }
        let total = nanoseconds.partialValue + time.components.attoseconds / 1_000_000_000
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(max(total, 0))), execute: body)
    }
}

/// A descriptor that does not block, and the waiting until it can be read from or written to.
///
/// No thread is blocked by whoever waits. One task at a time may wait in each direction.
final class SocketDescriptor: @unchecked Sendable {
    enum Direction: Int, Sendable { case reading, writing }

    private struct Side {
        var source: (any DispatchSourceProtocol)?
        /// Whether the source runs; otherwise it is suspended.
        var isArmed = false
        var waiter: (number: UInt64, continuation: CheckedContinuation<Void, any Error>)?
    }

    /// The number; it is closed when the last holder lets go: this object, or a source that is not yet cancelled.
    private final class Number: Sendable {
        let value: Int32
        init(_ value: Int32) { self.value = value }
        deinit { Platform.closeDescriptor(value) }
    }

    private let lock = Lock()
    private var number: Number?
    private var sides = [Side(), Side()]
    private var lastWaiter: UInt64 = 0

    /// - Parameter descriptor: is closed with this object.
    init(_ descriptor: Int32) { number = Number(descriptor) }

    deinit { close() }

    /// Hands the descriptor to `body`, which must not block; it is not closed meanwhile.
    func use<Result>(_ body: (Int32) throws(SocketError) -> Result) throws(SocketError) -> Result {
        try lock.withLock { () throws(SocketError) in
            guard let number else { throw .closed }
            return try body(number.value)
        }
    }

    /// Waits until it can be read from or written to, or has failed (then the next call tells).
    /// - Throws: `SocketError.timedOut(what)`, `SocketError.closed`, `CancellationError`.
    func wait(_ direction: Direction, timeout: Duration? = nil, for what: String = "") async throws {
        let waiter = lock.withLock {
            lastWaiter += 1
            return lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let failure: (any Error)? = lock.withLock {
                    guard let number else { return SocketError.closed }
                    // Whoever cancels says so before the handler below asks for the lock.
                    if Task.isCancelled { return CancellationError() }
                    guard sides[direction.rawValue].waiter == nil else { return SocketError.busy }
                    sides[direction.rawValue].waiter = (waiter, continuation)
                    arm(direction, number)
                    return nil
                }
                if let failure {
                    continuation.resume(throwing: failure)
                } else if let timeout {
                    ReadinessQueue.after(timeout) { [weak self] in
                        self?.giveUp(direction, waiter, SocketError.timedOut(what))
                    }
                }
            }
        } onCancel: {
            giveUp(direction, waiter, CancellationError())
        }
    }

    /// Closes it. Whoever waits is told.
    func close() {
        let waiters = lock.withLock {
            number = nil
            let waiters = sides.compactMap(\.waiter)
            for side in sides {
                side.source?.cancel()
                // A source that is suspended must not be let go.
                if !side.isArmed { side.source?.resume() }
            }
            sides = [Side(), Side()]
            return waiters
        }
        for waiter in waiters { waiter.continuation.resume(throwing: SocketError.closed) }
    }

    // MARK: - Sources

    /// With the lock held.
    private func arm(_ direction: Direction, _ number: Number) {
        let index = direction.rawValue
        if sides[index].source == nil { sides[index].source = makeSource(direction, number) }
        guard !sides[index].isArmed else { return }
        sides[index].isArmed = true
        sides[index].source?.resume()
    }

    private func makeSource(_ direction: Direction, _ number: Number) -> any DispatchSourceProtocol {
        let queue = ReadinessQueue.queue
        let source: any DispatchSourceProtocol =
            switch direction {
            case .reading: DispatchSource.makeReadSource(fileDescriptor: number.value, queue: queue)
            case .writing: DispatchSource.makeWriteSource(fileDescriptor: number.value, queue: queue)
            }
        source.setEventHandler { [weak self] in self?.becameReady(direction) }
        // The system may look at the descriptor until then.
        source.setCancelHandler { withExtendedLifetime(number) {} }
        return source
    }

    private func becameReady(_ direction: Direction) {
        let waiter = lock.withLock {
            let index = direction.rawValue
            if sides[index].isArmed {
                sides[index].isArmed = false
                sides[index].source?.suspend()
            }
            defer { sides[index].waiter = nil }
            return sides[index].waiter
        }
        waiter?.continuation.resume()
    }

    private func giveUp(_ direction: Direction, _ number: UInt64, _ failure: any Error) {
        let continuation = lock.withLock { () -> CheckedContinuation<Void, any Error>? in
            let index = direction.rawValue
            guard let waiter = sides[index].waiter, waiter.number == number else { return nil }
            sides[index].waiter = nil
            return waiter.continuation
        }
        continuation?.resume(throwing: failure)
    }
}
