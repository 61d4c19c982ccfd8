import CaptureAnalysis
import ESProtocol
import MessageFormat
import PacketCapture

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The exit status of what compares, as that of diff(1).
enum ComparisonStatus {
    static let same: Int32 = 0
    static let different: Int32 = 1
    static let trouble: Int32 = 2
}

/// Compares two captures and shows where they differ.
/// - Returns: the exit status.
func diffCaptures(_ options: Options) -> Int32 {
    Signals.install()
    do throws(CaptureError) {
        return try DiffRun(options).run()
    } catch {
        report(error.message)
        return ComparisonStatus.trouble
    }
}

/// One comparison of the command line.
private struct DiffRun {
    private let options: Options
    private let encoding: TextEncoding?

    init(_ options: Options) throws(CaptureError) {
        self.options = options
        encoding = try textEncoding(options)
    }

    func run() throws(CaptureError) -> Int32 {
        let diff = options.diff
        let a = CaptureOperand(diff.a, exists: Self.exists)
        let b = CaptureOperand(diff.b, exists: Self.exists)
        guard (a.message == nil) == (b.message == nil) else {
            let whole = a.message == nil ? diff.a : diff.b
            throw CaptureError(.usage, "a message is compared with a message: which one of \(whole)? (\(whole)#12)")
        }
        let first = try read(a, diff.conversationA)
        let second = try read(b, diff.conversationB)
        var comparing = diff.comparing.options
        comparing.comparesTwoMessages = a.message != nil
        let comparison = CaptureComparison(first.messages, second.messages, options: comparing)
        tellUnmet(comparison)
        var status = write(comparison)
        for reading in [first, second] {
            guard let failure = reading.failure else { continue }
            report(failure.message)
            status = ComparisonStatus.trouble
        }
        return status
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private func read(_ operand: CaptureOperand, _ conversation: Int?) throws(CaptureError) -> CaptureReading {
        let reading = try CaptureReading(
            operand.path,
            options,
            conversation: conversation,
            maximumBytes: options.diff.maximumBytes
        )
        if let number = operand.message {
            guard reading.messages.keepOnly(number: number) else {
                throw CaptureError(
                    .usage,
                    "\(operand.path) has no message \(number): there are \(reading.messages.messages.count)"
                )
            }
        } else if reading.messages.messages.isEmpty {
            let place = conversation.map { " in conversation \($0)" } ?? ""
            throw CaptureError(.usage, "\(operand.path): no ES message\(place) (esdump -r tells what is in it)")
        }
        return reading
    }

    /// A name that nothing has is a slip of the hand.
    private func tellUnmet(_ comparison: CaptureComparison) {
        for name in comparison.unmetIgnored { report("--ignore \(name): no message has this field") }
        for user in comparison.unmetUsers { report("--map-user: no message has the user \(user)") }
    }

    // MARK: - Output

    private func write(_ comparison: CaptureComparison) -> Int32 {
        let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
        let usesColor = Terminal.usesColor(options.color, isTerminal: isTerminal)
        var rows = DiffRows(comparison, timing: options.diff.timing)
        rows.context = options.diff.context
        rows.showSecrets = options.showSecrets
        rows.decodeText = encoding?.decodeText
        let notes = DiffNotes(comparison, rows)
        let timing = options.diff.timing ? DiffTiming(comparison.a, comparison.b) : nil
        let writer = OutputWriter(writesEachRecord: false)
        switch options.diff.format {
        case .json: writeRecords(comparison, rows, notes, timing, writer)
        case .html: writePage(comparison, rows, notes, timing, writer)
        case .text where options.diff.isSideBySide:
            let columns = DiffColumns(width: isTerminal ? Terminal.width() : nil, usesColor: usesColor)
            writeText(comparison, rows, notes, timing, writer, names: columns.names, line: columns.line)
        case .text:
            let text = DiffText(usesColor: usesColor)
            writeText(comparison, rows, notes, timing, writer, names: text.names, line: text.line)
        }
        let status = writer.finish()
        if status != ExitStatus.success { return ComparisonStatus.trouble }
        return comparison.isDifferent ? ComparisonStatus.different : ComparisonStatus.same
    }

    private func name(_ operand: String, _ messages: CapturedMessages) -> String {
        "\(ColumnText.escaped(operand))  \(DiffNotes.size(messages))"
    }

    private func writeText(
        _ comparison: CaptureComparison,
        _ rows: DiffRows,
        _ notes: DiffNotes,
        _ timing: DiffTiming?,
        _ writer: OutputWriter,
        names: (String, String) -> String,
        line: (DiffRow) -> String
    ) {
        var (rows, notes) = (rows, notes)
        if let first = notes.first() {
            writer.write("First difference: \(first)\n")
            writer.write(names(name(options.diff.a, comparison.a), name(options.diff.b, comparison.b)))
        }
        for note in notes.notes { writer.write("* \(note)\n") }
        if comparison.isDifferent {
            rows.forEach { row in
                writer.write(line(row))
                return writer.isOpen
            }
        }
        writer.write(notes.summary + "\n")
        if let timing { writer.write("\n" + timing.text) }
    }

    private func writeRecords(
        _ comparison: CaptureComparison,
        _ rows: DiffRows,
        _ notes: DiffNotes,
        _ timing: DiffTiming?,
        _ writer: OutputWriter
    ) {
        var rows = rows
        let records = DiffRecords(showSecrets: options.showSecrets)
        writer.write(
            records.summary(
                comparison,
                a: options.diff.a,
                b: options.diff.b,
                rows: &rows,
                notes: notes,
                timing: timing
            )
        )
        rows.forEachDifference { conversation, entry, changes in
            writer.write(records.difference(entry, conversation, changes, comparison))
            return writer.isOpen
        }
    }

    private func writePage(
        _ comparison: CaptureComparison,
        _ rows: DiffRows,
        _ notes: DiffNotes,
        _ timing: DiffTiming?,
        _ writer: OutputWriter
    ) {
        var (rows, notes, page) = (rows, notes, DiffPage())
        writer.write(
            page.beginning(
                a: options.diff.a,
                b: options.diff.b,
                first: notes.first(),
                notes: notes.notes,
                summary: notes.summary
            )
        )
        if let timing { writer.write(page.timing(timing)) }
        if comparison.isDifferent {
            rows.forEach { row in
                writer.write(page.row(row))
                return writer.isOpen
            }
        }
        writer.write(page.end() + DiffPage.ending)
    }
}
