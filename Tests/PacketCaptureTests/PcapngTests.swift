import PacketCapture
import Testing

@Suite struct PcapngTests {
    @Test(arguments: [false, true])
    func blocksOfAllKinds(bigEndian: Bool) {
        var file = CaptureBuilder(bigEndian: bigEndian)
        file.section(comment: "a section")
        file.interface(1, snapLength: 4, name: "eth0")
        file.interface(113, resolution: 9)
        file.enhanced(interface: 0, ticks: 1_700_000_000_000_001, comment: "登录", [1, 2, 3, 4, 5])
        file.block(4) { $0.number(UInt32(0)) }
        file.block(10) { $0.bytes += Array("TLSK".utf8) }
        file.block(0xBAD) { $0.number(UInt32(7)) }
        file.block(0x1234_5678) { $0.bytes += Array(repeating: 3, count: 100) }
        file.enhanced(interface: 1, ticks: 1_700_000_000_000_000_007, original: 90, [6])
        file.block(3) {
            $0.number(UInt32(60))
            $0.bytes += [1, 2, 3, 4]
        }
        file.block(2) {
            $0.number(UInt16(1))
            $0.number(UInt16(3))
            $0.number(UInt32(0))
            $0.number(UInt32(5))
            $0.number(UInt32(2))
            $0.number(UInt32(2))
            $0.bytes += [8, 9]
        }
        file.block(5) {
            $0.number(UInt32(0))
            $0.number(UInt64(0))
            var value = CaptureBuilder(bigEndian: bigEndian)
            value.number(UInt64(12))
            $0.option(5, value.bytes)
        }
        // A second section, in the other byte order, whose interfaces are its own.
        file.bigEndian.toggle()
        file.section()
        file.interface(101)
        file.enhanced(ticks: 3, [5])

        let (recorder, error, notes) = readCapture(file.bytes)
        #expect(error == nil)
        #expect(
            recorder.entries == [
                .init(number: 1, time: 1_700_000_000_000_001_000, linkType: 1, original: 5, bytes: [1, 2, 3, 4, 5]),
                .init(number: 2, time: 1_700_000_000_000_000_007, linkType: 113, original: 90, bytes: [6]),
                .init(number: 3, time: 1_700_000_000_000_000_007, linkType: 1, original: 60, bytes: [1, 2, 3, 4]),
                .init(number: 4, time: 5, linkType: 113, original: 2, bytes: [8, 9]),
                .init(number: 5, time: 3_000, linkType: 101, original: 1, bytes: [5]),
            ]
        )
        #expect(
            notes?.comments == [.init(subject: .section, text: "a section"), .init(subject: .packet(1), text: "登录")]
        )
        #expect(notes?.interfaces.map(\.linkType) == [1, 113, 101])
        #expect(notes?.interfaces.first?.name == "eth0")
        #expect(notes?.interfaces.first?.dropped == 12)
        #expect(notes?.skippedBlocks == [4: 1, 10: 1, 0xBAD: 1, 0x1234_5678: 1])
        #expect(notes?.packetsWithoutTime == 1)
        #expect(notes?.hasNanoseconds == true)
    }

    @Test func timeResolutionsAndOffsets() {
        let cases: [(resolution: UInt8, offset: Int64?, ticks: UInt64, time: Int64)] = [
            (0, nil, 5, 5_000_000_000),
            (3, nil, 5, 5_000_000),
            (6, 10, 5, 10_000_005_000),
            (9, -1, 5, -999_999_995),
            (12, nil, 5_999, 5),
            (30, nil, .max, 0),
            (127, nil, .max, 0),
            (0x80, nil, 2, 2_000_000_000),
            (0x80 | 10, nil, 1536, 1_500_000_000),
            (0x80 | 32, nil, 1 << 31, 500_000_000),
            (0x80 | 127, nil, .max, 0),
            // What does not fit is clamped.
            (0, nil, .max, .max),
            (6, nil, .max, .max),
            (9, nil, .max, .max),
            (0x80, nil, .max, .max),
            (9, .max, 1, .max),
            (9, .min, 0, .min),
        ]
        for test in cases {
            var file = CaptureBuilder()
            file.section()
            file.interface(1, resolution: test.resolution, offset: test.offset)
            file.enhanced(ticks: test.ticks, [1])
            let (recorder, error, _) = readCapture(file.bytes)
            #expect(error == nil)
            #expect(recorder.entries.first?.time == test.time, "resolution \(test.resolution), ticks \(test.ticks)")
        }
    }

    static var sample: [UInt8] {
        var file = CaptureBuilder()
        file.section(comment: "c")
        file.interface(1, name: "lo")
        file.enhanced(ticks: 1, comment: "one", [1, 2, 3])
        file.block(5) { $0.number([UInt32](repeating: 0, count: 3).reduce(0, +)) }
        file.enhanced(ticks: 2, [4, 5, 6, 7])
        return file.bytes
    }

    @Test func cutAtEveryByte() {
        let whole = Self.sample
        let file = TemporaryFile()
        var counts: [Int] = []
        for length in 0...whole.count {
            let (recorder, error, _) = readCapture(Array(whole.prefix(length)), in: file)
            counts.append(recorder.entries.count)
            if let error { #expect(error.exitStatus == (length < 4 ? 2 : 1)) }
        }
        #expect(counts.last == 2)
        #expect(counts == counts.sorted())
    }

    @Test func everyByteDamaged() {
        let whole = Self.sample
        let file = TemporaryFile()
        for index in whole.indices {
            for value in [0, 0xFF, whole[index] ^ 0x80, whole[index] &+ 1] as [UInt8] {
                var damaged = whole
                damaged[index] = value
                let (recorder, _, _) = readCapture(damaged, in: file)
                #expect(recorder.entries.count <= 2)
            }
        }
    }

    @Test func damageIsNamedWithItsPlace() {
        var start = CaptureBuilder()
        start.section()
        let interfaceOffset = start.bytes.count
        start.interface(1)
        let offset = UInt64(start.bytes.count)

        func expectCorrupt(packets: Int = 0, at place: UInt64, _ build: (inout CaptureBuilder) -> Void) {
            var file = start
            build(&file)
            let (recorder, error, _) = readCapture(file.bytes)
            #expect(error?.kind == .corrupt)
            #expect(error?.byteOffset == place, "\(error?.message ?? "no error")")
            #expect(recorder.entries.count == packets)
        }
        expectCorrupt(at: offset) { $0.enhanced(interface: 1, ticks: 0, [1]) }
        expectCorrupt(at: offset) { $0.enhanced(ticks: 0, captured: 5, [1]) }
        expectCorrupt(at: offset) { $0.enhanced(ticks: 0, captured: .max, [1]) }
        expectCorrupt(at: offset + 4) {
            $0.number(UInt32(6))
            $0.number(UInt32(0x2000_0000))
            $0.number(UInt32(0))
        }
        expectCorrupt(at: offset + 4) {
            $0.number(UInt32(99))
            $0.number(UInt32.max)
            $0.number(UInt32(0))
        }
        expectCorrupt(at: offset + 4) {
            $0.number(UInt32(99))
            $0.number(UInt32(8))
            $0.number(UInt32(8))
        }
        expectCorrupt(at: offset + 12) { $0.section(major: 2) }
        // The lengths at both ends differ: the packet is read, and the damage said at the end.
        expectCorrupt(packets: 2, at: offset) {
            $0.enhanced(ticks: 0, trailer: 8, [1])
            $0.enhanced(ticks: 0, [1])
        }
        #expect(interfaceOffset == 28)
    }

    @Test func aLongUnknownBlockIsPassedOver() {
        var file = CaptureBuilder()
        file.section()
        file.interface(1)
        file.block(0x4000_0001) { $0.bytes += [UInt8](repeating: 6, count: 18 << 20) }
        file.enhanced(ticks: 1, [1])
        let (recorder, error, notes) = readCapture(file.bytes)
        #expect(error == nil)
        #expect(recorder.entries.count == 1)
        #expect(notes?.skippedBlocks == [0x4000_0001: 1])
    }
}
