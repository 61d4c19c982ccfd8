import CaptureAnalysis
import DumpText
import ESProtocol
import MessageFormat
import Testing

/// Messages made from names and values, and from JSON.
@Suite struct EncodingTests {
    private func schema(_ type: UInt16, _ version: ProtocolVersion = .v65, isRequest: Bool = true) throws -> BodySchema
    {
        try #require(
            MessageTypeDescription.find(type, version: version)?.schema(version: version, isRequest: isRequest)
        )
    }

    @Test func fieldsAreSetByAnyOfTheirNames() throws {
        var fields = BodyFields(try schema(112))
        try fields.set("es.body.password", to: "x")
        try fields.set("SystemToken", to: "y")
        try fields.set("authorizeduser", to: "z")
        #expect(fields.value["Password"] == .string("x"))
        #expect(fields.value["SystemToken"] == .string("y"))
        #expect(fields.value["AuthorizedUser"] == .string("z"))
    }

    @Test func nestedFieldsAndListsAreSet() throws {
        var address = BodyFields(try schema(401))
        try address.set("p2p_address.public_ip", to: "192.0.2.7")
        try address.set("P2PAddress.PublicTcpPort", to: "4530")
        #expect(address.value["P2PAddress"]?["PublicIP"] == .string("192.0.2.7"))
        #expect(address.value["P2PAddress"]?["PublicTcpPort"] == .integer(4530))
        #expect(address.value["P2PAddress"]?["PrivateIP"] == .string(""))

        var users = BodyFields(try schema(110, isRequest: false))
        try users.set("user_list", to: "aa01")
        try users.set("user_list", to: "bb02")
        #expect(users.value["UserList"] == .list([.string("aa01"), .string("bb02")]))

        var online = BodyFields(try schema(114, isRequest: false))
        try online.set("body", to: "aa01=true")
        #expect(online.value == .dictionary([.init(key: .string("aa01"), value: .boolean(true))]))
    }

    @Test func valuesOfEachKindAreRead() throws {
        var reply = BodyFields(try schema(112, isRequest: false))
        try reply.set("logon_result", to: "HadLoggedOn")
        try reply.set("p2p_enabled", to: "true")
        try reply.setNull("failure_cause")
        #expect(reply.value["LogonResult"] == .integer(2))
        #expect(reply.value["P2PEnabled"] == .boolean(true))
        #expect(reply.value["FailureCause"] == .null)

        var information = BodyFields(try schema(201))
        try information.set("content", to: "hex:00 ff")
        try information.set("information_type", to: "-1")
        #expect(information.value["Content"] == .bytes([0, 255]))
        #expect(information.value["InformationType"] == .integer(-1))

        var time = BodyFields(try schema(210))
        try time.set("time", to: "2026-11-30T11:04:05.25")
        #expect(time.value["Time"] == .date(BodyDate(raw: 1_796_036_645_250, encoding: .milliseconds)))
        #expect(BodyDate(raw: 1_796_036_645_250, encoding: .milliseconds).description == "2026-11-30 11:04:05.250")
    }

    @Test func whatDoesNotFitIsRefused() throws {
        var reply = BodyFields(try schema(112, isRequest: false))
        #expect(
            throws: BodyFields.Problem.unknown(
                "pasword",
                known: ["failure_cause", "group_relation_enabled", "logon_result", "p2p_enabled", "use_as_p2p_server"]
            )
        ) {
            try reply.set("pasword", to: "x")
        }
        #expect(throws: BodyFields.Problem.self) { try reply.set("p2p_enabled", to: "perhaps") }
        #expect(throws: BodyFields.Problem.self) { try reply.set("logon_result", to: "99999999999") }
        #expect(throws: BodyFields.Problem.self) { try reply.setNull("logon_result") }
    }

    @Test func theStandardValuesCanBeWritten() throws {
        for type in MessageTypeDescription.all {
            for body in type.bodies {
                let fields = BodyFields(body.schema)
                let bytes = try body.schema.bytes(of: fields.value)
                #expect(try body.schema.value(parsing: bytes) == fields.value, "\(type.name)")
            }
        }
    }

    // MARK: - JSON

    private func bytes(_ json: String) throws(DumpError) -> [UInt8] {
        let found = try MessageJSON.messages(Array(json.utf8))
        return try MessageFromJSON(found.messages[0], direction: nil).bytes()
    }

    private func reason(_ json: String) -> String {
        do throws(DumpError) {
            _ = try bytes(json)
            return ""
        } catch { return error.description }
    }

    private let heartBeat =
        #""header_hex":"ff0068000000000000000000046161303100000000000000025f30000000000000000000","body_hex":"""#
    private let es =
        #""es":{"start_token":255,"client_type":0,"message_type":104,"message_id":0,"body_length":0,"user_id":"aa01","dest_user_id":"_0"}"#

    @Test func hexIsTheMessage() throws {
        let made = try bytes("{\(es),\(heartBeat)}")
        #expect(made.count == 36)
        #expect(try bytes(#"{"fields":[],\#(es)}"#) == made)
    }

    @Test func whatContradictsIsRefused() {
        let other = es.replacing("aa01", with: "bb02")
        #expect(reason("{\(other),\(heartBeat)}").contains("es.user_id is not what the hex has"))
        let type = es.replacing("104", with: "105")
        #expect(reason("{\(type),\(heartBeat)}").contains("es.message_type is 105, and the hex has 104"))
    }

    @Test func maskedAndIncompleteMessagesAreRefused() {
        #expect(reason(#"{\#(es),\#(heartBeat),"masked":[[0,4]]}"#).contains("its secrets are masked"))
        #expect(reason(#"{\#(es),\#(heartBeat),"status":"gap","missing":7}"#).contains("7 of its bytes are missing"))
    }

    @Test func fieldsMakeAMessageWithNewLengths() throws {
        func field(_ name: String, _ value: String) -> String {
            #"{"name":"\#(name)","offset":0,"length":0,"value":\#(value)}"#
        }
        let fields = [
            field("es.body.length", "0"), field("es.body.authorized_user.length", "0"),
            field("es.body.authorized_user", "\"FreeUser\""), field("es.body.password.length", "0"),
            field("es.body.password", "\"a new one\""), field("es.body.system_token.length", "0"),
            field("es.body.system_token", "null"),
        ].joined(separator: ",")
        let logon = es.replacing("104", with: "112").replacing("\"message_id\":0", with: "\"message_id\":5")
        let made = try bytes(#"{\#(logon),"fields":[\#(fields)]}"#)
        let message = try Message(parsing: made, layout: HeaderLayout(startToken: .ff, idSlot: 12))
        #expect(message.messageID == 5)
        let body = try schema(112).value(parsing: message.body)
        #expect(body["Password"] == .string("a new one"))
        #expect(body["SystemToken"] == .null)
    }
}
