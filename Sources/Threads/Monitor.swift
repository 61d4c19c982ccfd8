#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A mutex and a condition in one: what several threads share is read and changed only while it is held, and a thread
/// that waits for a change is woken by whoever made it.
///
/// Made of pthread's parts, since Swift's own `Mutex` has no condition and asks for macOS 15.
package final class Monitor: @unchecked Sendable {
    // Their addresses must not change.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            // A clock that nobody sets.
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` while no other thread holds the monitor. It must not be held already.
    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    package func lock() { pthread_mutex_lock(mutex) }

    package func unlock() { pthread_mutex_unlock(mutex) }

    /// Wakes all threads that wait. To be called while it is held.
    package func wakeAll() { pthread_cond_broadcast(condition) }

    /// Gives the monitor up until it is woken, and takes it again. It may also wake for no reason: ask again for what was
    /// waited for.
    package func wait() { pthread_cond_wait(condition, mutex) }

    /// The same for at most so many milliseconds.
    package func wait(milliseconds: Int) {
        #if canImport(Darwin)
            var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
            pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            time.tv_sec += milliseconds / 1000
            time.tv_nsec += milliseconds % 1000 * 1_000_000
            if time.tv_nsec >= 1_000_000_000 {
                time.tv_sec += 1
                time.tv_nsec -= 1_000_000_000
            }
            pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}
