// esdump 0.1.0 fixture
// made by: esdump fixtures login-7.2.pcap --as-test swift-testing --output CapturedLoginTests.swift

import ESProtocol
import Testing

@Suite struct CapturedLoginTests {
    /// Message 1: c2s  Logon (112)  id 1  9#aa01 → _0  72 bytes
    @Test func message1ToServerLogon() throws {
        let sent = bytes(
            """
            0f09700001000000200000000639236161303100000000000000025f30000000
            00000000000000001c0000000800000046726565557365720000000008000000
            3230323631313330
            """
        )
        let layout = HeaderLayout(startToken: .zeroF, idSlot: 14)
        let message = try Message(parsing: sent, layout: layout)
        #expect(message.clientType == 9)
        #expect(message.messageType == 112)
        #expect(message.messageID == 1)
        #expect(message.userID.text == "9#aa01")
        #expect(message.destUserID.text == "_0")
        #expect(try message.bytes() == sent)

        let form = try #require(
            MessageTypeDescription.find(112, version: .v72)?
                .schema(version: .v72, isRequest: true)
        )
        let fields: BodyValue = .object([
            BodyValue.Property("AuthorizedUser", .string("FreeUser")),
            BodyValue.Property("Password", .string("")),
            BodyValue.Property("SystemToken", .string("20261130")),
        ])
        #expect(try form.value(parsing: message.body) == fields)

        let encoded = Message(
            layout: layout,
            clientType: 9,
            messageType: 112,
            messageID: 1,
            userID: Message.ID("9#aa01"),
            destUserID: Message.ID("_0"),
            body: try form.bytes(of: fields)
        )
        #expect(try encoded.bytes() == sent)
    }

    /// Message 2: s2c  Logon (112)  id 1  _0 → 9#aa01  55 bytes
    @Test func message2ToClientLogon() throws {
        let sent = bytes(
            """
            0f007000010000000f000000025f300000000000000000000000063923616130
            31000000000000000b0000000000000000000000000000
            """
        )
        let layout = HeaderLayout(startToken: .zeroF, idSlot: 14)
        let message = try Message(parsing: sent, layout: layout)
        #expect(message.clientType == 0)
        #expect(message.messageType == 112)
        #expect(message.messageID == 1)
        #expect(message.userID.text == "_0")
        #expect(message.destUserID.text == "9#aa01")
        #expect(try message.bytes() == sent)

        let form = try #require(
            MessageTypeDescription.find(112, version: .v72)?
                .schema(version: .v72, isRequest: false)
        )
        let fields: BodyValue = .object([
            BodyValue.Property("FailureCause", .string("")),
            BodyValue.Property("GroupRelationEnabled", .boolean(false)),
            BodyValue.Property("LogonResult", .integer(0)),
            BodyValue.Property("P2PEnabled", .boolean(false)),
            BodyValue.Property("UseAsP2PServer", .boolean(false)),
        ])
        #expect(try form.value(parsing: message.body) == fields)

        let encoded = Message(
            layout: layout,
            clientType: 0,
            messageType: 112,
            messageID: 1,
            userID: Message.ID("_0"),
            destUserID: Message.ID("9#aa01"),
            body: try form.bytes(of: fields)
        )
        #expect(try encoded.bytes() == sent)
    }

    /// Message 3: c2s  HeartBeat (104)  id 0  9#aa01 → _0  40 bytes
    @Test func message3ToServerHeartBeat() throws {
        let sent = bytes(
            """
            0f09680000000000000000000639236161303100000000000000025f30000000
            0000000000000000
            """
        )
        let layout = HeaderLayout(startToken: .zeroF, idSlot: 14)
        let message = try Message(parsing: sent, layout: layout)
        #expect(message.clientType == 9)
        #expect(message.messageType == 104)
        #expect(message.messageID == 0)
        #expect(message.userID.text == "9#aa01")
        #expect(message.destUserID.text == "_0")
        #expect(try message.bytes() == sent)
        #expect(message.body == [])

        let encoded = Message(
            layout: layout,
            clientType: 9,
            messageType: 104,
            messageID: 0,
            userID: Message.ID("9#aa01"),
            destUserID: Message.ID("_0"),
            body: []
        )
        #expect(try encoded.bytes() == sent)
    }

    /// Bytes of hex digits.
    private func bytes(_ hex: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in hex {
            guard let digit = character.hexDigitValue.map(UInt8.init) else { continue }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }
}
