#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread that runs one function. All signals are blocked in it, so that they go to the thread that reads packets and
/// end its waiting.
package struct WorkerThread {
    private let thread: pthread_t

    private static let stackSize = 8 << 20

    private init(_ thread: pthread_t) { self.thread = thread }

    /// Starts one.
    /// - Returns: `nil` if the system gives no more threads.
    package static func start(_ body: @escaping @Sendable () -> Void) -> WorkerThread? {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // The default is small on macOS (512 KiB) and with musl (128 KiB).
        pthread_attr_setstacksize(&attributes, stackSize)
        // A thread begins with the signal mask of the one that starts it.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let start = Unmanaged.passRetained(Start(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        guard pthread_create(&thread, &attributes, run, start) == 0 else {
            Unmanaged<Start>.fromOpaque(start).release()
            return nil
        }
        #if canImport(Darwin)
            return thread.map { WorkerThread($0) }
        #else
            return WorkerThread(thread)
        #endif
    }

    /// Waits for its end. To be called once.
    package func join() { pthread_join(thread, nil) }
}

/// What a thread is started with.
private final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

#if canImport(Darwin)
    private func run(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }
#else
    private func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
    }
#endif
