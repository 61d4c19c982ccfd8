import PacketCapture

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What signals ask for. A handler only sets a flag; whoever reads packets looks at it between two of them.
///
/// System calls are not restarted behind a handler, so that a read that waits for the next packet ends.
enum Signals {
    // Written by handlers, which may do nothing but that. They are set up by a constant, not on first use.
    nonisolated(unsafe) private static var statisticsFlag: sig_atomic_t = 0

    /// Whether SIGINT, SIGTERM or SIGHUP asked to end.
    static var endIsRequested: Bool { StopFlag.process.isSet }

    /// Whether SIGUSR1 (or SIGINFO) asked for the statistics since the last call.
    static func takeStatisticsRequest() -> Bool {
        guard statisticsFlag != 0 else { return false }
        statisticsFlag = 0
        return true
    }

    /// Sets the handlers of a reading that can be ended from outside. A second signal of the same kind ends the program.
    static func install() {
        StopFlag.process.clear()  // Made here, so that no handler is the first to ask for it.
        statisticsFlag = 0
        for number in [SIGINT, SIGTERM] { handle(number, once: true) { _ in StopFlag.process.set() } }
        // What was started with nohup goes on when the terminal is closed.
        if !isIgnored(SIGHUP) { handle(SIGHUP, once: true) { _ in StopFlag.process.set() } }
        handle(SIGUSR1, once: false) { _ in Signals.statisticsFlag = 1 }
        #if canImport(Darwin)
            handle(SIGINFO, once: false) { _ in Signals.statisticsFlag = 1 }
        #endif
    }

    /// Makes writing to a closed pipe an error (EPIPE) and not the end of the program.
    static func ignoreBrokenPipe() { signal(SIGPIPE, SIG_IGN) }

    private static func handle(_ number: Int32, once: Bool, _ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
        #else
            action.__sigaction_handler.sa_handler = handler
        #endif
        action.sa_flags = once ? Int32(truncatingIfNeeded: SA_RESETHAND) : 0
        sigaction(number, &action, nil)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
