#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Where the bytes of a capture file come from: a descriptor, or a decompressor in front of one.
/// It is asked once a chunk, so that a dynamic call costs nothing.
protocol ByteSource: AnyObject {
    /// Puts up to `room.count` bytes (never 0 of room) into `room`; returns as soon as there are any.
    func read(into room: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Reading
    /// Whether nothing is at hand, so that reading would wait for somebody.
    var wouldWait: Bool { get }
}

extension ByteSource {
    var wouldWait: Bool { false }
}

/// What one attempt to read gave.
enum Reading: Equatable {
    case bytes(Int)
    /// Nothing came for 100 ms.
    case idle
    /// The stop flag is set.
    case stopped
    case end
}

/// Reads a file, a pipe or a terminal with read(2).
final class DescriptorSource: ByteSource {
    let descriptor: Int32
    let name: String
    private let closes: Bool
    private let stop: StopFlag
    /// A regular file never makes anybody wait; anything else is asked first whether it has something.
    let waits: Bool
    /// Bytes that a regular file had when it was opened.
    let size: Int?

    init(descriptor: Int32, name: String, closes: Bool, stop: StopFlag) {
        self.descriptor = descriptor
        self.name = name
        self.closes = closes
        self.stop = stop
        var status = stat()
        waits = fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG
        size = waits ? nil : Int(status.st_size)
        #if os(Linux)
            if !waits { posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL) }
            if status.st_mode & S_IFMT == S_IFIFO { Self.enlargePipe(descriptor) }
        #endif
    }

    #if os(Linux)
        /// A pipe takes 64 KiB unless it is asked for more. To wake the other side for each of them costs more than to count the messages
        /// in them.
        private static func enlargePipe(_ descriptor: Int32) {
            let size: Int32 = 1 << 20
            // F_GETPIPE_SZ and F_SETPIPE_SZ, which Swift does not know. What the system refuses stays as it is.
            let (getSize, setSize): (Int32, Int32) = (1032, 1031)
            if fcntl(descriptor, getSize) < size { _ = fcntl(descriptor, setSize, size) }
        }
    #endif

    deinit { if closes { close(descriptor) } }

    var wouldWait: Bool {
        guard waits else { return false }
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, 0) == 0
    }

    func read(into room: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Reading {
        while true {
            if stop.isSet { return .stopped }
            if waits {
                var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let ready = poll(&poller, 1, 100)
                if ready == 0 { return .idle }
                if ready < 0 && errno == EINTR { continue }
            }
            #if canImport(Darwin)
                let count = Darwin.read(descriptor, room.baseAddress, room.count)
            #else
                let count = Glibc.read(descriptor, room.baseAddress, room.count)
            #endif
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .idle
            case EISDIR: throw CaptureError(.notACapture, "\(name) is a folder, not a capture file")
            default: throw CaptureError(.input, "\(name) cannot be read: \(errorText(errno))")
            }
        }
    }
}
