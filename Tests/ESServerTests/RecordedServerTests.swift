import ESProtocol
import ESServer
import Sockets
import TestSupport
import Testing

/// What the original clients sent, played to the server: it must answer as the recorded server did.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RecordedServerTests {
    struct Scenario: Sendable, CustomTestStringConvertible {
        let version: String
        let name: String
        var testDescription: String { "\(version) \(name)" }
    }

    static let scenarios: [Scenario] = ["4.7.3", "6.5", "7.2"].flatMap { version in
        [
            "login", "login-password", "second-login-replaces", "log-off", "heartbeats", "heartbeats-echoed",
            "chat-through-server", "query-reply", "blob-and-big-message", "user-id-20", "file-transfer",
            "groups-friends-queries", "dynamic-groups", "several-devices", "query-before-login", "unusual-user-ids",
            "folder-transfer", "peer-to-peer-tcp", "peer-to-peer-udp", "back-to-back", "login-refused",
        ].map { Scenario(version: version, name: $0) }
    }

    /// The recorded server's own messages, with which the recordings were driven.
    private static func isDriver(_ message: Message) -> Bool {
        message.userID.text == "_0" && message.messageID > 1000
            && [102, 201, 202, 203, 205, 207, 209].contains(message.messageType)
    }

    /// A step of a recording: what a client did, or what the server sent to it.
    private enum Step {
        case sends(UInt16, Message)
        case receives(UInt16, Message)
        case ends(UInt16)
    }

    private func steps(_ path: String) throws -> [Step] {
        var decoders: [UInt32: MessageDecoder] = [:]
        var steps: [Step] = []
        for piece in try recordedPieces(path) {
            let direction = UInt32(piece.client) << 1 | (piece.isFromClient ? 1 : 0)
            switch piece.kind {
            case .end: if piece.isFromClient { steps.append(.ends(piece.client)) }
            case .bytes(let bytes):
                var decoder = decoders[direction] ?? MessageDecoder(layout: nil, maximumBody: 1 << 20)
                decoder.push(bytes)
                while let message = try decoder.next() {
                    steps.append(
                        piece.isFromClient ? .sends(piece.client, message) : .receives(piece.client, message)
                    )
                }
                decoders[direction] = decoder
            }
        }
        return steps
    }

    /// The settings that the recorded server had.
    private func options(_ scenario: Scenario, _ steps: [Step]) -> ServerOptions {
        var options = ServerOptions.forTests
        for case .receives(_, let message) in steps where message.messageType == 112 && message.body.count == 15 {
            options.sendsNotices = message.body[8] == 1
            options.offersPeerToPeer = message.body[13] == 1
            break
        }
        options.echoesHeartbeats = scenario.name == "heartbeats-echoed"
        options.groups = [
            "g1": ["offln1", "aa01", "bb02"] + (scenario.name == "user-id-20" ? ["user1234567890abcdef"] : [])
        ]
        if scenario.name == "login-refused" { options.checkPassword = { _, _ in .wrong } }
        options.answer = { query in
            switch query.type {
            case 999: return .failure
            case 998: return .content(nil)
            case 997: return .content([])
            default: break
            }
            let prefix = query.kind == .beforeLogon ? "answer:" : "reply:"
            guard let content = query.content, !content.isEmpty else { return .content(Array("reply:<null>".utf8)) }
            return .content(Array(prefix.utf8) + content)
        }
        return options
    }

    @Test func theProjectHasRecordingsOfEachVersion() {
        for version in ["4.7.3", "6.5", "7.2"] { #expect(recording(version, "chat-through-server") != nil) }
    }

    @Test(arguments: scenarios)
    func theServerAnswersAsTheRecordedOne(_ scenario: Scenario) async throws {
        guard let path = recording(scenario.version, scenario.name) else { return }
        let steps = try steps(path)
        let log = EventLog()
        let server = ESServer(options: options(scenario, steps), report: { log.add($0) })
        let address = try await server.start()[0]
        var clients: [UInt16: RawClient] = [:]

        for step in steps {
            switch step {
            case .sends(let port, let message):
                if clients[port] == nil {
                    let connected = log.count { $0.isNotice("connected") }
                    clients[port] = try await RawClient(address)
                    try await log.wait { log.count { $0.isNotice("connected") } > connected }
                }
                let before = log.receivedCount
                let isOpen = await clients[port]?.send(try message.bytes()) == true
                // The next step begins when this one is done: the recording's order is what is played.
                if isOpen { try await log.wait { log.receivedCount > before } }
            case .ends(let port):
                guard let client = clients[port] else { continue }
                let before = log.endedCount
                await client.finish()
                try await log.wait { log.endedCount > before }
            case .receives: break
            }
        }
        await server.stop()

        var expected: [UInt16: [Message]] = [:]
        for case .receives(let port, let message) in steps where !Self.isDriver(message) {
            expected[port, default: []].append(message)
        }
        for (port, client) in clients {
            let received = try await client.messages()
            let wanted = expected[port] ?? []
            #expect(received.map(\.messageType) == wanted.map(\.messageType), "client \(port)")
            for (one, other) in zip(received, wanted) { compare(one, other, scenario) }
        }
        #expect(Set(expected.keys).isSubset(of: clients.keys))
    }

    private func compare(_ message: Message, _ recorded: Message, _ scenario: Scenario) {
        var (one, other) = (message, recorded)
        // The server's own ids count in the order of what it sends, in which the driver's messages were.
        if one.messageID > 1000, other.messageID > 1000 { one.messageID = other.messageID }
        switch recorded.messageType {
        case 101, 113, 405:
            // Ports.
            one.body = one.body.dropLast(4) + other.body.suffix(4)
        case 402: break
        case 112 where scenario.name == "login-refused":
            // Each server has its own words.
            one.body = other.body
        default: break
        }
        #expect(one == other, "\(message.messageType) id \(message.messageID)")
    }
}
