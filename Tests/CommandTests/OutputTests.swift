import MessageFormat
import Dispatch
import Testing

@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Written by one thread, and read by another behind a semaphore.
private final class Total: @unchecked Sendable {
    private(set) var value = 0
    func add(_ count: Int) { value += count }
}

@Suite struct OutputWriterTests {
    private func withPipe(_ body: (_ reading: Int32, _ writing: Int32) throws -> Void) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try body(ends[0], ends[1])
    }

    private func available(_ descriptor: Int32) -> String {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func recordsWaitUntilTheBufferIsFull() throws {
        try withPipe { reading, writing in
            let output = OutputWriter(descriptor: writing, writesEachRecord: false, flushAt: 8)
            output.write("four")
            #expect(available(reading) == "")
            output.write("more")
            #expect(available(reading) == "fourmore")
            output.write("rest")
            #expect(output.finish() == 0)
            #expect(available(reading) == "rest")
        }
    }

    @Test func recordsAreWrittenAtOnceIfAsked() throws {
        try withPipe { reading, writing in
            let output = OutputWriter(descriptor: writing, writesEachRecord: true)
            output.write("line\n")
            #expect(available(reading) == "line\n")
        }
    }

    @Test func aReaderThatHasGoneIsAQuietEnd() throws {
        Signals.ignoreBrokenPipe()
        let (reading, writing) = try RunningCommand.makePipe()
        close(reading)
        defer { close(writing) }
        let output = OutputWriter(descriptor: writing, writesEachRecord: true)
        output.write("line\n")
        #expect(!output.isOpen)
        #expect(output.finish() == ExitStatus.success)
    }

    @Test func anErrorIsNotSuccess() {
        let output = OutputWriter(descriptor: -1, writesEachRecord: false)
        output.write("line\n")
        #expect(output.finish() == ExitStatus.damaged)
    }

    /// The reader has a thread of its own: a task would wait for one of the few that tests run on, all of which may
    /// be waiting for such tasks.
    @Test func aFullNonBlockingPipeIsWaitedFor() throws {
        let (reading, writing) = try RunningCommand.makePipe()
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let total = Total()
        let isRead = DispatchSemaphore(value: 0)
        DispatchQueue(label: "reader").async {
            var bytes = [UInt8](repeating: 0, count: 65536)
            while case let count = read(reading, &bytes, bytes.count), count > 0 { total.add(count) }
            isRead.signal()
        }
        let output = OutputWriter(descriptor: writing, writesEachRecord: false)
        output.buffer = [UInt8](repeating: 7, count: 1 << 20)
        #expect(output.finish() == ExitStatus.success)
        close(writing)
        isRead.wait()
        #expect(total.value == 1 << 20)
        close(reading)
    }
}

@Suite struct TextEncodingTests {
    private func decode(_ bytes: [UInt8], _ name: String) throws -> String? {
        try bytes.withUnsafeBytes { try TextEncoding(name).utf8($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func chinese() throws {
        #expect(try decode([0xD6, 0xD0, 0xCE, 0xC4], "gb18030") == "中文")
        #expect(try decode([], "gb18030") == "")
        #expect(try decode([0x2D, 0x4E], "utf-16le") == "中")
    }

    @Test func whatIsNotValidIsSaid() throws {
        #expect(try decode([0xD6], "gb18030") == nil)
        #expect(try decode([0xFF, 0xFF], "gb18030") == nil)
        // What came before does not disturb what comes after.
        let encoding = try TextEncoding("gb18030")
        #expect([UInt8](arrayLiteral: 0xD6).withUnsafeBytes { encoding.utf8($0) } == nil)
        #expect([UInt8](arrayLiteral: 0x61).withUnsafeBytes { encoding.utf8($0) } == [0x61])
    }

    @Test(arguments: ["klingon", "", "utf-8//IGNORE", "gb18030/"])
    func unknownNames(name: String) {
        #expect(throws: UsageError.self) { try TextEncoding(name) }
    }
}

@Suite struct TerminalTests {
    @Test func colorIsDecided() {
        let none: (String) -> String? = { _ in nil }
        let noColor: (String) -> String? = { $0 == "NO_COLOR" ? "1" : nil }
        let emptyNoColor: (String) -> String? = { $0 == "NO_COLOR" ? "" : nil }
        let dumb: (String) -> String? = { $0 == "TERM" ? "dumb" : nil }
        #expect(Terminal.usesColor(.auto, isTerminal: true, environment: none))
        #expect(!Terminal.usesColor(.auto, isTerminal: false, environment: none))
        #expect(!Terminal.usesColor(.auto, isTerminal: true, environment: noColor))
        #expect(Terminal.usesColor(.auto, isTerminal: true, environment: emptyNoColor))
        #expect(!Terminal.usesColor(.auto, isTerminal: true, environment: dumb))
        #expect(Terminal.usesColor(.always, isTerminal: false, environment: noColor))
        #expect(!Terminal.usesColor(.never, isTerminal: true, environment: none))
    }

    @Test func controlsAreEscapedInMessages() {
        #expect(escapingControls("a\u{1B}[2Jb\u{202E}\u{9B}中") == "a\\u{1B}[2Jb\\u{202E}\\u{9B}中")
    }
}

@Suite struct SignalTests {
    /// Sends a signal to this thread, which may have it blocked; the others wait in system calls of other tests.
    private func send(_ number: Int32) {
        var signals = sigset_t()
        var before = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, &before)
        pthread_kill(pthread_self(), number)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// SIGTERM and SIGINT end every reading in the process; ``ProcessTests`` sends them to a process of its own.
    @Test func theStatisticsSignalSetsAFlag() {
        Signals.install()
        defer { for number in [SIGUSR1, SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) } }
        #expect(!Signals.endIsRequested && !Signals.takeStatisticsRequest())
        send(SIGUSR1)
        #expect(Signals.takeStatisticsRequest())
        #expect(!Signals.takeStatisticsRequest())
    }
}
