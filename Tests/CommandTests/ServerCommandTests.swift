import TestSupport
import Testing

@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `esdump server` and `esdump chat`, as people run them.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ServerCommandTests {
    /// A server and its port.
    private func startServer(_ arguments: [String] = [], port: Int = 0) throws -> (RunningCommand, Int) {
        let server = try RunningCommand("esdump", ["server", "--port", "\(port)"] + arguments)
        try #require(server.wait { $0.errors.contains("listening on 127.0.0.1:") }, "\(server.errors)")
        let start = try #require(server.errors.firstRange(of: "127.0.0.1:"))
        let digits = server.errors[start.upperBound...].prefix { $0.isNumber }
        return (server, try #require(Int(digits)))
    }

    private func startChat(_ user: String, _ port: Int, _ arguments: [String] = []) throws -> RunningCommand {
        let chat = try RunningCommand(
            "esdump",
            ["chat", "--user", user, "--server", "127.0.0.1:\(port)"] + arguments
        )
        try #require(chat.wait { $0.output.contains("logged on as \(user)") }, "\(chat.errors)")
        return chat
    }

    private func type(_ line: String, _ chat: RunningCommand) throws { try chat.send((line + "\n").utf8) }

    private func expect(_ text: String, _ command: RunningCommand) {
        #expect(command.wait { $0.output.contains(text) }, "\(text): \(command.output)\(command.errors)")
    }

    private func end(_ server: RunningCommand) throws -> CommandRunner.Outcome {
        server.signal(SIGTERM)
        return try server.finish()
    }

    @Test func twoChatsTalkThroughTheServer() throws {
        let (server, port) = try startServer()
        let aa = try startChat("aa01", port)
        let bb = try startChat("bb02", port, ["--profile", "7.2", "--acknowledge"])
        expect("bb02 is online", aa)
        try type("bb02: 你好", aa)
        expect("aa01: 你好\n", bb)
        // Acknowledged by the other chat; a control character stays what it is.
        try type("aa01: \u{1B}[31mred", bb)
        expect("bb02: \\u{1B}[31mred\n", aa)
        try type("/online", aa)
        expect("online: aa01, bb02\n", aa)
        try type("/query 5 what?", aa)
        expect("answer: what?\n", aa)
        try type("/ping bb02", aa)
        expect("answered within ", aa)
        try type("/nothing", aa)
        #expect(aa.wait { $0.errors.contains("there is no /nothing") })
        try type("/quit", bb)
        let left = try bb.finish()
        #expect(left.status == 0 && left.errors == "")
        expect("bb02 is offline", aa)
        // The end of the input is the end of the chat.
        aa.closeInput()
        #expect(try aa.finish().status == 0)
        let outcome = try end(server)
        #expect(outcome.status == 0)
        for part in [
            "Logon (112)", "aa01 is online", "InformationBySend (202)", "HeartBeat (104)", "Ack (206)", "connected",
        ] {
            #expect(outcome.output.contains(part), "\(part)")
        }
    }

    @Test func aServerThatIsKilledAndStartedAgainIsFoundByTheChat() throws {
        let (first, port) = try startServer()
        let chat = try startChat("aa01", port)
        first.signal(SIGKILL)
        #expect(try first.finish().status == 128 + SIGKILL)
        expect("the connection was lost: ", chat)
        let (second, _) = try startServer(port: port)
        expect("logged on again\n", chat)
        #expect(second.wait { $0.output.contains("aa01 is online") })
        try type("/online", chat)
        expect("online: aa01\n", chat)
        chat.signal(SIGINT)
        #expect(try chat.finish().status == 0)
        _ = try end(second)
    }

    @Test func whoIsPushedOutEndsWithStatus1() throws {
        let (server, port) = try startServer()
        let first = try startChat("aa01", port)
        let second = try startChat("aa01", port)
        let outcome = try first.finish()
        #expect(outcome.status == 1 && outcome.errors == "esdump: the same user logged on elsewhere\n")
        try type("/quit", second)
        _ = try second.finish()
        _ = try end(server)
    }

    @Test func whereNobodyListensItIsSaid() throws {
        let outcome = try CommandRunner.run("esdump chat --user aa01 --server 127.0.0.1:1")
        #expect(outcome.status == 1 && outcome.output == "")
        #expect(outcome.errors.hasPrefix("esdump: connect to 127.0.0.1:1: "))
    }

    @Test func jsonIsAnObjectALine() throws {
        let (server, port) = try startServer(["--format", "json"])
        let chat = try startChat("aa01", port)
        chat.closeInput()
        _ = try chat.finish()
        #expect(server.wait { $0.output.contains("aa01 is offline") })
        let lines = try end(server).output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        #expect(lines.contains { $0.contains("\"event\":\"notice\"") && $0.contains("aa01 is online") })
        #expect(lines.contains { $0.contains("\"message_type_name\":\"Logon\"") && $0.contains("\"s2c\"") })
    }

    @Test func answersComeFromAFile() throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/answers"
        _ = try CommandRunner.run("printf '7 {user} said {content}\\n8 !null\\n9 !fail\\n' > \(file)")
        let (server, port) = try startServer(["--answers", file])
        let chat = try startChat("aa01", port)
        try type("/query 7 this", chat)
        expect("answer: aa01 said this\n", chat)
        try type("/query 8 this", chat)
        expect("answer: null\n", chat)
        try type("/query 9 this", chat)
        #expect(chat.wait { $0.errors.contains("the other end failed to answer") })
        chat.closeInput()
        _ = try chat.finish()
        _ = try end(server)
    }

    #if os(Linux)
        @Test func usersOfAFileLogOnWithTheirPasswords() throws {
            let folder = try TemporaryFolder()
            let users = "\(folder.path)/users"
            let added = try CommandRunner.run("echo secret | esdump server --users \(users) --add-user aa01")
            #expect(added.status == 0 && added.errors == "" && added.output == "")
            let file = String(decoding: try fileContents(users), as: UTF8.self)
            #expect(file.hasPrefix("aa01:$") && !file.contains("secret"))
            let again = try CommandRunner.run("echo secret | esdump server --users \(users) --add-user aa01")
            #expect(again.status == 2 && again.errors.contains("aa01 stands in it already"))

            let (server, port) = try startServer(["--users", users])
            _ = try CommandRunner.run("echo secret > \(folder.path)/right; echo wrong > \(folder.path)/wrong")
            let refused = try CommandRunner.run(
                "esdump chat --user aa01 --server 127.0.0.1:\(port) --password-file \(folder.path)/wrong"
            )
            #expect(refused.status == 1)
            #expect(refused.errors == "esdump: the server refuses the logon: wrong user or password\n")
            let chat = try startChat("aa01", port, ["--password-file", "\(folder.path)/right"])
            chat.closeInput()
            _ = try chat.finish()
            let outcome = try end(server)
            #expect(!outcome.output.contains("secret"))
        }
    #endif

    /// What the README shows: two chats, and the capture of what they say to each other.
    @Test(.enabled(if: LiveCommandTests.canCapture, "raw capture is not permitted here"))
    func aChatIsCapturedLive() throws {
        let loopback = try #require(LiveCommandTests.loopback)
        let (server, port) = try startServer()
        let capture = try RunningCommand(
            "esdump",
            ["-i", loopback, "--format", "summary", "tcp", "port", "\(port)"]
        )
        try #require(capture.wait { $0.errors.contains("listening on") })
        let aa = try startChat("aa01", port)
        let bb = try startChat("bb02", port)
        expect("bb02 is online", aa)
        try type("bb02: hello", aa)
        expect("aa01: hello\n", bb)
        for chat in [aa, bb] {
            chat.closeInput()
            _ = try chat.finish()
        }
        // Each message of the chat twice: to the server, and from it.
        #expect(
            capture.wait { $0.output.ranges(of: "InformationBySend (202)").count == 2 },
            "\(capture.output)"
        )
        capture.signal(SIGINT)
        let seen = try capture.finish().output
        #expect(seen.contains("aa01 → bb02") && seen.contains("FriendNotify (501)"))
        #expect(!seen.contains("skipped") && !seen.contains("not captured"))
        _ = try end(server)
    }

    @Test(
        arguments: [
            ("server x", "server takes no x"), ("server --port 65536", "--port 65536: must be from 0 to 65535"),
            ("server --group g1", "--group g1: it is written as g1=aa01,bb02"),
            ("server --add-user aa01", "--add-user needs --users FILE"),
            ("server --count", "--count has no meaning for esdump server"),
            ("server --logon-time 0", "--logon-time 0: must be more than 0"),
            ("server --user-id-length 20", "go with --profile"),
            ("server --answers /nonexistent", "/nonexistent: No such file or directory"),
            ("chat", "chat needs a user: esdump chat --user NAME"),
            ("chat --user aa01 --server :1", "--server :1: there is no host in it"),
            ("chat --user aa01 --ask-password --password-file x", "only one of them"),
            ("chat --user aa01 -r x", "has no meaning for esdump chat"),
            ("--ask-password", "--ask-password belongs to a command: esdump chat"),
        ]
    )
    func wrongArgumentsAreSaid(arguments: String, reason: String) throws {
        let outcome = try CommandRunner.run("esdump \(arguments)")
        #expect(outcome.status == 2 && outcome.output == "" && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test func whoListensToEverybodyWithoutUsersIsWarned() throws {
        let server = try RunningCommand("esdump", ["server", "--port", "0", "--listen", "0.0.0.0"])
        #expect(server.wait { $0.errors.contains("may log on as anybody, since there is no --users") })
        _ = try end(server)
    }

    @Test func aPortThatIsTakenIsSaid() throws {
        let (server, port) = try startServer()
        let outcome = try CommandRunner.run("esdump server --port \(port)")
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("esdump: listen on 127.0.0.1:\(port): "))
        _ = try end(server)
    }
}

@Suite struct AnswerFileTests {
    @Test(arguments: [("x y", "line 1: \"x\" is neither"), ("\n5 !what", "line 2: !what is not one of")])
    func whatIsWrongIsSaidWithItsLine(text: String, reason: String) {
        let failure = #expect(throws: UsageError.self) { try AnswerFile(Array(text.utf8)) }
        #expect(failure?.message.hasPrefix(reason) == true)
    }
}

@Suite struct ChatLineTests {
    @Test(
        arguments: [
            ("bb02: hello", ChatLine.message(to: "bb02", "hello")), ("bb02:hello", .message(to: "bb02", "hello")),
            ("  用户:  a: b", .message(to: "用户", " a: b")), ("/online", .online), ("", .nothing), ("   ", .nothing),
            ("/query 5 what is it", .query(type: 5, "what is it")), ("/query -7", .query(type: -7, "")),
            ("/group g1 to all", .group("g1", "to all")), ("/ping", .ping(nil)), ("/ping bb02", .ping("bb02")),
            ("/quit", .quit), ("/help", .help),
        ]
    )
    func linesAreUnderstood(line: String, meaning: ChatLine) { #expect(ChatLine(line) == meaning) }

    @Test(arguments: ["hello", ": hello", "a b: c", "/query x y", "/group g1", "/online now", "/what", "/"])
    func whatIsNotIsSaid(line: String) {
        if case .mistake = ChatLine(line) {} else { Issue.record("\(ChatLine(line))") }
    }
}
