import ESProtocol
import MessageFormat

/// What takes the findings of an analysis, in the order in which they are known.
package protocol AnalysisOutput {
    /// Whether reports are wanted at all; otherwise only the totals are kept.
    var wantsReports: Bool { get }
    /// - Parameter bytes: the bytes of the message that were there, in order; valid during the call only.
    mutating func message(_ report: MessageReport, bytes: RawSpan)
    mutating func event(_ report: EventReport)
    /// False to end the analysis (a closed pipe, enough messages).
    var isOpen: Bool { get }
}

/// Takes nothing: for counting.
package struct NoOutput: AnalysisOutput {
    package init() {}
    package var wantsReports: Bool { false }
    package mutating func message(_ report: MessageReport, bytes: RawSpan) {}
    package mutating func event(_ report: EventReport) {}
    package var isOpen: Bool { true }
}

/// What to analyse, and how.
package struct AnalysisOptions: Sendable {
    package var framer = FramerOptions()
    /// Only the conversation with this number, if given.
    package var conversation: Int?
    /// Only what ends within these times, in nanoseconds since 1970-01-01 UTC.
    package var from = Int64.min
    package var to = Int64.max
    /// Partly received messages of all streams together may hold so many bytes.
    package var totalBytes = 256 << 20
    /// Whether the capture goes on as one looks: a stream is named as not ES once `maximumMessage` bytes hold no message.
    package var isLive = false

    package init() {}
}
