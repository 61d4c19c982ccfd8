#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a test could not have: where, and why.
package struct TestSupportError: Error {
    package let message: String

    init(_ path: String) { message = "\(path): \(String(cString: strerror(errno)))" }
}

/// A new name in the system's folder for temporary files, for mkdtemp and mkstemps.
/// - Parameter suffix: what the name ends with, behind the letters that are filled in.
package func temporaryTemplate(suffix: String = "") -> [CChar] {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    return Array("\(folder)/esdump-test-XXXXXX\(suffix)".utf8CString)
}

/// Makes a folder of its own; who calls removes it.
package func makeTemporaryFolder() throws -> String {
    var template = temporaryTemplate()
    guard mkdtemp(&template) != nil else { throw TestSupportError("mkdtemp") }
    return template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
}

/// The names of the files in a folder, in order; those that begin with a dot are left out.
package func fileNames(in folder: String) throws -> [String] {
    guard let directory = opendir(folder) else { throw TestSupportError(folder) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}

/// A file's bytes, at most the first MiB of them.
package func fileContents(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw TestSupportError(path) }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    // Not in one expression: `bytes` would be taken before it is filled.
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
}
