#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What went wrong with a socket. A task that was cancelled gets `CancellationError`.
package enum SocketError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A call of the system failed: what was done ("connect to 127.0.0.1:4530"), and `errno`.
    case system(String, code: Int32)
    /// It took longer than it was allowed to: what was done.
    case timedOut(String)
    /// The socket was closed at this end.
    case closed
    /// The name of a host could not be resolved: the name, and why.
    case unresolved(String, reason: String)
    /// Not an address: the text, and what is wrong with it.
    case invalidAddress(String, reason: String)
    /// Two tasks want to read, or to accept, at the same time.
    case busy

    package var description: String {
        switch self {
        case .system(let what, let code): "\(what): \(String(cString: strerror(code)))"
        case .timedOut(let what): "\(what): it took too long"
        case .closed: "the connection is closed"
        case .unresolved(let host, let reason): "\(host): \(reason)"
        case .invalidAddress(let text, let reason): "\(text): \(reason)"
        case .busy: "another task is waiting for the same socket"
        }
    }

    /// Nobody listens there, or nobody is there.
    package var isRefusal: Bool {
        guard case .system(_, let code) = self else { return false }
        return [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN].contains(code)
    }
}
