import Dispatch
import DumpText
import ESProtocol
import ESServer
import TestSupport
import Testing

@testable import esdump

/// The command `replay` as a user runs it, against servers on this machine.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ReplayCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a command line without blocking those threads that run tasks.
    private func run(_ line: String) async throws -> CommandRunner.Outcome {
        let variable = "T=\(folder.path)"
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try CommandRunner.run(line, environment: [variable]) })
            }
        }
    }

    /// The answer to the Logon in the captures: {FailureCause "", …, LogonResult 0, …}.
    private static let logonReply: [UInt8] = [11, 0, 0, 0] + [UInt8](repeating: 0, count: 11)

    private static func reply(to message: Message, body: [UInt8] = logonReply) -> Message {
        Message(
            layout: message.layout,
            messageType: message.messageType,
            messageID: message.messageID,
            userID: "_0",
            destUserID: message.userID,
            body: body
        )
    }

    /// What the capture's server answered, as the program shows it.
    private func capturedReply() async throws -> [UInt8] {
        let outcome = try await run("esdump fixtures Captures/login.pcap --message 2 --as raw -o $T/reply.raw")
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try fileContents("\(folder.path)/reply.raw")
    }

    @Test func whatTheClientSentIsSentAndTheAnswersAreCompared() async throws {
        let reply = try await Message(parsing: capturedReply(), layout: ScriptedServer.layout)
        let server = try ScriptedServer { $0.messageType == 112 ? [reply] : [] }
        let outcome = try await run("esdump replay Captures/login.pcap --to 127.0.0.1:\(server.port) --yes --speed max")
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.contains("No difference"))
        let sent = try await run("esdump fixtures Captures/login.pcap --direction c2s --as raw -o $T/sent.raw")
        #expect(sent.status == 0)
        #expect(try fileContents("\(folder.path)/sent.raw") == server.received)
    }

    @Test func anotherAnswerIsADifference() async throws {
        let server = try ScriptedServer { message in
            guard message.messageType == 112 else { return [] }
            var body = Self.logonReply
            body[9] = 1
            return [Self.reply(to: message, body: body)]
        }
        let outcome = try await run("esdump replay Captures/login.pcap --to 127.0.0.1:\(server.port) --yes --speed max")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("es.body.logon_result"))
    }

    @Test func anAnswerThatDoesNotComeIsToldAfterTheTime() async throws {
        let server = try ScriptedServer { _ in [] }
        let start = ContinuousClock.now
        let outcome = try await run(
            "esdump replay Captures/login.pcap --to 127.0.0.1:\(server.port) --yes --speed max --timeout 0.3"
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("no answer to message 1 within 300.00 ms"))
        #expect(outcome.output.contains("only in A"))
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func aServerThatClosesEndsIt() async throws {
        let server = try ScriptedServer { _ in nil }
        let outcome = try await run("esdump replay Captures/login.pcap --to 127.0.0.1:\(server.port) --yes --speed max")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("the server closed the connection after 1 of 2 messages"))
    }

    @Test func nothingIsSentWithoutBeingAgreedTo() async throws {
        let server = try ScriptedServer { _ in [] }
        let outcome = try await run("esdump replay Captures/login.pcap --to 127.0.0.1:\(server.port) < /dev/null")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("about to send 2 messages with 96 bytes to 127.0.0.1:\(server.port)"))
        #expect(outcome.errors.contains("Logon (112)"))
        #expect(outcome.errors.contains("--yes"))
        #expect(server.connections == 0)
    }

    @Test func aPasswordIsNotSentUnlessThatIsSaid() async throws {
        let server = try ScriptedServer { $0.messageType == 112 ? [Self.reply(to: $0)] : [] }
        let line = "esdump replay Captures/login-password.pcap --to 127.0.0.1:\(server.port) --yes --speed max"
        let refused = try await run(line)
        #expect(refused.status == 2)
        #expect(refused.errors.contains("message 1 holds a password"))
        #expect(server.connections == 0)
        let shown = try await run("\(line) --show-secrets")
        #expect(shown.status != 2, "\(shown.errors)")
        let asCaptured = server.received
        let redacted = try await run("\(line) --redact")
        #expect(redacted.status != 2, "\(redacted.errors)")
        let all = server.received
        #expect(all.count == 2 * asCaptured.count && Array(all[asCaptured.count...]) != asCaptured)
    }

    @Test func heartbeatsOfTheServerAreAnsweredWhenAskedFor() async throws {
        let server = try ScriptedServer { message in
            guard message.messageType == 112 else { return [] }
            var ping = Self.reply(to: message, body: [])
            ping.messageType = 102
            ping.messageID = 77
            return [Self.reply(to: message), ping]
        }
        let line = "esdump replay Captures/login.pcap --to 127.0.0.1:\(server.port) --yes --speed max"
        _ = try await run("\(line) --heartbeats ignore")
        let ignored = server.received
        _ = try await run("\(line) --heartbeats answer")
        let answered = Array(server.received.dropFirst(ignored.count))
        #expect(answered.count == ignored.count + 36)
        // A PingAck with the id of the ping is among them.
        let header = Array(answered.indices.dropLast(7)).contains { answered[$0 + 2] == 103 && answered[$0 + 4] == 77 }
        #expect(header)
    }

    @Test func pausesAreThoseOfTheCaptureOrScaled() async throws {
        let server = try ScriptedServer { $0.messageType == 112 ? [Self.reply(to: $0)] : [] }
        // The capture has half a second between the two heartbeats at its end.
        let line = "esdump replay Captures/login-password.pcap --show-secrets --to 127.0.0.1:\(server.port) --yes"
        var clock = ContinuousClock.now
        _ = try await run(line)
        let asCaptured = ContinuousClock.now - clock
        clock = ContinuousClock.now
        _ = try await run("\(line) --speed max")
        #expect(asCaptured >= .milliseconds(700))
        #expect(asCaptured - (ContinuousClock.now - clock) > .milliseconds(100))
    }

    @Test func whatCannotBeSentIsSaid() async throws {
        let wrong = [
            "esdump replay Captures/login.pcap", "esdump replay --to 127.0.0.1:1",
            "esdump replay Captures/login.pcap --to 127.0.0.1 --yes",
            "esdump replay Captures/login.pcap --to 127.0.0.1:0 --yes",
            "esdump replay Captures/login.pcap --to 127.0.0.1:99999 --yes",
            "esdump replay Captures/login.pcap --to 127.0.0.1:1 --speed 0 --yes",
            "esdump replay Captures/login.pcap --to 127.0.0.1:1 --message 2 --yes",
            "esdump replay Captures/chat-through-server.pcap --to 127.0.0.1:1 --yes",
            "esdump replay Captures/hole-in-body.pcap --to 127.0.0.1:1 --yes",
            // Nobody listens there.
            "esdump replay Captures/login.pcap --to 127.0.0.1:1 --yes --timeout 2",
        ]
        for line in wrong {
            let outcome = try await run(line)
            #expect(outcome.status == 2, "\(line): \(outcome.output)\(outcome.errors)")
            #expect(outcome.errors.hasPrefix("esdump: ") && outcome.output.isEmpty, "\(line)")
        }
    }

    /// The way of someone who writes a client: a recorded login is played to a server, compared with what the first server
    /// said, and the answer is kept as a fixture, from which a test is made.
    @Test func aLoginIsReplayedComparedAndBecomesATest() async throws {
        var options = ServerOptions()
        options.hosts = ["127.0.0.1"]
        options.port = 0
        let server = ESServer(options: options)
        let address = try #require(try await server.start().first)
        defer { Task { await server.stop() } }

        let line = "esdump replay Captures/login.pcap --to \(address) --yes --speed max"
        let compared = try await run("\(line) --format json")
        // The server is another one; that it accepts the login is what counts.
        #expect(compared.status <= 1, "\(compared.errors)")
        #expect(!compared.output.contains("es.body.logon_result"), "\(compared.output)")
        #expect(!compared.output.contains("only_in_a\":1"), "\(compared.output)")

        let fixture = try await run("esdump fixtures Captures/login.pcap --message 1 -o $T/logon.hex")
        #expect(fixture.status == 0, "\(fixture.errors)")
        let again = try await run("esdump replay $T/logon.hex --to \(address) --yes --speed max")
        #expect(again.status <= 1, "\(again.errors)")

        // What the unit test does with it.
        let dump = try DumpReader.read(try fileContents("\(folder.path)/logon.hex"))
        let bytes = dump.pieces.flatMap(\.bytes)
        let message = try Message(parsing: bytes, layout: HeaderLayout(startToken: .ff, idSlot: 12))
        #expect(message.userID.text == "aa01" && message.messageType == 112 && message.messageID == 1)
        #expect(try message.bytes() == bytes)
        let test = try await run("esdump fixtures Captures/login.pcap --message 1 --as-test swift-testing")
        #expect(test.status == 0 && test.output.contains("@Test"))
        await server.stop()
    }
}
