import Testing

@testable import PacketCapture

/// The layout is that of PROTOCOL.md's appendix.
@Suite struct SmartSniffTests {
    private func file(header: [UInt8] = [192, 168, 0, 1], _ records: [[UInt8]]) -> [UInt8] {
        var builder = CaptureBuilder()
        builder.bytes = Array("SMSNF200".utf8)
        builder.number(UInt16(header.count))
        return builder.bytes + header + records.joined()
    }

    private func record(headerLength: Int = 24, captured: UInt32? = nil, time: UInt64, _ data: [UInt8]) -> [UInt8] {
        var builder = CaptureBuilder()
        builder.number(UInt16(headerLength))
        builder.number(captured ?? UInt32(data.count))
        builder.number(time)
        builder.bytes += [UInt8](repeating: 0xAA, count: max(0, headerLength - 12))
        return builder.bytes + data
    }

    /// 2023-11-14 22:13:20.1234567 UTC.
    private let time: UInt64 = 133_444_736_001_234_567

    @Test func packetsAreRead() {
        let (recorder, error, notes) = readCapture(
            file([record(time: time, [0x45, 1, 2]), record(time: time + 10, [0x45])])
        )
        #expect(error == nil && notes?.format == "SmartSniff")
        #expect(
            recorder.entries == [
                .init(number: 1, time: 1_700_000_000_123_456_700, linkType: 101, original: 3, bytes: [0x45, 1, 2]),
                .init(number: 2, time: 1_700_000_000_123_457_700, linkType: 101, original: 1, bytes: [0x45]),
            ]
        )
    }

    @Test(arguments: [0, 4, 300, 65_535], [12, 24, 500])
    func headersOfOtherSizesArePassedOver(fileHeader: Int, packetHeader: Int) {
        let bytes = file(
            header: [UInt8](repeating: 7, count: fileHeader),
            [record(headerLength: packetHeader, time: time, [1, 2]), record(headerLength: 24, time: time, [3])]
        )
        let (recorder, error, _) = readCapture(bytes)
        #expect(error == nil)
        #expect(recorder.entries.map(\.bytes) == [[1, 2], [3]])
    }

    @Test func aFileWithoutPacketsIsRead() {
        let (recorder, error, _) = readCapture(file([]))
        #expect(error == nil && recorder.entries.isEmpty)
    }

    @Test func cutAnywhereItGivesThePacketsBefore() {
        let first = record(time: time, [1, 2, 3])
        let whole = file([first, record(time: time, [4, 5])])
        let firstEnd = 14 + first.count
        for count in 8..<whole.count where count != 14 && count != firstEnd {
            let (recorder, error, _) = readCapture(Array(whole.prefix(count)))
            #expect(error?.kind == .truncated, "\(count)")
            #expect(recorder.entries.count == (count < firstEnd ? 0 : 1), "\(count)")
        }
    }

    @Test func lengthsThatCannotBeAreRefused() {
        let good = record(time: time, [1])
        for bad in [record(headerLength: 11, time: time, [1, 2, 3]), record(captured: .max, time: time, [1])] {
            let (recorder, error, _) = readCapture(file([good, bad]))
            #expect(error?.kind == .corrupt && error?.byteOffset == UInt64(14 + good.count))
            #expect(recorder.entries.count == 1)
        }
    }

    @Test(arguments: [(UInt64(0), false), (.max, false), (116_444_736_000_000_000, true)])
    func timesOutOfRangeAreClamped(fileTime: UInt64, exact: Bool) {
        let (recorder, error, notes) = readCapture(file([record(time: fileTime, [1])]))
        #expect(error == nil && notes?.clampedTimes == (exact ? 0 : 1))
        #expect(recorder.entries.first?.time == (exact ? 0 : fileTime == 0 ? .min : .max))
    }
}
