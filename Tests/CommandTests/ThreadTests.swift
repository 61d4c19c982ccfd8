import Testing
import TestSupport

@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What is printed does not depend on how many threads print it.
@Suite struct ThreadTests {
    /// Messages in several connections, of which some segments are late and some are lost, so that lines wait for their
    /// order; enough for several batches.
    private static let capture = makeCapture(messages: 2500)

    private static func makeCapture(messages: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 4)
        var file: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0]
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func big(_ value: Int, _ count: Int) -> [UInt8] { little(value, count).reversed() }
        func segment(_ port: Int, _ sequence: Int, _ flags: UInt8, _ payload: [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0] + big(40 + payload.count, 2)
            bytes += [0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2] + big(port, 2) + big(4530, 2)
            bytes += big(sequence, 4) + [0, 0, 0, 0, 0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0]
            return bytes + payload
        }
        func message(_ number: Int) -> [UInt8] {
            let text = Array("message \(number) ".utf8)
            let body = Array(repeatElement(text, count: number % 60).joined())
            return [0xFF, 0] + little(101 + number % 9, 2) + little(number, 4) + little(body.count, 4)
                + [4] + Array("aa01".utf8) + [0, 0, 0, 0, 0, 0, 0] + [2] + Array("_0".utf8)
                + [0, 0, 0, 0, 0, 0, 0, 0, 0] + body
        }
        var time = 0
        func add(_ bytes: [UInt8]) {
            time += 50
            file += little(1_700_000_000 + time / 1_000_000, 4) + little(time % 1_000_000, 4)
            file += little(bytes.count, 4) + little(bytes.count, 4) + bytes
        }
        var next = [Int](repeating: 1, count: 20)
        for connection in next.indices { add(segment(40000 + connection, 0, 2, [])) }
        var late: [[UInt8]] = []
        for number in 0..<messages {
            let connection = Int.random(in: next.indices, using: &generator)
            let payload = message(number)
            let bytes = segment(40000 + connection, next[connection], 0x18, payload)
            next[connection] += payload.count
            switch Int.random(in: 0..<100, using: &generator) {
            case 0: break  // lost
            case 1...3: late.append(bytes)
            default: add(bytes)
            }
            if late.count > 5 { add(late.removeFirst()) }
        }
        return file
    }

    @Test(
        arguments: [
            "--format breakdown", "--format summary -ttt", "--format summary -ttttt", "--format json -v",
            "--format hex", "-X --encoding gb18030", "--count",
        ]
    )
    func theOutputIsTheSame(options: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/a.pcap"
        try write(Self.capture, to: file)
        let one = try CommandRunner.run("esdump -r \(file) \(options) --threads 1")
        #expect(one.status == 0 && !one.output.isEmpty)
        for threads in [2, 5] {
            let several = try CommandRunner.run("esdump -r \(file) \(options) --threads \(threads)")
            #expect(several.status == 0 && several.errors == one.errors)
            #expect(several.output == one.output, "\(threads) threads")
        }
    }

    @Test func severalInputsKeepTheirNames() throws {
        let folder = try TemporaryFolder()
        try write(Self.capture, to: folder.path + "/a.pcap")
        try write(Self.capture, to: folder.path + "/b.pcap")
        let command = "cd \(folder.path) && gzip -k b.pcap && esdump -r a.pcap -r b.pcap.gz --format json"
        let one = try CommandRunner.run("\(command) --threads 1")
        let three = try CommandRunner.run("rm \(folder.path)/*.gz; \(command) --threads 3")
        #expect(one.status == 0 && one.output.contains("\"file\":\"b.pcap.gz\""))
        #expect(three.output == one.output)
    }

    @Test(arguments: ["gzip", "xz", "bzip2"])
    func compressedFilesAreReadBesideTheAnalysis(program: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/a.pcap"
        try write(Self.capture, to: file)
        let plain = try CommandRunner.run("esdump -r \(file) --format summary --threads 1")
        let packed = try CommandRunner.run(
            "\(program) -c \(file) > \(file).z && esdump -r \(file).z --format summary --threads 2"
        )
        #expect(packed.output == plain.output && packed.status == 0)
        let piped = try CommandRunner.run("\(program) -c \(file) | esdump -r - --count --threads 2")
        #expect(piped.output == (try CommandRunner.run("esdump -r \(file) --count")).output)
        // Cut short: what was there is shown, and the damage told.
        for threads in [1, 2] {
            let cut = try CommandRunner.run("head -c 5000 \(file).z | esdump -r - --count --threads \(threads)")
            #expect(cut.status == 1 && cut.errors.contains("cut short"))
        }
    }

    @Test func aReaderThatLeavesIsAQuietEnd() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/a.pcap"
        try write(Self.capture, to: file)
        let outcome = try CommandRunner.run("(esdump -r \(file) --threads 3; echo $? >&2) | head -n 1 | wc -l")
        #expect(outcome.output.contains("1") && outcome.errors == "0\n")
    }

    @Test func whatCannotBeWrittenIsTold() throws {
        try #require(access("/dev/full", W_OK) == 0)
        let folder = try TemporaryFolder()
        let file = folder.path + "/a.pcap"
        try write(Self.capture, to: file)
        let outcome = try CommandRunner.run("esdump -r \(file) --threads 3 >/dev/full")
        #expect(outcome.status == 1 && outcome.errors.contains("No space left"))
    }

    /// A reader that does not read: everything stands still until it does, and nothing is lost.
    @Test func aReaderThatStopsIsWaitedFor() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/a.pcap"
        try write(Self.capture, to: file)
        let slow = try CommandRunner.run("esdump -r \(file) --threads 3 | (sleep 0.3; cksum)")
        let one = try CommandRunner.run("esdump -r \(file) --threads 1 | cksum")
        #expect(slow.output == one.output)
    }

    /// SIGINT reaches the thread that reads, whatever the others do; what was read is shown.
    @Test func anInterruptEndsAllThreads() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/a.pcap"
        try write(Self.capture, to: file)
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        let source = try RunningCommand("/bin/sh", ["-c", "exec 3>\(pipe); cat \(file) >&3; sleep 60"])
        let command = try RunningCommand("esdump", ["-r", pipe, "--format", "summary", "--threads", "3"])
        #expect(command.wait { $0.output.utf8.count(where: { $0 == 0x0A }) > 2000 })
        command.signal(SIGINT)
        let outcome = try command.finish()
        #expect(outcome.status == 0 && outcome.errors.contains("interrupted after"))
        #expect(outcome.output.utf8.count(where: { $0 == 0x0A }) > 2400)
        _ = source
    }

    @Test(arguments: ["0", "65", "x", ""])
    func aWrongNumberIsRefused(text: String) {
        #expect(throws: UsageError.self) { try OptionParser.parse(["-r", "a", "--threads=\(text)"]) }
    }

    @Test func theNumberIsTaken() throws {
        #expect(try OptionParser.parse(["-r", "a", "--threads", "3"]).threads == 3)
        #expect(try OptionParser.parse(["-r", "a"]).threads == nil)
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}
