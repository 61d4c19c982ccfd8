import CaptureAnalysis
import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture
import Threads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads or captures packets and shows the messages in them, or counts them.
/// - Returns: the exit status.
func showCapture(_ options: Options) -> Int32 {
    Signals.install()
    do throws(CaptureError) {
        if options.writeFile == "-", Terminal.isTerminal(STDOUT_FILENO) {
            throw CaptureError(.usage, "-w - would write packets to the terminal: send them to a file or a pipe")
        }
        if options.redact, options.writeFile != nil {
            var shown = options
            shown.writeFile = nil
            let status = options.writeFile == "-" ? ExitStatus.success : showCapture(shown)
            return status == ExitStatus.usage ? status : max(status, try writeRedacted(options))
        }
        let threads = threadCount(options)
        var encodings: [TextEncoding?] = []
        // What converts text keeps a state, and so each thread needs its own.
        for _ in 0..<threads { encodings.append(try textEncoding(options)) }
        options.tellHints()
        let session = try CaptureSession(options)
        let writer = OutputWriter(writesEachRecord: session.writesEachRecord)
        if options.count || options.writeFile == "-" {
            return try session.run(nil, writer: writer)
        }
        let formats = encodings.map { formatOptions(options, encoding: $0, writer: writer) }
        if let columns = options.columns {
            return try session.show(formats.map { ColumnFormatter(columns, $0) }, writer: writer)
        }
        switch options.format {
        case .breakdown: return try session.show(formats.map { BreakdownFormatter($0) }, writer: writer)
        case .summary: return try session.show(formats.map { SummaryFormatter($0) }, writer: writer)
        case .hex: return try session.show(formats.map { HexFormatter($0) }, writer: writer)
        case .json:
            let names = session.origins.names
            return try session.show(formats.map { JSONFormatter($0) }, writer: writer) { formatter, input in
                formatter.file = input.map { names[$0] }
            }
        }
    } catch {
        report(error.message)
        return error.exitStatus
    }
}

/// How many threads share the work.
func threadCount(_ options: Options) -> Int {
    options.threads ?? min(Processors.count, Options.standardThreads)
}

/// What `--encoding` names; `nil` without it.
func textEncoding(_ options: Options) throws(CaptureError) -> TextEncoding? {
    guard let name = options.encoding else { return nil }
    do throws(UsageError) { return try TextEncoding(name) } catch { throw CaptureError(.usage, error.message) }
}

/// How reports are to be written to standard output.
func formatOptions(_ options: Options, encoding: TextEncoding?, writer: OutputWriter) -> FormatOptions {
    var format = FormatOptions()
    // What was replaced is no secret.
    format.showSecrets = options.showSecrets || options.redact
    format.verbosity = options.verbosity
    format.isQuiet = options.quiet
    format.hexDump = options.hexDump
    let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
    format.color = Terminal.usesColor(options.color, isTerminal: isTerminal)
    format.width = isTerminal ? Terminal.width() : nil
    format.timeStyle = options.timeStyle
    format.isUTC = options.utc
    format.application = options.describedBodies
    format.decodeText = encoding?.decodeText
    return format
}

/// One run over one input.
final class CaptureSession {
    private let options: Options
    private let capture: LiveCapture?
    private let inputs: CaptureInputs?
    /// Which input each packet came from, if there are several.
    let origins: PacketOrigins
    private let filter: FilterSet?
    private let packetWriter: RotatingWriter?
    /// Keeps the packets for the writer until the end.
    private let ring: PacketRing?
    /// Whether one looks while packets arrive: lines are shown as they are known.
    let isLive: Bool

    init(_ options: Options) throws(CaptureError) {
        self.options = options
        inputs = options.readFiles.isEmpty ? nil : try CaptureInputs(options.readFiles)
        origins = PacketOrigins(inputs)
        let expression = try Self.filterExpression(options)
        if options.readFile == nil {
            var live = LiveOptions()
            live.device = options.interface
            live.promiscuous = options.promiscuous
            live.snapLength = Int32(clamping: options.snapLength)
            live.bufferKiB = options.bufferKiB.map { Int32(clamping: $0) }
            live.filter = expression ?? ""
            let capture = try LiveCapture(live)
            if let warning = capture.warning { report(warning) }
            let choice = options.interface == nil ? " (no -i and no -r: the first interface that is up)" : ""
            report(
                "listening on \(capture.device.name)\(choice), link type \(capture.linkType), snap length \(options.snapLength)"
            )
            if !PacketDecoder.knows(linkType: capture.linkType) {
                report("link type \(capture.linkType) is not known: packets can be kept with -w, but not analysed")
            }
            self.capture = capture
            filter = nil
            isLive = true
        } else {
            capture = nil
            if let expression { filter = try FilterSet(expression) } else { filter = nil }
            isLive = options.readFiles.contains("-") && Self.standardInputIsPipe
        }
        // Reading without writing needs no user: the system may know none of the name nobody.
        let needsUser = capture != nil || options.writeFile != nil || options.dropToUser != nil
        let user = needsUser ? try Privileges.remainingUser(option: options.dropToUser) : nil
        // Opened while the way to it may still be open to root only.
        let folder: OutputFolder?
        if let path = options.writeFile, path != "-" { folder = try OutputFolder(of: path) } else { folder = nil }
        if capture != nil, let user { try Privileges.drop(to: user) }
        if let path = options.writeFile {
            var writing = CaptureWriter.Options()
            writing.flushEachPacket = options.packetBuffered
            writing.owner = user
            writing.protected = inputs?.files ?? []
            writing.snapLength = UInt32(options.snapLength)
            var rotation = options.rotation
            rotation.isUTC = options.utc
            do throws(CaptureError) {
                packetWriter = try RotatingWriter(
                    path: path,
                    folder: folder,
                    rotation: rotation,
                    options: writing,
                    isLive: capture != nil
                )
            } catch {
                guard capture != nil, let user, user.userID != 0 else { throw error }
                throw CaptureError(
                    error.kind,
                    error.message
                        + " (privileges were dropped to \(user.name); name a folder where that user may write, or another user with -Z)"
                )
            }
            if let capture {
                try packetWriter?.begin(linkType: capture.linkType, interface: capture.device.name)
                packetWriter?.statistics = { capture.statistics() }
            }
            if let limits = options.ring {
                ring = try PacketRing(limits, beside: path, folder: folder)
            } else {
                ring = nil
            }
        } else {
            packetWriter = nil
            ring = nil
        }
    }

    private static var standardInputIsPipe: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG
    }

    /// The filter of the command line, or of the file of `-F`.
    static func filterExpression(_ options: Options) throws(CaptureError) -> String? {
        guard let path = options.filterFile else { return options.filter }
        guard let file = fopen(path, "r") else {
            let reason = errno == ENOENT ? "there is no such file" : String(cString: strerror(errno))
            throw CaptureError(.noSuchFile, "-F \(path): \(reason)")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        guard count < bytes.count else { throw CaptureError(.usage, "\(path): a filter of more than 64 KiB") }
        guard ferror(file) == 0 else {
            throw CaptureError(.noSuchFile, "-F \(path): \(String(cString: strerror(errno)))")
        }
        // The ends of lines only separate words; in a message they would stand as escapes.
        let words = bytes[..<count].split { [0x0A, 0x0D].contains($0) }
        return String(decoding: Array(words.joined(separator: [0x20])), as: UTF8.self)
    }

    /// Whether each line goes out at once.
    var writesEachRecord: Bool { options.lineBuffered || isLive || Terminal.isTerminal(STDOUT_FILENO) }

    /// Bytes of reports of a live capture that may wait to be printed.
    private static let liveWaitingLimit = 64 << 20

    // MARK: - Running

    func show<Formatter: ReportFormatter>(
        _ formatters: [Formatter],
        writer: OutputWriter,
        prepare: (@Sendable (inout Formatter, _ input: Int?) -> Void)? = nil
    ) throws(CaptureError) -> Int32 {
        let isText = options.format != .json && options.columns == nil
        let tellsFile = inputs?.isSeveral == true && prepare != nil
        let printer = ReportPrinter(
            formatters,
            writer: writer,
            // Packets on an interface do not wait for whoever looks on.
            waitingLimit: capture == nil ? 4 * formatters.count * ReportChunk.fullSize : Self.liveWaitingLimit,
            tellsEverything: !isText || options.verbosity > 0,
            tellsLayouts: options.format == .breakdown || !isText || options.verbosity > 0,
            tellsEvents: tellsEvents,
            origins: tellsFile ? origins : nil,
            prepare: tellsFile ? prepare : nil
        )
        printer.begin()
        // On an interface a line goes out as soon as it is known. A pipe may bring a whole recording: there its lines
        // are kept in order, as in a file, as long as packets keep coming, but for no longer than a second.
        let isImmediate = capture != nil
        let patience = isLive ? LinePatience() : nil
        func release(_ analyzer: inout CaptureAnalyzer) {
            if isImmediate || !analyzer.mayWait || patience?.isOver == true {
                printer.release(before: nil)
                patience?.renew()
            } else {
                printer.release(before: analyzer.earliestOpenPacket())
            }
        }
        let redacting =
            options.redact
            ? RedactingOutput(printer, redactor: Redactor(application: options.describedBodies)) : nil
        return try run(
            redacting ?? printer,
            writer: writer,
            afterPacket: { analyzer in
                if printer.isDue { release(&analyzer) }
            },
            whileQuiet: { _ in
                printer.release(before: nil)
                patience?.renew()
            },
            whenIdle: isLive
                ? { analyzer in
                    guard printer.keepsLines, isImmediate || !analyzer.mayWait || patience?.isOver == true,
                        !printer.isBehind
                    else { return }
                    release(&analyzer)
                } : nil,
            finish: { totals, read in
                printer.finish()
                if isText, let closing = self.closingLine(totals, read: read) { writer.write(closing) }
                if let redacting { report("redacted: \(redacting.redactor.summary)") }
            }
        )
    }

    func run(
        _ output: (any AnalysisOutput)?,
        writer: OutputWriter,
        afterPacket: ((inout CaptureAnalyzer) -> Void)? = nil,
        whileQuiet: ((inout CaptureAnalyzer) -> Void)? = nil,
        whenIdle: ((inout CaptureAnalyzer) -> Void)? = nil,
        finish: (_ totals: AnalysisTotals, _ read: UInt64) -> Void = { _, _ in }
    ) throws(CaptureError) -> Int32 {
        var sink = CaptureSink(
            analyzer: CaptureAnalyzer(output: output, options: analysisOptions, limits: options.reassemblyLimits),
            progress: Progress(total: inputs?.size ?? 0, outputIsTerminal: Terminal.isTerminal(STDOUT_FILENO)),
            afterPacket: afterPacket,
            whileQuiet: whileQuiet,
            tellStatistics: { [self] in tellStatistics($0, ending: false) }
        )
        sink.analyzer.decoder.verifyChecksums = options.verifyChecksums
        sink.filter = filter
        sink.whenIdle = whenIdle
        sink.writer = packetWriter
        sink.ring = ring
        sink.isLiveCapture = capture != nil
        sink.details = capture
        sink.wanted = options.packetCount
        sink.analyses = options.writeFile != "-"
        sink.from = options.from
        sink.to = options.to

        var failures: [CaptureError] = []
        var notes: [(path: String, notes: CaptureNotes)] = []
        var end = ReadingEnd.endOfInput
        do throws(CaptureError) {
            if let capture {
                end = try capture.read(into: &sink)
            } else if let inputs, inputs.isSeveral {
                let merged = MergedCapture(inputs, readsAhead: threadCount(options) > 1)
                sink.origins = (merged, origins)
                sink.details = merged
                end = merged.read(into: &sink)
                failures = merged.errors
                notes = merged.notes
            } else {
                var file = try CaptureFile(path: options.readFile ?? "-", readsAhead: threadCount(options) > 1)
                sink.details = file.notes
                notes = [("", file.notes)]
                end = try readFile(&file, into: &sink)
            }
        } catch {
            failures = [error]
        }
        sink.progress.erase()
        try throwIfNothingWasRead(failures, read: sink.read)
        sink.analyzer.finish()
        var status = ExitStatus.success
        let totals = sink.analyzer.totals
        if sink.analyses {
            finish(totals, sink.read)
            if options.count {
                writer.write(
                    countText(
                        totals,
                        asJSON: options.format == .json,
                        profile: options.givenProfile,
                        describedNames: options.describedBodies?.messageTypeNames ?? [:]
                    )
                )
            }
        }
        status = max(status, writer.finish())
        status = max(status, try finishWriting(sink))
        for failure in failures {
            report(failure.message)
            status = max(status, failure.exitStatus)
        }
        tellNotices(sink.analyzer.decoder.statistics, notes)
        tellAboutFilters(sink.analyzer)
        if end == .stopped, capture == nil {
            report("interrupted after \(Self.found(totals))")
        }
        if capture != nil { status = max(status, tellStatistics(totals, ending: true)) }
        return status
    }

    private func readFile<Sink: PacketSink>(
        _ file: inout CaptureFile,
        into sink: inout Sink
    ) throws(CaptureError) -> ReadingEnd {
        try file.read(into: &sink)
    }

    private func finishWriting(_ sink: borrowing CaptureSink) throws(CaptureError) -> Int32 {
        if let error = sink.writeError {
            if error.kind == .brokenPipe { return ExitStatus.success }
            throw error
        }
        guard let packetWriter else { return ExitStatus.success }
        do throws(CaptureError) {
            if let ring { tellAboutRing(ring, try ring.write(to: packetWriter)) }
            try packetWriter.finish()
        } catch {
            if error.kind == .brokenPipe { return ExitStatus.success }
            throw error
        }
        return ExitStatus.success
    }

    // MARK: - Options

    /// Whether events are shown beside the messages.
    private var tellsEvents: Bool { options.messageFilter == nil && options.columns == nil }

    private var analysisOptions: AnalysisOptions {
        var analysis = options.analysis
        analysis.tellsEvents = tellsEvents
        analysis.filter = options.messageFilter
        analysis.until = options.until
        // A line a message says nothing of bodies; totals neither.
        let showsBodies = options.format != .summary || options.hexDump != .none || options.columns != nil
        let needsBodies = [options.messageFilter, options.until].contains { $0?.needsBodies == true }
        analysis.framer.keepsBodies = !options.count && showsBodies || needsBodies
        analysis.isLive = isLive
        analysis.application = options.describedBodies
        return analysis
    }

    // MARK: - What is said beside the messages

    /// In text, what the output does not show: streams that are not ES, and why nothing was found.
    private func closingLine(_ totals: AnalysisTotals, read: UInt64) -> String? {
        var text = ""
        if totals.completeMessages + totals.damagedMessages == 0 { text = whyNothing(totals, read: read) + "\n" }
        if totals.notESConversations > 0, options.verbosity == 0, options.messageFilter == nil {
            let (are, them) = totals.notESConversations == 1 ? ("conversation is", "it") : ("conversations are", "them")
            text += "\(totals.notESConversations) \(are) not ES; -v shows \(them).\n"
        }
        return text.isEmpty ? nil : text
    }

    private func whyNothing(_ totals: AnalysisTotals, read: UInt64) -> String {
        if read == 0 { return "No packets." }
        let packets = Self.counted(totals.packets, "packet")
        if totals.unmatchedMessages > 0 {
            let messages = Self.counted(UInt64(totals.unmatchedMessages), "message")
            return "No message matches --where (\(messages) in \(packets))."
        }
        if totals.packets == 0 { return "None of \(Self.counted(read, "packet")) passed the filter." }
        var conversations = Self.counted(UInt64(totals.conversations - totals.udpConversations), "TCP conversation")
        if totals.udpConversations > 0 {
            conversations += ", \(Self.counted(UInt64(totals.udpConversations), "UDP conversation"))"
        }
        if let wanted = options.conversation, wanted > totals.conversations {
            return "There is no conversation \(wanted): \(packets), \(conversations)."
        }
        var place = ""
        if let wanted = options.conversation { place += " in conversation \(wanted)" }
        if options.from != nil || options.to != nil { place += " between the times of --from and --to" }
        if options.givenProfile != nil || options.startToken != nil || options.idSlot != nil
            || options.userIDLength != nil
        {
            place += " of the layout that was given"
        }
        return "No ES message\(place) in \(packets), \(conversations)."
    }

    private static func counted(_ count: UInt64, _ thing: String) -> String {
        "\(count) \(thing)\(count == 1 ? "" : "s")"
    }

    /// `12 packets: 3 complete and 0 damaged messages`
    private static func found(_ totals: AnalysisTotals) -> String {
        "\(counted(totals.packets, "packet")): \(totals.completeMessages) complete and \(totals.damagedMessages) damaged messages"
    }

    /// Says once of each what the decoder could not read.
    private func tellNotices(_ statistics: DecoderStatistics, _ notes: [(path: String, notes: CaptureNotes)]) {
        for notice in decoderNotices(statistics) { report(notice) }
        let isVerbose = options.verbosity > 0
        for (path, notes) in notes {
            for line in fileNotices(notes, path: inputs?.isSeveral == true ? path : nil, isVerbose: isVerbose) {
                report(line)
            }
        }
        for (linkType, error) in (filter?.notCompiled ?? [:]).sorted(by: { $0.key < $1.key }) {
            report("link type \(linkType): \(error.message); its packets do not pass")
        }
        if let hint = filter?.hint { report(hint) }
    }

    /// Whether the message came that was waited for, and what the filters could not decide.
    private func tellAboutFilters(_ analyzer: borrowing CaptureAnalyzer) {
        if options.until != nil {
            if let end = analyzer.end {
                report("the message that matches --until ends in packet \(end.packet)")
            } else {
                report("no message matched --until")
            }
        }
        if analyzer.givenUpMatches > 0 {
            let matches = Self.counted(UInt64(analyzer.givenUpMatches), "match")
            report("“matches” took too many steps and was given up, which counts as no match: \(matches)")
        }
    }

    private func tellAboutRing(_ ring: PacketRing, _ summary: PacketRing.Summary) {
        var text = "\(options.writeFile ?? ""): \(Self.counted(summary.packets, "packet"))"
        if let first = summary.first, let last = summary.last {
            let (span, overflow) = last.subtractingReportingOverflow(first)
            if !overflow { text += ", \(Double(span / 1_000_000) / 1000) s" }
        }
        report(text)
        if ring.forgottenForSize > 0 {
            let packets = Self.counted(ring.forgottenForSize, "packet")
            report("--ring-size was reached: \(packets) were given up before their time")
        }
    }

    /// - Returns: the exit status that drops ask for.
    @discardableResult
    private func tellStatistics(_ totals: AnalysisTotals, ending: Bool) -> Int32 {
        guard let capture else {
            report("so far \(Self.found(totals))")
            return ExitStatus.success
        }
        let statistics = capture.statistics()
        var text = "\(statistics.captured) packets captured\n\(statistics.received) packets received by filter\n"
        text += "\(statistics.droppedByKernel) packets dropped by kernel\n"
        if statistics.droppedByInterface > 0 {
            text += "\(statistics.droppedByInterface) packets dropped by interface\n"
        }
        writeToStandardError(text)
        let dropped = statistics.droppedByKernel + statistics.droppedByInterface > 0
        return ending && dropped && options.strict ? ExitStatus.damaged : ExitStatus.success
    }
}

/// How long lines of a pipe may wait for their order: a second, so that a live one shows what it brings.
private final class LinePatience {
    private var end: Int64?

    /// Asked while lines wait.
    var isOver: Bool {
        let now = monotonicNanoseconds()
        guard let end else {
            end = now + 1_000_000_000
            return false
        }
        return now >= end
    }

    /// Nothing waits any more.
    func renew() { end = nil }
}
