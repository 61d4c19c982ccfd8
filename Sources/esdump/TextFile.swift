#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads a file that a person wrote: users, answers.
/// - Throws: also if it is longer than `maximum`, since that is no such file.
func textFile(_ path: String, maximum: Int = 16 << 20) throws(UsageError) -> [UInt8] {
    guard let file = fopen(path, "r") else { throw UsageError("\(path): \(String(cString: strerror(errno)))") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&part, 1, part.count, file)
        if count == 0 { break }
        bytes += part[..<count]
        guard bytes.count <= maximum else { throw UsageError("\(path): more than \(maximum >> 20) MiB") }
    }
    guard ferror(file) == 0 else { throw UsageError("\(path): \(String(cString: strerror(errno)))") }
    return bytes
}
