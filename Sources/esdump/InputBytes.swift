#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Bytes of a file or of standard input, all at once.
struct InputError: Error {
    let message: String
}

/// A text that is longer than this was not meant to be read at once.
private let maximumInput = 256 << 20

/// Reads a file whole.
/// - Parameter path: `-` is standard input.
func readInput(_ path: String) throws(InputError) -> [UInt8] {
    let isStandardInput = path == "-"
    let name = isStandardInput ? "standard input" : path
    let descriptor = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
        throw InputError(
            message: "\(name): \(errno == ENOENT ? "there is no such file" : String(cString: strerror(errno)))"
        )
    }
    defer { if !isStandardInput { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw InputError(message: "\(name): \(String(cString: strerror(errno)))") }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
        guard bytes.count <= maximumInput else {
            throw InputError(
                message: "\(name): more than \(maximumInput >> 20) MiB, which is too much to be read at once"
            )
        }
    }
}

/// Whether a path is that of a file that can be read, not of a folder.
func isReadableFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
}
