import Testing

@testable import PacketCapture

/// Notes what is announced, and what comes.
private struct Announced: PacketSink {
    static var looksAhead: Bool { true }

    var announced: [UInt64: [UInt8]] = [:]
    var latest: UInt64 = 0
    var came: [UInt64] = []
    var differing: [UInt64] = []
    var stopsAfter: Int

    mutating func approach(_ number: UInt64, linkType: UInt16, bytes: RawSpan) {
        announced[number] = bytes.withUnsafeBytes { Array($0) }
        latest = max(latest, number)
    }

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        came.append(packet.number)
        if announced[packet.number] != bytes.withUnsafeBytes({ Array($0) }) { differing.append(packet.number) }
        if latest > packet.number + UInt64(LookAhead.packets) { differing.append(packet.number) }
        return came.count % stopsAfter != 0
    }

    mutating func timePassed(_ time: Int64) -> Bool { true }
}

@Suite struct PcapTests {
    /// Each packet is announced as it is, a few packets beforehand; also where reading stops and goes on.
    @Test(arguments: [false, true], [1000, 5, 1]) func packetsAreAnnounced(bigEndian: Bool, stopsAfter: Int) throws {
        var builder = CaptureBuilder(bigEndian: bigEndian)
        builder.pcapHeader()
        for index in 0..<300 {
            builder.pcapRecord(
                seconds: 1,
                fraction: 1,
                [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: index % 60)
            )
        }
        let file = TemporaryFile(builder.bytes)
        for chunk in [100, 4096, 1 << 16] {
            var sink = Announced(stopsAfter: stopsAfter)
            var capture = try CaptureFile(path: file.path, stop: StopFlag(), chunk: chunk)
            while try capture.read(into: &sink) == .sinkEnough {}
            #expect(sink.came == Array(1...300) && sink.differing == [])
        }
    }

    static let payloads: [[UInt8]] = [[1, 2, 3, 4, 5], [], Array(repeating: 7, count: 300)]

    static func sample(magic: UInt32, bigEndian: Bool) -> [UInt8] {
        var file = CaptureBuilder(bigEndian: bigEndian)
        file.pcapHeader(magic: magic, linkType: 0x2400_0071)
        for (index, payload) in payloads.enumerated() {
            let extra = magic == 0xA1B2_CD34 ? 8 : 0
            file.pcapRecord(
                seconds: 1_700_000_000,
                fraction: UInt32(index + 1),
                original: UInt32(payload.count + 2),
                extra: extra,
                payload
            )
        }
        return file.bytes
    }

    @Test(arguments: [0xA1B2_C3D4, 0xA1B2_3C4D, 0xA1B2_CD34] as [UInt32], [false, true])
    func everyMagicInBothByteOrders(magic: UInt32, bigEndian: Bool) {
        let (recorder, error, notes) = readCapture(Self.sample(magic: magic, bigEndian: bigEndian))
        #expect(error == nil)
        #expect(recorder.entries.map(\.bytes) == Self.payloads)
        #expect(recorder.entries.map(\.number) == [1, 2, 3])
        #expect(recorder.entries.map(\.original) == [7, 2, 302])
        // FCS bits of the link type field are no part of the link type.
        #expect(recorder.entries.allSatisfy { $0.linkType == 113 })
        let unit: Int64 = magic == 0xA1B2_3C4D ? 1 : 1000
        #expect(recorder.entries.map(\.time) == [1, 2, 3].map { 1_700_000_000_000_000_000 + $0 * unit })
        #expect(notes?.hasNanoseconds == (magic == 0xA1B2_3C4D))
    }

    @Test(arguments: [0xA1B2_C3D4, 0xA1B2_CD34] as [UInt32])
    func cutAtEveryByte(magic: UInt32) throws {
        let whole = Self.sample(magic: magic, bigEndian: false)
        let header = magic == 0xA1B2_CD34 ? 24 : 16
        var ends = [24]
        for payload in Self.payloads { ends.append(ends.last! + header + payload.count) }
        let file = TemporaryFile()
        for length in 0..<whole.count {
            let (recorder, error, _) = readCapture(Array(whole.prefix(length)), in: file)
            let complete = max(0, ends.filter { $0 <= length }.count - 1)
            #expect(recorder.entries.map(\.bytes) == Array(Self.payloads.prefix(complete)))
            if ends.contains(length) {
                #expect(error == nil)
            } else if length < 4 {
                #expect(error?.kind == .notACapture)
            } else {
                #expect(error?.kind == .truncated && error?.exitStatus == 1)
                if length > 24 {
                    #expect(error?.byteOffset == UInt64(ends[complete]))
                    #expect(error?.packetNumber == UInt64(complete + 1))
                }
            }
        }
    }

    @Test(arguments: [262_145, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
    func lengthsBeyondReasonAreRefused(length: UInt32) {
        var file = CaptureBuilder()
        file.pcapHeader()
        file.pcapRecord(seconds: 1, fraction: 0, [1, 2, 3])
        file.pcapRecord(seconds: 1, fraction: 0, captured: length, [1, 2, 3])
        let (recorder, error, _) = readCapture(file.bytes)
        #expect(recorder.entries.count == 1)
        #expect(error?.kind == .corrupt)
        #expect(error?.byteOffset == 43)
        #expect(error?.packetNumber == 2)
    }

    @Test func aPacketLongerThanTheBufferIsRead() {
        var file = CaptureBuilder()
        file.pcapHeader(snapLength: 8 << 20)
        let long = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        file.pcapRecord(seconds: 1, fraction: 0, [9])
        file.pcapRecord(seconds: 2, fraction: 0, long)
        file.pcapRecord(seconds: 3, fraction: 0, [8])
        let (recorder, error, _) = readCapture(file.bytes)
        #expect(error == nil)
        #expect(recorder.entries.map(\.bytes) == [[9], long, [8]])
    }

    @Test func manyPacketsAcrossManyChunks() {
        var file = CaptureBuilder()
        file.pcapHeader()
        for index in 0..<20_000 {
            file.pcapRecord(
                seconds: UInt32(index),
                fraction: 0,
                Array(repeating: UInt8(index & 0xFF), count: index % 97)
            )
        }
        let (recorder, error, _) = readCapture(file.bytes)
        #expect(error == nil)
        #expect(recorder.entries.count == 20_000)
        for (index, entry) in recorder.entries.enumerated()
        where entry.time != Int64(index) * 1_000_000_000
            || entry.bytes != Array(repeating: UInt8(index & 0xFF), count: index % 97)
        {
            Issue.record("packet \(index + 1) differs")
            break
        }
    }

    @Test func lengthsOfOldVersionsAreSwapped() {
        for (minor, captured, original) in [(2, 8, 3), (3, 8, 3), (3, 3, 8)] as [(UInt16, UInt32, UInt32)] {
            var file = CaptureBuilder()
            file.pcapHeader(minor: minor)
            file.pcapRecord(seconds: 1, fraction: 0, captured: captured, original: original, [1, 2, 3])
            let (recorder, error, _) = readCapture(file.bytes)
            #expect(error == nil)
            #expect(recorder.entries.first?.bytes == [1, 2, 3])
            #expect(recorder.entries.first?.original == 8)
        }
    }

    @Test func readingGoesOnAfterTheSinkHadEnough() throws {
        let file = TemporaryFile(Self.sample(magic: 0xA1B2_C3D4, bigEndian: false))
        var capture = try CaptureFile(path: file.path)
        var numbers: [UInt64] = []
        for _ in 0..<3 {
            var one = Recorder(limit: 1)
            let end = try capture.read(into: &one)
            #expect(end == .sinkEnough)
            numbers += one.entries.map(\.number)
        }
        var rest = Recorder()
        let end = try capture.read(into: &rest)
        #expect(end == .endOfInput)
        #expect(rest.entries.isEmpty)
        #expect(numbers == [1, 2, 3])
    }
}
