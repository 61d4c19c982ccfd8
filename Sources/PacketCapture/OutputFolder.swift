#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A folder that files are made in. It is opened once: a later loss of privileges does not matter for the way to it, only
/// for the folder itself, and nobody can put another one in its place.
public final class OutputFolder {
    let descriptor: Int32
    private let path: String

    /// Opens the folder that `file` is to lie in.
    public init(of file: String) throws(CaptureError) {
        path = Self.folder(of: file)
        var opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #if os(Linux)
            // A folder that may be written but not listed: O_PATH, which glibc shows to GNU programs only.
            if opened < 0, errno == EACCES { opened = open(path, 0o10_000_000 | O_DIRECTORY | O_CLOEXEC) }
        #endif
        descriptor = opened
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw CaptureError(.noSuchFile, "\(file) cannot be written: there is no such folder")
            default: throw CaptureError(.permission, "\(file) cannot be written: \(path): \(errorText(errno))")
            }
        }
    }

    deinit { close(descriptor) }

    /// Makes sure that files can be made in it with the present privileges.
    func checkThatItIsWritable() throws(CaptureError) {
        guard faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw CaptureError(.permission, "\(path): no file can be made in it: \(errorText(errno))")
        }
    }

    private static func folder(of file: String) -> String {
        guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    static func name(of file: String) -> String {
        guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return file }
        return String(file[file.utf8.index(after: slash)...])
    }
}
