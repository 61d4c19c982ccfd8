import CaptureAnalysis
import DumpText
import MessageFormat

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Finds bytes in a text and shows the messages in them.
/// - Returns: the exit status.
func decodeText(_ options: Options) -> Int32 {
    let input: (name: String, bytes: [UInt8])
    let dump: Dump
    do throws(InputError) { input = try decodeInput(options.decode) } catch {
        report(error.message)
        return ExitStatus.usage
    }
    do throws(DumpError) { dump = try DumpReader.read(input.bytes, as: options.decode.form) } catch {
        let hint =
            options.decode.words.count == 1 && input.name == commandLineName && error.line == nil
            ? "; and there is no file of that name" : ""
        report("\(input.name): \(error.description)\(hint)")
        return ExitStatus.usage
    }
    if !options.quiet { tell(dump, name: input.name) }
    let encoding: TextEncoding?
    do throws(UsageError) {
        encoding = try options.encoding.map { (name) throws(UsageError) in try TextEncoding(name) }
    } catch {
        report(error.message)
        return ExitStatus.usage
    }
    let writer = OutputWriter(writesEachRecord: Terminal.isTerminal(STDOUT_FILENO))
    var format = formatOptions(options, encoding: encoding, writer: writer)
    format.timeStyle = .none
    format.hasPackets = false
    switch options.format {
    case .breakdown: return show(dump, BreakdownFormatter(format), options, writer)
    case .summary: return show(dump, SummaryFormatter(format), options, writer)
    case .hex: return show(dump, HexFormatter(format), options, writer)
    case .json: return show(dump, JSONFormatter(format), options, writer)
    }
}

private let commandLineName = "the command line"

private func decodeInput(_ options: DecodeOptions) throws(InputError) -> (name: String, bytes: [UInt8]) {
    let words = options.words
    if words.isEmpty || words == ["-"] {
        if Terminal.isTerminal(STDIN_FILENO) {
            writeToStandardError("Paste the bytes, then press Return and Ctrl-D.\n")
        }
        return ("standard input", try readInput("-"))
    }
    if words.count == 1, isReadableFile(words[0]) { return (words[0], try readInput(words[0])) }
    return (commandLineName, Array(words.joined(separator: " ").utf8))
}

/// Says what a text was taken for.
private func tell(_ dump: Dump, name: String) {
    let bytes = "\(dump.byteCount) byte\(dump.byteCount == 1 ? "" : "s")"
    let pieces = dump.pieces.count == 1 ? "" : " in \(dump.pieces.count) pieces"
    var what = dump.description
    if case .packets = DumpAnalyzer.content(of: dump) { what += "; it holds packets, which are analysed" }
    report("\(name): taken for \(what): \(bytes)\(pieces)")
    for note in dump.notes { report("\(name): \(note)") }
    let missing = dump.pieces.reduce(0) { $0 + $1.missing }
    if missing > 0 { report("\(name): \(missing) bytes are not in it, by its offsets") }
}

private func show<Formatter: ReportFormatter>(
    _ dump: Dump,
    _ formatter: Formatter,
    _ options: Options,
    _ writer: OutputWriter
) -> Int32 {
    let printer = ReportPrinter(
        [formatter],
        writer: writer,
        waitingLimit: 2 * ReportChunk.fullSize,
        tellsEverything: true,
        tellsLayouts: options.format == .breakdown || options.format == .json || options.verbosity > 0
    )
    var analysis = options.analysis
    analysis.application = options.describedBodies
    let analyzer = DumpAnalyzer(
        options: analysis,
        limits: options.reassemblyLimits,
        direction: options.decode.direction
    )
    let redacting =
        options.redact
        ? RedactingOutput(printer, redactor: Redactor(application: options.describedBodies)) : nil
    let totals = analyzer.run(dump, output: redacting ?? printer)
    printer.finish()
    if let redacting { report("redacted: \(redacting.redactor.summary)") }
    if totals.completeMessages + totals.damagedMessages == 0, options.format != .json {
        writer.write("No ES message in \(dump.byteCount) byte\(dump.byteCount == 1 ? "" : "s").\n")
    }
    return writer.finish()
}
