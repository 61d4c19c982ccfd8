import TestSupport
import Testing

@testable import ESProtocol

struct MessageTests {
    @Test func logonOf40() throws {
        let wire = bytes(
            "ffff 7400 01000000 0c000000 04 61613031 00000000000000 02 5f30 000000000000000000 08000000 00000000 00000000"
        )
        let layout = HeaderLayout(startToken: .ffff, idSlot: 12)
        let message = try Message(parsing: wire, layout: layout)
        #expect(message.messageType == 116)
        #expect(message.userID.text == "aa01")
        #expect(message.destUserID == "_0")
        #expect(try message.bytes() == wire)
        let made = Message(
            layout: layout,
            messageType: 116,
            messageID: 1,
            userID: "aa01",
            destUserID: "_0",
            body: bytes("08000000 00000000 00000000")
        )
        #expect(try made.bytes() == wire)
    }

    @Test func paddingIsKept() throws {
        var wire = try Message(
            layout: HeaderLayout(startToken: .zeroF, idSlot: 14),
            clientType: 9,
            messageType: 201,
            messageID: -7,
            userID: "9#aa01",
            destUserID: "bb02",
            body: [1, 2, 3]
        ).bytes()
        wire[12 + 14 - 1] = 0xEE
        let layout = HeaderLayout(startToken: .zeroF, idSlot: 14)
        var message = try Message(parsing: wire, layout: layout)
        #expect(try message.bytes() == wire)
        message.userID.bytes = Array("9#cc".utf8)
        #expect(try message.bytes()[25] == 0)
    }

    @Test func everyValidMessageComesBack() throws {
        var generator = SeededGenerator(seed: bodyTestSeed)
        for _ in 0..<2000 {
            let token = HeaderLayout.StartToken.allCases.randomElement(using: &generator) ?? .ff
            let layout = HeaderLayout(startToken: token, idSlot: UInt8.random(in: 1...40, using: &generator))
            var wire = (0..<layout.headerLength + Int.random(in: 0...50, using: &generator)).map { _ in
                UInt8(generator.next() & 255)
            }
            wire[0] = token.firstByte
            if token == .ffff { wire[1] = 0xFF }
            for index in 8..<12 { wire[index] = 0 }
            wire[8] = UInt8(wire.count - layout.headerLength)
            wire[12] = UInt8.random(in: 0..<layout.idSlot, using: &generator)
            wire[layout.destUserIDOffset] = UInt8.random(in: 0..<layout.idSlot, using: &generator)
            #expect(try Message(parsing: wire, layout: layout).bytes() == wire, "seed \(bodyTestSeed)")
            for count in 0..<wire.count {
                #expect(throws: MessageError.self) { try Message(parsing: Array(wire[..<count]), layout: layout) }
            }
        }
    }

    @Test func whatDoesNotFitIsSaid() {
        let layout = HeaderLayout(startToken: .ff, idSlot: 12)
        let long = Message(layout: layout, messageType: 1, messageID: 1, userID: "more than eleven", destUserID: "")
        #expect(throws: MessageError.idLength(says: 16, room: 11, isDestination: false)) { try long.bytes() }
        #expect(throws: MessageError.header(needs: 36, there: 3)) { try Message(parsing: [1, 2, 3], layout: layout) }
    }
}

struct ProfileTests {
    /// Measured with SetMaxLengthOfUserID, PROTOCOL.md section 2.
    @Test func idSlots() {
        for (maximum, header) in [(10, 36), (11, 36), (12, 40), (20, 56)] {
            #expect(Profile(.v47).layout(maximumUserIDLength: maximum)?.headerLength == header)
            #expect(Profile(.v65).layout(maximumUserIDLength: maximum)?.headerLength == header)
        }
        for (maximum, header) in [(10, 40), (11, 40), (12, 44), (20, 60), (21, 60)] {
            #expect(Profile(.v72).layout(maximumUserIDLength: maximum)?.headerLength == header)
        }
        #expect(Profile(.v40).layout(maximumUserIDLength: 11)?.headerLength == 36)
        for maximum in [-1, 253, 254, 255, 256, Int.max, Int.min] {
            for profile in Profile.all { _ = profile.layout(maximumUserIDLength: maximum) }
        }
    }

    @Test func namesByVersion() {
        #expect(Profile(.v40).messageTypeName(116) == "Logon")
        #expect(Profile(.v40).messageTypeName(112) == nil)
        #expect(Profile(.v72).messageTypeName(116) == "GetMyOnlineDevice")
        #expect(Profile(.v47).messageTypeName(106) == "PingByP2PChannel")
        #expect(Profile(.v65).messageTypeName(106) == nil)
        #expect(Profile(.v65).messageTypeName(199) == "PingByP2PChannel")
        #expect(Profile(.v47).clientTypeName(6) == "others")
        #expect(Profile(.v65).clientTypeName(6) == "Xamarin")
        #expect(Profile(.v72).clientTypeName(7) == nil)
        #expect(ProtocolVersions(startToken: .ff).name == "4.7 or 6.5")
        let layout = HeaderLayout(startToken: .ff, idSlot: 12)
        #expect(MessageTypeNames.name(of: 106, layout: layout) == "PingByP2PChannel")
        #expect(MessageTypeNames.name(of: 65535, layout: layout) == nil)
    }
}
