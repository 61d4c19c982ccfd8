import MessageFormat

/// Redacts messages and events on their way to what shows them.
package final class RedactingOutput: AnalysisOutput {
    private let next: any AnalysisOutput
    package private(set) var redactor: Redactor

    package init(_ next: any AnalysisOutput, redactor: Redactor = Redactor()) {
        self.next = next
        self.redactor = redactor
    }

    package var isOpen: Bool { next.isOpen }

    package func message(_ report: MessageReport, bytes: RawSpan) {
        let redacted = redactor.redact(report, bytes.withUnsafeBytes { Array($0) })
        next.message(redacted.report, bytes: redacted.bytes.span.bytes)
    }

    package func event(_ report: EventReport) { next.event(redactor.redact(report)) }
}
