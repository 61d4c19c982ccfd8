import ESProtocol
import TestSupport
import Testing

@Suite struct MessageDecoderTests {
    private func message(_ layout: HeaderLayout, _ body: [UInt8], user: Message.ID = "aa01") -> Message {
        Message(
            layout: layout,
            clientType: layout.startToken == .ffff ? 0 : 1,
            messageType: 202,
            messageID: 3,
            userID: user,
            destUserID: "_0",
            body: body
        )
    }

    private func decode(_ decoder: inout MessageDecoder, _ bytes: [UInt8], piece: Int) throws -> [Message] {
        var messages: [Message] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            decoder.push(bytes[start..<min(start + piece, bytes.count)])
            while let message = try decoder.next() { messages.append(message) }
        }
        return messages
    }

    @Test(arguments: ProtocolVersion.allCases, [1, 7, 100_000])
    func theLayoutIsFoundAndEverySplitGivesTheSame(version: ProtocolVersion, piece: Int) throws {
        for length in [11, 20] {
            let layout = SessionProfile(version, maximumUserIDLength: length).layout
            let messages = [message(layout, []), message(layout, [1, 2, 3], user: ""), message(layout, [9])]
            let bytes = try messages.flatMap { try $0.bytes() }
            var decoder = MessageDecoder(layout: nil, maximumBody: 10)
            #expect(try decode(&decoder, bytes, piece: piece) == messages)
            #expect(decoder.layout == layout)
            #expect(decoder.streamOffset == Int64(bytes.count) && decoder.pendingByteCount == 0)
        }
    }

    @Test func theFirstMayBeWithoutASender() throws {
        let layout = SessionProfile(.v72).layout
        let asking = message(layout, [1], user: "")
        var decoder = MessageDecoder(layout: nil, maximumBody: 10)
        #expect(try decode(&decoder, try asking.bytes(), piece: 1) == [asking])
        #expect(decoder.layout == layout)
    }

    @Test func whatIsNoHeaderIsSeenAsSoonAsItCanBe() throws {
        let layout = SessionProfile(.v65).layout
        var decoder = MessageDecoder(layout: nil, maximumBody: 10)
        decoder.push([0x47])
        #expect(throws: MessageDecoder.Failure.notAHeader([0x47], offset: 0)) { try decoder.next() }
        // It stays so.
        decoder.push(try message(layout, []).bytes())
        #expect(throws: MessageDecoder.Failure.notAHeader([0x47], offset: 0)) { try decoder.next() }

        var long = try message(layout, []).bytes()
        long.replaceSubrange(8..<12, with: [11, 0, 0, 0])
        var second = MessageDecoder(layout: layout, maximumBody: 10)
        second.push(long[..<12])
        #expect(throws: MessageDecoder.Failure.bodyTooLong(11, limit: 10, offset: 0)) { try second.next() }

        var negative = try message(layout, []).bytes()
        negative[11] = 0x80
        var third = MessageDecoder(layout: layout, maximumBody: 10)
        third.push(negative)
        #expect(throws: MessageDecoder.Failure.self) { try third.next() }

        var padded = try message(layout, [1]).bytes()
        padded[20] = 1
        var fourth = MessageDecoder(layout: layout, maximumBody: 10)
        // Before the body has come.
        fourth.push(padded[..<36])
        #expect(throws: MessageDecoder.Failure.self) { try fourth.next() }
    }

    @Test func zerosWithoutEndAreNoHeader() {
        var decoder = MessageDecoder(layout: nil, maximumBody: 10)
        decoder.push([0xFF, 0, 112, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 200))
        #expect(throws: MessageDecoder.Failure.self) { try decoder.next() }
    }

    @Test func anythingIsTakenWithoutATrap() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            var decoder = MessageDecoder(layout: nil, maximumBody: 100)
            var bytes = (0..<Int.random(in: 0..<120, using: &generator)).map { _ in
                Bool.random(using: &generator) ? 0 : UInt8.random(in: 0...255, using: &generator)
            }
            if !bytes.isEmpty { bytes[0] = Bool.random(using: &generator) ? 0xFF : 0x0F }
            decoder.push(bytes)
            while let _ = try? decoder.next() {}
        }
    }

    @Test func idsAreTakenApart() {
        #expect(LoginID("9#aa01").user == "aa01" && LoginID("9#aa01").clientType == 9)
        #expect(LoginID("9#9#aa01").user == "aa01")
        #expect(LoginID("aa01").clientType == nil && LoginID("_0").user == "_0")
        for odd in ["#0", "300#a", "x#a", "+1#a", "1#2#3#a"] { _ = LoginID(odd) }
        #expect(LoginID("#0").user == "#0" && LoginID("300#a").user == "300#a" && LoginID("+1#a").user == "+1#a")
    }
}
