/// A value that is given once and waited for by one task. What is given later is dropped.
package final class OneShot<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var continuation: CheckedContinuation<Value, any Error>?
    private var result: Result<Value, any Error>?

    package init() {}

    /// Gives the value, or why there is none.
    package func give(_ result: Result<Value, any Error>) {
        let waiting = lock.withLock {
            if self.result == nil { self.result = result }
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(with: result)
    }

    /// Waits for the value. May be called once.
    /// - Parameters:
    ///   - timeout: how long; `nil` is for ever.
    ///   - error: what is thrown then. A task that is cancelled gets `CancellationError`.
    package func value(
        timeout: Duration? = nil,
        or error: @autoclosure () -> any Error = SocketError.timedOut("wait")
    ) async throws -> Value {
        if let timeout {
            let error = error()
            ReadinessQueue.after(timeout) { [weak self] in self?.give(.failure(error)) }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                let early = lock.withLock {
                    if result == nil { self.continuation = continuation }
                    return result
                }
                if let early { continuation.resume(with: early) }
            }
        } onCancel: {
            give(.failure(CancellationError()))
        }
    }
}
