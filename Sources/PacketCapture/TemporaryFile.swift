#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file that has no name any more, private to this program: its space is free again when the program ends, however it ends.
final class TemporaryFile {
    private let descriptor: Int32
    private let place: String

    /// - Parameters:
    ///   - path: a file beside which it takes its space.
    ///   - folder: that file's folder, if it was opened before.
    init(beside path: String, folder: OutputFolder?) throws(CaptureError) {
        place = path
        let folder = if let folder { folder } else { try OutputFolder(of: path) }
        var opened: Int32 = -1
        var name = ""
        for _ in 0..<16 where opened < 0 {
            name = ".esdump-\(getpid())-\(UInt32.random(in: .min ... .max))"
            opened = openat(
                folder.descriptor,
                name,
                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                mode_t(0o600)
            )
            if opened < 0, errno != EEXIST { break }
        }
        descriptor = opened
        guard descriptor >= 0 else {
            throw CaptureError(.permission, "no file can be made beside \(path) for --ring: \(errorText(errno))")
        }
        unlinkat(folder.descriptor, name, 0)
    }

    deinit { close(descriptor) }

    /// Writes at an offset that goes round after `size` bytes.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, of size: UInt64) throws(CaptureError) {
        try inParts(bytes.count, at: offset, of: size) { (range, start) throws(CaptureError) in
            try write(UnsafeRawBufferPointer(rebasing: bytes[range]), at: start)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at start: UInt64) throws(CaptureError) {
        var done = 0
        while done < bytes.count {
            let part = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(descriptor, part.baseAddress, part.count, off_t(start + UInt64(done)))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let reason = errorText(errno)
                throw CaptureError(.output, "the packets of --ring cannot be kept beside \(place): \(reason)")
            }
            done += count
        }
    }

    /// Reads what was written there.
    func read(_ count: Int, at offset: UInt64, of size: UInt64) throws(CaptureError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var failure: CaptureError?
        bytes.withUnsafeMutableBytes { bytes in
            do throws(CaptureError) {
                try inParts(count, at: offset, of: size) { (range, start) throws(CaptureError) in
                    try read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[range]), at: start)
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    private func read(into bytes: UnsafeMutableRawBufferPointer, at place: UInt64) throws(CaptureError) {
        var done = 0
        while done < bytes.count {
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let count = pread(descriptor, part.baseAddress, part.count, off_t(place + UInt64(done)))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let reason = count == 0 ? "they are not there" : errorText(errno)
                throw CaptureError(.output, "the packets of --ring cannot be read: \(reason)")
            }
            done += count
        }
    }

    /// The part up to the end of the file, and the one from its beginning.
    private func inParts(
        _ count: Int,
        at offset: UInt64,
        of size: UInt64,
        _ body: (Range<Int>, UInt64) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        let start = offset % size
        let first = Int(min(UInt64(count), size - start))
        try body(0..<first, start)
        if first < count { try body(first..<count, 0) }
    }
}
