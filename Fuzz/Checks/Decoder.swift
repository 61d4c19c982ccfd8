import NetworkStack
import PacketCapture

/// The link types that the decoder knows, and some that it does not.
package let fuzzedLinkTypes: [UInt16] = [
    1, 113, 276, 0, 108, 12, 14, 101, 228, 229, 9, 50, 51, 104, 107, 6, 8, 10, 100, 105, 109, 117, 119, 163, 127, 129,
    138, 149, 258, 166, 204, 178, 192, 239, 253, 802, 65535,
]

private struct Segments: SegmentSink {
    struct Entry: Equatable {
        var transport: TransportSegment.Transport
        var source: Endpoint
        var destination: Endpoint
        var numbers: [UInt32]
        var length: Int
        var payload: [UInt8]
        var packet: UInt64
    }
    var entries: [Entry] = []

    mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64) {
        entries.append(
            Entry(
                transport: segment.transport,
                source: segment.source,
                destination: segment.destination,
                numbers: [
                    segment.sequence, segment.acknowledgement, UInt32(segment.flags), UInt32(segment.window),
                ],
                length: segment.payloadLength,
                payload: payload.array,
                packet: packet
            )
        )
    }
}

/// Packets: each a link type (a place in the list above), what the snap length cut off, the time since the one before in 2⁻⁴ s, a
/// length of two bytes, and its bytes. The quick way and the thorough way must find the same, and a packet that gives nothing
/// is counted as something.
@Sendable func checkDecoder(_ bytes: [UInt8]) throws(Finding) {
    var input = Input(bytes)
    let limits = FragmentLimits()
    var quick = PacketDecoder(fragmentLimits: limits)
    var thorough = PacketDecoder(verifyChecksums: true, fragmentLimits: limits)
    var number: UInt64 = 0
    var time: Int64 = 1_700_000_000_000_000_000
    while !input.isEmpty {
        number += 1
        let linkType = fuzzedLinkTypes[Int(input.byte()) % fuzzedLinkTypes.count]
        let cut = Int(input.byte())
        time += Int64(input.byte()) * 62_500_000
        let packet = input.bytes(Int(input.uint16()))
        let report = Packet(number: number, time: time, linkType: linkType, originalLength: packet.count + cut)
        var found = Segments()
        var same = Segments()
        let before = sum(quick.statistics)
        withExactCopy(packet) { span in
            quick.decode(report, bytes: span, into: &found)
            thorough.decode(report, bytes: span, into: &same)
        }
        for entry in found.entries {
            try require(entry.payload.count <= entry.length, "more payload than the segment had")
            try require(entry.length <= 65_535 + packet.count + cut, "a payload of \(entry.length) bytes")
            try require(entry.packet == number, "a segment of another packet")
        }
        try require(found.entries == same.entries, "packet \(number): the two ways find different segments")
        try require(
            sum(quick.statistics) > before,
            "packet \(number) of link type \(linkType) is in no counter"
        )
    }
    var statistics = thorough.statistics
    statistics.badIPChecksums = 0
    statistics.badTCPChecksums = 0
    statistics.badUDPChecksums = 0
    statistics.offloadedChecksums = 0
    try require(statistics == quick.statistics, "the two ways count differently: \(quick.statistics), \(statistics)")
    quick.timePassed(time + 3_600_000_000_000)
    quick.finish()
    try require(quick.statistics.fragments.pending == 0, "fragments are left")
}

/// Everything that a packet can be counted as.
private func sum(_ statistics: DecoderStatistics) -> UInt64 {
    let several = [
        statistics.unknownLinkTypes.values.reduce(0, +), statistics.unknownEthertypes.values.reduce(0, +),
        statistics.otherTransports.values.reduce(0, +),
    ]
    return statistics.tcpSegments + statistics.udpDatagrams + statistics.nonIP + statistics.encrypted
        + statistics.malformed + statistics.headersCut + statistics.fragments.seen + several.reduce(0, +)
}
