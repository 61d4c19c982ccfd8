import ESClient
import ESProtocol
import ESServer
import Sockets
import Testing

/// Clients that are broken, slow or of ill will.
@Suite(.timeLimit(.minutes(10))) struct HostileClientTests {
    private func start(
        _ change: (inout ServerOptions) -> Void = { _ in }
    ) async throws -> (ESServer, SocketAddress, EventLog) {
        var options = ServerOptions.forTests
        change(&options)
        let log = EventLog()
        let server = ESServer(options: options, report: { log.add($0) })
        return (server, try await server.start()[0], log)
    }

    private func logon(_ user: String, _ version: ProtocolVersion = .v65) throws -> [UInt8] {
        var session = ClientSession(profile: SessionProfile(version))
        return try session.logOn(user: user, password: "", time: .now()).bytes
    }

    /// A client that is logged on, and its session.
    private func client(
        _ user: String,
        _ address: SocketAddress,
        reads: Bool = true
    ) async throws -> (RawClient, ClientSession) {
        var session = ClientSession(profile: SessionProfile(.v65))
        let raw = try await RawClient(address, reads: reads)
        await raw.send(try session.logOn(user: user, password: "", time: .now()).bytes)
        return (raw, session)
    }

    @Test func garbageEndsItAtTheFirstByte() async throws {
        let (server, address, log) = try await start()
        let client = try await RawClient(address)
        await client.send(Array("GET / HTTP/1.1\r\n".utf8))
        await client.waitForEnd()
        #expect(log.has("it sent something else than messages"))
        let refused = log.events.compactMap { event -> String? in
            if case .refused(let bytes, 0, let reason) = event.kind, bytes.starts(with: [0x47]) { reason } else { nil }
        }
        #expect(refused.count == 1 && refused[0].hasPrefix("no header at byte 0 of the stream: 47 45 54"))
        await server.stop()
    }

    @Test func garbageBehindALogonEndsThatClientAlone() async throws {
        let (server, address, log) = try await start()
        let (first, _) = try await client("aa01", address)
        let (second, _) = try await client("bb02", address)
        try await log.wait { await server.onlineUsers == ["aa01", "bb02"] }
        await first.send([1, 2, 3])
        await first.waitForEnd()
        try await log.wait { await server.onlineUsers == ["bb02"] }
        await server.stop()
        #expect(try await second.messages().map(\.messageType) == [112, 501, 601])
    }

    @Test func aLengthOfTwoGigabytesIsRefusedWithTheHeader() async throws {
        let (server, address, log) = try await start()
        let client = try await RawClient(address)
        var header = try logon("aa01")[..<36]
        header.replaceSubrange(8..<12, with: [0xFF, 0xFF, 0xFF, 0x7F])
        await client.send(Array(header))
        await client.waitForEnd()
        let reasons = log.events.compactMap { if case .refused(_, _, let reason) = $0.kind { reason } else { nil } }
        #expect(
            reasons == [
                "the header at byte 0 of the stream declares a body of 2147483647 bytes, more than 65536"
            ]
        )
        await server.stop()
    }

    @Test func anEarlierClientMaySendMoreThanOneThatIsNotKnown() async throws {
        let (server, address, log) = try await start { $0.maximumBody = 200_000 }
        let (known, session) = try await client("aa01", address)
        try await log.wait { await server.onlineUsers == ["aa01"] }
        var sending = session
        await known.send(try sending.information([UInt8](repeating: 0, count: 150_000), type: 1).bytes)
        await known.send(try sending.message(.pingByServer, nil).bytes)
        try await log.wait { (try? await known.decoded().last?.messageType) == 103 }
        await known.send(try sending.information([UInt8](repeating: 0, count: 250_000), type: 1).bytes)
        await known.waitForEnd()
        #expect(log.has("it sent something else than messages"))
        await server.stop()
    }

    @Test func oneThatNeverLogsOnIsCutOff() async throws {
        let (server, address, log) = try await start { $0.logonTime = .milliseconds(50) }
        let silent = try await RawClient(address)
        let dripping = try await RawClient(address)
        let bytes = try logon("aa01")
        // A byte now and then does not make it longer.
        for byte in bytes[..<20] where await dripping.send([byte]) { try await Task.sleep(for: .milliseconds(5)) }
        await silent.waitForEnd()
        await dripping.waitForEnd()
        #expect(log.count { $0.isNotice("no logon within 50 ms") } == 2)
        #expect(await server.connectionCount == 0)
        await server.stop()
    }

    @Test func whatComesBeforeTheLogonEndsIt() async throws {
        let (server, address, log) = try await start()
        var session = ClientSession(profile: SessionProfile(.v65))
        let client = try await RawClient(address)
        await client.send(try session.information([1], type: 1).bytes)
        await client.waitForEnd()
        #expect(log.has("a message of type 202 before the logon"))
        await server.stop()
    }

    @Test func oneThatIsCutOffInTheMiddleOfAMessageIsOfflineForTheOthers() async throws {
        let (server, address, log) = try await start()
        let (first, session) = try await client("aa01", address)
        let (second, _) = try await client("bb02", address)
        try await log.wait { await server.onlineUsers.count == 2 }
        var sending = session
        let message = try sending.information([UInt8](repeating: 7, count: 1000), type: 1, to: "bb02").bytes
        await first.send(Array(message[..<500]))
        await first.close()
        try await log.wait { await server.onlineUsers == ["bb02"] }
        await server.stop()
        // Nothing of the half message, and the notices.
        #expect(try await second.messages().map(\.messageType) == [112, 501, 601])
        let cut = log.events.compactMap { if case .cutShort(let bytes, _, _) = $0.kind { bytes.count } else { nil } }
        #expect(cut == [500])
    }

    @Test func aSlowReaderIsWaitedForAndThenCutOff() async throws {
        let (server, address, log) = try await start {
            $0.outputLimit = 10_000
            $0.slowReaderTime = .milliseconds(100)
        }
        let (sender, session) = try await client("aa01", address)
        let (reader, _) = try await client("bb02", address, reads: false)
        try await log.wait { await server.onlineUsers.count == 2 }
        var sending = session
        let content = [UInt8](repeating: 1, count: 100_000)
        // Much more than the system's buffers hold: the sender is made to wait, and goes on when the reader is cut off.
        for _ in 0..<200 { await sender.send(try sending.information(content, type: 1, to: "bb02").bytes) }
        try await log.wait { await server.onlineUsers == ["aa01"] }
        #expect(log.has("it reads too slowly"))
        await sender.send(try sending.message(.pingByServer, nil).bytes)
        try await log.wait { (try? await sender.decoded().last?.messageType) == 103 }
        await reader.close()
        await server.stop()
    }

    @Test func nobodySpeaksForOthers() async throws {
        let (server, address, log) = try await start()
        let (first, session) = try await client("aa01", address)
        let (second, _) = try await client("bb02", address)
        try await log.wait { await server.onlineUsers.count == 2 }
        var forged = session
        let bytes = try forged.information([1], type: 1, to: "bb02").bytes
        var message = try Message(parsing: bytes, layout: session.profile.layout)
        message.userID = "cc03"
        await first.send(try message.bytes())
        message.userID = "_0"
        await first.send(try message.bytes())
        try await log.wait { log.count { $0.isNotice("not relayed: aa01 is not") } == 2 }
        await server.stop()
        #expect(try await second.messages().map(\.messageType) == [112])
    }

    @Test(arguments: ["_0", "*", "a b", "a\u{1B}[31m", ""])
    func aUserIDThatMeansSomethingElseIsRefused(user: String) async throws {
        let (server, address, log) = try await start()
        let client = try await RawClient(address)
        await client.send(try logon(user))
        try await log.wait { log.has("logon refused: ") }
        let messages = try await client.messages(SessionProfile(.v65).layout)
        let reply = try #require(messages.first)
        #expect(reply.messageType == 112 && reply.body != [])
        #expect(await server.onlineUsers == [])
        await server.stop()
    }

    @Test func moreConnectionsThanAllowedAreTurnedAway() async throws {
        let (server, address, log) = try await start { $0.maximumConnections = 2 }
        let (first, _) = try await client("aa01", address)
        let (second, _) = try await client("bb02", address)
        try await log.wait { await server.onlineUsers.count == 2 }
        let third = try await RawClient(address)
        await third.waitForEnd()
        #expect(log.has("refused: 2 connections are open"))
        await first.close()
        try await log.wait { await server.connectionCount == 1 }
        let (fourth, _) = try await client("dd04", address)
        try await log.wait { await server.onlineUsers == ["bb02", "dd04"] }
        _ = (second, fourth)
        await server.stop()
    }

    @Test func oneWithoutHeartbeatsIsOffline() async throws {
        let (server, address, log) = try await start { $0.heartbeatTime = .milliseconds(80) }
        let (silent, _) = try await client("aa01", address)
        await silent.waitForEnd()
        #expect(log.has("no heartbeat for 80 ms; aa01 is offline"))
        await server.stop()
    }

    @Test func fiveHundredClientsAtOnce() async throws {
        // Both ends are in this program.
        try #require(DescriptorLimit.raise(to: 1200) >= 1200)
        let (server, address, log) = try await start { $0.sendsNotices = false }
        let clients = try await withThrowingTaskGroup(of: RawClient.self) { group in
            for index in 0..<500 {
                group.addTask {
                    var session = ClientSession(profile: SessionProfile(index % 2 == 0 ? .v65 : .v72))
                    let raw = try await RawClient(address)
                    await raw.send(try session.logOn(user: "u\(index)", password: "", time: .now()).bytes)
                    // Each writes to the next.
                    await raw.send(
                        try session.information(Array("\(index)".utf8), type: 1, to: "u\((index + 1) % 500)").bytes
                    )
                    return raw
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await log.wait { await server.onlineUsers.count == 500 }
        try await log.wait { log.receivedCount == 1000 }
        let relayed = log.count { event in
            if case .sent(let message, _, _) = event.kind { message.messageType != 112 } else { false }
        }
        let missed = log.count { $0.isNotice("not delivered") }
        #expect(relayed + missed == 500 && relayed > 0)
        for client in clients { await client.close() }
        try await log.wait { await server.connectionCount == 0 }
        await server.stop()
    }
}
