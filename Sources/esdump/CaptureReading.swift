import CaptureAnalysis
import DumpText
import MessageFormat
import PacketCapture

/// Reads the messages of a capture, or of a fixture, and keeps them.
struct CaptureReading {
    let messages: CapturedMessages
    /// It is a text with bytes, or bytes alone: an excerpt of a capture.
    private(set) var isFixture = false
    /// What was wrong with the file behind what could be read.
    private(set) var failure: CaptureError?
    /// How values were redacted, if they were to be.
    private(set) var redactor: Redactor?

    /// - Parameters:
    ///   - path: a capture file, or a fixture; `-` is a capture on standard input.
    ///   - conversation: only this one, if given.
    ///   - redactor: what was redacted before, if this is to be redacted too.
    init(
        _ path: String,
        _ options: Options,
        conversation: Int? = nil,
        maximumBytes: Int = 1 << 30,
        redactor: Redactor? = nil
    ) throws(CaptureError) {
        messages = CapturedMessages(maximumBytes: maximumBytes)
        let redacting = redactor.map { RedactingOutput(messages, redactor: $0) }
        let output: any AnalysisOutput = redacting ?? messages
        var analysis = options.analysis
        analysis.conversation = conversation
        analysis.filter = options.messageFilter
        analysis.application = options.describedBodies
        do throws(CaptureError) {
            try readCapture(path, CaptureAnalyzer(output: output, options: analysis, limits: options.reassemblyLimits))
        } catch {
            guard error.kind == .notACapture, path != "-" else { throw error }
            try readFixture(path, options, analysis, output, otherwise: error)
        }
        messages.finish()
        self.redactor = redacting?.redactor
        if messages.isOverLimit {
            throw CaptureError(
                .usage,
                "\(path) has more messages than may be kept (\(maximumBytes) bytes): choose with --conversation or --where, or give more with --max-kept"
            )
        }
    }

    private mutating func readCapture(_ path: String, _ start: CaptureAnalyzer) throws(CaptureError) {
        var analyzer = start
        do throws(CaptureError) {
            var file = try CaptureFile(path: path)
            let end = try file.read(into: &analyzer)
            if end == .stopped { throw CaptureError(.usage, "\(path): interrupted") }
        } catch {
            // What stands before damage counts.
            guard analyzer.totals.packets > 0, error.exitStatus == ExitStatus.damaged else { throw error }
            failure = error
        }
        analyzer.finish()
        for (linkType, count) in analyzer.decoder.statistics.unknownLinkTypes.sorted(by: { $0.key < $1.key }) {
            report("\(path): link type \(linkType) is not known: \(count) packets were not analysed")
        }
    }

    /// Reads what `esdump fixtures` writes, and whatever else `esdump decode` understands.
    private mutating func readFixture(
        _ path: String,
        _ options: Options,
        _ analysis: AnalysisOptions,
        _ output: any AnalysisOutput,
        otherwise error: CaptureError
    ) throws(CaptureError) {
        let bytes: [UInt8]
        do throws(InputError) { bytes = try readInput(path) } catch { throw CaptureError(.input, error.message) }
        guard let dump = try? DumpReader.read(bytes) else {
            throw CaptureError(.notACapture, "\(error.message); nor is it a fixture (esdump decode tells why)")
        }
        let analyzer = DumpAnalyzer(options: analysis, limits: options.reassemblyLimits, direction: nil)
        let totals = analyzer.run(dump, output: output)
        guard totals.completeMessages + totals.damagedMessages > 0 else {
            throw CaptureError(.notACapture, "\(error.message); nor is it a fixture: there is no message in it")
        }
        isFixture = true
    }
}

/// A capture on the command line, or one of its messages: `A`, `A#12`.
struct CaptureOperand: Equatable {
    let path: String
    let message: Int?

    /// A file that has that name as it stands goes before its part.
    init(_ text: String, exists: (String) -> Bool) {
        guard let mark = text.lastIndex(of: "#"), mark > text.startIndex, !exists(text),
            let number = Int(text[text.index(after: mark)...]), number > 0
        else {
            (path, message) = (text, nil)
            return
        }
        (path, message) = (String(text[..<mark]), number)
    }
}
