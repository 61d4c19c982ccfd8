import Testing

@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What shows only in a running program: pipes, signals, files that it makes.
@Suite struct ProcessTests {
    static let login = "Captures/login.pcap"

    private func bytes(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen("\(CommandRunner.root)/\(path)", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
    }

    private func lines(_ text: String) -> Int { text.utf8.split(separator: 0x0A).count }

    // MARK: - Writing

    @Test(arguments: ["login", "chat-through-server", "hole-in-body", "hole-in-header", "starts-mid-connection"])
    func writtenToAPipeAndReadAgainItSaysTheSame(name: String) throws {
        let direct = try CommandRunner.run("esdump -r Captures/\(name).pcap --format json")
        let again = try CommandRunner.run("esdump -r Captures/\(name).pcap -w - | esdump -r - --format json")
        #expect(!direct.output.isEmpty && again.output == direct.output)
        #expect(again.errors == "" && again.status == 0)
    }

    @Test func aWrittenFileIsPrivateAndHoldsWhatPassed() throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/out.pcap"
        let first = try CommandRunner.run("umask 0; esdump -r \(Self.login) -q -w \(file) src port 4530")
        #expect(first.status == 0 && lines(first.output) == 1)
        var status = stat()
        try #require(stat(file, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try CommandRunner.run("esdump -r \(file) -q").output == first.output)
    }

    @Test func writingFollowsNoSymbolicLink() throws {
        let folder = try TemporaryFolder()
        let outcome = try CommandRunner.run(
            "cd \(folder.path) && echo precious > target && ln -s target link; cd - > /dev/null; "
                + "esdump -r \(Self.login) -w \(folder.path)/link; status=$?; cat \(folder.path)/target; exit $status"
        )
        #expect(outcome.status == 2)
        #expect(outcome.output == "precious\n")
        #expect(outcome.errors.contains("symbolic link"))
    }

    @Test func whatCannotBeWrittenFailsBeforeAnythingIsShown() throws {
        let outcome = try CommandRunner.run("esdump -r \(Self.login) -w /nosuchfolder/out.pcap")
        #expect(outcome.status == 2 && outcome.output == "")
        #expect(outcome.errors.contains("/nosuchfolder/out.pcap"))
    }

    #if os(Linux)
        @Test func aFullDiskIsToldAndIsNotSuccess() throws {
            let text = try CommandRunner.run("esdump -r \(Self.login) > /dev/full")
            #expect(text.status == 1 && text.errors.contains("standard output"))
            let packets = try CommandRunner.run("esdump -r \(Self.login) -w - > /dev/full")
            #expect(packets.status == 1 && packets.errors.contains("standard output"))
        }
    #endif

    #if os(Linux)
        /// Packets on a terminal are what it takes for orders.
        @Test(.enabled(if: access("/usr/bin/script", X_OK) == 0, "script gives the terminal for this test"))
        func packetsAreNotWrittenToATerminal() throws {
            let outcome = try CommandRunner.run("script -qec 'esdump -r \(Self.login) -w -' /dev/null")
            #expect(outcome.status == 2 && lines(outcome.output) == 1 && outcome.output.contains("terminal"))
        }

        @Test(.enabled(if: access("/usr/bin/script", X_OK) == 0, "script gives the terminal for this test"))
        func aTerminalHasColorUnlessNoColorIsSet() throws {
            let line = "script -qec 'esdump -r \(Self.login) -q' /dev/null"
            #expect(try CommandRunner.run(line, environment: ["TERM=xterm"]).output.contains("\u{1B}["))
            let plain = try CommandRunner.run(line, environment: ["TERM=xterm", "NO_COLOR=1"])
            #expect(lines(plain.output) == 3 && !plain.output.contains("\u{1B}"))
        }
    #endif

    // MARK: - Closed pipes

    @Test(arguments: ["", "--format json", "--format hex", "-w -", "-q -l"])
    func aClosedPipeIsAQuietEnd(options: String) throws {
        let line =
            "{ esdump -r Captures/hole-in-body.pcap \(options); echo \"status $?\" >&2; } | head -c 40 > /dev/null"
        #expect(try CommandRunner.run(line).errors == "status 0\n")
    }

    // MARK: - Standard input

    @Test func aMessageShowsAsSoonAsItIsComplete() throws {
        let all = try bytes(Self.login)
        let command = try RunningCommand("esdump", ["-r", "-", "-q"])
        // The first two messages are whole with the sixth packet, which ends at 643.
        for byte in all[..<642] { try command.send([byte]) }
        #expect(command.wait { self.lines($0.output) == 1 })
        #expect(!command.wait(seconds: 0.3) { self.lines($0.output) > 1 })
        try command.send([all[642]])
        #expect(command.wait { self.lines($0.output) == 2 })
        for byte in all[643...] { try command.send([byte]) }
        command.closeInput()
        let outcome = try command.finish()
        #expect(lines(outcome.output) == 3 && outcome.errors == "" && outcome.status == 0)
    }

    /// The pauses of a pipe are no time of the capture, which may be years old: its conversations were closed as idle
    /// and its holes given up.
    @Test func aPauseInAPipeDoesNotEndConversationsOfAnOldCapture() throws {
        let all = try bytes(Self.login)
        let command = try RunningCommand("esdump", ["-r", "-", "--count"])
        try command.send(all[..<700])
        #expect(!command.wait(seconds: 0.5) { _ in false })
        try command.send(all[700...])
        command.closeInput()
        let expected = try CommandRunner.run("esdump -r \(Self.login) --count")
        #expect(try command.finish().output == expected.output)
    }

    /// Through a pipe, lines came in another order than from the file, and with other numbers.
    @Test(arguments: ["hole-in-body", "hole-in-header", "starts-mid-connection", "ends-inside-body"])
    func aPipeHasTheOrderOfTheFile(name: String) throws {
        let file = try CommandRunner.run("esdump -r Captures/\(name).pcap --format json")
        #expect(try CommandRunner.run("cat Captures/\(name).pcap | esdump -r - --format json").output == file.output)
    }

    // MARK: - Signals

    @Test func interruptedItEndsWithTheTotals() throws {
        let command = try RunningCommand("esdump", ["-r", "-", "-q"])
        try command.send(try bytes(Self.login)[..<700])
        #expect(command.wait { self.lines($0.output) == 2 })
        command.signal(SIGINT)
        let outcome = try command.finish()
        #expect(outcome.errors == "esdump: interrupted after 6 packets: 2 complete and 0 damaged messages\n")
        #expect(lines(outcome.output) == 2 && outcome.status == 0)
    }

    @Test func interruptedItCountsWhatWasThere() throws {
        let command = try RunningCommand("esdump", ["-r", "-", "--count"])
        try command.send(try bytes(Self.login)[..<700])
        // Its handlers are set, and all is read, once it waits.
        #expect(!command.wait(seconds: 1) { _ in false })
        command.signal(SIGUSR1)
        #expect(command.wait { $0.errors == "esdump: so far 6 packets: 2 complete and 0 damaged messages\n" })
        command.signal(SIGTERM)
        let outcome = try command.finish()
        #expect(outcome.output.hasPrefix("packets 6\nconversations 1\ncomplete messages 2\n") && outcome.status == 0)
    }

    @Test func theStatisticsSignalTellsAndGoesOn() throws {
        let all = try bytes(Self.login)
        let command = try RunningCommand("esdump", ["-r", "-", "-q"])
        try command.send(all[..<700])
        #expect(command.wait { self.lines($0.output) == 2 })
        command.signal(SIGUSR1)
        #expect(command.wait { $0.errors == "esdump: so far 6 packets: 2 complete and 0 damaged messages\n" })
        try command.send(all[700...])
        command.closeInput()
        let outcome = try command.finish()
        #expect(lines(outcome.output) == 3 && outcome.status == 0)
    }

    // MARK: - -c and -F

    @Test func theCountEndsAPipeThatStaysOpen() throws {
        let command = try RunningCommand("esdump", ["-r", "-", "-q", "-c", "6"])
        try command.send(try bytes(Self.login))
        let outcome = try command.finish()
        #expect(lines(outcome.output) == 2 && outcome.errors == "" && outcome.status == 0)
    }

    @Test func theFilterOfAFileMayHaveSeveralLines() throws {
        let folder = try TemporaryFolder()
        let outcome = try CommandRunner.run(
            "printf 'src port 4530\\nand host 127.0.0.1\\n' > \(folder.path)/f; esdump -r \(Self.login) -q -F \(folder.path)/f"
        )
        #expect(lines(outcome.output) == 1 && outcome.status == 0)
    }
}
