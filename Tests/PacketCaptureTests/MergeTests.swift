import TestSupport
import Testing

@testable import PacketCapture

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct MergeTests {
    /// Keeps which input each packet came from, and its comments.
    struct OriginRecorder: PacketSink {
        let merged: MergedCapture
        var recorder = Recorder()
        var inputs: [Int] = []
        var comments: [[String]] = []
        var interfaces: [String?] = []

        mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
            inputs.append(merged.currentInput)
            comments.append(merged.comments(of: packet))
            interfaces.append(merged.interface(of: packet)?.name)
            return recorder.packet(packet, bytes: bytes)
        }

        mutating func timePassed(_ time: Int64) -> Bool { recorder.timePassed(time) }
    }

    private func pcap(_ seconds: [UInt32], _ mark: UInt8, linkType: UInt32 = 1) -> [UInt8] {
        var builder = CaptureBuilder()
        builder.pcapHeader(linkType: linkType)
        for second in seconds { builder.pcapRecord(seconds: second, fraction: 0, [mark, UInt8(second & 0xFF)]) }
        return builder.bytes
    }

    private func merge(
        _ files: [TemporaryFile],
        limits: MergedCapture.Limits = .init()
    ) throws -> (OriginRecorder, MergedCapture) {
        let merged = MergedCapture(try CaptureInputs(files.map(\.path)), stop: StopFlag(), limits: limits)
        var sink = OriginRecorder(merged: merged)
        #expect(merged.read(into: &sink) == .endOfInput)
        return (sink, merged)
    }

    @Test(arguments: [64, 0]) func packetsComeByTimeAndOfEqualTimesInTheOrderOfInputs(openAtOnce: Int) throws {
        let files = [pcap([5, 6, 9], 1), pcap([1, 6, 7], 2, linkType: 101), pcap([6], 3)].map { TemporaryFile($0) }
        let (sink, merged) = try merge(files, limits: .init(openAtOnce: openAtOnce, open: 3))
        #expect(merged.errors.isEmpty)
        #expect(sink.recorder.entries.map { $0.time / 1_000_000_000 } == [1, 5, 6, 6, 6, 7, 9])
        #expect(sink.inputs == [1, 0, 0, 1, 2, 1, 0])
        #expect(sink.recorder.entries.map(\.number) == [1, 2, 3, 4, 5, 6, 7])
        #expect(sink.recorder.entries.map(\.linkType) == [101, 1, 1, 101, 1, 101, 1])
        #expect(sink.recorder.entries.map { Int($0.bytes[0]) } == sink.inputs.map { $0 + 1 })
    }

    @Test func anInputKeepsItsOwnOrder() throws {
        let (sink, _) = try merge([TemporaryFile(pcap([5, 2, 8], 1)), TemporaryFile(pcap([3, 6], 2))])
        #expect(sink.recorder.entries.map { $0.time / 1_000_000_000 } == [3, 5, 2, 6, 8])
    }

    @Test func manyFilesOfOneCaptureAreReadWithFewOpen() throws {
        let files = (0..<300).map { TemporaryFile(pcap([UInt32($0), UInt32($0)], UInt8($0 & 0xFF))) }
        let (sink, merged) = try merge(files.reversed(), limits: .init(openAtOnce: 10, open: 2))
        #expect(merged.errors.isEmpty)
        #expect(sink.recorder.entries.count == 600)
        #expect(sink.inputs.first == 299 && sink.inputs.last == 0)
    }

    @Test func moreThatOverlapThanMayBeOpenAreNamed() throws {
        let files = (0..<5).map { TemporaryFile(pcap([1, 9], UInt8($0))) }
        let (sink, merged) = try merge(files, limits: .init(openAtOnce: 0, open: 3))
        #expect(merged.errors.count == 2 && sink.recorder.entries.count == 6)
    }

    @Test func longInputsAreMergedWhole() throws {
        let files = (0..<3).map { file in
            TemporaryFile(pcap((0..<20_000).filter { Int($0) % 3 == file }.map { UInt32($0) }, UInt8(file)))
        }
        let (sink, merged) = try merge(files)
        #expect(merged.errors.isEmpty)
        #expect(sink.recorder.entries.map(\.time) == (0..<20_000).map { Int64($0) * 1_000_000_000 })
    }

    @Test(arguments: [64, 0]) func damageOfOneInputIsToldAndTheOthersGoOn(openAtOnce: Int) throws {
        let files = [TemporaryFile(Array(pcap([1, 4, 5], 1).dropLast(1))), TemporaryFile(pcap([2, 6], 2))]
        let (sink, merged) = try merge(files, limits: .init(openAtOnce: openAtOnce))
        #expect(sink.recorder.entries.map { $0.time / 1_000_000_000 } == [1, 2, 4, 6])
        #expect(merged.errors.map(\.kind) == [.truncated])
    }

    @Test func aFolderStandsForItsCapturesInTheOrderOfNames() throws {
        let folder = try makeTemporaryFolder()
        var paths: [String] = []
        defer {
            for path in paths { unlink(path) }
            rmdir(folder)
        }
        for (name, bytes) in [
            ("b", pcap([1], 2)), ("a.bin", pcap([1], 1)), ("readme", Array("hello\n".utf8)), (".hidden", pcap([1], 9)),
        ] {
            paths.append("\(folder)/\(name)")
            let file = try #require(fopen(paths.last!, "w"))
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        }
        let inputs = try CaptureInputs([folder])
        #expect(inputs.isSeveral && inputs.list.map(\.baseName) == ["a.bin", "b", "readme"])
        let merged = MergedCapture(inputs, stop: StopFlag())
        var sink = OriginRecorder(merged: merged)
        #expect(merged.read(into: &sink) == .endOfInput)
        #expect(merged.errors.isEmpty && sink.recorder.entries.map { $0.bytes[0] } == [1, 2])
    }

    @Test func commentsAndInterfacesStayWithTheirPackets() throws {
        var one = CaptureBuilder()
        one.section()
        one.interface(1, name: "eth0")
        one.enhanced(ticks: 1, comment: "first", [1])
        one.enhanced(ticks: 3, [2])
        var other = CaptureBuilder()
        other.section()
        other.interface(1, name: "eth1")
        other.interface(101, name: "tun0")
        other.enhanced(interface: 1, ticks: 2, [3])
        other.enhanced(interface: 0, ticks: 4, comment: "last", [4])
        let (sink, _) = try merge([TemporaryFile(one.bytes), TemporaryFile(other.bytes)])
        #expect(sink.comments == [["first"], [], [], ["last"]])
        #expect(sink.interfaces == ["eth0", "tun0", "eth0", "eth1"])
    }
}
