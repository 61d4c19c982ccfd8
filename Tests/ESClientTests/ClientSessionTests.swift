import ESClient
import ESProtocol
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClientSessionTests {
    private let time = LocalTime(date: "20261130", milliseconds: 1_796_011_094_979)

    /// A session that is logged on.
    private func session(_ version: ProtocolVersion = .v65) throws -> ClientSession {
        var session = ClientSession(profile: SessionProfile(version))
        _ = try session.logOn(user: "aa01", password: "", time: time)
        let outputs = session.receive(try reply(.logon, 1, session, logonReply()))
        #expect(outputs.last == .logonResult(.succeeded(LogonResult.SessionSettings())))
        return session
    }

    private func logonReply() -> [UInt8] {
        var body = PrimitiveWriter()
        body.object {
            $0.append("")
            $0.append(false)
            $0.append(Int32(0))
            $0.append(false)
            $0.append(false)
        }
        return body.bytes
    }

    private func reply(
        _ kind: SessionMessage,
        _ id: Int32,
        _ session: ClientSession,
        _ body: [UInt8] = [],
        from sender: String = "_0"
    ) throws -> [UInt8] {
        try Message(
            layout: session.profile.layout,
            messageType: session.profile.number(of: kind),
            messageID: id,
            userID: Message.ID(sender),
            destUserID: Message.ID(session.loginID),
            body: body
        ).bytes()
    }

    @Test func theLogonOfEachGenerationIsTheOneThatWasRecorded() throws {
        // PROTOCOL.md sections 1 and 4.
        func logon(_ profile: SessionProfile) throws -> [UInt8] {
            var session = ClientSession(profile: profile)
            return try session.logOn(user: "aa01", password: "", time: time).bytes
        }
        #expect(
            try logon(SessionProfile(.v40)).hex
                == "ffff7400010000000c0000000461613031000000000000000" + "25f30000000000000000000" + "0800000000000000"
                + "00000000"
        )
        #expect(
            try logon(SessionProfile(.v65, clientType: 0)).hex
                == "ff0070000100000018000000046161303100000000000000025f30000000000000000000"
                + "140000000800000046726565557365720000000000000000"
        )
        #expect(
            try logon(SessionProfile(.v72, clientType: 9)).hex
                == "0f097000010000002000000006392361613031000000000000" + "00025f3000000000000000000000" + "00"
                + "1c00000008000000467265655573657200000000080000003230323631313330"
        )
    }

    @Test func aProfileOfOnesOwnIsWrittenAsItSays() throws {
        var profile = SessionProfile(.v65, maximumUserIDLength: 20, clientType: 5)
        profile.numbers = [.logon: 1112, .heartBeat: 1104]
        profile.logonForm = SessionProfile.LogonForm(hasAuthorizedUser: false, hasDate: true)
        var session = ClientSession(profile: profile)
        let bytes = try session.logOn(user: "a", password: "p", systemToken: "t", time: time).bytes
        let message = try Message(parsing: bytes, layout: profile.layout)
        #expect(message.layout.headerLength == 56 && message.clientType == 5 && message.messageType == 1112)
        var reader = PrimitiveReader(message.body)
        let object = try reader.object()
        var body = try #require(object)
        #expect(try body.string() == "p")
        #expect(try body.string() == "20261130t")
        #expect(body.remaining == 0)
        let outputs = session.receive(try reply(.logon, 1, session, logonReply()))
        #expect(outputs.count == 2)
        guard case .send(let heartbeat) = outputs.first else {
            Issue.record("\(outputs)")
            return
        }
        #expect(try Message(parsing: heartbeat, layout: profile.layout).messageType == 1104)
    }

    @Test func pingsAreAnsweredWithTheirID() throws {
        var session = try session()
        let outputs = session.receive(try reply(.pingByServer, 5001, session))
        guard case .send(let bytes) = outputs.first else {
            Issue.record("\(outputs)")
            return
        }
        let answer = try Message(parsing: bytes, layout: session.profile.layout)
        #expect(answer.messageType == 103 && answer.messageID == 5001)
        #expect(answer.userID.text == "aa01" && answer.destUserID.text == "_0" && answer.body.isEmpty)
    }

    @Test func theTimeIsToldByTheClockOnTheWall() throws {
        var session = try session()
        let outputs = session.receive(try reply(.getClientTimeRequest, 5002, session), time: time)
        guard case .send(let bytes) = outputs.first else {
            Issue.record("\(outputs)")
            return
        }
        let answer = try Message(parsing: bytes, layout: session.profile.layout)
        #expect(answer.messageType == 210 && answer.messageID == 5002)
        #expect(answer.body.hex == "08000000c3739a2aa2010000")
        var old = try self.session(.v47)
        #expect(
            old.receive(try reply(.getClientTimeRequest, 1, old), time: time).contains {
                if case .send = $0 { true } else { false }
            } == false
        )
    }

    @Test func unknownTypesAreHandedOnAndWhatIsNoMessageEndsIt() throws {
        var session = try session()
        var strange = try reply(.ack, 1, session)
        strange[2] = 0
        strange[3] = 250
        let outputs = session.receive(strange)
        guard case .event(.other(let message)) = outputs.first else {
            Issue.record("\(outputs)")
            return
        }
        #expect(message.messageType == 64_000)
        let failed = session.receive([0xEE, 0, 0])
        #expect(failed == [.failed(.notAHeader([0xEE, 0, 0], offset: 51 + 36))])
        #expect(session.receive(strange) == [])
    }

    @Test func aLengthOfTwoGigabytesIsRefusedAtOnce() throws {
        var session = try session()
        var header = try reply(.informationBySend, 2, session)
        header.replaceSubrange(8..<12, with: [0xFF, 0xFF, 0xFF, 0x7F])
        let outputs = session.receive(header[..<12])
        #expect(outputs == [.failed(.bodyTooLong(2_147_483_647, limit: 4 << 20, offset: 51))])
    }

    @Test func fragmentsThatDoNotFitAreSaidAndHeldNoLonger() throws {
        var limits = ClientSession.Limits()
        limits.maximumBlobBytes = 100
        var session = ClientSession(profile: SessionProfile(.v65), limits: limits)
        _ = try session.logOn(user: "aa01", password: "", time: time)
        _ = session.receive(try reply(.logon, 1, session, logonReply()))
        func fragment(_ index: Int32, _ bytes: [UInt8], isLast: Bool = false) throws -> [UInt8] {
            var body = PrimitiveWriter()
            body.object {
                $0.append(Int32(1))
                $0.append(bytes)
                $0.append(index)
                $0.append(Int32(7))
                $0.append(isLast)
            }
            return try reply(.blobInformation, 9, session, body.bytes, from: "bb02")
        }
        #expect(session.receive(try fragment(0, [1, 2])) == [])
        guard case .event(.blobDiscarded(let sender, _)) = session.receive(try fragment(2, [3])).first else {
            Issue.record("a missing fragment was not seen")
            return
        }
        #expect(sender == "bb02")
        #expect(session.receive(try fragment(0, [UInt8](repeating: 0, count: 90))) == [])
        #expect(session.receive(try fragment(1, [UInt8](repeating: 0, count: 20))).count == 1)
        _ = session.receive(try fragment(0, [1]))
        guard case .event(.blob(let blob)) = session.receive(try fragment(1, [2], isLast: true)).first else {
            Issue.record("a blob was not joined")
            return
        }
        #expect(blob.content == [1, 2] && blob.type == 7)
    }

    @Test func whateverComesItDoesNotTrap() throws {
        var generator = SeededGenerator(seed: 4530)
        let whole = try session()
        for round in 0..<300 {
            var session = whole
            let kinds = SessionMessage.allCases
            let kind = kinds[round % kinds.count]
            var body = (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...8, using: &generator) : .random(in: 0...255, using: &generator)
            }
            if body.count >= 4, Bool.random(using: &generator) {
                body.replaceSubrange(0..<4, with: [UInt8(body.count - 4), 0, 0, 0])
            }
            session.expect([kind], replyTo: 3)
            _ = session.receive(try reply(kind, Int32.random(in: 0...4, using: &generator), session, body))
        }
    }

    @Test func anIDThatDoesNotFitIsAnErrorAndNotCut() throws {
        var session = try session()
        #expect(throws: ESClientError.self) { try session.information([], type: 0, to: "a name that is too long") }
    }
}

extension Array where Element == UInt8 {
    var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
