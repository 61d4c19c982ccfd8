/// Why a filter lets nothing pass: tagged packets, behind whose tags it does not look.
///
/// pcap filters look for addresses and ports where they are without a VLAN tag; the word `vlan` moves the place.
struct VLANHint {
    private let expression: String
    /// The expressions for one tag and for two, compiled when a packet has them; nil where they do not compile.
    private var filters: [PacketFilter?] = []
    /// An expression by which a packet would have passed.
    private(set) var remedy: String?

    init(_ expression: String) { self.expression = expression }

    /// Looks at an Ethernet packet that did not pass.
    mutating func look(at bytes: RawSpan, originalLength: Int) {
        guard remedy == nil else { return }
        var tags = 0
        // 802.1Q, 802.1ad, and the number that was used before it: those that libpcap's `vlan` knows.
        while tags < 2, bytes.byteCount >= 16 + 4 * tags,
            [0x8100, 0x88A8, 0x9100].contains(
                UInt16(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: 12 + 4 * tags, as: UInt16.self))
            )
        { tags += 1 }
        for count in 0..<tags {
            if count == filters.count { filters.append(try? PacketFilter(text(tags: count + 1), linkType: 1)) }
            if let filter = filters[count], filter.matches(bytes, originalLength: originalLength) {
                remedy = text(tags: count + 1)
                return
            }
        }
    }

    private func text(tags: Int) -> String {
        String(repeating: "vlan and ", count: tags) + "(\(expression))"
    }
}

extension FilterSet {
    /// What to say if nothing passed because the packets have VLAN tags.
    public var hint: String? {
        guard passed == 0, let remedy = vlanHint.remedy else { return nil }
        return "packets with VLAN tags were there, behind which the filter \"\(expression)\" does not look; "
            + "with the filter \"\(remedy)\" they pass"
    }
}
