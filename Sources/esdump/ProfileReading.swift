import ESProtocol
import PacketCapture

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Options {
    /// Reads the file of `--profile-file`, if there is one.
    mutating func readProfileFile() throws(CaptureError) {
        guard let profileFile else { return }
        customProfile = try readProfile(profileFile)
    }
}

/// Reads what a user's file says of an application's own use of the protocol.
private func readProfile(_ path: String) throws(CaptureError) -> CustomProfile {
    guard let file = fopen(path, "r") else {
        let reason = errno == ENOENT ? "there is no such file" : String(cString: strerror(errno))
        throw CaptureError(.noSuchFile, "--profile-file \(path): \(reason)")
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else {
        throw CaptureError(.noSuchFile, "--profile-file \(path): \(String(cString: strerror(errno)))")
    }
    guard count < bytes.count else { throw CaptureError(.usage, "\(path): a profile of 1 MiB or more") }
    do throws(ProfileFileError) { return try ProfileFile.read(Array(bytes[..<count])) } catch {
        throw CaptureError(.usage, "\(path):\(error)")
    }
}
