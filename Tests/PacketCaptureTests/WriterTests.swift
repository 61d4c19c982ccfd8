import Testing

@testable import PacketCapture

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct WriterTests {
    static let packets: [Recorder.Entry] = [
        .init(number: 1, time: 1_700_000_000_123_456_789, linkType: 1, original: 5, bytes: [1, 2, 3, 4, 5]),
        .init(number: 2, time: 1_700_000_001_000_000_001, linkType: 1, original: 1500, bytes: []),
        .init(number: 3, time: 0, linkType: 1, original: 100_000, bytes: [UInt8](repeating: 9, count: 100_000)),
    ]

    func write(_ entry: Recorder.Entry, to writer: CaptureWriter, comment: String? = nil) throws {
        let packet = Packet(
            number: entry.number,
            time: entry.time,
            linkType: entry.linkType,
            originalLength: entry.original
        )
        try entry.bytes.withUnsafeBytes {
            try writer.write(packet, bytes: $0.bytes, comments: comment.map { [$0] } ?? [])
        }
    }

    @Test(arguments: ["", ".pcapng"], [false, true])
    func whatIsWrittenIsReadAgain(suffix: String, nanoseconds: Bool) throws {
        let file = TemporaryFile(Array("to be overwritten".utf8), suffix: suffix)
        var options = CaptureWriter.Options()
        options.nanoseconds = nanoseconds
        let writer = try CaptureWriter(path: file.path, options: options)
        for packet in Self.packets { try write(packet, to: writer, comment: packet.number == 1 ? "登录 ok" : nil) }
        try writer.finish()
        let bytes = file.contents()
        #expect(UInt64(bytes.count) == writer.byteCount)
        let (recorder, error, notes) = readCapture(bytes)
        #expect(error == nil)
        var expected = Self.packets
        if suffix.isEmpty && !nanoseconds {
            for index in expected.indices { expected[index].time -= expected[index].time % 1000 }
        }
        #expect(recorder.entries == expected)
        if !suffix.isEmpty { #expect(notes?.comments == [.init(subject: .packet(1), text: "登录 ok")]) }
    }

    @Test func commentsOnTheFileAndItsInterfacesAreWrittenBack() throws {
        var source = CaptureBuilder()
        source.section(comment: "the first login")
        source.interface(1, name: "eth0", comment: "mirror port")
        source.enhanced(ticks: 1, [1, 2, 3])
        let (_, error, notes) = readCapture(source.bytes)
        #expect(error == nil)
        let details = try #require(notes)
        let file = TemporaryFile(suffix: ".pcapng")
        let writer = try CaptureWriter(path: file.path)
        writer.sectionComments = details.sectionComments
        let packet = Packet(number: 1, time: 0, linkType: 1, originalLength: 3)
        let bytes: [UInt8] = [1, 2, 3]
        try writer.write(packet, bytes: bytes.span.bytes, interface: details.interface(of: packet))
        try writer.finish()
        let (recorder, failure, written) = readCapture(file.contents())
        #expect(failure == nil && recorder.entries.count == 1)
        #expect(written?.comments == details.comments && written?.comments.count == 2)
        #expect(written?.interfaces == details.interfaces)
    }

    @Test func pcapHoldsOneLinkTypeAndPcapngSeveral() throws {
        let other = Recorder.Entry(number: 1, time: 5_000, linkType: 101, original: 1, bytes: [1])
        let pcap = try CaptureWriter(path: TemporaryFile().path)
        try write(Self.packets[0], to: pcap)
        #expect(throws: CaptureError.self) { try write(other, to: pcap) }
        let file = TemporaryFile(suffix: ".pcapng")
        let pcapng = try CaptureWriter(path: file.path)
        try write(Self.packets[0], to: pcapng)
        try write(other, to: pcapng)
        try pcapng.finish()
        let (recorder, error, _) = readCapture(file.contents())
        #expect(error == nil)
        #expect(recorder.entries.map(\.linkType) == [1, 101])
    }

    @Test func commentsInterfacesAndCountsAreKeptInPcapng() throws {
        var source = CaptureBuilder()
        source.section()
        source.interface(1, snapLength: 96, name: "eth0")
        source.interface(1, name: "网卡")
        source.block(6) {
            for word in [0, 0, 1, 1, 1] as [UInt32] { $0.number(word) }
            $0.bytes += [7, 0, 0, 0]
            $0.option(1, Array("one".utf8))
            $0.option(1, Array("two".utf8))
            $0.number(UInt32(0))
        }
        source.enhanced(interface: 1, ticks: 2, [8])
        source.enhanced(interface: 0, ticks: 3, [9])
        let file = TemporaryFile(suffix: ".pcapng")
        let writer = try CaptureWriter(path: file.path)
        let original = TemporaryFile(source.bytes)
        var capture = try CaptureFile(path: original.path, stop: StopFlag())
        var copier = Copier(writer: writer, notes: capture.notes)
        #expect(try capture.read(into: &copier) == .endOfInput)
        var counts = CaptureStatistics()
        (counts.received, counts.droppedByKernel, counts.droppedByInterface) = (100, 5, 2)
        try writer.writeStatistics(counts, time: 9)
        try writer.finish()
        let (recorder, error, notes) = readCapture(file.contents())
        #expect(error == nil && recorder.entries.map(\.bytes) == [[7], [8], [9]])
        #expect(notes?.interfaces.map(\.name) == ["eth0", "网卡"])
        #expect(notes?.interfaces.map(\.snapLength) == [96, 0])
        #expect(notes?.interfaces[0].received == 100 && notes?.interfaces[0].dropped == 7)
        #expect(
            notes?.comments == [.init(subject: .packet(1), text: "one"), .init(subject: .packet(1), text: "two")]
        )
    }

    /// Writes packets with what belongs to them.
    struct Copier: PacketSink {
        let writer: CaptureWriter
        let notes: CaptureNotes

        mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
            do {
                try writer.write(
                    packet,
                    bytes: bytes,
                    comments: notes.comments(of: packet),
                    interface: notes.interface(of: packet)
                )
                return true
            } catch { return false }
        }

        mutating func timePassed(_ time: Int64) -> Bool { true }
    }

    @Test func aFileWithoutPacketsHasItsHeader() throws {
        let file = TemporaryFile()
        try CaptureWriter(path: file.path).finish(linkType: 113)
        let (recorder, error, notes) = readCapture(file.contents())
        #expect(error == nil && recorder.entries.isEmpty)
        #expect(notes?.interfaces.first?.linkType == 113)
    }

    @Test func filesArePrivateAndLinksAreNotFollowed() throws {
        let file = TemporaryFile(Array("keep me".utf8))
        let (symbolic, hard, new) = (file.path + ".sym", file.path + ".hard", file.path + ".new")
        symlink(file.path, symbolic)
        defer { for path in [symbolic, hard, new] { unlink(path) } }
        #expect(throws: CaptureError.self) { _ = try CaptureWriter(path: symbolic) }
        link(file.path, hard)
        #expect(throws: CaptureError.self) { _ = try CaptureWriter(path: hard) }
        #expect(file.contents() == Array("keep me".utf8))
        try CaptureWriter(path: new).finish()
        var status = stat()
        #expect(stat(new, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func eachPacketIsFlushedOnRequest() throws {
        let file = TemporaryFile()
        var options = CaptureWriter.Options()
        options.flushEachPacket = true
        let writer = try CaptureWriter(path: file.path, options: options)
        try write(Self.packets[0], to: writer)
        #expect(file.contents().count == 24 + 16 + 5)
    }

    #if os(Linux)
        @Test func aFullDiskIsReportedOnce() throws {
            let writer = try CaptureWriter(path: "/dev/full")
            try write(Self.packets[0], to: writer)
            do throws(CaptureError) {
                try writer.finish()
                Issue.record("nothing was reported")
            } catch {
                #expect(error.kind == .output && error.exitStatus == 1)
                #expect(error.message.contains("/dev/full"))
            }
            try writer.finish()
        }
    #endif
}
