import CaptureAnalysis
import MessageFormat
import PacketCapture

/// The options that choose messages and columns.
extension OptionParser {
    /// Compiles `--where` and `--until`.
    mutating func finishFilters() throws(UsageError) {
        options.messageFilter = try filter(messageFilter, of: "--where")
        options.until = try filter(until, of: "--until")
        if options.writeFile == "-" {
            let option = messageFilter != nil ? "--where" : until != nil ? "--until" : nil
            if let option { throw UsageError("-w - writes packets and looks at no messages: \(option) needs a file") }
        }
    }

    private func filter(_ expression: String?, of option: String) throws(UsageError) -> MessageFilter? {
        guard let expression else { return nil }
        do throws(FilterError) { return try MessageFilter(compiling: expression, utc: options.utc) } catch {
            throw UsageError(error, for: option)
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
                do throws(ColumnOptions.Failure) {
                    if let hint = try columns.add(String(name.drop { $0 == " " })) { options.columnHints.append(hint) }
                } catch {
                    throw UsageError("--fields: " + (name.isEmpty ? "a name is empty" : error.message))
                }
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
