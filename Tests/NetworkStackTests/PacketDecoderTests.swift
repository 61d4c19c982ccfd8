import PacketCapture
import TestSupport
import Testing

@testable import NetworkStack

@Suite struct KnownLinkTypeTests {
    @Test func aLinkTypeIsKnownOrNot() {
        for linkType: UInt16 in [0, 1, 12, 101, 105, 113, 127, 276] { #expect(PacketDecoder.knows(linkType: linkType)) }
        let known = (0...UInt16.max).filter { PacketDecoder.knows(linkType: $0) }
        #expect(known.count > 20 && known.count < 100)
    }
}

@Suite struct PacketDecoderTests {
    @Test(arguments: SamplePacket.all)
    func findsTheSegmentBehindEachHeader(_ sample: SamplePacket) throws {
        var decoder = PacketDecoder()
        let entries = decoder.decode(sample.bytes, link: sample.link, number: 5, time: 77)
        try #require(entries.count == 1)
        let entry = entries[0]
        let segment = entry.segment
        #expect(segment.transport == .tcp)
        #expect(entry.payload == Build.text)
        #expect(segment.payloadLength == Build.text.count)
        #expect(segment.source.port == 44482 && segment.destination.port == 4530)
        #expect(segment.sequence == 0x0102_0304 && segment.acknowledgement == 0x0506_0708)
        #expect(segment.flags == 0x18 && segment.window == 8192)
        #expect(entry.packet == 5 && entry.time == 77)
        if segment.source.high == 0 {
            #expect(segment.source.low == 0xFFFF_0A00_0001 && segment.destination.low == 0xFFFF_0A00_0002)
        } else {
            #expect(segment.source == Endpoint(high: 0x2001_0DB8_0000_0000, low: 1, port: 44482))
            #expect(segment.destination == Endpoint(high: 0x2001_0DB8_0000_0000, low: 2, port: 4530))
        }
        var expected = DecoderStatistics()
        expected.packets = 1
        expected.tcpSegments = 1
        #expect(decoder.statistics == expected)
    }

    @Test(arguments: [228, 229] as [UInt16], [false, true])
    func thePacketsOwnVersionCountsOnBothWays(_ link: UInt16, _ thorough: Bool) {
        var decoder = PacketDecoder(verifyChecksums: thorough)
        for packet in [Build.ipv4(Build.tcp()), Build.ipv6(Build.tcp())] {
            #expect(decoder.decode(packet, link: link).map(\.payload) == [Build.text])
        }
    }

    /// Whatever the snap length leaves: the bytes of the segment that are there, and its length. Or nothing.
    @Test(arguments: SamplePacket.all)
    func inventsNothingWhenTheSnapLengthCuts(_ sample: SamplePacket) {
        for count in 0..<sample.bytes.count {
            var decoder = PacketDecoder()
            let entries = decoder.decode(Array(sample.bytes[..<count]), link: sample.link, original: sample.bytes.count)
            #expect(entries.count <= 1)
            for entry in entries where entry.segment.transport == .tcp {
                #expect(entry.payload == Array(Build.text.prefix(entry.payload.count)))
                #expect(entry.segment.payloadLength == Build.text.count)
            }
            for entry in entries where entry.segment.transport == .udp {
                #expect(entry.payload.count <= entry.segment.payloadLength)
                #expect(Array(sample.bytes[..<count].suffix(entry.payload.count)) == entry.payload)
            }
            let statistics = decoder.statistics
            #expect(statistics.malformed == 0)
            #expect(entries.count == 1 || statistics.headersCut == 1 || statistics.nonIP == 1)
        }
    }

    /// Frames that were this short on the wire.
    @Test(arguments: SamplePacket.all)
    func inventsNothingInShortFrames(_ sample: SamplePacket) {
        for count in 0..<sample.bytes.count {
            var decoder = PacketDecoder()
            for entry in decoder.decode(Array(sample.bytes[..<count]), link: sample.link) {
                #expect(entry.payload.count == entry.segment.payloadLength)
                if entry.segment.transport == .tcp {
                    #expect(entry.payload == Array(Build.text.prefix(entry.payload.count)))
                }
            }
        }
    }

    /// Every byte changed in several ways, whole and cut: no trap, and no payload that is longer than said.
    @Test(arguments: SamplePacket.all)
    func survivesEveryChangedByte(_ sample: SamplePacket) {
        var decoder = PacketDecoder()
        var checking = PacketDecoder(verifyChecksums: true)
        for index in sample.bytes.indices {
            for change: UInt8 in [0x01, 0x02, 0x08, 0x40, 0x80, 0x0F, 0xF0, 0xFF] {
                var bytes = sample.bytes
                bytes[index] ^= change
                for original in [bytes.count, bytes.count + 100] {
                    let entries = decoder.decode(bytes, link: sample.link, original: original)
                    let same = checking.decode(bytes, link: sample.link, original: original)
                    #expect(entries.count == same.count)
                    for (entry, other) in zip(entries, same) {
                        #expect(entry.payload.count <= entry.segment.payloadLength)
                        // The short way and the long one agree.
                        #expect(entry.payload == other.payload)
                        #expect(entry.segment.payloadLength == other.segment.payloadLength)
                        #expect(entry.segment.source == other.segment.source)
                    }
                }
            }
        }
    }

    /// The short way took the type of a cooked header for IP where an 802.11 header or netlink follows.
    @Test(arguments: [801, 802, 803, 824]) func aCookedHeaderOf80211IsNotIP(hardware: Int) {
        let header = big16(0) + big16(hardware) + big16(6) + zeros(8) + big16(0x0800)
        let second = big16(0x0800) + zeros(6) + big16(hardware) + [0, 6] + zeros(8)
        for thorough in [false, true] {
            var decoder = PacketDecoder(verifyChecksums: thorough)
            #expect(decoder.decode(header + Build.ipv4(Build.tcp()), link: 113).isEmpty)
            #expect(decoder.decode(second + Build.ipv4(Build.tcp()), link: 276).isEmpty)
        }
    }

    @Test func survivesNoise() {
        var random = SeededGenerator(seed: 20_260_101)
        var decoder = PacketDecoder(verifyChecksums: true)
        let links: [UInt16] = SamplePacket.all.map(\.link) + [2, 253, 65535]
        for _ in 0..<50_000 {
            let count = Int.random(in: 0...120, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Half of them begin like something.
            if Bool.random(using: &random), let sample = SamplePacket.all.randomElement(using: &random) {
                bytes = Array(sample.bytes.prefix(Int.random(in: 0...60, using: &random))) + bytes
            }
            let original = [0, bytes.count, bytes.count + 1000, Int.max].randomElement(using: &random)
            let time = Int64.random(in: .min ... .max, using: &random)
            for entry in decoder.decode(
                bytes,
                link: links.randomElement(using: &random)!,
                original: original,
                time: time
            ) {
                #expect(entry.payload.count <= entry.segment.payloadLength)
            }
        }
    }

    @Test func handsOnDatagrams() {
        var decoder = PacketDecoder()
        let entries = decoder.decode(Build.ethernet(Build.ipv4(Build.udp() + zeros(3), number: 17) + zeros(10)))
        #expect(entries.count == 1)
        #expect(entries[0].segment.transport == .udp)
        #expect(entries[0].payload == Build.text)
        #expect(entries[0].segment.payloadLength == Build.text.count)
        #expect(entries[0].segment.destination.port == 4530)
        #expect(decoder.statistics.udpDatagrams == 1)
    }

    @Test func handsOnDatagramsWithAWrongLength() {
        var decoder = PacketDecoder()
        let long = decoder.decode(Build.ipv4(Build.udp(length: 900), number: 17), link: 228)
        #expect(long.map(\.payload) == [Build.text])
        #expect(long.map(\.segment.payloadLength) == [Build.text.count])
        #expect(decoder.statistics.malformedUDP == 1)
        #expect(decoder.decode(Build.ipv4(Build.udp(length: 7), number: 17), link: 228).isEmpty)
        #expect(decoder.statistics.malformedUDP == 2)
        #expect(decoder.decode(Build.ipv4(Build.udp(length: 0), number: 17), link: 228).map(\.payload) == [Build.text])
    }

    /// A port is no proof of a tunnel.
    @Test(arguments: [1701, 2152, 3544, 4754, 4789, 4790, 6081, 6635, 8472])
    func handsOnADatagramThatIsNoTunnel(port: Int) {
        for content in [
            Build.text, [], [0x45, 0, 0], zeros(60), [8, 0, 0, 0, 0, 0, 0, 0] + Array("not a frame at all".utf8),
        ] {
            var decoder = PacketDecoder()
            let entries = decoder.decode(Build.ethernet(Build.ipv4(Build.udp(content, to: port), number: 17)))
            #expect(entries.count == 1 || decoder.statistics.nonIP == 1)
            #expect(entries.allSatisfy { $0.payload == content && Int($0.segment.destination.port) == port })
            #expect(decoder.statistics.malformed == 0)
        }
    }

    @Test func takesFramesOfAnAggregateOneByOne() {
        func subframe(_ payload: [UInt8]) -> [UInt8] { zeros(12) + big16(payload.count) + payload }
        let first = subframe(Build.snap(Build.ipv4(Build.tcp(Array("one".utf8)))))
        let second = subframe(Build.snap(Build.ipv6(Build.tcp(Array("two".utf8))), type: 0x86DD))
        let padding = zeros((4 - first.count % 4) % 4)
        let frame = Build.wireless(first + padding + second, quality: true, aggregate: true)
        var decoder = PacketDecoder()
        #expect(decoder.decode(frame, link: 105).map(\.payload) == [Array("one".utf8), Array("two".utf8)])
        for count in frame.indices { _ = decoder.decode(Array(frame[..<count]), link: 105, original: frame.count) }
    }

    @Test func countsWhatHasNoSegments() {
        var decoder = PacketDecoder()
        _ = decoder.decode(Build.ethernet(zeros(28), type: 0x0806))
        _ = decoder.decode(zeros(60), link: 253)
        #expect(decoder.statistics.nonIP == 2)
        _ = decoder.decode(Build.ethernet(zeros(46), type: 0x7777))
        #expect(decoder.statistics.unknownEthertypes == [0x7777: 1])
        _ = decoder.decode(zeros(10), link: 249)
        _ = decoder.decode(zeros(100), link: 249)
        #expect(decoder.statistics.unknownLinkTypes == [249: 2])
        _ = decoder.decode(zeros(100), link: 149)
        #expect(decoder.statistics.unknownLinkTypes == [249: 2, 149: 1])
        // A segment in an ICMP error is none.
        _ = decoder.decode(Build.ipv4([3, 1, 0, 0] + zeros(4) + Build.ipv4(Build.tcp()), number: 1), link: 228)
        _ = decoder.decode(Build.ipv6(zeros(40), number: 50), link: 229)
        #expect(decoder.statistics.otherTransports == [1: 1, 50: 1])
        var protected = Build.wireless(Build.snap(Build.ipv4(Build.tcp())))
        protected[1] |= 0x40
        _ = decoder.decode(protected, link: 105)
        #expect(decoder.statistics.encrypted == 1)
        #expect(decoder.statistics.packets == 9)
        #expect(decoder.statistics.tcpSegments == 0 && decoder.statistics.malformed == 0)
    }

    @Test func refusesHeadersThatContradictThemselves() {
        var decoder = PacketDecoder()
        var segment = Build.tcp()
        segment[12] = 0x40
        #expect(decoder.decode(Build.ethernet(Build.ipv4(segment))).isEmpty)
        segment[12] = 0xF0
        #expect(decoder.decode(Build.ethernet(Build.ipv4(segment))).isEmpty)
        #expect(decoder.statistics.malformedTCP == 2)
        #expect(decoder.decode(Build.ethernet(Build.ipv4(Build.tcp(), total: 19))).isEmpty)
        #expect(decoder.decode(zeros(60), link: 101).isEmpty)
        #expect(decoder.statistics.malformedIP == 2)
        // What would lie beyond the frame was not on the wire.
        let long = decoder.decode(Build.ethernet(Build.ipv4(Build.tcp(), total: 1400)))
        #expect(long.map(\.payload) == [Build.text] && long.map(\.segment.payloadLength) == [Build.text.count])
        #expect(decoder.statistics.longerThanFrame == 1)
        // But if only the snap length took it, it was.
        let cut = decoder.decode(Build.ethernet(Build.ipv4(Build.tcp(), total: 1400)), original: 1414)
        #expect(cut.map(\.payload) == [Build.text] && cut.map(\.segment.payloadLength) == [1360])
        #expect(decoder.statistics.payloadsCut == 1)
    }

    @Test func endsAtManyHeaders() {
        var packet = Build.ipv4(Build.tcp())
        for _ in 0..<400 { packet = Build.ipv4(packet, number: 4) }
        var decoder = PacketDecoder()
        #expect(decoder.decode(packet, link: 228).isEmpty)
        #expect(decoder.statistics.tooManyHeaders == 1)
        var tags: [UInt8] = []
        for _ in 0..<10_000 { tags += big16(1) + big16(0x8100) }
        #expect(decoder.decode(Build.ethernet(tags, type: 0x8100)).isEmpty)
        #expect(decoder.statistics.tooManyHeaders == 2)
    }

    @Test func verifiesChecksums() {
        var decoder = PacketDecoder(verifyChecksums: true)
        let good = Build.ethernet(Build.ipv4(Build.checkedTCP()))
        #expect(decoder.decode(good).count == 1)
        #expect(decoder.statistics.badTCPChecksums == 0 && decoder.statistics.badIPChecksums == 0)
        #expect(decoder.statistics.offloadedChecksums == 0)
        // Left to the network card: zero, or the sum of the pseudo header.
        let segment = Build.tcp()
        let pseudo = Build.sum(Build.source4 + Build.destination4 + [0, 6] + big16(segment.count))
        _ = decoder.decode(Build.ethernet(Build.ipv4(segment)))
        _ = decoder.decode(Build.ethernet(Build.ipv4(Build.tcp(checksum: pseudo))))
        #expect(decoder.statistics.offloadedChecksums == 2 && decoder.statistics.badTCPChecksums == 0)
        var bad = good
        bad[bad.count - 1] ^= 1
        #expect(decoder.decode(bad).count == 1)
        #expect(decoder.statistics.badTCPChecksums == 1)
        bad = good
        bad[14 + 8] ^= 1
        #expect(decoder.decode(bad).count == 1)
        #expect(decoder.statistics.badIPChecksums == 1)
        // What was not captured cannot be verified.
        _ = decoder.decode(Array(good.dropLast()), original: good.count)
        #expect(decoder.statistics.badTCPChecksums == 1)
        var datagram = Build.udp()
        datagram[6] = 0x12
        _ = decoder.decode(Build.ipv4(datagram, number: 17), link: 228)
        #expect(decoder.statistics.badUDPChecksums == 1)
    }
}
