/// Writes messages and events in one of the formats.
///
/// The caller asks for the lead and for the rest: the rest may be made as soon as the message is there and be kept, the lead
/// when its place in the output is known. Lead and rest, one after the other, are one whole.
package protocol ReportFormatter: SendableMetatype {
    /// What stands before everything else.
    mutating func appendBegin(to out: inout OutputBuffer)
    /// What stands first and depends on the place in the output.
    /// - Parameter number: The message's number in the output, from 1; `nil` for an event.
    mutating func appendLead(number: Int?, time: Int64, to out: inout OutputBuffer)
    /// Everything behind the lead, the last newline included.
    /// - Parameter bytes: The message's bytes that were there, header first, in order.
    mutating func appendMessage(_ message: MessageReport, bytes: RawSpan, to out: inout OutputBuffer)
    mutating func appendEvent(_ event: EventReport, to out: inout OutputBuffer)
    /// What closes the output.
    mutating func appendEnd(to out: inout OutputBuffer)
    /// Says which lines stand before the next one, where others formatted them: times may count from those.
    /// - Parameters:
    ///   - first: The time of the first line of all, `nil` if there is none yet.
    ///   - previous: The time of the line before.
    mutating func continueAfter(first: Int64?, previous: Int64?)
    /// Whether ``appendMessage(_:bytes:to:)`` looks at more of a message than its header.
    var needsBodies: Bool { get }
}

extension ReportFormatter {
    package mutating func appendBegin(to out: inout OutputBuffer) {}
    package mutating func appendEnd(to out: inout OutputBuffer) {}
    package mutating func continueAfter(first: Int64?, previous: Int64?) {}
    package var needsBodies: Bool { true }
}
