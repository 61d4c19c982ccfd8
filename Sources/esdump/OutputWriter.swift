import PacketCapture

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Collects what goes to standard output and writes it in large pieces, or line by line.
///
/// A reader that has gone away (`| head`) is a quiet end; any other error is told and makes the exit status 1.
/// ``isOpen`` tells whether there is any use in going on.
final class OutputWriter {
    /// What waits to be written; text may be appended to it directly, with ``endOfRecord()`` behind.
    var buffer: [UInt8] = []
    private let descriptor: Int32
    private let writesEachRecord: Bool
    private let flushAt: Int
    /// The error that ended the writing; 0 if there was none.
    private(set) var error: Int32 = 0
    /// Set with the error, for a thread that does not write.
    private let failed = StopFlag()

    /// - Parameter writesEachRecord: whether each record is written at once (`-l`, a terminal, a live capture).
    init(descriptor: Int32 = STDOUT_FILENO, writesEachRecord: Bool, flushAt: Int = 1 << 16) {
        self.descriptor = descriptor
        self.writesEachRecord = writesEachRecord
        self.flushAt = flushAt
        buffer.reserveCapacity(flushAt + (flushAt >> 2))
    }

    /// Whether what is written still arrives. May be asked by any thread; all else is for one thread at a time.
    var isOpen: Bool { !failed.isSet }

    func write(_ text: String) {
        buffer += text.utf8
        endOfRecord()
    }

    func write(_ bytes: UnsafeRawBufferPointer) {
        // So many are not worth a copy.
        if bytes.count >= flushAt {
            flush()
            return put(bytes)
        }
        buffer += bytes
        endOfRecord()
    }

    /// Says that a whole record (some lines) stands at the end of the buffer.
    @inline(__always) func endOfRecord() {
        if writesEachRecord || buffer.count >= flushAt { flush() }
    }

    func flush() {
        buffer.withUnsafeBytes { put($0) }
        buffer.removeAll(keepingCapacity: true)
    }

    private func put(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty, error == 0 else { return }
        error = writeAll(descriptor, bytes)
        if error != 0 { failed.set() }
    }

    /// Writes the rest, and tells of an error that kept something from being written.
    /// - Returns: the exit status that follows.
    func finish() -> Int32 {
        flush()
        switch error {
        case 0, EPIPE: return ExitStatus.success
        default:
            report("standard output: \(String(cString: strerror(error)))")
            return ExitStatus.damaged
        }
    }
}
