import ESProtocol
import MessageFormat

/// What takes the findings of an analysis, in the order in which they are known. It is called once for each message;
/// everything before that is specialised.
package protocol AnalysisOutput: AnyObject {
    /// - Parameter bytes: the bytes of the message that were there, in order; valid during the call only.
    func message(_ report: MessageReport, bytes: RawSpan)
    func event(_ report: EventReport)
    /// False to end the analysis (a closed pipe, enough messages).
    var isOpen: Bool { get }
}

/// What to analyse, and how.
package struct AnalysisOptions: Sendable {
    package var framer = FramerOptions()
    /// The version that was given for all streams, to be named where the bytes leave it open.
    package var givenVersion: String?
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

    /// Whether neither a conversation nor a time is asked for.
    var choosesAll: Bool { conversation == nil && from == .min && to == .max }
}
