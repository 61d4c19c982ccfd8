import CaptureAnalysis
import MessageFormat
import NetworkStack
import PacketCapture

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes the bytes of each direction into a file of its own.
///
/// As many files are open at once as the system allows; beyond that the one that was written to longest ago is closed, and
/// opened again when more bytes come. Files are private, and none that was there before is written to.
final class StreamFiles {
    struct Options: Sendable {
        var template = NameTemplate.standard
        /// Whether files that are there are replaced.
        var replaces = false
        /// Files open at once; `nil`: what the system allows.
        var openFiles: Int?

        init() {}
    }

    /// The first error; nothing is written after it.
    private(set) var error: CaptureError?
    private(set) var fileCount = 0
    /// Bytes written in all.
    private(set) var byteCount: Int64 = 0
    let folder: String

    private struct Key: Hashable {
        var conversation: Int
        var side: Int
    }

    /// A file that is being written. `name` is set once it was made.
    private final class File {
        let name: String
        var descriptor: Int32 = -1
        var buffer: [UInt8] = []
        // Neighbours in the order of use.
        var newer: File?
        unowned(unsafe) var older: File?

        init(name: String) { self.name = name }
    }

    private let options: Options
    private let folderDescriptor: Int32
    private var files: [Key: File] = [:]
    /// Names that were given, so that two streams never share a file.
    private var names: Set<String> = []
    private var connections: [String: Int] = [:]
    private var suffixes: [Key: Int] = [:]
    private var newest: File?
    private var oldest: File?
    private var openCount = 0
    private var openLimit: Int

    /// Bytes that wait for a file before they are written.
    private static let bufferSize = 16 << 10

    /// Makes the folder if it is not there.
    init(folder: String, options: Options = Options()) throws(CaptureError) {
        self.folder = folder
        self.options = options
        openLimit = max(1, options.openFiles ?? Self.allowedFiles())
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw CaptureError(.permission, "\(folder) cannot be made: \(String(cString: strerror(errno)))")
        }
        folderDescriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folderDescriptor >= 0 else {
            throw CaptureError(.permission, "\(folder) cannot be opened: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        for file in files.values where file.descriptor >= 0 { close(file.descriptor) }
        close(folderDescriptor)
    }

    /// Raises the limit as far as this process may; some descriptors are left for the rest of the program.
    private static func allowedFiles() -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return 64 }
        // More than this would only cost memory for what waits to be written.
        let wanted = min(limit.rlim_max, 8192)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            _ = setrlimit(resource, &limit)
            guard getrlimit(resource, &limit) == 0 else { return 64 }
        }
        return max(1, Int(clamping: min(limit.rlim_cur, 8192)) - 32)
    }

    // MARK: - Bytes

    func append(_ stream: ListedStream, _ bytes: UnsafeRawBufferPointer) {
        guard error == nil, !bytes.isEmpty else { return }
        do throws(CaptureError) {
            let file = try file(for: stream)
            byteCount += Int64(bytes.count)
            if file.buffer.count + bytes.count > Self.bufferSize { try flush(file) }
            try use(file)
            if bytes.count < Self.bufferSize {
                file.buffer += bytes
            } else if case let number = write(bytes, to: file), number != 0 {
                throw cannotWrite(file, number)
            }
        } catch {
            self.error = error
        }
    }

    /// The conversation has ended: its files are complete.
    /// - Returns: the names of the files of side 0 and side 1, where there are such.
    func finish(_ conversation: Int) -> [String?] {
        (0...1).map { side in
            let key = Key(conversation: conversation, side: side)
            suffixes[key] = nil
            guard let file = files.removeValue(forKey: key) else { return nil }
            do throws(CaptureError) { try shut(file) } catch { self.error = self.error ?? error }
            return file.name
        }
    }

    /// Writes a file beside the streams, such as the index.
    func write(_ text: [UInt8], as name: String) throws(CaptureError) {
        let file = File(name: name)
        try create(file)
        let number = text.withUnsafeBytes { write($0, to: file) }
        guard number == 0 else { throw cannotWrite(file, number) }
        try shut(file)
    }

    /// Refuses early what could not be written at the end.
    func checkThatNothingIsReplaced(_ name: String) throws(CaptureError) {
        var status = stat()
        guard !options.replaces, fstatat(folderDescriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        throw alreadyThere(name)
    }

    // MARK: - Files

    private func file(for stream: ListedStream) throws(CaptureError) -> File {
        let key = Key(conversation: stream.conversation, side: stream.side)
        if let file = files[key] { return file }
        let file = File(name: newName(stream))
        try create(file)
        files[key] = file
        fileCount += 1
        return file
    }

    private func newName(_ stream: ListedStream) -> String {
        let pair = [stream.source.description, stream.destination.description].sorted().joined(separator: " ")
        // Both directions of a conversation have the same count.
        let own = Key(conversation: stream.conversation, side: stream.side)
        let other = Key(conversation: stream.conversation, side: 1 - stream.side)
        let count: Int
        if let known = suffixes[other] {
            count = known
        } else {
            count = connections[pair] ?? 0
            connections[pair] = count + 1
        }
        suffixes[own] = count
        let base = options.template.name(stream, count: count)
        var name = base
        var number = 2
        while names.contains(name) {
            name = "\(base).\(number)"
            number += 1
        }
        names.insert(name)
        return name
    }

    private func create(_ file: File) throws(CaptureError) {
        try makeRoom()
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_APPEND
        var descriptor = openAgain { openat(folderDescriptor, file.name, flags, 0o600) }
        if descriptor < 0, errno == EEXIST {
            guard options.replaces else { throw alreadyThere(file.name) }
            // A link is replaced, and what it points to is left alone.
            guard unlinkat(folderDescriptor, file.name, 0) == 0 else { throw cannotWrite(file, errno) }
            descriptor = openAgain { openat(folderDescriptor, file.name, flags, 0o600) }
        }
        guard descriptor >= 0 else { throw cannotWrite(file, errno) }
        opened(file, descriptor)
    }

    /// Makes the file the newest in use, and opens it again if it was closed to make room.
    private func use(_ file: File) throws(CaptureError) {
        if file.descriptor >= 0 {
            if newest !== file {
                unlink(file)
                link(file)
            }
            return
        }
        try makeRoom()
        let descriptor = openAgain {
            openat(folderDescriptor, file.name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0)
        }
        guard descriptor >= 0 else { throw cannotWrite(file, errno) }
        opened(file, descriptor)
    }

    /// Opens; if the system has no descriptor left, closes the oldest and tries again.
    private func openAgain(_ body: () -> Int32) -> Int32 {
        while true {
            let descriptor = body()
            if descriptor >= 0 { return descriptor }
            if errno == EINTR { continue }
            guard errno == EMFILE || errno == ENFILE, let oldest else { return -1 }
            openLimit = max(1, openCount - 1)
            do throws(CaptureError) { try shut(oldest) } catch { self.error = self.error ?? error }
        }
    }

    private func opened(_ file: File, _ descriptor: Int32) {
        file.descriptor = descriptor
        openCount += 1
        link(file)
    }

    private func makeRoom() throws(CaptureError) {
        while openCount >= openLimit, let oldest { try shut(oldest) }
    }

    private func shut(_ file: File) throws(CaptureError) {
        guard file.descriptor >= 0 else { return }
        defer {
            unlink(file)
            openCount -= 1
            file.descriptor = -1
        }
        let descriptor = file.descriptor
        defer { close(descriptor) }
        try flush(file)
    }

    private func flush(_ file: File) throws(CaptureError) {
        guard !file.buffer.isEmpty else { return }
        let number = file.buffer.withUnsafeBytes { write($0, to: file) }
        guard number == 0 else { throw cannotWrite(file, number) }
        file.buffer.removeAll(keepingCapacity: file.descriptor >= 0)
    }

    /// - Returns: 0, or the error.
    private func write(_ bytes: UnsafeRawBufferPointer, to file: File) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            #if canImport(Darwin)
                let count = Darwin.write(file.descriptor, rest.baseAddress, rest.count)
            #elseif canImport(Musl)
                let count = Musl.write(file.descriptor, rest.baseAddress, rest.count)
            #else
                let count = Glibc.write(file.descriptor, rest.baseAddress, rest.count)
            #endif
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    private func link(_ file: File) {
        file.older = newest
        file.newer = nil
        newest?.newer = file
        newest = file
        if oldest == nil { oldest = file }
    }

    private func unlink(_ file: File) {
        if oldest === file { oldest = file.newer }
        if newest === file { newest = file.older }
        file.older?.newer = file.newer
        file.newer?.older = file.older
        file.older = nil
        file.newer = nil
    }

    private func alreadyThere(_ name: String) -> CaptureError {
        CaptureError(.permission, "\(folder)/\(name) is there already; --force replaces it")
    }

    private func cannotWrite(_ file: File, _ number: Int32) -> CaptureError {
        CaptureError(.output, "\(folder)/\(file.name) cannot be written: \(String(cString: strerror(number)))")
    }
}

/// How the files of streams are named: a text with the variables of tcpflow.
///
/// `%A`, `%a`: address and port of the source; `%B`, `%b`: of the destination; `%t`: start in seconds since 1970; `%T`: the
/// same as `2026-11-30T11:04:05Z`; `%C%c`: `c` and the number of earlier conversations of these two ports (nothing for the
/// first one); `%#`: the number of the conversation; `%%`: `%`.
struct NameTemplate: Sendable, Equatable {
    static let standard = NameTemplate(parts: [
        .address(true), .text("."), .port(true), .text("-"), .address(false), .text("."), .port(false), .countMark,
        .count,
    ])
    static let standardText = "%A.%a-%B.%b%C%c"

    private enum Part: Sendable, Equatable {
        case text(String)
        case address(Bool)
        case port(Bool)
        case seconds, date, countMark, count, number
    }

    private var parts: [Part]

    private init(parts: [Part]) { self.parts = parts }

    /// - Returns: `nil` if the text has an unknown variable.
    init?(_ text: String) {
        parts = []
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                parts.append(.text(String(character)))
                continue
            }
            switch rest.popFirst() {
            case "A": parts.append(.address(true))
            case "a": parts.append(.port(true))
            case "B": parts.append(.address(false))
            case "b": parts.append(.port(false))
            case "T": parts.append(.date)
            case "t": parts.append(.seconds)
            case "C": parts.append(.countMark)
            case "c": parts.append(.count)
            case "#": parts.append(.number)
            case "%": parts.append(.text("%"))
            default: return nil
            }
        }
    }

    /// A name that is safe as one: no separators, no control characters, not hidden, not too long.
    func name(_ stream: ListedStream, count: Int) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let words): text += words
            case .address(let isSource): text += Self.address(isSource ? stream.source : stream.destination)
            case .port(let isSource):
                text += Self.padded(Int(isSource ? stream.source.port : stream.destination.port), 5)
            case .seconds: text += String(stream.start / 1_000_000_000)
            case .date:
                var buffer = OutputBuffer()
                TimeFormat.appendRFC3339(stream.start, to: &buffer)
                text += buffer.string().prefix(19) + "Z"
            case .countMark: text += count > 0 ? "c" : ""
            case .count: text += count > 0 ? String(count) : ""
            case .number: text += String(stream.conversation)
            }
        }
        return Self.safe(text)
    }

    /// As in tcpflow: `192.168.001.064`, so that names stand in the order of addresses.
    private static func address(_ endpoint: Endpoint) -> String {
        guard endpoint.isIPv4 else { return endpoint.address }
        return endpoint.address.split(separator: ".").map { padded(Int($0) ?? 0, 3) }.joined(separator: ".")
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    static func safe(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_", "+", "=", "@", ",", "~", "%", "#":
                result.unicodeScalars.append(scalar)
            case let other where other.value >= 0x80 && other.properties.isAlphabetic:
                result.unicodeScalars.append(other)
            default: result += "_"
            }
            if result.utf8.count > 180 { break }
        }
        if result.isEmpty || result.hasPrefix(".") || result.hasPrefix("-") { result = "_" + result }
        return result
    }
}
