import CaptureAnalysis
import DumpText
import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture
import Testing

/// Every message of every capture at hand, there and back again.
@Suite struct FixtureTests {
    /// Those without long blobs, which cost time and show nothing that short ones do not.
    private static let small = ExpectedCaptures.all.filter { $0.messages.reduce(0) { $0 + $1.length } < 20_000 }
    /// The project's own among them.
    private static let own = small.filter { $0.folder?.hasSuffix("/Captures") == true }

    private struct Numbered {
        var number: Int
        var report: MessageReport
        var bytes: [UInt8]
    }

    private func messages(_ capture: ExpectedCapture) throws -> [Numbered] {
        var messages: [Numbered] = []
        let collector = MessageCollector {
            messages.append(Numbered(number: $0, report: $1, bytes: $2))
            return true
        }
        var analyzer = CaptureAnalyzer(output: collector, options: AnalysisOptions(), limits: ReassemblyLimits())
        var file = try CaptureFile(path: capture.path)
        _ = try file.read(into: &analyzer)
        analyzer.finish()
        collector.release(before: nil)
        return messages
    }

    /// Long blobs cost time and show nothing that short ones do not.
    private func short(_ messages: [Numbered]) -> [Numbered] { messages.filter { $0.bytes.count <= 4096 } }

    @Test(arguments: small) func whatIsDecodedIsEncodedToTheSameBytes(capture: ExpectedCapture) throws {
        let messages = try messages(capture)
        #expect(messages.map(\.number) == messages.indices.map { $0 + 1 })
        for message in messages where message.report.status == .complete {
            #expect(RoundTrip.check(message.report, message.bytes) == .same, "message \(message.number)")
        }
    }

    @Test(arguments: own) func fixturesAreReadBack(capture: ExpectedCapture) throws {
        let messages = short(try messages(capture)).filter { $0.report.status == .complete }
        let formatter = FixtureFormatter()
        var all = OutputBuffer()
        for message in messages {
            formatter.append(message.report, number: message.number, bytes: message.bytes.span.bytes, to: &all)
        }
        guard !messages.isEmpty else { return }
        let dump = try DumpReader.read(Array(all.string().utf8))
        #expect(dump.pieces.map(\.bytes) == messages.map(\.bytes))
        #expect(dump.pieces.map(\.direction?.rawValue) == messages.map(\.report.direction.name))
    }

    @Test(arguments: own) func breakdownsAreReadBack(capture: ExpectedCapture) throws {
        let messages = short(try messages(capture)).filter { $0.report.status == .complete }
        guard !messages.isEmpty else { return }
        var options = FormatOptions()
        options.showSecrets = true
        options.verbosity = 1
        try check(messages, BreakdownFormatter(options))
        try check(messages, HexFormatter(options))
        options.hexDump = .hexAndText
        try check(messages, SummaryFormatter(options))
        try check(messages, JSONFormatter(options))
    }

    private func check(_ messages: [Numbered], _ formatter: some ReportFormatter) throws {
        var formatter = formatter
        var text = OutputBuffer()
        for message in messages {
            formatter.appendLead(number: message.number, time: message.report.time, to: &text)
            formatter.appendMessage(message.report, bytes: message.bytes.span.bytes, to: &text)
        }
        let dump = try DumpReader.read(Array(text.string().utf8))
        #expect(dump.pieces.map(\.bytes) == messages.map(\.bytes), "\(type(of: formatter))")
    }

    @Test(arguments: own) func jsonIsEncodedToTheSameBytes(capture: ExpectedCapture) throws {
        let messages = short(try messages(capture)).filter { $0.report.status == .complete }
        var options = FormatOptions()
        options.showSecrets = true
        options.verbosity = 1
        var formatter = JSONFormatter(options)
        var text = OutputBuffer()
        for message in messages {
            formatter.appendLead(number: message.number, time: message.report.time, to: &text)
            formatter.appendMessage(message.report, bytes: message.bytes.span.bytes, to: &text)
        }
        let read = try MessageJSON.messages(Array(text.string().utf8))
        let encoded = try read.messages.map { try MessageFromJSON($0, direction: nil).bytes() }
        #expect(encoded == messages.map(\.bytes))
    }

    @Test func sourcesAreReadBackInEveryLanguage() throws {
        let capture = try #require(ExpectedCaptures.all.first { $0.file == "chat-through-server.pcap" })
        let messages = short(try messages(capture))
        for language in SourceLanguage.allCases {
            var text = language.opening(name: "Messages")
            var names: [String] = []
            for message in messages {
                let words = ["message", String(message.number), message.report.direction.name]
                names.append(language.constantName(words))
                text += language.constant(
                    words: words,
                    bytes: message.bytes,
                    notes: ["\(message.report.direction.name)  it"]
                )
            }
            text += language.closing(names: names)
            let dump = try DumpReader.read(Array(text.utf8))
            #expect(dump.pieces.map(\.bytes) == messages.map(\.bytes), "\(language)")
            #expect(dump.pieces.map(\.direction?.rawValue) == messages.map(\.report.direction.name), "\(language)")
            #expect(Set(names).count == names.count)
        }
    }

    @Test func aMessageThatIsNotCompleteSaysWhere() throws {
        let capture = try #require(ExpectedCaptures.all.first { $0.file == "hole-in-body.pcap" })
        let damaged = try #require(try messages(capture).first { $0.report.status == .gap })
        let gap = try #require(damaged.report.gaps.first)
        #expect(
            RoundTrip.check(damaged.report, damaged.bytes)
                == .differs(offset: gap.offset, reason: "1257 bytes of it were not captured")
        )
    }

    // MARK: - Redaction

    @Test(arguments: own) func redactionKeepsLengthsAndForms(capture: ExpectedCapture) throws {
        var redactor = Redactor()
        let describer = BodyDescriber()
        for message in try messages(capture) {
            let (report, bytes) = redactor.redact(message.report, message.bytes)
            #expect(bytes.count == message.bytes.count)
            #expect(report.header == message.report.header)
            guard report.status == .complete, bytes.count <= 4096 else { continue }
            #expect(RoundTrip.check(report, bytes) == .same)
            func fields(_ report: MessageReport, _ bytes: [UInt8]) -> [String] {
                let start = report.header.layout.headerLength
                return describer.describe(
                    body: bytes.span.bytes.extracting(start..<bytes.count),
                    bodyOffset: start,
                    header: report.header,
                    isRequest: report.direction == .clientToServer
                )?.fields.map { "\($0.name) \($0.offset) \($0.length)" } ?? []
            }
            #expect(fields(report, bytes) == fields(message.report, message.bytes))
        }
    }

    @Test(arguments: own) func redactionIsTheSameEachTime(capture: ExpectedCapture) throws {
        let messages = short(try messages(capture))
        var first = Redactor()
        var second = Redactor()
        #expect(
            messages.map { first.redact($0.report, $0.bytes).bytes }
                == messages.map { second.redact($0.report, $0.bytes).bytes }
        )
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func idsPasswordsAndAddressesAreGone() throws {
        var redactor = Redactor()
        let capture = try #require(ExpectedCaptures.all.first { $0.file == "login-password.pcap" })
        let messages = try messages(capture)
        let before = text(messages.flatMap(\.bytes))
        let password = try #require(
            messages.compactMap { BodyForm($0.report, $0.bytes)?.value["Password"]?.text }.first { !$0.isEmpty }
        )
        #expect(before.contains("aa01") && before.contains(password))
        let redacted = messages.map { redactor.redact($0.report, $0.bytes) }
        let after = text(redacted.flatMap(\.bytes))
        #expect(!after.contains("aa01") && !after.contains(password))
        #expect(after.contains("_0"))
        #expect(
            redacted.allSatisfy {
                !$0.report.source.contains("127.0.0.1") && $0.report.source.hasSuffix(":4530")
                    || $0.report.destination.hasSuffix(":4530")
            }
        )
        #expect(redactor.count(.password).values == 2)
        #expect(!redactor.summary.contains(password) && !redactor.summary.contains("aa01"))
    }

    @Test func theSameIDIsReplacedByTheSameEverywhere() throws {
        var redactor = Redactor()
        let capture = try #require(ExpectedCaptures.all.first { $0.file == "chat-through-server.pcap" })
        let messages = try messages(capture)
        var replacements: [String: Set<String>] = [:]
        for message in messages {
            let (_, bytes) = redactor.redact(message.report, message.bytes)
            for range in [message.report.header.userIDRange, message.report.header.destUserIDRange] {
                replacements[text(Array(message.bytes[range])), default: []].insert(text(Array(bytes[range])))
            }
        }
        #expect(replacements.values.allSatisfy { $0.count == 1 })
        #expect(Set(replacements.values.compactMap(\.first)).count == replacements.count)
        #expect(replacements["_0"] == ["_0"])
    }

    @Test func whatStandsBeforeAnIDStays() throws {
        let messages = [("9#aa01", "_g1"), ("aa01", "9#9#aa01"), ("*", "_0")]
        var redactor = Redactor()
        var ids: [String] = []
        for (user, destination) in messages {
            let message = Message(
                layout: HeaderLayout(startToken: .zeroF, idSlot: 14),
                clientType: 9,
                messageType: 206,
                messageID: 1,
                userID: Message.ID(user),
                destUserID: Message.ID(destination)
            )
            let bytes = try message.bytes()
            let report = MessageReport(
                time: 0,
                packet: 1,
                conversation: 1,
                direction: .clientToServer,
                source: "[fe80::1]:1000",
                destination: "192.168.1.77:4530",
                streamOffset: 0,
                status: .complete,
                header: MessageHeader(reading: bytes.span.bytes, layout: message.layout)
            )
            let (redacted, again) = redactor.redact(report, bytes)
            let read = try Message(parsing: again, layout: message.layout)
            ids += [read.userID.text, read.destUserID.text]
            #expect(redacted.source == "[2001:db8::1]:1000")
            #expect(redacted.destination.utf8.count == report.destination.utf8.count)
            #expect(redacted.destination != report.destination)
        }
        #expect(ids[0].hasPrefix("9#") && ids[2] == String(ids[0].dropFirst(2)) && ids[3] == "9#9#" + ids[2])
        #expect(ids[1].hasPrefix("_") && ids[1] != "_g1")
        #expect(ids[4...] == ["*", "_0"])
    }

    @Test func whatFollowsAHoleIsBlanked() throws {
        var redactor = Redactor()
        let capture = try #require(ExpectedCaptures.all.first { $0.file == "hole-in-body.pcap" })
        let damaged = try #require(try messages(capture).first { $0.report.status == .gap })
        let (_, bytes) = redactor.redact(damaged.report, damaged.bytes)
        let gap = try #require(damaged.report.gaps.first)
        #expect(bytes[gap.offset...].allSatisfy { $0 == Redactor.blank })
        #expect(redactor.blankedBytes >= bytes.count - gap.offset)
    }

    @Test func wordsInContentsThatAreKnownIDsAreReplaced() throws {
        var redactor = Redactor()
        func content(_ text: String, user: String) throws -> String {
            let schema = try #require(
                MessageTypeDescription.find(201, version: .v65)?.schema(version: .v65, isRequest: true)
            )
            var fields = BodyFields(schema)
            try fields.set("content", to: text)
            var message = Message(
                layout: HeaderLayout(startToken: .ff, idSlot: 12),
                messageType: 201,
                messageID: 1,
                userID: Message.ID(user),
                destUserID: "_0"
            )
            message.body = try schema.bytes(of: fields.value)
            let bytes = try message.bytes()
            let report = MessageReport(
                time: 0,
                packet: 1,
                conversation: 1,
                direction: .clientToServer,
                source: "10.1.2.3:1000",
                destination: "10.1.2.4:4530",
                streamOffset: 0,
                status: .complete,
                header: MessageHeader(reading: bytes.span.bytes, layout: message.layout)
            )
            let redacted = redactor.redact(report, bytes)
            return try #require(
                BodyForm(redacted.report, redacted.bytes)?.value["Content"].flatMap {
                    if case .bytes(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
                }
            )
        }
        _ = try content("first", user: "aa01")
        #expect(try content("hello aa01, not aa012 or xaa01", user: "bb02") == "hello u001, not aa012 or xaa01")
    }
}
