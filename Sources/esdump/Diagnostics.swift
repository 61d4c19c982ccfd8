import MessageFormat

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the exit status says.
enum ExitStatus {
    /// All was read.
    static let success: Int32 = 0
    /// The file is damaged, or something could not be written.
    static let damaged: Int32 = 1
    /// Wrong usage, no such file, no permission.
    static let usage: Int32 = 2
}

/// Writes a line for the user to standard error, after the name of the program. What it repeats of the command line or
/// of a file cannot reach the terminal as control characters.
func report(_ message: String) {
    writeToStandardError("esdump: \(escapingControls(message))\n")
}

/// Writes to standard error as it is; what cannot be written is lost, since there is no place left to say so.
func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { _ = writeAll(STDERR_FILENO, UnsafeRawBufferPointer($0)) }
}

/// Writes all bytes, also if the system takes them in parts.
/// - Returns: 0, or the error (`errno`) that kept it from writing.
func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let written = write(descriptor, part.baseAddress, part.count)
        if written > 0 {
            rest = rest.dropFirst(written)
        } else if written < 0, errno == EAGAIN || errno == EWOULDBLOCK {
            // Someone made the descriptor non-blocking (it may be shared): wait until it takes more.
            var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&poller, 1, -1)
        } else if written < 0, errno != EINTR {
            return errno
        }
    }
    return 0
}
