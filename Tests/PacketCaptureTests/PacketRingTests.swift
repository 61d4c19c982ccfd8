import TestSupport
import Testing

@testable import PacketCapture

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The ring keeps the last packets, and gives back just those.
@Suite struct PacketRingTests {
    private static let second: Int64 = 1_000_000_000

    /// Puts packets into a ring and reads what it writes.
    private func kept(
        _ limits: PacketRing.Limits,
        _ packets: [(time: Int64, bytes: [UInt8])]
    ) throws -> (packets: [Recorder.Entry], ring: PacketRing, summary: PacketRing.Summary) {
        let folder = try makeTemporaryFolder()
        defer { rmdir(folder) }
        let path = folder + "/ring.pcap"
        let writer = try RotatingWriter(path: path, folder: OutputFolder(of: path))
        defer { unlink(path) }
        let ring = try PacketRing(limits, beside: path, folder: nil)
        #expect(try fileNames(in: folder) == ["ring.pcap"])
        for (index, packet) in packets.enumerated() {
            let header = Packet(
                number: UInt64(index + 1),
                time: packet.time,
                linkType: 1,
                originalLength: packet.bytes.count + 1
            )
            try ring.append(header, bytes: packet.bytes.span.bytes, details: nil)
        }
        let summary = try ring.write(to: writer)
        try writer.finish()
        var file = try CaptureFile(path: path, stop: StopFlag())
        var recorder = Recorder()
        _ = try file.read(into: &recorder)
        return (recorder.entries, ring, summary)
    }

    @Test func packetsOfTheLastSecondsAreKept() throws {
        let packets = (0..<100).map { (time: Int64($0) * Self.second, bytes: [UInt8($0)]) }
        let (entries, ring, summary) = try kept(.init(time: 10 * Self.second, bytes: 1 << 20), packets)
        #expect(entries.map { $0.bytes[0] } == Array(89...99))
        #expect(entries.allSatisfy { $0.original == 2 })
        #expect(ring.forgottenForSize == 0)
        #expect(summary == .init(packets: 11, first: 89 * Self.second, last: 99 * Self.second))
    }

    @Test func sizeIsLimited() throws {
        // 40 MB in all, of which the last MiB may stay, in pieces of an eighth of it.
        let packets = (0..<4000).map { number in
            (time: Int64(number), bytes: [UInt8](repeating: UInt8(number & 255), count: 10_000 + number % 7))
        }
        let (entries, ring, _) = try kept(.init(time: Self.second, bytes: 1 << 20), packets)
        let bytes = entries.reduce(0) { $0 + $1.bytes.count + 48 }
        #expect(bytes <= 1 << 20 + 1 << 17 && bytes > (1 << 20) * 3 / 4)
        #expect(ring.forgottenForSize == UInt64(4000 - entries.count))
        let first = 4000 - entries.count
        for (index, entry) in entries.enumerated() {
            #expect(entry.bytes == packets[first + index].bytes)
        }
    }

    @Test func aPacketThatDoesNotFitIsToldOf() throws {
        let (entries, ring, _) = try kept(
            .init(time: Self.second, bytes: 1 << 20),
            [(0, [1]), (1, [UInt8](repeating: 2, count: 1 << 21)), (2, [3])]
        )
        #expect(entries.map { $0.bytes[0] } == [1, 3])
        #expect(ring.forgottenForSize == 1)
    }

    @Test func clocksThatGoBackLoseNothingOfTheirOwn() throws {
        let times: [Int64] = [100, 101, 102, 50, 51, 52]
        let (entries, _, _) = try kept(
            .init(time: 10 * Self.second, bytes: 1 << 20),
            times.enumerated().map { (time: $1 * Self.second, bytes: [UInt8($0)]) }
        )
        #expect(entries.map { $0.bytes[0] } == [0, 1, 2, 3, 4, 5])
        let extremes: [Int64] = [.min, .max, .min, 0]
        _ = try kept(.init(time: .max, bytes: 1 << 20), extremes.map { (time: $0, bytes: [0]) })
    }

    @Test func commentsAndInterfacesAreKept() throws {
        let folder = try makeTemporaryFolder()
        defer { rmdir(folder) }
        let path = folder + "/ring.pcapng"
        defer { unlink(path) }
        let writer = try RotatingWriter(path: path, folder: OutputFolder(of: path))
        let ring = try PacketRing(.init(time: Self.second, bytes: 1 << 20), beside: path, folder: nil)
        let notes = CaptureNotes()
        notes.interfaces = [CaptureNotes.Interface(linkType: 1, snapLength: 96, name: "eth7")]
        Array("seen twice".utf8).withUnsafeBytes { notes.addPacketComment(1, $0) }
        Array("and again".utf8).withUnsafeBytes { notes.addPacketComment(1, $0) }
        let packet = Packet(number: 1, time: 5, linkType: 1, originalLength: 3)
        try ring.append(packet, bytes: [1, 2, 3].span.bytes, details: notes)
        _ = try ring.write(to: writer)
        try writer.finish()
        var file = try CaptureFile(path: path, stop: StopFlag())
        var recorder = Recorder()
        _ = try file.read(into: &recorder)
        #expect(file.notes.comments.map(\.text) == ["seen twice", "and again"])
        #expect(file.notes.interfaces.first?.name == "eth7")
    }
}
