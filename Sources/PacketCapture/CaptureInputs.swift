#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Which captures are to be read: files, and the files of folders.
public struct CaptureInputs: Sendable {
    /// One file, or standard input.
    public struct Input: Equatable, Sendable {
        public var path: String
        /// Named by its folder only: it is passed over if it is no capture.
        public var isFromFolder = false

        public init(path: String, isFromFolder: Bool = false) {
            self.path = path
            self.isFromFolder = isFromFolder
        }

        /// The last part of its path; `-` for standard input.
        public var baseName: String { path.split(separator: "/").last.map(String.init) ?? path }
    }

    /// What the system knows a file by, whatever its names.
    public struct FileID: Hashable, Sendable {
        var device: UInt64
        var number: UInt64

        init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// The most inputs.
    static let limit = 65_535

    /// In the order in which they were named, those of a folder by name.
    public private(set) var list: [Input] = []
    /// Whether several inputs were asked for (a folder always counts as several).
    public private(set) var isSeveral: Bool
    /// The sizes of the files in all, in bytes; 0 if one is no file.
    public private(set) var size: UInt64 = 0
    /// The regular files among them: nobody should write to these.
    public private(set) var files: Set<FileID> = []

    /// - Parameter paths: files, folders, `-` for standard input. A folder's files are listed now; nothing else is read.
    public init(_ paths: [String]) throws(CaptureError) {
        isSeveral = paths.count > 1
        var sizeIsKnown = true
        for path in paths {
            var status = stat()
            let isThere = path != "-" && stat(path, &status) == 0
            if isThere, status.st_mode & S_IFMT == S_IFDIR {
                isSeveral = true
                for name in try Self.names(in: path) {
                    let inner = path.hasSuffix("/") ? path + name : path + "/" + name
                    guard stat(inner, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
                    take(Input(path: inner, isFromFolder: true), status)
                }
            } else if isThere, status.st_mode & S_IFMT == S_IFREG {
                take(Input(path: path), status)
            } else {
                list.append(Input(path: path))
                sizeIsKnown = false
            }
        }
        if !sizeIsKnown { size = 0 }
        if list.isEmpty { throw CaptureError(.notACapture, "\(paths.joined(separator: ", ")): there is no file in it") }
        if list.count > Self.limit {
            throw CaptureError(.usage, "\(list.count) captures at once; at most \(Self.limit) are read")
        }
    }

    private mutating func take(_ input: Input, _ status: stat) {
        list.append(input)
        size &+= UInt64(max(status.st_size, 0))
        files.insert(FileID(status))
    }

    /// The names in a folder in the order of their bytes, without hidden ones.
    private static func names(in folder: String) throws(CaptureError) -> [String] {
        guard let listing = opendir(folder) else {
            throw CaptureError(.permission, "\(folder) cannot be listed: \(errorText(errno))")
        }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
