/// The checksum of RFC 1071.
package enum InternetChecksum {
    /// The checksum of bytes in which its own place is zero.
    package static func checksum(_ bytes: [UInt8]) -> UInt16 { ~sum(bytes.span.bytes, 0..<bytes.count) }

    /// Whether the checksum in a header is right.
    package static func isRight(_ bytes: RawSpan, _ header: Range<Int>) -> Bool { sum(bytes, header) == 0xFFFF }

    /// The sum in one's complement of 16-bit words, not inverted: 0xFFFF if a checksum in it is right.
    static func sum(_ bytes: RawSpan, _ range: Range<Int>, startingWith start: UInt64 = 0) -> UInt16 {
        var sum = start
        var at = range.lowerBound
        while at + 2 <= range.upperBound {
            sum &+= UInt64(bytes.big16(at))
            at += 2
        }
        if at < range.upperBound { sum &+= UInt64(bytes.byte(at)) << 8 }
        return fold(sum)
    }

    static func fold(_ sum: UInt64) -> UInt16 {
        var sum = sum
        while sum > 0xFFFF { sum = (sum & 0xFFFF) + (sum >> 16) }
        return UInt16(truncatingIfNeeded: sum)
    }

    /// The words of a pseudo header, added up.
    static func pseudoHeader(_ number: UInt8, _ walk: Walk) -> UInt64 {
        var sum = UInt64(number) + UInt64(walk.length & 0xFFFF) + UInt64(walk.length >> 16 & 0xFFFF)
        for endpoint in [walk.source, walk.destination] {
            sum += words(walk.isIPv6 ? endpoint.high : 0)
            sum += words(walk.isIPv6 ? endpoint.low : endpoint.low & 0xFFFF_FFFF)
        }
        return sum
    }

    private static func words(_ value: UInt64) -> UInt64 {
        (value >> 48) + (value >> 32 & 0xFFFF) + (value >> 16 & 0xFFFF) + (value & 0xFFFF)
    }
}

extension PacketDecoder {
    mutating func verifyIPv4Header(_ bytes: RawSpan, _ range: Range<Int>) {
        if bytes.big16(range.lowerBound + 10) == 0 {
            statistics.offloadedChecksums &+= 1
        } else if InternetChecksum.sum(bytes, range) != 0xFFFF {
            statistics.badIPChecksums &+= 1
        }
    }

    /// Verifies a segment that was captured in full. Network cards fill in what the system leaves zero or as the sum of the pseudo header.
    mutating func verifyTransport(
        _ number: UInt8,
        _ bytes: RawSpan,
        _ walk: Walk,
        checksumAt: Int,
        _ bad: WritableKeyPath<DecoderStatistics, UInt64>
    ) {
        let pseudo = InternetChecksum.pseudoHeader(number, walk)
        if InternetChecksum.sum(bytes, walk.at..<walk.end, startingWith: pseudo) == 0xFFFF { return }
        let there = bytes.big16(checksumAt)
        if there == 0 || there == InternetChecksum.fold(pseudo) {
            statistics.offloadedChecksums &+= 1
        } else {
            statistics[keyPath: bad] &+= 1
        }
    }
}
