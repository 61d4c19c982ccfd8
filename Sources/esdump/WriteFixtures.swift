import CaptureAnalysis
import DumpText
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

/// Writes chosen messages of a capture as fixtures.
/// - Returns: the exit status.
func writeFixtures(_ options: Options) -> Int32 {
    Signals.install()
    options.tellHints()
    do throws(CaptureError) {
        let writer = FixtureWriter(options)
        let status = try writer.collect()
        return max(status, try writer.write())
    } catch {
        report(error.message)
        return error.exitStatus
    }
}

/// One run over one capture.
private final class FixtureWriter {
    private let options: Options
    private var chosen: [ChosenMessage] = []
    private var redactor: Redactor?
    /// Numbers of chosen messages that hold a secret.
    private var secretMessages: [Int] = []
    private var messageCount = 0
    private var chosenBytes = 0
    private var isTooMuch = false

    /// Fixtures are kept until it is clear that all may be written.
    private static let maximumBytes = 1 << 30
    /// A longer message is no literal that a compiler takes in reasonable time.
    private static let maximumLiteral = 64 << 10

    init(_ options: Options) {
        self.options = options
        redactor = options.redact ? Redactor(application: options.describedBodies) : nil
    }

    // MARK: - Choosing

    func collect() throws(CaptureError) -> Int32 {
        // The filter is asked here, so that the numbers and the replacements are those of the whole capture.
        var all = options
        all.messageFilter = nil
        let session = try CaptureSession(all)
        let collector = MessageCollector { [self] in take($0, $1, $2) }
        if let filter = options.messageFilter {
            collector.isWanted = { [application = options.describedBodies] in
                filter.matches($0, bytes: $1, application: application)
            }
        }
        if options.redact {
            // Everything in the order in which it is found, so that the replacements are those of esdump -r --redact.
            collector.onMessage = { [self] (report, bytes) in
                if let redacted = redactor?.redact(report, bytes) { (report, bytes) = redacted }
            }
            collector.onEvent = { [self] in _ = redactor?.redact($0) }
        }
        let status = try session.run(
            collector,
            writer: OutputWriter(writesEachRecord: false),
            afterPacket: { analyzer in
                if collector.isDue { collector.release(before: analyzer.earliestOpenPacket()) }
            },
            finish: { _, _ in collector.release(before: nil) }
        )
        messageCount = collector.messageCount
        if isTooMuch {
            throw CaptureError(.usage, "the chosen messages have more than 1 GiB: choose fewer (--message, --where)")
        }
        return status
    }

    /// - Returns: false if there are too many.
    private func take(_ number: Int, _ report: MessageReport, _ bytes: [UInt8]) -> Bool {
        guard isChosen(number, report) else { return true }
        let message = ChosenMessage(number: number, report: report, bytes: bytes)
        if !options.redact, !options.showSecrets,
            !report.secrets(in: bytes.span.bytes, application: options.describedBodies).isEmpty
        {
            secretMessages.append(number)
        }
        chosenBytes += bytes.count
        isTooMuch = chosenBytes > Self.maximumBytes
        chosen.append(message)
        return !isTooMuch
    }

    private func isChosen(_ number: Int, _ report: MessageReport) -> Bool {
        let fixtures = options.fixtures
        if !fixtures.numbers.isEmpty, !fixtures.numbers.contains(where: { $0.contains(number) }) { return false }
        return fixtures.direction == nil || fixtures.direction == report.direction
    }

    // MARK: - Writing

    func write() throws(CaptureError) -> Int32 {
        try checkChoice()
        for message in chosen { checkRoundTrip(message) }
        if let redactor { report("redacted: \(redactor.summary)") }
        if options.fixtures.test != nil || options.fixtures.form.language != nil { leaveOutLongMessages() }
        let fixtures = options.fixtures
        if let folder = fixtures.folder { return try writeFolder(folder) }
        let contents = contents(chosen, typeName: fixtures.file.map(typeName) ?? "Messages")
        if let file = fixtures.file {
            let parts = folderAndName(file)
            let files = try self.files(in: parts.folder)
            try files.checkThatNothingIsReplaced(parts.name)
            try files.write(contents, as: parts.name)
            report("\(counted(chosen.count, "message")) written to \(file)")
            return ExitStatus.success
        }
        if fixtures.form == .raw, fixtures.test == nil, Terminal.isTerminal(STDOUT_FILENO) {
            throw CaptureError(.usage, "--as raw would write bytes to the terminal: use --output, --dir or a pipe")
        }
        let writer = OutputWriter(writesEachRecord: false)
        contents.withUnsafeBytes { writer.write($0) }
        return writer.finish()
    }

    private func checkChoice() throws(CaptureError) {
        let highest = options.fixtures.numbers.map(\.lowerBound).max() ?? 0
        guard !chosen.isEmpty else {
            let why =
                messageCount == 0
                ? "there is no ES message in it"
                : highest > messageCount
                    ? "there is no message \(highest): it has \(counted(messageCount, "message"))"
                    : "none of its \(counted(messageCount, "message")) was chosen"
            throw CaptureError(.usage, "\(options.readFile ?? "-"): \(why)")
        }
        for range in options.fixtures.numbers where range.lowerBound > messageCount {
            report("there is no message \(range.lowerBound): the capture has \(counted(messageCount, "message"))")
        }
        guard let first = secretMessages.first else { return }
        let which =
            secretMessages.count == 1 ? "message \(first) holds" : "\(secretMessages.count) messages (\(first), …) hold"
        throw CaptureError(
            .usage,
            "\(which) a password: --show-secrets writes it as it is, --redact replaces it, --message chooses others"
        )
    }

    private func writeFolder(_ folder: String) throws(CaptureError) -> Int32 {
        let files = try self.files(in: folder)
        let names = fileNames()
        // Nothing is written if anything would be refused.
        for name in names { try files.checkThatNothingIsReplaced(name) }
        for (message, name) in zip(chosen, names) {
            let base = name.split(separator: ".").first.map(String.init) ?? name
            let typeName =
                "Message" + base.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
            try files.write(contents([message], typeName: typeName), as: name)
        }
        report("\(counted(names.count, "file")) written to \(folder)")
        return ExitStatus.success
    }

    private func files(in folder: String) throws(CaptureError) -> StreamFiles {
        var writing = StreamFiles.Options()
        writing.replaces = options.fixtures.force
        return try StreamFiles(folder: folder, options: writing)
    }

    private func folderAndName(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }

    /// `003-c2s-Logon.hex`; the numbers of all files have as many digits as the largest of the capture.
    private func fileNames() -> [String] {
        let digits = max(3, String(messageCount).count)
        let fileExtension = options.fixtures.test == nil ? options.fixtures.form.fileExtension : "swift"
        return chosen.map { message in
            let number = String(message.number)
            let zeros = String(repeating: "0", count: digits - number.count)
            return "\(zeros)\(number)-\(message.report.direction.name)-\(message.typeName).\(fileExtension)"
        }
    }

    /// The name of a type that is named after its file, as Java wants it.
    private func typeName(_ path: String) -> String {
        let base = folderAndName(path).name.split(separator: ".").first ?? ""
        let words = base.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return name.first?.isLetter == true ? name : "Messages" + name
    }

    private func contents(_ messages: [ChosenMessage], typeName: String) -> [UInt8] {
        guard let library = options.fixtures.test else {
            var output = MessageOutput(form: options.fixtures.form, header: header, typeName: typeName)
            output.application = options.describedBodies
            return output.contents(messages)
        }
        let name = typeName.hasSuffix("Tests") ? typeName : typeName + "Tests"
        let tests = SwiftTests(library == .xctest ? .xctest : .swiftTesting, name: name)
        var text = tests.opening(header: header.map(escapingControls))
        let complete = messages.filter { $0.report.status == .complete }
        text += complete.map { tests.test($0.report, number: $0.number, bytes: $0.bytes) }.joined(separator: "\n")
        return Array((text + tests.closing).utf8)
    }

    /// How it was made: enough to make it again, and nothing of this machine.
    private var header: [String] {
        ["esdump \(version) fixture", "made by: \(commandLine)"]
    }

    /// The command line, with names of files in place of their paths.
    private var commandLine: String {
        let words = options.arguments.enumerated().map { index, word -> String in
            var word = word
            // A filter may hold what is replaced.
            if options.redact, index > 0, options.arguments[index - 1] == "--where" { return "…" }
            if options.redact, word.hasPrefix("--where=") { return "--where=…" }
            if word.contains("/"), isPath(word) {
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if word.hasPrefix("--"), parts.count == 2 {
                    word = parts[0] + "=" + folderAndName(String(parts[1])).name
                } else {
                    word = folderAndName(word.hasSuffix("/") ? String(word.dropLast()) : word).name
                }
            }
            let isPlain =
                !word.isEmpty
                && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"'\"\\$`*?&|;<>()#~".utf8.contains($0) }
            return isPlain
                ? word
                : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        }
        return (["esdump"] + words).joined(separator: " ")
    }

    private func isPath(_ word: String) -> Bool {
        let value = word.hasPrefix("--") ? String(word.split(separator: "=", maxSplits: 1).last ?? "") : word
        let paths =
            options.readFiles
            + [
                options.fixtures.folder, options.fixtures.file, options.filterFile, options.describeFile,
                options.profileFile,
            ].compactMap { $0 }
        return paths.contains(value)
    }

    // MARK: - Proof

    /// What does not come back to the byte is written all the same, but not in silence.
    private func checkRoundTrip(_ message: ChosenMessage) {
        var result = RoundTrip.check(message.report, message.bytes)
        if result == .same, let again = readBack(message) { result = RoundTrip.compare(again, message.bytes) }
        if case .differs(let offset, let reason) = result {
            report(
                "warning: message \(message.number) does not come back from its fixture: offset \(offset): \(reason)"
            )
        }
    }

    /// The bytes of the text that is written, as `decode` reads them.
    private func readBack(_ message: ChosenMessage) -> [UInt8]? {
        guard options.fixtures.test == nil, message.bytes.count <= 1 << 20 else { return nil }
        var output = MessageOutput(form: options.fixtures.form, header: header)
        output.application = options.describedBodies
        guard let dump = try? DumpReader.read(output.contents([message])) else { return [] }
        return dump.pieces.flatMap(\.bytes)
    }

    private func leaveOutLongMessages() {
        let long = chosen.filter { $0.bytes.count > Self.maximumLiteral }
        guard !long.isEmpty else { return }
        for message in long {
            report(
                "message \(message.number) of \(message.bytes.count) bytes is left out: too long for a source text (--as raw writes it)"
            )
        }
        chosen.removeAll { $0.bytes.count > Self.maximumLiteral }
    }

    private func counted(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
}
