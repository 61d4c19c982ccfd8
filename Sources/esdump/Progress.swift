#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The percentage of a large file that was read, on standard error if that is a terminal.
struct Progress {
    private let total: UInt64
    private let isShown: Bool
    private var nextTime: Int64
    private var isOnScreen = false
    private var lastPercent = -1

    private static let interval: Int64 = 200_000_000

    /// - Parameters:
    ///   - total: bytes of the file; 0 if unknown (nothing is shown then).
    ///   - outputIsTerminal: whether the messages go to a terminal: the percentage would stand between them.
    init(total: UInt64, outputIsTerminal: Bool) {
        self.init(total: total, isShown: Terminal.isTerminal(STDERR_FILENO) && !outputIsTerminal)
    }

    init(total: UInt64, isShown: Bool, largeFrom: UInt64 = 16 << 20) {
        self.total = total
        self.isShown = isShown && total >= largeFrom
        nextTime = monotonicNanoseconds() + Self.interval
    }

    /// Shows where the reading stands, at most five times a second. Worth a call every thousand packets or so.
    mutating func update(position: UInt64) {
        guard isShown else { return }
        let now = monotonicNanoseconds()
        guard now >= nextTime else { return }
        nextTime = now + Self.interval
        let percent = Int(min(position, total) * 100 / total)
        guard percent != lastPercent else { return }
        lastPercent = percent
        isOnScreen = true
        writeToStandardError("\r\(percent) % read\u{1B}[K")
    }

    /// Takes it off the screen; to be called before anything else is written there, and at the end.
    mutating func erase() {
        guard isOnScreen else { return }
        isOnScreen = false
        lastPercent = -1
        writeToStandardError("\r\u{1B}[K")
    }
}
