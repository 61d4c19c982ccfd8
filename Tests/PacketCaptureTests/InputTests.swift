import Dispatch
import PacketCapture
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct InputTests {
    /// A sink that writes the next bytes into the pipe whenever it is called.
    struct Feeder: PacketSink {
        var rest: ArraySlice<UInt8>
        var step: Int
        let pipe: Int32
        var packets = 0
        var unreadAtPacket: [Int] = []

        mutating func feed() -> Bool {
            let next = rest.prefix(step)
            if next.isEmpty { close(pipe) } else { _ = next.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) } }
            rest = rest.dropFirst(step)
            return true
        }

        mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
            packets += 1
            unreadAtPacket.append(rest.count)
            return true
        }

        mutating func timePassed(_ time: Int64) -> Bool { feed() }
    }

    @Test func packetsOfAPipeAreHandedOnAsTheyArrive() throws {
        var file = CaptureBuilder()
        file.pcapHeader()
        file.pcapRecord(seconds: 1, fraction: 0, [1, 2, 3, 4])
        file.pcapRecord(seconds: 2, fraction: 0, [5, 6, 7, 8])
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var capture = CaptureFile(descriptor: ends[0], name: "a pipe", stop: StopFlag())
        var feeder = Feeder(rest: file.bytes[...], step: 22, pipe: ends[1])
        let end = try capture.read(into: &feeder)
        #expect(end == .endOfInput)
        #expect(feeder.packets == 2)
        // The first packet was complete with the second of three pieces.
        #expect(feeder.unreadAtPacket == [file.bytes.count - 44, 0])
    }

    #if os(Linux)
        @Test func aPipeTakesMoreAtATime() throws {
            // F_GETPIPE_SZ and F_SETPIPE_SZ.
            let (getSize, setSize): (Int32, Int32) = (1032, 1031)
            var ends: [Int32] = [0, 0]
            var others: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0 && pipe(&others) == 0)
            defer { for end in ends + others { close(end) } }
            let before = fcntl(ends[0], getSize)
            _ = CaptureFile(descriptor: ends[0], name: "a pipe", stop: StopFlag())
            // As much as the system gives.
            _ = fcntl(others[0], setSize, 1 << 20)
            #expect(fcntl(ends[0], getSize) == fcntl(others[0], getSize))
            #expect(fcntl(ends[0], getSize) >= before)
        }
    #endif

    /// The writer has a thread of its own: a task would wait for one of the few that tests run on, all of which may
    /// be waiting for such tasks.
    @Test func oneByteAtATime() throws {
        let bytes = PcapngTests.sample
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        let written = DispatchSemaphore(value: 0)
        DispatchQueue(label: "writer").async {
            for byte in bytes {
                var byte = byte
                _ = write(writer, &byte, 1)
            }
            close(writer)
            written.signal()
        }
        var capture = CaptureFile(descriptor: reader, name: "a pipe", stop: StopFlag())
        var recorder = Recorder()
        let end = try capture.read(into: &recorder)
        written.wait()
        close(reader)
        #expect(end == .endOfInput)
        #expect(recorder.entries.map(\.bytes) == [[1, 2, 3], [4, 5, 6, 7]])
    }

    @Test func theStopFlagEndsWaiting() throws {
        struct Stopper: PacketSink {
            let stop: StopFlag
            mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool { true }
            mutating func timePassed(_ time: Int64) -> Bool {
                stop.set()
                return true
            }
        }
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let stop = StopFlag()
        var capture = CaptureFile(descriptor: ends[0], name: "a pipe", stop: stop)
        var stopper = Stopper(stop: stop)
        let end = try capture.read(into: &stopper)
        #expect(end == .stopped)
    }

    @Test func whatIsNotACaptureIsNamed() {
        func kindAndMessage(_ bytes: [UInt8]) -> (CaptureError.Kind?, String) {
            let (_, error, _) = readCapture(bytes)
            return (error?.kind, error?.message ?? "")
        }
        let cases: [([UInt8], String)] = [
            ([], "empty"),
            (Array("snoop\0\0\0".utf8) + [UInt8](repeating: 0, count: 20), "snoop"),
            (Array("Frame 1: 74 bytes on wire (592 bits)".utf8), "text"),
            (Array("hello".utf8), "text"),
            ([UInt8](repeating: 0, count: 40), "00 00 00 00"),
            (
                [0, 0x47, 0x2F, 0, 0x81, 0xD7, 0x48, 0x41, 2, 4, 0, 80, 0, 0, 0, 64] + [UInt8](repeating: 0, count: 64),
                "ERF"
            ),
        ]
        for (bytes, word) in cases {
            let (kind, message) = kindAndMessage(bytes)
            #expect(kind == .notACapture)
            #expect(message.contains(word), "\(message)")
        }
    }

    @Test func filesThatCannotBeOpened() {
        #expect(throws: CaptureError.self) { _ = try CaptureFile(path: "/nonexistent/a.pcap") }
        do throws(CaptureError) {
            _ = try CaptureFile(path: "/nonexistent/a.pcap")
        } catch {
            #expect(error.kind == .noSuchFile)
            #expect(error.exitStatus == 2)
        }
        var recorder = Recorder()
        do throws(CaptureError) {
            var folder = try CaptureFile(path: "/tmp")
            _ = try folder.read(into: &recorder)
            Issue.record("a folder was read")
        } catch {
            #expect(error.exitStatus == 2)
            #expect(error.message.contains("folder"))
        }
    }
}
