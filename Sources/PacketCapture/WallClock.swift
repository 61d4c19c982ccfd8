#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The present time in nanoseconds since 1970-01-01 UTC.
@usableFromInline func wallClock() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
}
