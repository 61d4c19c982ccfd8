import ESClient
import ESProtocol
import Testing

/// The original library's sessions, played by `ClientSession`.
@Suite(.timeLimit(.minutes(10))) struct RecordedSessionTests {
    struct Scenario: Sendable, CustomTestStringConvertible {
        let version: ProtocolVersion
        let name: String
        var testDescription: String { "\(version.name) \(name)" }
    }

    static let scenarios: [Scenario] = [ProtocolVersion.v47, .v65, .v72].flatMap { version in
        [
            "login", "login-password", "login-refused", "second-login-replaces", "log-off", "heartbeats",
            "heartbeats-echoed", "chat-through-server", "query-reply", "blob-and-big-message", "user-id-20",
            "groups-friends-queries", "dynamic-groups", "several-devices", "query-before-login", "unusual-user-ids",
        ].map { Scenario(version: version, name: $0) }
    }

    @Test(arguments: scenarios)
    func everyByteThatAClientSendsIsTheOriginals(_ scenario: Scenario) throws {
        for recorded in try RecordedSession.all(scenario.version, scenario.name) {
            var player = SessionPlayer(recorded, pieceSize: 700)
            try player.collectBlobs(recorded)
            try player.play(recorded)
            // The original counts on where it connects again, and took an id for what it did not send.
            let mayDiffer = ["several-devices", "query-before-login"].contains(scenario.name)
            #expect(player.otherIDs == 0 || mayDiffer)
            let sent = recorded.steps.count { if case .sent = $0 { true } else { false } }
            #expect(player.comparedCount == sent)
            #expect(!player.outputs.contains { if case .failed = $0 { true } else { false } })
        }
    }

    private func play(_ version: ProtocolVersion, _ name: String, _ number: Int = 0) throws -> SessionPlayer? {
        let sessions = try RecordedSession.all(version, name)
        guard sessions.indices.contains(number) else { return nil }
        var player = SessionPlayer(sessions[number], pieceSize: name.hasPrefix("blob") ? 100 : 1)
        try player.collectBlobs(sessions[number])
        try player.play(sessions[number])
        return player
    }

    private func results(_ player: SessionPlayer) -> [LogonResult] {
        player.outputs.compactMap { if case .logonResult(let result) = $0 { result } else { nil } }
    }

    @Test func aLogonSucceeds() throws {
        let player = try #require(try play(.v65, "login"))
        #expect(results(player) == [.succeeded(LogonResult.SessionSettings())])
        #expect(player.session.state == .loggedOn)
    }

    @Test(arguments: [ProtocolVersion.v65, .v72])
    func aRefusedLogonSaysWhy(version: ProtocolVersion) throws {
        let all = try RecordedSession.all(version, "login-refused").map { recorded in
            var player = SessionPlayer(recorded)
            try player.play(recorded)
            return player
        }
        guard !all.isEmpty else { return }
        #expect(
            all.flatMap(results) == [
                .refused(cause: "bad password 密码错误"), .refused(cause: ""), .refused(cause: nil),
                .versionMismatched(cause: "version"),
            ]
        )
        #expect(all.allSatisfy { $0.session.state == .ended })
    }

    @Test func aChatComesAsMessagesAndNotices() throws {
        let player = try #require(try play(.v65, "chat-through-server"))
        let texts = player.events.compactMap {
            if case .message(let message) = $0 {
                "\(message.sender) \(message.carrier) \(message.type) \(message.text) \(message.tag ?? "-")"
            } else {
                nil
            }
        }
        #expect(
            texts == [
                "bb02 informationBySend 1 回复 -", "bb02 informationNeedAck 7 ack back -",
                "bb02 blobByRapidEngine 8 reply tag", "_0 informationBySend 21 from_server_服务器 -",
                "_0 informationByPost 22 posted_by_server -", "_0 informationNeedAck 23 srv_certain -",
                "_0 informationBySend 9 to star -",
            ]
        )
        let notices = player.events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        #expect(
            notices == [
                .online(user: "bb02", relation: .friend), .online(user: "bb02", relation: .groupmate),
                .offline(user: "bb02", relation: .friend), .offline(user: "bb02", relation: .groupmate),
            ]
        )
        let replies = player.outputs.compactMap { if case .reply(let id, _) = $0 { id } else { nil } }
        #expect(replies == [10])
    }

    @Test func repliesAreMatchedToTheirQuestions() throws {
        for version in [ProtocolVersion.v65, .v72] {
            guard let player = try play(version, "query-reply") else { continue }
            var contents: [Int32: String] = [:]
            for case .reply(let id, let reply) in player.outputs where reply.message.messageType == 204 {
                let schema = try #require(player.session.profile.schema(of: .response, isRequest: false))
                if let value = try? schema.value(parsing: reply.message.body) {
                    contents[id] = value["Content"]?.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "null"
                } else {
                    contents[id] = "failed"
                }
            }
            let expected: [Int32: String] = [
                2: "reply:你好", 3: "reply:hi", 4: "failed", 5: "null", 6: "",
                7: "reply:<null>", 8: "reply:<null>",
            ]
            for (id, content) in expected { #expect(contents[id] == content, "\(version) \(id)") }
            let questions = player.events.compactMap { if case .query(let query) = $0 { query.text } else { nil } }
            #expect(questions == ["server_asks", "server_asks_raises", "x"])
        }
    }

    @Test func aQuestionInFragmentsHasItsAnswerJoined() throws {
        guard let player = try play(.v72, "query-reply") else { return }
        let blobs = player.outputs.compactMap { if case .reply(_, let reply) = $0 { reply.blob } else { nil } }
        #expect(blobs.count == 2 && blobs.allSatisfy { $0.starts(with: Array("reply:".utf8)) })
        #expect(blobs.map(\.count) == [106, 30_006])
    }

    @Test func aBlobIsJoined() throws {
        for version in [ProtocolVersion.v47, .v65, .v72] {
            guard let player = try play(version, "blob-and-big-message") else { continue }
            let blobs = player.events.compactMap { if case .blob(let blob) = $0 { blob } else { nil } }
            #expect(blobs.count == 1 && blobs.first?.content?.count == 6 * 8192 + 848)
            #expect(blobs.first?.sender == "_0")
        }
    }

    @Test func beingPushedOutEndsTheSession() throws {
        guard let player = try play(.v65, "second-login-replaces") else { return }
        #expect(player.outputs.contains(.end(.pushedOut)))
        #expect(player.session.state == .ended)
    }

    @Test func devicesAreTold() throws {
        guard let player = try play(.v72, "several-devices") else { return }
        let notices = player.events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        #expect(
            notices == [
                .ownDevice(clientType: 1, isOnline: true), .online(user: "bb02", relation: .contact, clientType: 9),
                .ownDevice(clientType: 1, isOnline: false),
                .offline(user: "bb02", relation: .contact, clientType: 9, isLastDevice: true),
            ]
        )
    }
}
