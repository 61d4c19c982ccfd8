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

/// Writes the packets of files with what `--redact` replaces in them.
///
/// The files are read twice: what stands in a packet is known only when its whole message is.
/// - Returns: the exit status.
func writeRedacted(_ options: Options) throws(CaptureError) -> Int32 {
    guard let path = options.writeFile else { return ExitStatus.success }
    let inputs = try CaptureInputs(options.readFiles)
    let messages = RedactedMessages(redactor: Redactor(application: options.describedBodies))
    var analysis = options.analysis
    analysis.application = options.describedBodies
    analysis.conversation = nil
    var collecting = FilteredPackets(
        CaptureAnalyzer(output: messages, options: analysis, limits: options.reassemblyLimits),
        filter: try options.packetFilter(),
        wanted: options.packetCount
    )
    _ = try read(inputs, into: &collecting)
    collecting.sink.finish()
    if messages.isTooMuch { throw CaptureError(.usage, "--redact -w: the messages have more than 1 GiB") }

    var writing = CaptureWriter.Options()
    writing.flushEachPacket = options.packetBuffered
    writing.protected = inputs.files
    let folder = path == "-" ? nil : try OutputFolder(of: path)
    var rotation = options.rotation
    rotation.isUTC = options.utc
    let writer = try RotatingWriter(path: path, folder: folder, rotation: rotation, options: writing)
    var failure: CaptureError?
    var rewriting = FilteredPackets(
        RedactingWriter(messages, options: analysis, limits: options.reassemblyLimits) { packet, bytes in
            do throws(CaptureError) { try writer.write(packet, bytes: bytes, details: nil) } catch { failure = error }
            return failure == nil && !writer.isOver
        },
        filter: try options.packetFilter(),
        wanted: options.packetCount
    )
    let failures = try read(inputs, into: &rewriting)
    if let failure {
        if failure.kind == .brokenPipe { return ExitStatus.success }
        throw failure
    }
    try writer.finish()
    var text = "\(rewriting.sink.packetsWritten) packets written to \(path == "-" ? "standard output" : path)"
    let left = rewriting.sink.packetsRead - min(rewriting.sink.packetsWritten, rewriting.sink.packetsRead)
    if left > 0 { text += "; \(left) without TCP or UDP of their own left out" }
    report("\(text); redacted: \(messages.redactor.summary)")
    // What is wrong with the files was told when they were shown.
    return failures.map(\.exitStatus).max() ?? ExitStatus.success
}

extension Options {
    fileprivate func packetFilter() throws(CaptureError) -> FilterSet? {
        guard let expression = try CaptureSession.filterExpression(self) else { return nil }
        return try FilterSet(expression)
    }
}

/// Reads all inputs.
/// - Returns: what was wrong with them.
private func read<Sink: PacketSink>(
    _ inputs: CaptureInputs,
    into sink: inout FilteredPackets<Sink>
) throws(CaptureError) -> [CaptureError] {
    var failures: [CaptureError] = []
    do throws(CaptureError) {
        if inputs.isSeveral {
            let merged = MergedCapture(inputs)
            _ = merged.read(into: &sink)
            failures = merged.errors
        } else {
            var file = try CaptureFile(path: inputs.list.first?.path ?? "-")
            _ = try file.read(into: &sink)
        }
    } catch {
        failures = [error]
    }
    try throwIfNothingWasRead(failures, read: sink.read)
    return failures
}

/// Hands on the packets that pass a filter, as many as are wanted.
private struct FilteredPackets<Sink: PacketSink>: PacketSink {
    var sink: Sink
    private let filter: FilterSet?
    private let wanted: UInt64?
    private(set) var read: UInt64 = 0
    private var passed: UInt64 = 0

    init(_ sink: Sink, filter: FilterSet?, wanted: UInt64?) {
        self.sink = sink
        self.filter = filter
        self.wanted = wanted
    }

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        read = packet.number
        if let filter, !filter.matches(packet, bytes: bytes) { return true }
        passed += 1
        return sink.packet(packet, bytes: bytes) && passed != wanted
    }

    mutating func timePassed(_ time: Int64) -> Bool { sink.timePassed(time) }
}
