import Testing

/// A packet in which the usual TCP segment lies behind some header.
struct SamplePacket: CustomTestStringConvertible, Sendable {
    var name: String
    var link: UInt16
    var bytes: [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ link: UInt16, _ bytes: [UInt8]) {
        self.name = name
        self.link = link
        self.bytes = bytes
    }

    private static let v4 = Build.ipv4(Build.tcp())
    private static let v6 = Build.ipv6(Build.tcp())
    private static let frame = Build.ethernet(v4)

    private static func inIPv4(_ number: Int, _ payload: [UInt8]) -> [UInt8] {
        Build.ethernet(Build.ipv4(payload, number: number))
    }

    private static func inUDP(_ port: Int, _ payload: [UInt8]) -> [UInt8] {
        inIPv4(17, Build.udp(payload, to: port))
    }

    static let links: [SamplePacket] = [
        SamplePacket("Ethernet", 1, frame),
        SamplePacket("Ethernet, padding", 1, Build.ethernet(Build.ipv4(Build.tcp()) + zeros(9))),
        SamplePacket("Ethernet, IPv6", 1, Build.ethernet(v6, type: 0x86DD)),
        SamplePacket("802.1Q", 1, Build.ethernet(big16(7) + big16(0x0800) + v4, type: 0x8100)),
        SamplePacket(
            "802.1ad with 802.1Q",
            1,
            Build.ethernet(big16(7) + big16(0x8100) + big16(8) + big16(0x86DD) + v6, type: 0x88A8)
        ),
        SamplePacket(
            "three tags",
            1,
            Build.ethernet(
                big16(7) + big16(0x8100) + big16(8) + big16(0x8100) + big16(9) + big16(0x0800) + v4,
                type: 0x9100
            )
        ),
        SamplePacket("802.3 with SNAP", 1, Build.ethernet(Build.snap(v4), type: 8 + v4.count)),
        SamplePacket("802.3 with IP's own access point", 1, Build.ethernet([6, 6, 3] + v4, type: 3 + v4.count)),
        SamplePacket("HSR", 1, Build.ethernet(big32(0x0042_0001) + big16(0x0800) + v4, type: 0x892F)),
        SamplePacket(
            "MACsec without encryption",
            1,
            Build.ethernet([0x20, 0] + zeros(12) + big16(0x0800) + v4, type: 0x88E5)
        ),
        SamplePacket("802.1ah", 1, Build.ethernet(zeros(4) + frame, type: 0x88E7)),
        SamplePacket("Linux cooked", 113, big16(0) + big16(1) + big16(6) + zeros(8) + big16(0x0800) + v4),
        SamplePacket(
            "Linux cooked, tag",
            113,
            big16(0) + big16(1) + big16(6) + zeros(8) + big16(0x8100) + big16(3) + big16(0x86DD) + v6
        ),
        SamplePacket("Linux cooked 2", 276, big16(0x86DD) + zeros(6) + big16(1) + [0, 6] + zeros(8) + v6),
        SamplePacket("NULL, little-endian", 0, little32(2) + v4),
        SamplePacket("NULL, big-endian", 0, big32(2) + v4),
        SamplePacket("NULL, macOS IPv6", 0, little32(30) + v6),
        SamplePacket("NULL, FreeBSD IPv6, big-endian", 0, big32(28) + v6),
        SamplePacket("LOOP", 108, big32(2) + v4),
        SamplePacket("RAW, IPv4", 101, v4),
        SamplePacket("RAW, IPv6", 101, v6),
        SamplePacket("RAW by BSD's number", 12, v4),
        SamplePacket("RAW by OpenBSD's number", 14, v6),
        SamplePacket("IPv4", 228, v4),
        SamplePacket("IPv6", 229, v6),
        SamplePacket("PPP", 9, [0xFF, 0x03] + big16(0x0021) + v4),
        SamplePacket("PPP without address, short protocol", 9, [0x57] + v6),
        SamplePacket("PPP in HDLC", 50, [0xFF, 0x03] + big16(0x0057) + v6),
        SamplePacket("Cisco HDLC in PPP's place", 50, [0x0F, 0x00] + big16(0x0800) + v4),
        SamplePacket("PPP with direction", 204, [1, 0xFF, 0x03] + big16(0x0021) + v4),
        SamplePacket("pppd", 166, [0, 0x03] + big16(0x0021) + v4),
        SamplePacket("PPPoE link", 51, [0x11, 0] + big16(1) + big16(2 + v4.count) + big16(0x0021) + v4),
        SamplePacket(
            "PPPoE",
            1,
            Build.ethernet([0x11, 0] + big16(1) + big16(2 + v6.count) + big16(0x0057) + v6, type: 0x8864)
        ),
        SamplePacket("Cisco HDLC", 104, [0x0F, 0] + big16(0x0800) + v4),
        SamplePacket("frame relay", 107, [0x18, 0x41, 0x03, 0xCC] + v4),
        SamplePacket("frame relay, SNAP", 107, [0x18, 0x41, 0x03, 0x00, 0x80, 0, 0, 0] + big16(0x86DD) + v6),
        SamplePacket("frame relay, Cisco", 107, [0x18, 0x41] + big16(0x0800) + v4),
        SamplePacket("802.11", 105, Build.wireless(Build.snap(v4))),
        SamplePacket(
            "802.11 with quality of service",
            105,
            Build.wireless(Build.snap(v6, type: 0x86DD), quality: true)
        ),
        SamplePacket("radiotap", 127, [0, 0] + little16(9) + little32(2) + [0] + Build.wireless(Build.snap(v4))),
        SamplePacket(
            "radiotap, padded header",
            127,
            [0, 0] + little16(17) + little32(3) + zeros(8) + [0x20]
                + Build.wireless(zeros(2) + Build.snap(v4), quality: true)
        ),
        SamplePacket("Prism", 119, little32(0x44) + little32(144) + zeros(136) + Build.wireless(Build.snap(v4))),
        SamplePacket("AVS", 163, big32(0x8021_1001) + big32(64) + zeros(56) + Build.wireless(Build.snap(v4))),
        SamplePacket(
            "AVS by Prism's number",
            119,
            big32(0x8021_1001) + big32(64) + zeros(56) + Build.wireless(Build.snap(v4))
        ),
        SamplePacket("PPI", 192, [0, 0] + little16(8) + little32(1) + frame),
        SamplePacket(
            "nflog",
            239,
            [2, 0, 0, 0] + little16(8) + little16(1) + zeros(4) + little16(5) + little16(10) + [0x61, 0, 0, 0]
                + little16(4 + v4.count) + little16(9) + v4
        ),
        SamplePacket("nflog, big-endian", 239, [2, 0, 0, 0] + big16(4 + v4.count) + big16(9) + v4),
        SamplePacket("pktap", 258, little32(108) + little32(1) + little32(1) + zeros(96) + frame),
        SamplePacket(
            "pktap by its old number",
            149,
            little32(108) + little32(1) + little32(0) + zeros(96) + little32(2) + v4
        ),
        SamplePacket("FDDI", 10, [0x50] + zeros(12) + Build.snap(v4)),
        SamplePacket("token ring", 6, [0x10, 0x40] + zeros(12) + Build.snap(v4)),
        SamplePacket(
            "token ring, source routed",
            6,
            [0x10, 0x40] + zeros(6) + [0x80] + zeros(5) + [0x06] + zeros(5) + Build.snap(v4)
        ),
        SamplePacket("SLIP", 8, zeros(16) + v4),
        SamplePacket("ARCNET", 129, [1, 2, 0, 0, 212, 0, 0, 1] + v4),
        SamplePacket("ATM", 100, Build.snap(v4)),
        SamplePacket("IP over FireWire", 138, zeros(16) + big16(0x0800) + v4),
        SamplePacket("pflog", 117, [61, 2] + zeros(62) + v4),
        SamplePacket("OpenBSD enc", 109, zeros(12) + v4),
        SamplePacket("Juniper Ethernet", 178, [0x4D, 0x47, 0x43, 0x81] + big16(4) + zeros(4) + frame),
    ]

    static let tunnels: [SamplePacket] = [
        SamplePacket("MPLS", 1, Build.ethernet(big32(0x0001_0040) + big32(0x0002_0140) + v4, type: 0x8847)),
        SamplePacket("MPLS, IPv6", 1, Build.ethernet(big32(0x0002_0140) + v6, type: 0x8848)),
        SamplePacket("MPLS, pseudowire", 1, Build.ethernet(big32(0x0002_0140) + zeros(4) + frame, type: 0x8847)),
        SamplePacket("MPLS, frame without control word", 1, Build.ethernet(big32(0x0002_0140) + frame, type: 0x8847)),
        SamplePacket("NSH", 1, Build.ethernet([0x0F, 0xC2, 0x02, 0x01] + zeros(4) + v4, type: 0x894F)),
        SamplePacket("IP in IP", 1, inIPv4(4, v4)),
        SamplePacket("6in4", 1, inIPv4(41, v6)),
        SamplePacket("4in6", 1, Build.ethernet(Build.ipv6(v4, number: 4), type: 0x86DD)),
        SamplePacket("6in6", 1, Build.ethernet(Build.ipv6(v6, number: 41), type: 0x86DD)),
        SamplePacket("GRE", 1, inIPv4(47, big16(0) + big16(0x0800) + v4)),
        SamplePacket("GRE, checksum, key, number", 1, inIPv4(47, big16(0xB000) + big16(0x86DD) + zeros(12) + v6)),
        SamplePacket(
            "GRE, routing",
            1,
            inIPv4(47, big16(0x4000) + big16(0x0800) + zeros(4) + [0, 2, 0, 4] + zeros(4) + zeros(4) + v4)
        ),
        SamplePacket("GRE, bridged", 1, inIPv4(47, big16(0x2000) + big16(0x6558) + zeros(4) + frame)),
        SamplePacket(
            "PPTP",
            1,
            inIPv4(
                47,
                big16(0x3081) + big16(0x880B) + big16(4 + v4.count) + zeros(10) + [0xFF, 0x03] + big16(0x0021) + v4
            )
        ),
        SamplePacket("WCCP", 1, inIPv4(47, big16(0) + big16(0x883E) + zeros(4) + v4)),
        SamplePacket("ERSPAN I", 1, inIPv4(47, big16(0) + big16(0x88BE) + frame)),
        SamplePacket(
            "ERSPAN II",
            1,
            inIPv4(47, big16(0x1000) + big16(0x88BE) + zeros(4) + big32(0x1000_0000) + zeros(4) + frame)
        ),
        SamplePacket(
            "ERSPAN III",
            1,
            inIPv4(
                47,
                big16(0x1000) + big16(0x22EB) + zeros(4) + big32(0x2000_0000) + zeros(7) + [1] + zeros(8) + frame
            )
        ),
        SamplePacket("EtherIP", 1, inIPv4(97, [0x30, 0] + frame)),
        SamplePacket("MPLS in IP", 1, inIPv4(137, big32(0x0002_0140) + v4)),
        SamplePacket("L2TP 3, cookie and sublayer", 1, inIPv4(115, big32(9) + zeros(8) + frame)),
        SamplePacket("VXLAN", 1, inUDP(4789, [8, 0, 0, 0] + zeros(4) + frame)),
        SamplePacket(
            "VXLAN, old port",
            1,
            inUDP(8472, [8, 0, 0, 0] + zeros(4) + Build.ethernet(big16(7) + big16(0x0800) + v4, type: 0x8100))
        ),
        SamplePacket("VXLAN-GPE", 1, inUDP(4790, [0x0C, 0, 0, 2] + zeros(4) + v6)),
        SamplePacket("GENEVE", 1, inUDP(6081, [0, 0] + big16(0x6558) + zeros(4) + frame)),
        SamplePacket("GENEVE, options, IPv4", 1, inUDP(6081, [2, 0] + big16(0x0800) + zeros(4) + zeros(8) + v4)),
        SamplePacket("GTP-U", 1, inUDP(2152, [0x30, 0xFF] + big16(v4.count) + zeros(4) + v4)),
        SamplePacket(
            "GTP-U, extension",
            1,
            inUDP(2152, [0x34, 0xFF] + big16(8 + v6.count) + zeros(4) + [0, 0, 0, 0x85] + [1, 0, 0, 0] + v6)
        ),
        SamplePacket("Teredo", 1, inUDP(3544, v6)),
        SamplePacket("Teredo, authentication and origin", 1, inUDP(3544, [0, 1, 0, 0] + zeros(9) + zeros(8) + v6)),
        SamplePacket("L2TP", 1, inUDP(1701, big16(0x0002) + zeros(4) + [0xFF, 0x03] + big16(0x0021) + v4)),
        SamplePacket(
            "L2TP, all fields",
            1,
            inUDP(
                1701,
                big16(0x4A02) + big16(20 + v4.count) + zeros(8) + big16(2) + zeros(2) + [0xFF, 0x03] + big16(0x0021)
                    + v4
            )
        ),
        SamplePacket("L2TP 3 in UDP", 1, inUDP(1701, big16(0x0003) + zeros(2) + big32(5) + frame)),
        SamplePacket("MPLS in UDP", 1, inUDP(6635, big32(0x0002_0140) + v4)),
        SamplePacket("GRE in UDP", 1, inUDP(4754, big16(0) + big16(0x0800) + v4)),
        SamplePacket(
            "GENEVE in VXLAN in GRE",
            1,
            inIPv4(
                47,
                big16(0) + big16(0x6558)
                    + inUDP(4789, [8, 0, 0, 0] + zeros(4) + inUDP(6081, [0, 0] + big16(0x0800) + zeros(4) + v4))
            )
        ),
    ]

    static let internet: [SamplePacket] = [
        SamplePacket("IPv4 options", 228, Build.ipv4(Build.tcp(), options: [7, 7, 4, 0, 0, 0, 0, 0])),
        SamplePacket("TCP options", 1, Build.ethernet(Build.ipv4(Build.tcp(options: [1, 1, 8, 10] + zeros(8))))),
        SamplePacket("total length zero", 1, Build.ethernet(Build.ipv4(Build.tcp(), total: 0))),
        SamplePacket("payload length zero", 229, Build.ipv6(Build.tcp(), length: 0)),
        SamplePacket(
            "jumbogram",
            229,
            Build.ipv6([6, 0, 0xC2, 4] + big32(8 + Build.tcp().count) + Build.tcp() + zeros(3), number: 0, length: 0)
        ),
        SamplePacket(
            "IPv6 extension headers",
            229,
            Build.ipv6(
                [43, 0] + zeros(6) + [60, 1] + zeros(14) + [44, 0] + zeros(6) + [51, 0] + zeros(6) + [6, 4] + zeros(22)
                    + Build.tcp(),
                number: 0
            )
        ),
        SamplePacket("IPv4 authentication header", 228, Build.ipv4([6, 4] + zeros(22) + Build.tcp(), number: 51)),
    ]

    static let all = links + tunnels + internet
}
