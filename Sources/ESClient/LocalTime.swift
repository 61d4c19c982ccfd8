#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the clock on the wall says, for the messages that tell it.
public struct LocalTime: Equatable, Sendable {
    /// `20261130`
    public var date: String
    /// Milliseconds from 1970-01-01 to it, both read from that clock.
    public var milliseconds: Int64

    public init(date: String, milliseconds: Int64) {
        self.date = date
        self.milliseconds = milliseconds
    }

    public static func now() -> LocalTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        var seconds = time.tv_sec
        var parts = tm()
        localtime_r(&seconds, &parts)
        func digits(_ value: Int32, _ count: Int) -> String {
            let text = String(max(value, 0))
            return String(repeating: "0", count: max(count - text.count, 0)) + text
        }
        return LocalTime(
            date: digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2),
            milliseconds: (Int64(time.tv_sec) + Int64(parts.tm_gmtoff)) * 1000 + Int64(time.tv_nsec) / 1_000_000
        )
    }
}
