import CaptureAnalysis
import MessageFormat
import PacketCapture

/// What is asked of messages, before it is compiled.
struct MessageExpressions: Equatable, Sendable {
    /// `--where`
    var filter: String?
    /// `--until`
    var until: String?
    /// The names of `--fields`.
    var columns: [String] = []
}

extension Options {
    /// Whether names come from files, which must be read before expressions are compiled.
    var hasNamesInFiles: Bool { describeFile != nil || profileFile != nil }

    /// Compiles `--where`, `--until` and `--fields` with the names of the framework and those of the user's files.
    mutating func compileExpressions() throws(UsageError) {
        // To collect the names takes longer than to explain a small capture.
        guard expressions.filter != nil || expressions.until != nil || !expressions.columns.isEmpty else { return }
        let names =
            describedBodies == nil && customProfile == nil
            ? .framework : MessageNames(application: describedBodies, custom: customProfile)
        messageFilter = try filter(expressions.filter, of: "--where", names)
        until = try filter(expressions.until, of: "--until", names)
        for name in expressions.columns {
            do throws(ColumnOptions.Failure) {
                if let hint = try columns?.add(name, names: names) { columnHints.append(hint) }
            } catch {
                throw UsageError("--fields: " + (name.isEmpty ? "a name is empty" : error.message))
            }
        }
    }

    private func filter(_ expression: String?, of option: String, _ names: MessageNames) throws(UsageError)
        -> MessageFilter?
    {
        guard let expression else { return nil }
        do throws(FilterError) { return try MessageFilter(compiling: expression, utc: utc, names: names) } catch {
            throw UsageError(error, for: option)
        }
    }

    /// Says what may be a mistake in filters and columns.
    func tellHints() {
        for (filter, option) in [(messageFilter, "--where"), (until, "--until")] {
            for hint in filter?.hints ?? [] {
                report("\(option): \(hint.message)")
                writeToStandardError(hint.place())
            }
        }
        for hint in columnHints { report("--fields: \(hint)") }
    }
}

/// The options that choose messages and columns.
extension OptionParser {
    /// Takes `--where` and `--until`.
    mutating func finishFilters() throws(UsageError) {
        options.expressions.filter = messageFilter
        options.expressions.until = until
        if options.writeFile == "-" {
            let option = messageFilter != nil ? "--where" : until != nil ? "--until" : nil
            if let option { throw UsageError("-w - writes packets and looks at no messages: \(option) needs a file") }
        }
    }

    mutating func finishRing() throws(UsageError) {
        guard let ringTime else {
            if ringSize != nil { throw UsageError("--ring-size goes with --ring") }
            return
        }
        guard let file = options.writeFile else { throw UsageError("--ring keeps packets for a file: it goes with -w") }
        if file == "-" { throw UsageError("--ring writes a file at the end: -w - has no meaning with it") }
        if options.rotation != Rotation() {
            throw UsageError("--ring writes one file: -C, -G and -W have no meaning with it")
        }
        if options.packetBuffered {
            throw UsageError("--ring writes all packets at the end: -U has no meaning with it")
        }
        options.ring = PacketRing.Limits(time: ringTime, bytes: UInt64(ringSize ?? 1 << 30))
    }

    mutating func finishColumns() throws(UsageError) {
        guard !fields.isEmpty else {
            if !columnSettings.isEmpty { throw UsageError("-E goes with --fields") }
            return
        }
        let contradicting: [(Bool, String)] = [
            (format != nil, "--format"), (options.count, "--count"), (options.quiet, "-q"),
            (hexWithText || hexWithoutText, "-x and -X"), (options.writeFile == "-", "-w -"),
        ]
        if let (_, option) = contradicting.first(where: { $0.0 }) {
            throw UsageError("--fields prints columns: \(option) has no meaning with it")
        }
        var columns = ColumnOptions()
        for list in fields {
            for name in list.split(separator: ",", omittingEmptySubsequences: false) {
                options.expressions.columns.append(String(name.drop { $0 == " " }))
            }
        }
        for setting in columnSettings {
            do throws(ColumnOptions.Failure) { try columns.set(setting) } catch {
                throw UsageError("-E \(error.message)")
            }
        }
        options.columns = columns
    }
}
