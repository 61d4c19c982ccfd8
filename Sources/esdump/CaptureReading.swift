import CaptureAnalysis
import MessageFormat
import PacketCapture

/// Reads the messages of a capture and keeps them.
struct CaptureReading {
    let messages: CapturedMessages
    /// What was wrong with the file behind what could be read.
    private(set) var failure: CaptureError?

    /// - Parameters:
    ///   - path: a capture file; `-` is standard input.
    ///   - conversation: only this one, if given.
    init(_ path: String, _ options: Options, conversation: Int?, maximumBytes: Int) throws(CaptureError) {
        let messages = CapturedMessages(maximumBytes: maximumBytes)
        self.messages = messages
        var analysis = options.analysis
        analysis.conversation = conversation
        var analyzer = CaptureAnalyzer(output: messages, options: analysis, limits: options.reassemblyLimits)
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
        messages.finish()
        if messages.isOverLimit {
            throw CaptureError(
                .usage,
                "\(path) has more messages than may be kept (\(maximumBytes) bytes): choose with --conversation, or give more with --max-kept"
            )
        }
        for (linkType, count) in analyzer.decoder.statistics.unknownLinkTypes.sorted(by: { $0.key < $1.key }) {
            report("\(path): link type \(linkType) is not known: \(count) packets were not analysed")
        }
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
