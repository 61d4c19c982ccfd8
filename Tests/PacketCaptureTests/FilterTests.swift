import PacketCapture
import Testing

@Suite struct FilterTests {
    /// An IPv4 packet with a TCP header from port 4530.
    static let tcp: [UInt8] =
        [0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]
        + [0x11, 0xB2, 0xAD, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0]

    @Test func aFilterIsCompiledForEachLinkType() throws {
        var file = CaptureBuilder()
        file.section()
        file.interface(1)
        file.interface(101)
        file.interface(228)
        let ethernet: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 8, 0]
        file.enhanced(interface: 0, ticks: 1, ethernet + Self.tcp)
        file.enhanced(interface: 1, ticks: 2, Self.tcp)
        file.enhanced(interface: 2, ticks: 3, Self.tcp)
        file.enhanced(interface: 1, ticks: 4, Array(Self.tcp.prefix(8)))
        file.enhanced(interface: 0, ticks: 5, [])
        let temporary = TemporaryFile(file.bytes)
        for (expression, expected) in [("tcp port 4530", [1, 2, 3]), ("port 80", []), ("", [1, 2, 3, 4, 5])]
            as [(String, [UInt64])]
        {
            var capture = try CaptureFile(path: temporary.path)
            let filter = try FilterSet(expression)
            var sink = FilteredSink(Recorder(), filter: filter)
            let end = try capture.read(into: &sink)
            #expect(end == .endOfInput)
            #expect(sink.base.entries.map(\.number) == expected)
            #expect(filter.seen == 5)
            #expect(filter.passed == UInt64(expected.count))
        }
    }

    @Test func aFilterThatDoesNotCompileSaysWhy() {
        do throws(CaptureError) {
            _ = try FilterSet("tcp prt 4530")
            Issue.record("it compiled")
        } catch {
            #expect(error.kind == .filter)
            #expect(error.exitStatus == 2)
            #expect(error.message.contains("tcp prt 4530"))
        }
    }

    @Test func wordsOfOneKindOfNetworkAreAccepted() throws {
        _ = try FilterSet("wlan type mgt")
        let filter = try FilterSet("ether host 00:00:00:00:00:01")
        let packet = Packet(number: 1, time: 0, linkType: 101, originalLength: 40)
        let matches = Self.tcp.withUnsafeBytes { filter.matches(packet, bytes: $0.bytes) }
        #expect(!matches)
        #expect(filter.notCompiled[101] != nil)
    }

    private func filter(_ expression: String, _ packets: [[UInt8]], linkType: UInt16 = 1) throws -> FilterSet {
        let filter = try FilterSet(expression)
        for (number, bytes) in packets.enumerated() {
            let packet = Packet(number: UInt64(number + 1), time: 0, linkType: linkType, originalLength: bytes.count)
            _ = bytes.withUnsafeBytes { filter.matches(packet, bytes: $0.bytes) }
        }
        return filter
    }

    private static let addresses: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2]
    private static let plain = addresses + [8, 0] + tcp
    private static let tagged = addresses + [0x81, 0, 0, 5, 8, 0] + tcp
    private static let twice = addresses + [0x88, 0xA8, 0, 6, 0x81, 0, 0, 5, 8, 0] + tcp

    @Test func aFilterThatDoesNotLookBehindVLANTagsIsTold() throws {
        let hint = try filter("tcp port 4530", [Self.tagged]).hint
        #expect(hint?.contains("\"vlan and (tcp port 4530)\"") == true)
        #expect(
            try filter("host 127.0.0.1", [Self.twice]).hint?.contains("\"vlan and vlan and (host 127.0.0.1)\"") == true
        )
        #expect(
            try filter("vlan and port 4530", [Self.twice]).hint?.contains("\"vlan and (vlan and port 4530)\"") == true
        )
    }

    @Test func thereIsNoHintWhereItWouldNotHelp() throws {
        #expect(try filter("port 80", [Self.tagged]).hint == nil)
        #expect(try filter("port 4530", [Self.plain, Self.tagged]).hint == nil)
        #expect(try filter("port 4530", [Self.tagged, Self.plain]).hint == nil)
        #expect(try filter("port 80", [Self.plain]).hint == nil)
        #expect(try filter("port 4530", [Self.tagged], linkType: 147).hint == nil)
        #expect(try filter("port 4530", [[], Array(Self.tagged.prefix(15))]).hint == nil)
    }
}

/// Hands on only the packets that pass a filter.
private struct FilteredSink<Base: PacketSink>: PacketSink {
    var base: Base
    let filter: FilterSet

    init(_ base: Base, filter: FilterSet) {
        self.base = base
        self.filter = filter
    }

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        filter.matches(packet, bytes: bytes) ? base.packet(packet, bytes: bytes) : true
    }

    mutating func timePassed(_ time: Int64) -> Bool { base.timePassed(time) }
}
