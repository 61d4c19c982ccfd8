import CaptureAnalysis
import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture
import Testing

/// Every byte of the recordings' complete messages has a name, and the values are those of the bytes.
@Suite struct NamedByteTests {
    private func analyze(_ capture: ExpectedCapture) throws -> RecordingOutput {
        let output = RecordingOutput()
        var analyzer = CaptureAnalyzer(output: output, options: AnalysisOptions(), limits: ReassemblyLimits())
        var file = try CaptureFile(path: capture.path)
        _ = try file.read(into: &analyzer)
        analyzer.finish()
        return output
    }

    private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    /// The bytes that a field's value stands for, its padding included; `nil` for a value that does not tell.
    private static func bytes(of field: Field) -> [UInt8]? {
        switch field.value {
        case .integer(let value): little(UInt64(bitPattern: value), field.length)
        case .unsigned(let value): little(value, field.length)
        case .boolean(let value): [value ? 1 : 0]
        case .text(let text):
            Array(text.utf8) + [UInt8](repeating: 0, count: max(field.length - text.utf8.count, 0))
        case .date(let milliseconds): little(UInt64(bitPattern: milliseconds), field.length)
        case .none, .real, .bytes: nil
        }
    }

    @Test(arguments: ExpectedCaptures.all) func everyByteHasAName(capture: ExpectedCapture) throws {
        let output = try analyze(capture)
        let version = Self.version(of: capture)
        var expected: [String: ExpectedCapture.Message] = [:]
        for message in capture.messages { expected["\(message.src) \(message.dst) \(message.stream_offset)"] = message }
        for message in output.messages where message.report.status == .complete {
            let report = message.report
            let place = "\(capture.testDescription) packet \(report.packet), type \(report.header.messageType)"
            let fields = message.report.fields(in: message.bytes.span.bytes, describer: BodyDescriber())
            var position = 0
            for field in fields {
                #expect(field.offset == position, "\(place): \(field.name)")
                position += field.length
                let bytes = Array(message.bytes[field.offset..<field.offset + field.length])
                if let value = Self.bytes(of: field), field.length > 0 {
                    #expect(value == bytes, "\(place): \(field.name) is \(field.value)")
                }
            }
            #expect(position == message.bytes.count, "\(place)")
            // Never another version than the one that made the recording.
            #expect(report.profile.versions.isSuperset(of: version), "\(place)")
            #expect(
                fields.contains { $0.name == "es.body" || $0.name.hasSuffix(".rest") } == false
                    || report.profile.messageTypeName(report.header.messageType) == nil,
                "\(place): bytes without a name"
            )
            try expectNoGuess(message, place)

            let key = "\(report.source) \(report.destination) \(report.streamOffset)"
            guard let truth = expected[key] else { continue }
            func value(_ name: String) -> FieldValue? { fields.first { $0.name == name }?.value }
            #expect(value("es.message_type") == .unsigned(UInt64(truth.message_type)))
            #expect(value("es.message_id") == .integer(Int64(truth.message_id)))
            #expect(value("es.body_length") == .integer(Int64(truth.body_length)))
            if let user = truth.user_id { #expect(value("es.user_id") == .text(user)) }
            if let user = truth.dest_user_id { #expect(value("es.dest_user_id") == .text(user)) }
            if let name = truth.name, name != "?" {
                #expect(report.profile.messageTypeName(report.header.messageType) == name, "\(place)")
            }
        }
    }

    /// Guesses: only in types that the framework does not have.
    private func expectNoGuess(_ message: RecordingOutput.Message, _ place: String) throws {
        let report = message.report
        let start = report.header.layout.headerLength
        let description = BodyDescriber(profile: report.profile).describe(
            body: message.bytes.span.bytes.extracting(start..<message.bytes.count),
            bodyOffset: start,
            header: report.header,
            isRequest: report.isRequest
        )
        guard report.profile.messageTypeName(report.header.messageType) != nil else { return }
        #expect(description?.isGuess != true, "\(place)")
        #expect(description?.isExact != false, "\(place)")
    }

    /// What made a recording.
    private static func version(of capture: ExpectedCapture) -> ProtocolVersions {
        let folder = capture.folder.map { $0.split(separator: "/").last ?? "" } ?? ""
        let name = folder == "damaged" || folder == "Captures" ? capture.file : "\(folder)-"
        switch true {
        case name.hasPrefix("4.7"): return .v47
        case name.contains("7.2"): return .v72
        case name.hasPrefix("logon-4.0"): return .v40
        default: return .v65
        }
    }
}
