import ESProtocol
import MessageFormat

/// What takes the findings of an analysis, in the order in which they are known. It is called once for each message;
/// everything before that is specialised.
package protocol AnalysisOutput: AnyObject {
    /// - Parameter bytes: the bytes of the message that were there, in order; valid during the call only.
    func message(_ report: consuming MessageReport, bytes: RawSpan)
    func event(_ report: EventReport)
    /// False to end the analysis (a closed pipe, enough messages).
    var isOpen: Bool { get }
}

/// What to analyse, and how.
package struct AnalysisOptions: Sendable {
    package var framer = FramerOptions()
    /// The version, or the user's own profile, that was given for all streams.
    package var profile: Profile?
    /// A user's description of bodies, with names of message types.
    package var application: (any ApplicationBodies)?
    /// Whether the version behind a layout that several versions share is looked for in the bodies of the few types of message
    /// that tell it. What shows neither versions nor bodies need not ask.
    package var infersVersions = true
    /// Only the conversation with this number, if given.
    package var conversation: Int?
    /// Only what ends within these times, in nanoseconds since 1970-01-01 UTC.
    package var from = Int64.min
    package var to = Int64.max
    /// Only messages that match.
    package var filter: MessageFilter?
    /// The analysis ends with the first message that matches.
    package var until: MessageFilter?
    /// Partly received messages of all streams together may hold so many bytes.
    package var totalBytes = 256 << 20
    /// Whether whoever takes the findings wants to hear of events; without them, what comes again is not compared with what came
    /// first.
    package var tellsEvents = true
    /// Whether the capture goes on as one looks: a stream is named as not ES once `maximumMessage` bytes hold no message.
    package var isLive = false

    package init() {}

    /// Whether neither a conversation nor a time is asked for.
    var choosesAll: Bool { conversation == nil && from == .min && to == .max }
}
