import BodyDescription
import MessageFormat
import PacketCapture

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads a file as a description says, and prints its values.
/// - Returns: the exit status.
func followDescription(_ options: Options) -> Int32 {
    let file: DescriptionFile
    let bytes: [UInt8]
    do throws(CaptureError) {
        do throws(DescriptionError) { file = try DescriptionFile(reading: options.ksy.description) } catch {
            throw CaptureError(.usage, error.description)
        }
        guard file.parameters.isEmpty else {
            throw CaptureError(
                .usage,
                "\(options.ksy.description): has parameters (\(file.parameters.joined(separator: ", "))), which nobody gives here"
            )
        }
        bytes = try wholeFile(options.ksy.file)
    } catch {
        report(error.message)
        return error.exitStatus
    }
    let tree = file.tree(of: bytes, showsSecrets: options.showSecrets)
    var out = OutputBuffer(capacity: 1 << 16)
    let writer = ValueWriter()
    if options.format == .json {
        writer.appendJSON(tree.value, to: &out)
        out.append(0x0A)
    } else {
        writer.appendText(tree.value, to: &out)
    }
    let output = OutputWriter(writesEachRecord: false)
    out.withUnsafeBytes { output.write($0) }
    let status = output.finish()
    for error in tree.errors { report("\(options.ksy.file): \(error)") }
    return max(status, tree.errors.isEmpty ? ExitStatus.success : ExitStatus.damaged)
}

/// Bytes of a file that are read at most.
private let maximumFile = 1 << 30

private func wholeFile(_ path: String) throws(CaptureError) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY)
    guard descriptor >= 0 else { throw CaptureError(.noSuchFile, "\(path): \(String(cString: strerror(errno)))") }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count == 0 { return bytes }
        guard count > 0 else {
            if errno == EINTR { continue }
            throw CaptureError(.noSuchFile, "\(path): \(String(cString: strerror(errno)))")
        }
        guard bytes.count + count <= maximumFile else { throw CaptureError(.usage, "\(path): more than 1 GiB") }
        bytes += chunk[..<count]
    }
}
