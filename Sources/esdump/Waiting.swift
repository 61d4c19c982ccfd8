import Dispatch
import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Runs something that waits while the main thread looks for signals.
/// - Parameter interrupt: is run once, when the program is asked to end.
/// - Returns: what `body` returns.
func runWaiting<Result: Sendable>(
    _ body: @escaping @Sendable () async -> Result,
    onInterrupt interrupt: @escaping @Sendable () async -> Void
) -> Result {
    let box = ResultBox<Result>()
    Task { box.value = await body() }
    var isInterrupted = false
    while true {
        if let result = box.value { return result }
        if Signals.endIsRequested, !isInterrupted {
            isInterrupted = true
            Task { await interrupt() }
        }
        // A signal ends it early, if this thread gets it.
        _ = box.wait(milliseconds: 50)
    }
}

/// A result that one thread waits for.
private final class ResultBox<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private let isThere = DispatchSemaphore(value: 0)
    private var stored: Value?

    var value: Value? {
        get { lock.withLock { stored } }
        set {
            lock.withLock { stored = newValue }
            isThere.signal()
        }
    }

    func wait(milliseconds: Int) -> Bool { isThere.wait(timeout: .now() + .milliseconds(milliseconds)) == .success }
}
