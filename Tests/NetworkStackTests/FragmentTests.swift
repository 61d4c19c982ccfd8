import PacketCapture
import TestSupport
import Testing

@testable import NetworkStack

@Suite struct FragmentTests {
    static let text = (0..<100).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    static let segment = Build.tcp(text)

    /// A fragment of `segment`, in IPv4 or IPv6.
    static func fragment(
        _ range: Range<Int>,
        more: Bool? = nil,
        v6: Bool = false,
        identification: Int = 7,
        of bytes: [UInt8] = segment
    ) -> [UInt8] {
        let more = more ?? (range.upperBound < bytes.count)
        if v6 {
            let header = [6, 0] + big16(range.lowerBound | (more ? 1 : 0)) + big32(identification)
            return Build.ipv6(header + Array(bytes[range]), number: 44)
        }
        return Build.ipv4(
            Array(bytes[range]),
            identification: identification,
            fragment: range.lowerBound / 8 | (more ? 0x2000 : 0)
        )
    }

    static let orders: [[Int]] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

    @Test(arguments: orders, [false, true])
    func putsFragmentsTogetherInEveryOrder(_ order: [Int], v6: Bool) {
        let ranges = [0..<40, 40..<80, 80..<120]
        var decoder = PacketDecoder()
        for (step, index) in order.enumerated() {
            let entries = decoder.decode(
                Self.fragment(ranges[index], v6: v6),
                link: 101,
                number: UInt64(step + 1),
                time: Int64(step)
            )
            if step < 2 {
                #expect(entries.isEmpty)
                #expect(decoder.statistics.fragments.pending == 1)
            } else {
                #expect(entries.map(\.payload) == [Self.text])
                #expect(entries.map(\.segment.payloadLength) == [100])
                #expect(entries.map(\.packet) == [3] && entries.map(\.time) == [2])
                #expect(entries.map(\.segment.source.port) == [44482])
            }
        }
        var expected = FragmentStatistics()
        expected.seen = 3
        expected.reassembled = 1
        #expect(decoder.statistics.fragments == expected)
    }

    @Test(arguments: orders)
    func keepsTheFirstOfOverlappingBytes(_ order: [Int]) {
        // The same bytes everywhere: the order does not matter.
        let ranges = [0..<64, 40..<96, 80..<120]
        var decoder = PacketDecoder()
        var payloads: [[UInt8]] = []
        for index in order { payloads += decoder.decode(Self.fragment(ranges[index]), link: 228).map(\.payload) }
        #expect(payloads == [Self.text])
        #expect(decoder.statistics.fragments.overlapping >= 1)
        #expect(decoder.statistics.fragments.conflicting == 0)

        // Another middle: the bytes of whichever came first stand.
        var other = Self.segment
        for index in 40..<96 { other[index] ^= 0xFF }
        decoder = PacketDecoder()
        payloads = []
        var known = [Bool](repeating: false, count: 120)
        var expected = zeros(120)
        for index in order {
            let source = index == 1 ? other : Self.segment
            for place in ranges[index] where !known[place] {
                known[place] = true
                expected[place] = source[place]
            }
            payloads += decoder.decode(Self.fragment(ranges[index], of: source), link: 228).map(\.payload)
        }
        #expect(payloads == [Array(expected[20...])])
        #expect(decoder.statistics.fragments.conflicting >= 1)
    }

    /// Against a model: random pieces, overlapping and repeated, some with other content.
    @Test func agreesWithAByteMap() {
        var random = SeededGenerator(seed: 4530)
        for round in 0..<2_000 {
            var decoder = PacketDecoder()
            var map = [UInt8?](repeating: nil, count: 120)
            var done = false
            var tries = 0
            while !done, tries < 200 {
                tries += 1
                let start = Int.random(in: 0..<15, using: &random)
                // All of it at once would be no fragment.
                let end = Int.random(in: start + 1...(start == 0 ? 14 : 15), using: &random)
                var source = Self.segment
                if Bool.random(using: &random) { for place in 24..<120 { source[place] &+= UInt8(tries) } }
                let entries = decoder.decode(Self.fragment(start * 8..<end * 8, of: source), link: 228)
                for place in start * 8..<end * 8 where map[place] == nil { map[place] = source[place] }
                done = map.allSatisfy { $0 != nil }
                #expect(entries.count == (done ? 1 : 0), "round \(round)")
                if done { #expect(entries.first?.payload == map[20...].map { $0! }) }
            }
            #expect(done)
        }
    }

    @Test func keepsDatagramsApart() {
        var decoder = PacketDecoder()
        #expect(decoder.decode(Self.fragment(0..<40, identification: 1), link: 228).isEmpty)
        #expect(decoder.decode(Self.fragment(40..<120, identification: 2), link: 228).isEmpty)
        #expect(decoder.decode(Self.fragment(0..<40, v6: true, identification: 2), link: 229).isEmpty)
        #expect(decoder.statistics.fragments.pending == 3)
        #expect(decoder.decode(Self.fragment(40..<120, identification: 1), link: 228).map(\.payload) == [Self.text])
    }

    @Test func givesUpAfterThirtySeconds() {
        var decoder = PacketDecoder()
        _ = decoder.decode(Self.fragment(0..<40), link: 228, time: 0)
        #expect(decoder.decode(Self.fragment(40..<120), link: 228, time: 30_000_000_001).isEmpty)
        #expect(decoder.statistics.fragments.timedOut == 1)
        #expect(decoder.statistics.fragments.pending == 1)
        decoder.timePassed(70_000_000_000)
        #expect(decoder.statistics.fragments.timedOut == 2)
        #expect(decoder.statistics.fragments.pending == 0)
        _ = decoder.decode(Self.fragment(0..<40), link: 228, time: .max)
        _ = decoder.decode(Self.fragment(40..<80), link: 228, time: .min)
        decoder.finish()
        #expect(decoder.statistics.fragments.unfinished == 1 && decoder.statistics.fragments.pending == 0)
    }

    /// Bridges show packets twice; what is left over must not wait for the next datagram with that number.
    @Test func ignoresCopiesOfACompleteDatagram() {
        var decoder = PacketDecoder()
        _ = decoder.decode(Self.fragment(0..<40), link: 228, time: 1)
        _ = decoder.decode(Self.fragment(0..<40), link: 228, time: 2)
        #expect(decoder.decode(Self.fragment(40..<120), link: 228, time: 3).count == 1)
        #expect(decoder.decode(Self.fragment(40..<120), link: 228, time: 4).isEmpty)
        #expect(decoder.statistics.fragments.repeated == 1 && decoder.statistics.fragments.pending == 0)
        _ = decoder.decode(Self.fragment(0..<40), link: 228, time: 5)
        #expect(decoder.decode(Self.fragment(40..<120), link: 228, time: 6).map(\.payload) == [Self.text])
    }

    @Test func keepsItsLimits() {
        var limits = FragmentLimits()
        limits.datagrams = 4
        var decoder = PacketDecoder(fragmentLimits: limits)
        for number in 0..<10 { _ = decoder.decode(Self.fragment(0..<40, identification: number), link: 228) }
        #expect(decoder.statistics.fragments.pending == 4)
        #expect(decoder.statistics.fragments.overDatagramLimit == 6)
        // The newest are still there.
        #expect(decoder.decode(Self.fragment(40..<120, identification: 9), link: 228).count == 1)

        limits = FragmentLimits()
        limits.bytes = 160  // two datagrams of one piece
        decoder = PacketDecoder(fragmentLimits: limits)
        for number in 0..<10 { _ = decoder.decode(Self.fragment(0..<40, identification: number), link: 228) }
        #expect(decoder.statistics.fragments.pending == 2)
        #expect(decoder.statistics.fragments.overByteLimit == 8)

        limits = FragmentLimits()
        limits.pieces = 3
        decoder = PacketDecoder(fragmentLimits: limits)
        for number in 0..<4 { _ = decoder.decode(Self.fragment(number * 16..<number * 16 + 8), link: 228) }
        #expect(decoder.statistics.fragments.overPieceLimit == 1)
        #expect(decoder.statistics.fragments.pending == 0)
    }

    @Test func refusesImpossibleFragments() {
        var decoder = PacketDecoder()
        // Beyond the largest datagram.
        _ = decoder.decode(Build.ipv4(zeros(80), fragment: 0x1FFF), link: 228)
        // Without bytes.
        _ = decoder.decode(Build.ipv4([], fragment: 0x2000), link: 228)
        #expect(decoder.statistics.fragments.malformed == 2)
        // Behind the last one, and a second last one.
        _ = decoder.decode(Self.fragment(40..<80, more: false), link: 228)
        _ = decoder.decode(Self.fragment(80..<120, more: true), link: 228)
        _ = decoder.decode(Self.fragment(40..<72, more: false), link: 228)
        #expect(decoder.statistics.fragments.malformed == 4)
        #expect(decoder.statistics.fragments.pending == 1)
    }

    @Test func handsOnWhatWasCapturedOfCutFragments() {
        var decoder = PacketDecoder()
        let first = Self.fragment(0..<80)
        _ = decoder.decode(Array(first.prefix(70)), link: 228, original: first.count)
        let entries = decoder.decode(Self.fragment(80..<120), link: 228)
        #expect(entries.map(\.payload) == [Array(Self.text.prefix(30))])
        #expect(entries.map(\.segment.payloadLength) == [100])
        #expect(decoder.statistics.payloadsCut == 1)
    }

    /// A tunnel whose packets were fragmented, with fragments in it.
    @Test func putsTogetherFragmentsInFragments() {
        var decoder = PacketDecoder()
        var payloads: [[UInt8]] = []
        for inner in [Self.fragment(0..<80), Self.fragment(80..<120)] {
            let tunnel = Build.udp([8, 0, 0, 0] + zeros(4) + Build.ethernet(inner), to: 4789)
            for (range, more) in [(0..<48, 0x2000), (48..<tunnel.count, 0)] {
                let outer = Build.ipv4(
                    Array(tunnel[range]),
                    number: 17,
                    identification: inner.count,
                    fragment: range.lowerBound / 8 | more
                )
                payloads += decoder.decode(Build.ethernet(outer)).map(\.payload)
            }
        }
        #expect(payloads == [Self.text])
        #expect(decoder.statistics.fragments.reassembled == 3)
    }
}
