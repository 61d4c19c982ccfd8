/// libpcap knows link types by its own DLT_ numbers, which differ between systems for a few old ones; files hold
/// LINKTYPE_ numbers, which are the same everywhere. libpcap keeps its mapping (pcap-common.c) to itself.
enum LinkType {
    #if os(OpenBSD)
        private static let rawIP: Int32 = 14
    #else
        private static let rawIP: Int32 = 12
    #endif

    static func dlt(of linkType: UInt16) -> Int32 {
        switch linkType {
        case 100: 11  // ATM, RFC 1483
        case 101: rawIP
        default: Int32(linkType)
        }
    }

    static func linkType(ofDLT dlt: Int32) -> UInt16 {
        switch dlt {
        case 11: 100
        case rawIP: 101
        default: UInt16(truncatingIfNeeded: dlt)
        }
    }
}
