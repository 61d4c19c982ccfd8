import ESProtocol
import MessageFormat

/// A filter on messages in the style of Wireshark's display filters, compiled:
/// `es.message_type == Logon && es.user_id contains "aa"`.
///
/// It is compiled once and asked for every message; it does not change by that, and may be asked from several threads.
package final class MessageFilter: Sendable {
    /// As it was written.
    package let expression: String
    /// What may be a mistake, but need not be: fields that look like a misspelling of a known one.
    package let hints: [FilterError]
    private let program: FilterProgram

    /// Whether bodies must be there when it is asked.
    package var needsBodies: Bool { program.needsBodies }

    /// Whether the numbers of a message's header and place are enough to decide.
    let asksNumbersOnly: Bool
    /// Whether those are enough that are known with the header.
    let asksHeadersOnly: Bool
    /// Whether those of its conversation are among them.
    let asksForConversation: Bool

    /// - Parameters:
    ///   - utc: times without a zone are UTC, not local.
    ///   - names: of fields, message types and other values.
    package init(
        compiling expression: String,
        utc: Bool = false,
        names: MessageNames = .framework
    ) throws(FilterError) {
        self.expression = expression
        (program, hints) = try FilterCompiler.compile(expression, utc: utc, names: names)
        asksNumbersOnly = program.asksNumbersOnly
        asksHeadersOnly = program.asksHeadersOnly
        asksForConversation = program.asksForConversation
    }

    /// Whether a message matches.
    /// - Parameters:
    ///   - bytes: header and body, those that were there, in order.
    ///   - application: a user's description of bodies.
    package func matches(
        _ report: MessageReport,
        bytes: RawSpan,
        application: (any ApplicationBodies)? = nil
    ) -> Bool {
        var state = FilterState()
        return program.matches(FilterSubject(report, application: application), bytes: bytes, state: &state)
    }

    /// - Parameter numbers: what is asked for; see ``asksNumbersOnly``.
    @inline(__always)
    func matches(_ numbers: FilterNumbers) -> Bool { program.matches(numbers) }

    /// Whether any message of this type may match.
    func mayMatch(typeOf header: MessageHeader) -> Bool { program.mayMatch(typeOf: header) }

    @inline(__always)
    func matches(_ subject: FilterSubject, bytes: RawSpan, state: inout FilterState) -> Bool {
        program.matches(subject, bytes: bytes, state: &state)
    }
}

extension MessageFilter: Equatable {
    /// Two filters are equal if they were written in the same way.
    package static func == (left: MessageFilter, right: MessageFilter) -> Bool { left.expression == right.expression }
}
