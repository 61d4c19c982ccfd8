import CaptureAnalysis
import MessageFormat
import PacketCapture

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Lists the conversations of a file, and writes their bytes to files if asked to.
/// - Returns: the exit status.
func listStreams(_ options: Options) -> Int32 {
    Signals.install()
    do throws(CaptureError) {
        let list = try StreamList(options)
        return try list.run()
    } catch {
        report(error.message)
        return error.exitStatus
    }
}

/// The name of the file that says what the extracted files are.
let streamIndexName = "index.jsonl"

/// One listing of one file.
private final class StreamList: StreamListOutput {
    private let options: Options
    private let files: StreamFiles?
    private var summaries: [StreamSummary] = []
    private let filter: FilterSet?

    init(_ options: Options) throws(CaptureError) {
        self.options = options
        if let expression = try CaptureSession.filterExpression(options) {
            filter = try FilterSet(expression)
        } else {
            filter = nil
        }
        if let folder = options.streams.extract {
            var writing = StreamFiles.Options()
            writing.template = options.streams.template
            writing.replaces = options.streams.force
            let files = try StreamFiles(folder: folder, options: writing)
            try files.checkThatNothingIsReplaced(streamIndexName)
            self.files = files
        } else {
            files = nil
        }
    }

    var isOpen: Bool { files?.error == nil }
    var wantsBytes: Bool { files != nil }

    func streamBytes(_ stream: ListedStream, _ bytes: UnsafeRawBufferPointer, offset: Int64) {
        files?.append(stream, bytes)
    }

    func ended(_ summary: inout StreamSummary, isFirstSideClient: Bool) {
        if let files {
            let names = files.finish(summary.number)
            summary.toServer.file = names[isFirstSideClient ? 0 : 1]
            summary.toClient.file = names[isFirstSideClient ? 1 : 0]
        }
        summaries.append(summary)
    }

    func run() throws(CaptureError) -> Int32 {
        var lister = StreamLister(
            output: self,
            options: options.analysis,
            limits: options.reassemblyLimits,
            hashes: options.streams.hash
        )
        let inputs = try CaptureInputs(options.readFiles)
        lister.decoder.verifyChecksums = options.verifyChecksums
        var sink = ListingPackets(
            lister: lister,
            filter: filter,
            wanted: options.packetCount,
            progress: Progress(
                total: inputs.size,
                outputIsTerminal: Terminal.isTerminal(STDOUT_FILENO)
            )
        )
        var failures: [CaptureError] = []
        var end = ReadingEnd.endOfInput
        do throws(CaptureError) {
            if inputs.isSeveral {
                let merged = MergedCapture(inputs, readsAhead: threadCount(options) > 1)
                end = merged.read(into: &sink)
                failures = merged.errors
            } else {
                var file = try CaptureFile(path: options.readFile ?? "-", readsAhead: threadCount(options) > 1)
                end = try file.read(into: &sink)
            }
        } catch {
            failures = [error]
        }
        if end == .stopped { report("interrupted after \(sink.passed) packets") }
        sink.progress.erase()
        try throwIfNothingWasRead(failures, read: sink.read)
        sink.lister.finish()
        let sort = options.streams.sort
        summaries.sort { sort.precedes($0, $1) }
        try writeIndex()
        var status = write()
        for failure in failures {
            report(failure.message)
            status = max(status, failure.exitStatus)
        }
        for notice in decoderNotices(sink.lister.decoder.statistics) { report(notice) }
        if let hint = filter?.hint { report(hint) }
        return status
    }

    private func write() -> Int32 {
        let writer = OutputWriter(writesEachRecord: false)
        if options.streams.csv {
            writer.write(StreamRecords.csvNames(hash: options.streams.hash))
            for summary in summaries where writer.isOpen { writer.write(StreamRecords.csv(summary)) }
        } else if options.format == .json {
            for summary in summaries where writer.isOpen { writer.write(StreamRecords.json(summary)) }
        } else {
            let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
            let table = StreamTable(width: isTerminal ? Terminal.width() : nil, isUTC: options.utc)
            writer.write(table.text(summaries))
        }
        return writer.finish()
    }

    /// The index is written even if something failed: it says what the files that are there hold.
    private func writeIndex() throws(CaptureError) {
        guard let files else { return }
        let text = summaries.flatMap { Array(StreamRecords.json($0).utf8) }
        let error = files.error
        do throws(CaptureError) { try files.write(text, as: streamIndexName) } catch let other { throw error ?? other }
        if let error { throw error }
        report(
            "\(files.fileCount) files with \(files.byteCount) bytes, and \(streamIndexName), written to \(files.folder)"
        )
    }
}

/// Counts and filters packets on their way to the lister.
private struct ListingPackets: PacketSink {
    var lister: StreamLister
    let filter: FilterSet?
    let wanted: UInt64?
    var progress: Progress
    var passed: UInt64 = 0
    private(set) var read: UInt64 = 0
    private var position: UInt64 = 24

    init(lister: StreamLister, filter: FilterSet?, wanted: UInt64?, progress: Progress) {
        self.lister = lister
        self.filter = filter
        self.wanted = wanted
        self.progress = progress
    }

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        position &+= UInt64(bytes.byteCount + 16)
        read = packet.number
        if packet.number & 1023 == 0 { progress.update(position: position) }
        if let filter, !filter.matches(packet, bytes: bytes) { return true }
        passed += 1
        return lister.packet(packet, bytes: bytes) && passed != wanted
    }

    mutating func timePassed(_ time: Int64) -> Bool { lister.timePassed(time) }
}
