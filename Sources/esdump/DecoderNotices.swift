import NetworkStack

/// What is said of packets that could not be read as far as their payload, a line for each kind; nothing of those that simply
/// hold something else (ARP, ICMP …).
func decoderNotices(_ statistics: DecoderStatistics) -> [String] {
    var lines: [String] = []
    func say(_ count: UInt64, _ thing: String, _ rest: String) {
        if count > 0 { lines.append("\(count) \(thing)\(count == 1 ? "" : "s") \(rest)") }
    }
    for (linkType, count) in statistics.unknownLinkTypes.sorted(by: { $0.key < $1.key }) {
        lines.append("link type \(linkType) is not known: \(count) packet\(count == 1 ? "" : "s") not analysed")
    }
    say(statistics.encrypted, "frame", "encrypted (802.11 or MACsec): not analysed")
    say(
        statistics.headersCut,
        "packet",
        "cut within the headers by the snap length: not analysed (tcpdump -s 0 keeps all)"
    )
    let fragments = statistics.fragments
    say(
        fragments.timedOut &+ fragments.unfinished,
        "fragmented IP packet",
        "not complete: a fragment was not captured"
    )
    say(
        fragments.overDatagramLimit &+ fragments.overByteLimit &+ fragments.overPieceLimit,
        "fragmented IP packet",
        "given up: too many fragments at once"
    )
    say(fragments.conflicting, "IP fragment", "with other bytes than the copy that came first, which counts")
    say(statistics.badIPChecksums, "IP header", "with a wrong checksum; shown all the same")
    say(statistics.badTCPChecksums, "TCP segment", "with a wrong checksum; shown all the same")
    say(statistics.badUDPChecksums, "UDP datagram", "with a wrong checksum; shown all the same")
    say(statistics.malformed, "packet", "with headers that contradict themselves")
    return lines
}
