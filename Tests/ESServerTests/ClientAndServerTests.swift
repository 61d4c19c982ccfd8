import ESClient
import ESProtocol
import ESServer
import Sockets
import Testing

/// `ESClient` and `ESServer` against each other, over real connections.
@Suite(.timeLimit(.minutes(10))) struct ClientAndServerTests {
    static let versions: [ProtocolVersion] = [.v47, .v65, .v72]

    private func start(
        port: UInt16 = 0,
        _ change: (inout ServerOptions) -> Void = { _ in }
    ) async throws -> (ESServer, UInt16, EventLog) {
        var options = ServerOptions.forTests
        options.port = port
        change(&options)
        let log = EventLog()
        let server = ESServer(options: options, report: { log.add($0) })
        return (server, try await server.start()[0].port, log)
    }

    private func client(
        _ user: String,
        _ port: UInt16,
        _ version: ProtocolVersion = .v65,
        _ change: (inout ClientOptions) -> Void = { _ in }
    ) async throws -> ESClient {
        var options = ClientOptions()
        options.connectTimeout = .seconds(300)
        options.replyTimeout = .seconds(300)
        options.reconnection = ClientOptions.Reconnection(
            firstDelay: .milliseconds(10),
            maximumDelay: .milliseconds(40)
        )
        change(&options)
        let client = ESClient(profile: SessionProfile(version), options: options)
        try await client.connect(host: "127.0.0.1", port: port)
        let result = try await client.logOn(userID: user, password: "")
        #expect(result.isSuccess)
        return client
    }

    /// The next event that is no notice.
    private func next(_ client: ESClient) async -> ClientEvent? {
        for await event in client.incoming {
            if case .notice = event { continue }
            return event
        }
        return nil
    }

    private func nextMessage(_ client: ESClient) async -> IncomingMessage? {
        switch await next(client) {
        case .message(let message), .blob(let message): message
        default: nil
        }
    }

    @Test(arguments: versions)
    func messagesGoFromUserToUser(version: ProtocolVersion) async throws {
        let (server, port, _) = try await start()
        let aa = try await client("aa01", port, version)
        let bb = try await client("bb02", port, version)
        try await aa.send("你好，世界", type: 7, to: "bb02")
        let message = try #require(await nextMessage(bb))
        #expect(message.sender == "aa01" && message.text == "你好，世界" && message.type == 7)
        try await aa.send(nil, type: -7, to: "bb02")
        let null = try #require(await nextMessage(bb))
        #expect(null.content == nil && null.type == -7)
        // Acknowledged by the other client itself.
        try await bb.sendAcknowledged([1, 2, 3], type: 1, to: "aa01")
        #expect(await nextMessage(aa)?.content == [1, 2, 3])
        try await aa.sendMessage([9], type: 2, tag: "标签", to: "bb02")
        #expect(await nextMessage(bb)?.tag == "标签")
        let blob = (0..<50_000).map { UInt8(truncatingIfNeeded: $0) }
        try await aa.sendBlob(blob, type: 3, to: "bb02", fragmentSize: 3000)
        #expect(await nextMessage(bb)?.content == blob)
        #expect(try await aa.onlineUsers() == ["aa01", "bb02"])
        #expect(try await aa.isOnline("bb02"))
        #expect(try await aa.isOnline("zz") == false)
        #expect(try await aa.ping() > .zero)
        #expect(try await aa.ping("bb02") > .zero)
        await aa.logOff()
        await bb.logOff()
        await server.stop()
    }

    @Test(arguments: versions)
    func questionsAreAnsweredOrNot(version: ProtocolVersion) async throws {
        let (server, port, _) = try await start {
            $0.answer = { query in
                switch query.type {
                case 1: .failure
                case 2: .none
                case 3: .content(nil)
                default: .content(Array("echo ".utf8) + (query.content ?? []))
                }
            }
        }
        let aa = try await client("aa01", port, version)
        let bb = try await client("bb02", port, version)
        #expect(try await aa.query([0x41], type: 0) == Array("echo A".utf8))
        #expect(try await aa.query([], type: 3) == nil)
        await #expect(throws: ESClientError.remoteFailure) { try await aa.query([], type: 1) }
        await #expect(throws: ESClientError.timedOut("a question of type 2")) {
            try await aa.query([], type: 2, timeout: .milliseconds(30))
        }
        let asking = Task { try await aa.query(Array("peer".utf8), type: 5, to: "bb02") }
        guard case .query(let query) = await next(bb) else {
            Issue.record("the question did not come")
            return
        }
        #expect(query.sender == "aa01" && query.text == "peer" && query.type == 5)
        try await bb.answer(query, with: Array("here".utf8))
        #expect(try await asking.value == Array("here".utf8))
        let failing = Task { try await aa.query([], type: 5, to: "bb02") }
        guard case .query(let second) = await next(bb) else { return }
        try await bb.answerFailed(second)
        await #expect(throws: ESClientError.remoteFailure) { try await failing.value }
        if version == .v72 {
            let long = [UInt8](repeating: 7, count: 5000)
            #expect(try await aa.blobQuery(long, type: 9) == Array("echo ".utf8) + long)
        }
        await server.stop()
    }

    @Test func aQuestionCanBeCancelled() async throws {
        let (server, port, _) = try await start { $0.answer = { _ in .none } }
        let aa = try await client("aa01", port)
        let asking = Task { try await aa.query([], type: 1) }
        try await Task.sleep(for: .milliseconds(20))
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        #expect(try await aa.ping() > .zero)
        await server.stop()
    }

    @Test(arguments: versions)
    func whoComesAndGoesIsTold(version: ProtocolVersion) async throws {
        let (server, port, _) = try await start()
        let aa = try await client("aa01", port, version)
        let bb = try await client("bb02", port, version)
        await bb.logOff()
        var notices: [Notice] = []
        for await event in aa.incoming {
            if case .notice(let notice) = event { notices.append(notice) }
            if notices.count == (version == .v72 ? 2 : 4) { break }
        }
        #expect(
            notices
                == (version == .v72
                    ? [
                        .online(user: "bb02", relation: .contact, clientType: 9),
                        .offline(user: "bb02", relation: .contact, clientType: 9, isLastDevice: true),
                    ]
                    : [
                        .online(user: "bb02", relation: .friend), .online(user: "bb02", relation: .groupmate),
                        .offline(user: "bb02", relation: .friend), .offline(user: "bb02", relation: .groupmate),
                    ])
        )
        await server.stop()
    }

    @Test func groupsAreWrittenToTogether() async throws {
        let (server, port, _) = try await start { $0.groups = ["g1": ["aa01", "bb02", "zz"]] }
        let aa = try await client("aa01", port)
        let bb = try await client("bb02", port)
        let cc = try await client("cc03", port)
        #expect(try await aa.members(ofGroup: "g1") == (["aa01", "bb02"], ["zz"]))
        try await aa.broadcast(Array("all".utf8), type: 1, group: "g1")
        let message = try #require(await nextMessage(bb))
        #expect(message.group == "g1" && message.text == "all" && message.sender == "aa01")
        #expect(try await cc.joinGroup("d") == ["cc03"])
        #expect(try await aa.joinGroup("d") == ["cc03", "aa01"])
        try await aa.broadcast(Array("d".utf8), type: 1, group: "d")
        #expect(await nextMessage(cc)?.text == "d")
        await server.stop()
    }

    @Test func aSecondLogonPushesOutTheFirst() async throws {
        let (server, port, _) = try await start()
        let first = try await client("aa01", port)
        let second = try await client("aa01", port)
        #expect(await next(first) == .ended(.pushedOut))
        await #expect(throws: ESClientError.sessionEnded("the same user logged on elsewhere")) {
            try await first.send("x", to: "bb02")
        }
        #expect(try await second.ping() > .zero)
        #expect(await server.onlineUsers == ["aa01"])
        await server.stop()
    }

    @Test func aSecondLogonCanBeRefused() async throws {
        let (server, port, _) = try await start { $0.secondLogon = .refused }
        let first = try await client("aa01", port)
        var options = ClientOptions()
        options.connectTimeout = .seconds(300)
        let second = ESClient(profile: SessionProfile(.v65), options: options)
        try await second.connect(host: "127.0.0.1", port: port)
        let result = try await second.logOn(userID: "aa01", password: "")
        #expect(result == .alreadyOnline(cause: "the user is logged on already"))
        #expect(await next(second) == .ended(.logonRefused(result)))
        #expect(try await first.ping() > .zero)
        await server.stop()
    }

    @Test func kickingOutIsForThoseWhoMay() async throws {
        let (server, port, log) = try await start()
        let aa = try await client("aa01", port)
        try await aa.kickOut("aa01")
        try await log.wait { log.has("clients may not kick out") }
        await server.stop()
        let (free, other, _) = try await start { $0.allowsKickOut = true }
        let bb = try await client("bb02", other)
        let cc = try await client("cc03", other)
        try await cc.kickOut("bb02")
        #expect(await next(bb) == .ended(.kickedOut))
        #expect(try await cc.onlineUsers() == ["cc03"])
        await free.stop()
    }

    @Test func severalDevicesOfOneUserGetTheSame() async throws {
        let (server, port, _) = try await start()
        func device(_ user: String, _ type: UInt8) async throws -> ESClient {
            var options = ClientOptions()
            options.connectTimeout = .seconds(300)
            let client = ESClient(profile: SessionProfile(.v72, clientType: type), options: options)
            try await client.connect(host: "127.0.0.1", port: port)
            #expect(try await client.logOn(userID: user, password: "").isSuccess)
            return client
        }
        let phone = try await device("aa01", 4)
        let desk = try await device("aa01", 1)
        let bb = try await device("bb02", 9)
        try await bb.send("both", to: "aa01")
        #expect(await nextMessage(phone)?.text == "both")
        #expect(await nextMessage(desk)?.text == "both")
        try await bb.send("one", to: "4#aa01")
        #expect(await nextMessage(phone)?.text == "one")
        try await phone.sendMessage([1], tag: nil, to: "bb02", echoes: true)
        #expect(await nextMessage(desk)?.carrier == .blobByRapidEngineEchoNotify)
        #expect(await nextMessage(bb)?.carrier == .blobByRapidEngine)
        await server.stop()
    }

    @Test func versionsUnderstandEachOther() async throws {
        let (server, port, _) = try await start()
        let old = try await client("aa01", port, .v65)
        let new = try await client("bb02", port, .v72)
        try await old.send("to the new", to: "bb02")
        #expect(await nextMessage(new)?.text == "to the new")
        try await new.send("to the old", to: "aa01")
        let message = try #require(await nextMessage(old))
        #expect(message.text == "to the old" && message.senderID == "bb02")
        await server.stop()
    }

    @Test func aQuestionBeforeTheLogon() async throws {
        let (server, port, _) = try await start { $0.answer = { .content(Array("answer ".utf8) + ($0.content ?? [])) } }
        var options = ClientOptions()
        options.connectTimeout = .seconds(300)
        options.replyTimeout = .seconds(300)
        let client = ESClient(profile: SessionProfile(.v72), options: options)
        try await client.connect(host: "127.0.0.1", port: port)
        #expect(try await client.queryBeforeLogon(type: 3, content: "问题") == "answer 问题")
        #expect(try await client.logOn(userID: "aa01", password: "").isSuccess)
        await server.stop()
    }

    // MARK: - Lost connections

    @Test func aServerThatIsKilledAndStartedAgainIsFoundAgain() async throws {
        let (first, port, _) = try await start()
        let aa = try await client("aa01", port) { $0.whileDisconnected = .wait }
        let bb = try await client("bb02", port) { $0.whileDisconnected = .fail }
        await first.stop()
        guard case .connectionLost = await next(aa), case .connectionLost = await next(bb) else {
            Issue.record("the loss was not told")
            return
        }
        await #expect(throws: ESClientError.notLoggedOn) { try await bb.send("x", to: "aa01") }
        let waiting = Task { try await aa.send("waited", to: "bb02") }
        let (second, _, log) = try await start(port: port)
        #expect(await next(bb) == .reconnected)
        #expect(await next(aa) == .reconnected)
        try await waiting.value
        try await log.wait { await second.onlineUsers.count == 2 }
        // It may have been sent before bb02 was back; what comes now arrives.
        try await aa.send("again", to: "bb02")
        var texts: [String] = []
        while texts.last != "again", let message = await nextMessage(bb) { texts.append(message.text) }
        #expect(texts.last == "again")
        // Ids go on over connections, as the original's do.
        let ids = log.events.compactMap { event -> Int32? in
            if case .received(let message, _, _) = event.kind, message.messageType == 112 {
                message.messageID
            } else {
                nil
            }
        }
        #expect(ids.count == 2 && ids.allSatisfy { $0 >= 2 })
        await second.stop()
    }

    @Test func aServerThatStillHasTheOldSessionIsAskedAgain() async throws {
        let (server, port, log) = try await start { $0.secondLogon = .refused }
        // In front of the server stands one that breaks the way to it, and the server does not notice.
        let front = try ListeningSocket(try #require(SocketAddress(numeric: "127.0.0.1", port: 0)))
        let ways = Task {
            let outer = try await front.accept()
            let inner = try await StreamSocket.connect(host: "127.0.0.1", port: port, timeout: .seconds(300))
            Task { while let bytes = try? await inner.read(), !bytes.isEmpty { try await outer.write(bytes) } }
            // The logon goes through, and the heartbeat behind it.
            for _ in 0..<2 { try await inner.write(try await outer.read()) }
            outer.close()
            let later = Task {
                while true {
                    let outer = try await front.accept()
                    let inner = try await StreamSocket.connect(host: "127.0.0.1", port: port, timeout: .seconds(300))
                    Task {
                        while let bytes = try? await inner.read(), !bytes.isEmpty { try await outer.write(bytes) }
                        outer.close()
                    }
                    Task { while let bytes = try? await outer.read(), !bytes.isEmpty { try await inner.write(bytes) } }
                }
            }
            try await log.wait { log.has("logon refused: the user is logged on already") }
            // Now the server notices.
            inner.close()
            try await later.value
        }
        let aa = try await client("aa01", front.address.port)
        guard case .connectionLost = await next(aa) else { return }
        #expect(await next(aa) == .reconnected)
        #expect(log.has("logon refused: the user is logged on already"))
        front.close()
        ways.cancel()
        await aa.close()
        await server.stop()
    }

    @Test func whoWaitsForAReplyIsToldThatTheConnectionIsLost() async throws {
        let (server, port, log) = try await start { $0.answer = { _ in .none } }
        let aa = try await client("aa01", port)
        let asking = Task { try await aa.query([], type: 1) }
        try await log.wait { log.has("not answered: a question of type 1") }
        await server.stop()
        let failure = await #expect(throws: ESClientError.self) { try await asking.value }
        if case .connectionLost = failure {} else { Issue.record("\(String(describing: failure))") }
        await aa.close()
    }

    @Test func itGivesUpAfterSoManyAttempts() async throws {
        let (server, port, _) = try await start()
        let aa = try await client("aa01", port) {
            $0.reconnection = ClientOptions.Reconnection(
                firstDelay: .milliseconds(1),
                maximumDelay: .milliseconds(2),
                maximumAttempts: 3
            )
            $0.whileDisconnected = .wait
        }
        await server.stop()
        guard case .connectionLost = await next(aa) else { return }
        #expect(await next(aa) == .ended(.connectionLost("no new logon after 3 attempts")))
        await #expect(throws: ESClientError.self) { try await aa.send("x") }
        #expect(await next(aa) == nil)
    }

    @Test func withoutReconnectionTheLossIsTheEnd() async throws {
        let (server, port, _) = try await start()
        let aa = try await client("aa01", port) { $0.reconnection = nil }
        await server.stop()
        guard case .ended(.connectionLost) = await next(aa) else {
            Issue.record("it did not end")
            return
        }
        #expect(await aa.isLoggedOn == false)
    }

    @Test func aPortWhereNobodyListensIsSaid() async throws {
        let (server, port, _) = try await start()
        await server.stop()
        let client = ESClient(profile: SessionProfile(.v65))
        let failure = await #expect(throws: ESClientError.self) {
            try await client.connect(host: "127.0.0.1", port: port)
        }
        #expect(failure?.description.hasPrefix("connect to 127.0.0.1:\(port): ") == true)
    }

    // MARK: - Back-pressure

    @Test func aReaderThatDoesNotTakeItsEventsMakesTheServerWait() async throws {
        let (server, port, _) = try await start { $0.outputLimit = 50_000 }
        let aa = try await client("aa01", port)
        let bb = try await client("bb02", port) {
            $0.maximumWaitingEvents = 10
            $0.maximumWaitingBytes = 100_000
        }
        var events = bb.incoming.makeAsyncIterator()
        let sending = Task {
            for index in 0..<300 {
                try await aa.send([UInt8](repeating: 1, count: 50_000), type: Int32(index), to: "bb02")
            }
        }
        var next: Int32 = 0
        while next < 300, let event = await events.next() {
            guard case .message(let message) = event else { continue }
            // Slow at first, so that all queues fill up; nothing is lost and nothing overtakes.
            if next < 5 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(message.type == next)
            next += 1
        }
        #expect(next == 300)
        try await sending.value
        await server.stop()
    }

    @Test func eventsThatNobodyTakesAreDroppedAndCounted() async throws {
        let (server, port, _) = try await start()
        let aa = try await client("aa01", port)
        let bb = try await client("bb02", port) { $0.maximumWaitingEvents = 4 }
        for index in 0..<10 { try await aa.send([], type: Int32(index), to: "bb02") }
        // Behind it in the same connection: all have come.
        _ = try await bb.ping("aa01")
        try await aa.sendAcknowledged([], type: 10, to: "bb02")
        var iterator = bb.incoming.makeAsyncIterator()
        #expect(await iterator.next() == .eventsDropped(7))
        guard case .message(let message) = await iterator.next() else { return }
        #expect(message.type == 7)
        await server.stop()
    }

    @Test func aClientThatNobodyHasAnyMoreIsGone() async throws {
        let (server, port, log) = try await start()
        var aa: ESClient? = try await client("aa01", port)
        _ = aa
        aa = nil
        try await log.wait { await server.onlineUsers == [] }
        await server.stop()
    }
}
