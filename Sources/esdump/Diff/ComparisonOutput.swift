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

/// Writes a comparison to standard output, in the format that was asked for.
struct ComparisonOutput {
    private let options: Options
    private let format: DiffOptions.Format
    private let isSideBySide: Bool
    private let timing: Bool
    /// What the sides are called.
    private let names: (a: String, b: String)
    private let encoding: TextEncoding?

    init(
        _ options: Options,
        format: DiffOptions.Format,
        isSideBySide: Bool,
        timing: Bool,
        names: (a: String, b: String)
    ) throws(CaptureError) {
        self.options = options
        self.format = format
        self.isSideBySide = isSideBySide
        self.timing = timing
        self.names = names
        encoding = try textEncoding(options)
    }

    /// - Parameter context: Messages that are the same, around each difference; `nil` shows all, also if nothing differs.
    /// - Returns: the exit status.
    func write(_ comparison: CaptureComparison, context: Int?) -> Int32 {
        var rows = DiffRows(comparison, timing: timing)
        rows.context = context
        rows.showSecrets = options.showSecrets
        rows.decodeText = encoding?.decodeText
        let notes = DiffNotes(comparison, rows)
        let delays = timing ? DiffTiming(comparison.a, comparison.b) : nil
        let writer = OutputWriter(writesEachRecord: false)
        switch format {
        case .json: writeRecords(comparison, rows, notes, delays, writer)
        case .html: writePage(comparison, rows, notes, delays, writer)
        case .text: writeText(comparison, rows, notes, delays, writer)
        }
        guard writer.finish() == ExitStatus.success else { return ComparisonStatus.trouble }
        return comparison.isDifferent ? ComparisonStatus.different : ComparisonStatus.same
    }

    private func writeText(
        _ comparison: CaptureComparison,
        _ rows: DiffRows,
        _ notes: DiffNotes,
        _ timing: DiffTiming?,
        _ writer: OutputWriter
    ) {
        let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
        let usesColor = Terminal.usesColor(options.color, isTerminal: isTerminal)
        let heading: (String, String) -> String
        let line: (DiffRow) -> String
        if isSideBySide {
            let columns = DiffColumns(width: isTerminal ? Terminal.width() : nil, usesColor: usesColor)
            (heading, line) = (columns.names, columns.line)
        } else {
            let text = DiffText(usesColor: usesColor)
            (heading, line) = (text.names, text.line)
        }
        var (rows, notes) = (rows, notes)
        let showsRows = comparison.isDifferent || rows.context == nil
        if let first = notes.first() { writer.write("First difference: \(first)\n") }
        if showsRows { writer.write(heading(name(names.a, comparison.a), name(names.b, comparison.b))) }
        for note in notes.notes { writer.write("* \(note)\n") }
        if showsRows {
            rows.forEach { row in
                writer.write(line(row))
                return writer.isOpen
            }
        }
        writer.write(notes.summary + "\n")
        if let timing { writer.write("\n" + timing.text) }
    }

    private func name(_ name: String, _ messages: CapturedMessages) -> String {
        "\(ColumnText.escaped(name))  \(DiffNotes.size(messages))"
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
            records.summary(comparison, a: names.a, b: names.b, rows: &rows, notes: notes, timing: timing)
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
                a: names.a,
                b: names.b,
                first: notes.first(),
                notes: notes.notes,
                summary: notes.summary
            )
        )
        if let timing { writer.write(page.timing(timing)) }
        if comparison.isDifferent || rows.context == nil {
            rows.forEach { row in
                writer.write(page.row(row))
                return writer.isOpen
            }
        }
        writer.write(page.end() + DiffPage.ending)
    }
}
