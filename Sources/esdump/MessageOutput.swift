import ESProtocol
import MessageFormat

/// A message that was chosen, with its number in the capture.
struct ChosenMessage {
    /// From 1, as `esdump -r` numbers them.
    var number: Int
    var report: MessageReport
    /// Its bytes that are there, header first.
    var bytes: [UInt8]

    /// `Logon`, or `type-64000`.
    var typeName: String {
        report.profile.messageTypeName(report.header.messageType)
            ?? "type-\(report.header.messageType)"
    }
}

/// How messages are written to be used again.
enum BytesForm: String, CaseIterable, Sendable {
    /// Rows of hex with the breakdown behind them as a comment.
    case annotated
    /// A line of hex digits for each message.
    case hex
    case raw
    case json
    case swift, c, objc, csharp, java, python, javascript, go

    var language: SourceLanguage? { SourceLanguage(rawValue: rawValue) }

    var fileExtension: String {
        switch self {
        case .annotated: "hex"
        case .hex: "txt"
        case .raw: "bin"
        case .json: "json"
        default: language?.fileExtension ?? rawValue
        }
    }
}

/// Writes messages in one of these forms.
struct MessageOutput {
    let form: BytesForm
    /// What stands at the beginning of the text as a comment, a line each.
    var header: [String] = []
    /// Of the type that holds constants, in languages that need one.
    var typeName = "Messages"
    /// A user's description of bodies.
    var application: (any ApplicationBodies)?

    /// All bytes of a file with these messages.
    func contents(_ messages: [ChosenMessage]) -> [UInt8] {
        var out = OutputBuffer()
        if let language = form.language {
            appendSource(messages, language, to: &out)
        } else {
            if form == .annotated || form == .hex && !header.isEmpty {
                for line in header { out.append("# \(escapingControls(line))\n") }
                if form == .annotated, !header.isEmpty { out.append("\n") }
            }
            appendPlain(messages, to: &out)
        }
        return out.withUnsafeBytes { Array($0) }
    }

    private func appendPlain(_ messages: [ChosenMessage], to out: inout OutputBuffer) {
        var options = FormatOptions()
        options.showSecrets = true
        options.verbosity = 1
        options.hasPackets = false
        options.application = application
        var json = JSONFormatter(options)
        let fixture = FixtureFormatter(application: application)
        for message in messages {
            switch form {
            case .annotated:
                fixture.append(message.report, number: message.number, bytes: message.bytes.span.bytes, to: &out)
            case .json:
                json.appendLead(number: message.number, time: message.report.time, to: &out)
                json.appendMessage(message.report, bytes: message.bytes.span.bytes, to: &out)
            case .raw:
                message.bytes.withUnsafeBytes { out.append($0.assumingMemoryBound(to: UInt8.self)) }
            default:
                message.bytes.withUnsafeBytes { out.append(hex: $0) }
                out.append("\n")
            }
        }
    }

    private func appendSource(_ messages: [ChosenMessage], _ language: SourceLanguage, to out: inout OutputBuffer) {
        for line in header { out.append("\(language.comment) \(escapingControls(line))\n") }
        if !header.isEmpty { out.append("\n") }
        out.append(language.opening(name: typeName))
        var names: [String] = []
        for (index, message) in messages.enumerated() {
            if index > 0 { out.append("\n") }
            var words = ["message", String(message.number), message.report.direction.name, message.typeName]
            // Encoded, not captured: there is nothing to number if there is only one.
            if header.isEmpty, messages.count == 1 { words = [message.typeName, "message"] }
            out.append(language.constant(words: words, bytes: message.bytes, notes: [note(message)]))
            names.append(language.constantName(words))
        }
        out.append(language.closing(names: names))
    }

    /// `c2s  Logon (112)  id 1  aa01 → _0  60 bytes`
    private func note(_ message: ChosenMessage) -> String {
        var out = OutputBuffer(capacity: 128)
        out.append(summaryOf: message.report, message.bytes.span.bytes)
        return out.string()
    }
}
