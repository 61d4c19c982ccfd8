import TestSupport
import Testing

@testable import esdump

/// What `decode`, `encode` and `fixtures` do together, and with the tools of others where they are installed.
@Suite struct FixtureCommandTests {
    private func isInstalled(_ program: String) throws -> Bool {
        try CommandRunner.run("command -v \(program)").status == 0
    }

    private func run(_ line: String, _ folder: TemporaryFolder) throws -> CommandRunner.Outcome {
        try CommandRunner.run(line, environment: ["T=\(folder.path)"])
    }

    @Test func whatIsEncodedIsDecodedAgain() throws {
        let messages = "esdump -r Captures/chat-through-server.pcap --format json --show-secrets"
        let hex = try CommandRunner.run("\(messages) | esdump encode")
        let again = try CommandRunner.run(
            "\(messages) | esdump encode | esdump decode --format json --show-secrets | esdump encode"
        )
        #expect(hex.status == 0)
        #expect(hex.output.split(separator: "\n").count == 48)
        #expect(again.output == hex.output)
    }

    @Test(arguments: BytesForm.allCases) func aFixtureIsReadBackByDecode(_ form: BytesForm) throws {
        let folder = try TemporaryFolder()
        let written = try run(
            "esdump fixtures Captures/chat-through-server.pcap --show-secrets --as \(form.rawValue) -o $T/all",
            folder
        )
        #expect(written.status == 0, "\(written.errors)")
        #expect(!written.errors.contains("warning"), "\(written.errors)")
        let read = try run("esdump decode --format json --show-secrets $T/all | esdump encode", folder)
        let wanted = try run(
            "esdump -r Captures/chat-through-server.pcap --format json --show-secrets | esdump encode",
            folder
        )
        #expect(read.output == wanted.output)
    }

    @Test func theSameCommandMakesTheSameBytes() throws {
        let folder = try TemporaryFolder()
        let command = "esdump fixtures Captures/chat-through-server.pcap --redact --dir $T/out"
        #expect(try run(command, folder).status == 0)
        let first = try run("cd $T/out && cat * | cksum; ls | cksum", folder).output
        #expect(try run("rm -r $T/out; \(command)", folder).status == 0)
        #expect(try run("cd $T/out && cat * | cksum; ls | cksum", folder).output == first)
        #expect(try run("cat $T/out/*", folder).output.contains(folder.path) == false)
    }

    @Test func nothingIsWrittenIfOneFileIsThere() throws {
        let folder = try TemporaryFolder()
        let command = "esdump fixtures Captures/login.pcap --dir $T/out"
        #expect(try run("mkdir $T/out && echo mine > $T/out/002-s2c-Logon.hex && \(command)", folder).status == 2)
        #expect(try run("ls $T/out; cat $T/out/*", folder).output == "002-s2c-Logon.hex\nmine\n")
        #expect(try run("\(command) --force && ls $T/out", folder).output.split(separator: "\n").count == 3)
    }

    @Test func theProjectsOwnTestIsWhatTheCommandMakes() throws {
        let folder = try TemporaryFolder()
        let made = try run(
            "esdump fixtures Captures/login-7.2.pcap --as-test swift-testing --output $T/CapturedLoginTests.swift && cat $T/*",
            folder
        )
        #expect(made.status == 0, "\(made.errors)")
        let path = CommandRunner.root + "/Tests/ESProtocolTests/CapturedLoginTests.swift"
        let own = String(decoding: try fileContents(path), as: UTF8.self)
        // The first line has the version.
        #expect(made.output.split(separator: "\n").dropFirst() == own.split(separator: "\n").dropFirst())
    }

    // MARK: - With the tools of others

    @Test func sourcesCompile() throws {
        let folder = try TemporaryFolder()
        func write(_ form: BytesForm, _ name: String) throws {
            let outcome = try run(
                "esdump fixtures Captures/chat-through-server.pcap --redact --as \(form.rawValue) -o $T/\(name)",
                folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        if try isInstalled("cc") {
            try write(.c, "messages.h")
            let outcome = try run(
                "echo '#include \"messages.h\"\nint main(void) { return message_1_c2s_logon[0] != 0xff; }' > $T/main.c && cc -Wall -Wno-unused-variable -Wno-unused-const-variable -Werror -o $T/main $T/main.c && $T/main",
                folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        if try isInstalled("python3") {
            try write(.python, "messages.py")
            let outcome = try run(
                "cd $T && python3 -c 'import messages; print(messages.MESSAGE_1_C2S_LOGON[0])'",
                folder
            )
            #expect(outcome.output == "255\n", "\(outcome.errors)")
        }
        if try isInstalled("node") {
            try write(.javascript, "messages.js")
            let outcome = try run("cd $T && node -p 'require(\"./messages.js\").message1C2sLogon[0]'", folder)
            #expect(outcome.output == "255\n", "\(outcome.errors)")
        }
    }

    @Test func text2pcapReadsFixtures() throws {
        guard try isInstalled("text2pcap") else { return }
        let folder = try TemporaryFolder()
        let outcome = try run(
            "esdump fixtures Captures/chat-through-server.pcap --show-secrets | text2pcap -q -T 1234,4530 - $T/back.pcap && esdump -r $T/back.pcap --count",
            folder
        )
        #expect(outcome.output.contains("complete messages 48\n"), "\(outcome.errors)")
    }

    @Test func dumpsOfPacketsAreReadAsPackets() throws {
        guard try isInstalled("tcpdump") else { return }
        for option in ["-x", "-X", "-xx", "-XX"] {
            let outcome = try CommandRunner.run(
                "tcpdump -n \(option) -r Captures/login.pcap 2>/dev/null | esdump decode --format json | esdump encode"
            )
            let wanted = try CommandRunner.run("esdump -r Captures/login.pcap --format json | esdump encode")
            #expect(outcome.output == wanted.output, "\(option): \(outcome.errors)")
        }
    }

    @Test func redactedPacketsHoldTheSameMessagesAsTheRedactedOutput() throws {
        let folder = try TemporaryFolder()
        for capture in ["chat-through-server", "hole-in-body", "login-7.2", "starts-mid-connection"] {
            let file = "Captures/\(capture).pcap"
            let outcome = try run("esdump -r \(file) --redact -w $T/r.pcap --format json", folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let again = try run("esdump -r $T/r.pcap --format json --show-secrets", folder)
            func messages(_ text: String) -> [Substring] {
                text.split(separator: "\n").filter { $0.hasPrefix("{\"n\"") }
                    .map { line in line[(line.firstRange(of: "\"direction\"")?.lowerBound ?? line.startIndex)...] }
            }
            #expect(!messages(outcome.output).isEmpty)
            #expect(messages(again.output) == messages(outcome.output), "\(capture)")
            let secrets = try run("grep -c -a -e aa01 -e bb02 -e FreeUser $T/r.pcap; rm $T/r.pcap", folder)
            #expect(secrets.output == "0\n", "\(capture)")
        }
    }
}
