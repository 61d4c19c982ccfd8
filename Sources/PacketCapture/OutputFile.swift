#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file that is written through a buffer: private to its owner, and never reached through a symbolic link.
final class OutputFile {
    let name: String
    private let descriptor: Int32
    private let closes: Bool
    private var buffer: UnsafeMutableRawBufferPointer
    private var used = 0
    /// Bytes taken so far.
    private(set) var count: UInt64 = 0
    /// After the first failure everything is dropped, so that it is reported once.
    private var failed = false

    /// - Parameters:
    ///   - folder: the folder that it lies in, if that is open already.
    ///   - owner: whom a new file is to belong to, if this program may give it away.
    ///   - protected: files that are not to be written, since they are being read.
    init(
        path: String,
        folder: OutputFolder? = nil,
        owner: Privileges.User?,
        protected: Set<CaptureInputs.FileID> = []
    ) throws(CaptureError) {
        if path == "-" {
            (name, descriptor, closes) = ("standard output", STDOUT_FILENO, false)
        } else {
            (name, descriptor, closes) = (path, try Self.create(path, folder, owner, protected), true)
        }
        buffer = .allocate(byteCount: 64 << 10, alignment: 16)
    }

    deinit {
        if closes { close(descriptor) }
        buffer.deallocate()
    }

    private static func create(
        _ path: String,
        _ folder: OutputFolder?,
        _ owner: Privileges.User?,
        _ protected: Set<CaptureInputs.FileID>
    ) throws(CaptureError) -> Int32 {
        let common = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY
        let place = folder?.descriptor ?? AT_FDCWD
        let name = folder == nil ? path : OutputFolder.name(of: path)
        let new = openat(place, name, common | O_CREAT | O_EXCL, 0o600)
        if new >= 0 {
            if let owner { _ = fchown(new, owner.userID, owner.groupID) }
            return new
        }
        guard errno == EEXIST else { throw cannotOpen(path, errno) }
        // Truncated only after it is known what it is.
        let old = openat(place, name, common)
        guard old >= 0 else { throw cannotOpen(path, errno) }
        var status = stat()
        var refusal: String?
        if fstat(old, &status) != 0 {
            refusal = errorText(errno)
        } else if status.st_mode & S_IFMT == S_IFREG {
            if protected.contains(CaptureInputs.FileID(status)) {
                refusal = "it is one of the files that are read"
            } else if status.st_uid != geteuid() && status.st_uid != owner?.userID {
                refusal = "it exists and belongs to another user"
            } else if status.st_nlink > 1 {
                refusal = "it exists under a second name (a hard link)"
            } else if ftruncate(old, 0) != 0 {
                refusal = errorText(errno)
            }
        }
        if let refusal {
            close(old)
            throw CaptureError(.permission, "\(path) cannot be written: \(refusal)")
        }
        return old
    }

    private static func cannotOpen(_ path: String, _ number: Int32) -> CaptureError {
        switch number {
        case ELOOP: CaptureError(.permission, "\(path) is a symbolic link, which is not followed")
        case ENOENT: CaptureError(.noSuchFile, "\(path) cannot be written: there is no such folder")
        default: CaptureError(.permission, "\(path) cannot be written: \(errorText(number))")
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
        count &+= UInt64(bytes.count)
        if bytes.count > buffer.count - used { try flush() }
        if bytes.count > buffer.count {
            try write(bytes)
        } else {
            UnsafeMutableRawBufferPointer(rebasing: buffer[used...]).copyMemory(from: bytes)
            used += bytes.count
        }
    }

    func flush() throws(CaptureError) {
        let full = UnsafeRawBufferPointer(rebasing: buffer[..<used])
        used = 0
        try write(full)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
        var rest = bytes
        while !rest.isEmpty && !failed {
            #if canImport(Darwin)
                let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
            #else
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            #endif
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if errno == EAGAIN {
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&poller, 1, 100)
            } else if errno != EINTR {
                failed = true
                if errno == EPIPE { throw CaptureError(.brokenPipe, "the reader of \(name) has gone") }
                throw CaptureError(.output, "\(name) cannot be written: \(errorText(errno))")
            }
        }
    }
}
