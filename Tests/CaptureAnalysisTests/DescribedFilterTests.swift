import BodyDescription
import ESProtocol
import MessageFormat
import Testing

@testable import CaptureAnalysis

/// Filters that use the names of a user's files.
@Suite struct DescribedFilterTests {
    private let bodies: DescribedBodies
    private let names: MessageNames

    init() throws {
        bodies = try DescribedBodies(
            DescriptionFile(
                """
                meta: {id: app, endian: le, encoding: UTF-8}
                enums:
                  message_type: {112: {id: sign_in, -orig-id: SignIn}, 5000: heart_beat2, 5001: {id: kick, -orig-id: KickOut}}
                  mood: {0: {id: fine, -orig-id: Fine}, 1: succeed}
                types:
                  chat:
                    -esdump-message-type: 5000
                    seq:
                      - {id: logon_result, type: u1, enum: mood}
                      - {id: password, type: str, size: 2}
                      - {id: line, type: str, size: 4, encoding: GBK}
                      - {id: items, type: item, repeat: eos}
                    instances: {is_fine: {value: logon_result == mood::fine}}
                  item: {seq: [{id: n, type: u1}]}
                """,
                name: "t.ksy"
            )
        )
        names = MessageNames(application: bodies, custom: nil)
    }

    private let body: [UInt8] = [0, 0x61, 0x62, 0xC4, 0xE3, 0xBA, 0xC3, 1, 9]

    private func report(_ type: UInt16, _ body: [UInt8]) -> (MessageReport, [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: 36)
        bytes[0] = 0xFF
        bytes[2] = UInt8(type & 255)
        bytes[3] = UInt8(type >> 8)
        bytes[8] = UInt8(body.count)
        let layout = HeaderLayout(startToken: .ff, idSlot: 12)
        let header = MessageHeader(reading: bytes.span.bytes, layout: layout)
        var report = MessageReport(
            time: 0,
            packet: 1,
            conversation: 1,
            isUDP: false,
            direction: .clientToServer,
            source: "10.0.0.1:5",
            destination: "10.0.0.2:4530",
            streamOffset: 0,
            status: .complete,
            header: header,
            gaps: []
        )
        report.profile = Profile(.v65)
        report.profile.describedNames = bodies.messageTypeNames
        return (report, bytes + body)
    }

    private func matches(_ expression: String, type: UInt16 = 5000) throws -> Bool {
        let (report, bytes) = report(type, body)
        let filter = try MessageFilter(compiling: expression, utc: true, names: names)
        return filter.matches(report, bytes: bytes.span.bytes, application: bodies)
    }

    @Test(arguments: [
        "es.message_type == heart_beat2", "es.message_type == HEART_BEAT2", "es.message_type_name == \"heart_beat2\"",
        "es.body.password == \"ab\"", "es.body.line == \"你好\"", "es.body.line contains \"好\"",
        "es.body.logon_result == Fine", "es.body.logon_result == fine", "es.body.logon_result == 0",
        "es.body.items.n == 9", "es.body.items[0].n == 1", "count(es.body.items.n) == 2", "es.body.is_fine == true",
        "es.body.password == \"ab\" && es.message_type in {SignIn, heart_beat2}",
    ])
    func match(_ expression: String) throws { #expect(try matches(expression)) }

    @Test(arguments: [
        // 0 is Succeed in the framework's body with that field, and not in this one.
        "es.body.logon_result == Succeed", "es.message_type == SignIn", "es.body.items[0].n == 9",
        "es.body.is_fine == false",
    ])
    func doNotMatch(_ expression: String) throws { #expect(try !matches(expression)) }

    @Test func aNameThatIsTakenMeansTheUsers() throws {
        // The framework's KickOut has another number.
        #expect(try matches("es.message_type == KickOut", type: 5001))
        let own = try #require(MessageTypeDescription.all.first { $0.name == "KickOut" }?.number)
        #expect(try !matches("es.message_type == KickOut", type: own))
        #expect(try matches("es.message_type == SignIn", type: 112))
        #expect(try matches("es.message_type == sign_in", type: 112))
    }

    private func error(_ expression: String) -> FilterError? {
        do throws(FilterError) {
            _ = try MessageFilter(compiling: expression, names: names)
            return nil
        } catch {
            return error
        }
    }

    @Test func errorsKnowTheNames() throws {
        #expect(error("es.message_type == hart_beat2")?.message.hasSuffix("did you mean heart_beat2?") == true)
        #expect(error("es.body.is_fine == maybe")?.message == "es.body.is_fine is true or false, and maybe is not")
        #expect(error("es.body.items == 1")?.message.contains("es.body.items.n") == true)
        #expect(error("SignIn")?.message == "SignIn is a message type: es.message_type == SignIn")
        let hints = try MessageFilter(compiling: "es.body.itms.n == 1 || es.message_type == Logon", names: names).hints
        #expect(hints.count == 2)
        #expect(hints.first?.message.contains("did you mean es.body.items.n?") == true)
        #expect(hints.last?.message.contains("SignIn") == true)
        #expect(try MessageFilter(compiling: "es.body.items[3].n == 1 && es.body.is_fine", names: names).hints.isEmpty)
    }

    @Test func bodiesOfOtherTypesAreNotRead() throws {
        let (program, _) = try FilterCompiler.compile("es.body.items.n == 1", utc: true, names: names)
        #expect(program.ranges.contains { $0.low == 5000 && $0.high == 5000 })
    }

    @Test func columnsShowThem() throws {
        var columns = ColumnOptions()
        for name in ["es.body.line", "es.body.password", "es.body.logon_result", "es.body.items.n", "es.body.is_fine"] {
            #expect(try columns.add(name, names: names) == nil)
        }
        #expect(try columns.add("es.body.lines", names: names)?.hasSuffix("did you mean es.body.line?") == true)
        var options = FormatOptions()
        options.application = bodies
        var formatter = ColumnFormatter(columns, options)
        var out = OutputBuffer()
        let (report, bytes) = report(5000, body)
        formatter.appendMessage(report, bytes: bytes.span.bytes, to: &out)
        #expect(out.string() == "你好\t(hidden)\t0\t1,9\ttrue\t\n")
    }

    @Test func aProfileGivesNamesAndBodies() throws {
        let custom = CustomProfile(
            name: "app",
            version: .v65,
            types: [2112: CustomProfile.MessageType(name: "MyLogon", bodyType: 112)]
        )
        let names = MessageNames(application: nil, custom: custom)
        let name = try #require(MessageNames.framework.messageTypes.first { $0.value == 112 })
        #expect(name.name == "Logon")
        #expect(names.messageTypes.contains { $0.name == "MyLogon" && $0.value == 2112 })
        let (program, _) = try FilterCompiler.compile("es.body.password == \"x\"", utc: true, names: names)
        #expect(program.ranges.contains { $0.low == 2112 })
    }

    @Test func secretsOfDescribedBodiesAreReplaced() throws {
        let (report, bytes) = report(5000, body)
        #expect(report.secrets(in: bytes.span.bytes, application: bodies) == [37..<39])
        var redactor = Redactor(application: bodies)
        let (_, redacted) = redactor.redact(report, bytes)
        #expect(Array(redacted[37..<39]) != [0x61, 0x62])
        #expect(redacted.count == bytes.count)
        #expect(redactor.count(.password).places == 1)
    }

    /// What is packed gives its secrets away to everyone who unpacks it.
    @Test func packedSecretsAreBlanked() throws {
        let bodies = try DescribedBodies(
            DescriptionFile(
                """
                meta: {id: app, encoding: ASCII}
                -esdump-message-type: 5000
                seq: [{id: n, type: u1}, {id: packed, type: inner, size-eos: true, process: xor(1)}]
                types: {inner: {seq: [{id: password, type: str, size-eos: true}]}}
                """,
                name: "t.ksy"
            )
        )
        let (report, bytes) = report(5000, [7, 0x60, 0x63])
        #expect(report.secrets(in: bytes.span.bytes, application: bodies) == [37..<39])
        var redactor = Redactor(application: bodies)
        #expect(Array(redactor.redact(report, bytes).bytes[36...]) == [7, Redactor.blank, Redactor.blank])
    }
}
