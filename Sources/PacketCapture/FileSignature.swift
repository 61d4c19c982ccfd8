/// What a file is, as told by its first bytes.
enum FileSignature: Equatable {
    /// `swapped`: the numbers are in the other byte order than this machine's.
    case pcap(swapped: Bool, nanoseconds: Bool, modified: Bool)
    case pcapng
    /// NirSoft SmartSniff's packet file.
    case smartSniff
    case compressed(Compression)
    /// Something that is not read here, by the name that a user knows it by.
    case other(String)
    case unknown

    /// Bytes that are enough to recognise everything here.
    static let length = 24

    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 4 else {
            self = .unknown
            return
        }
        // Magic numbers: libpcap's savefile.c and the pcapng draft.
        let magic = bytes.loadUnaligned(as: UInt32.self)
        switch magic {
        case 0xA1B2_C3D4: self = .pcap(swapped: false, nanoseconds: false, modified: false)
        case 0xD4C3_B2A1: self = .pcap(swapped: true, nanoseconds: false, modified: false)
        case 0xA1B2_3C4D: self = .pcap(swapped: false, nanoseconds: true, modified: false)
        case 0x4D3C_B2A1: self = .pcap(swapped: true, nanoseconds: true, modified: false)
        case 0xA1B2_CD34: self = .pcap(swapped: false, nanoseconds: false, modified: true)
        case 0x34CD_B2A1: self = .pcap(swapped: true, nanoseconds: false, modified: true)
        case 0x0A0D_0D0A: self = .pcapng
        default:
            if bytes.count >= 8, bytes.prefix(8).elementsEqual("SMSNF200".utf8) {
                self = .smartSniff
            } else if let compression = Compression(bytes) {
                self = .compressed(compression)
            } else if let name = Self.foreignName(bytes) {
                self = .other(name)
            } else {
                self = .unknown
            }
        }
    }

    private static func foreignName(_ bytes: UnsafeRawBufferPointer) -> String? {
        func begins(_ text: StaticString) -> Bool {
            bytes.count >= text.utf8CodeUnitCount
                && bytes.prefix(text.utf8CodeUnitCount).elementsEqual(
                    UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
                )
        }
        if begins("snoop\0\0\0") { return "a snoop capture (Solaris)" }
        if begins("btsnoop\0") { return "a btsnoop capture (Bluetooth)" }
        if begins("GMBU") || begins("RTSS") { return "a Microsoft Network Monitor capture" }
        if begins("XCP\0") || begins("TRSNIFF data") { return "a Sniffer or NetXRay capture" }
        if begins("SMSNF") { return "a SmartSniff packet file of another version than 2.00" }
        if begins("iptrace ") { return "an AIX iptrace capture" }
        if begins("PK\u{3}\u{4}") { return "a ZIP archive (unpack it first)" }
        if begins("7z") { return "a 7z archive (unpack it first)" }
        if begins("\u{7F}ELF") || begins("MZ") { return "a program" }
        if isERF(bytes) { return "an ERF capture (Endace)" }
        if bytes.prefix(length).allSatisfy({ (0x20...0x7E).contains($0) || (9...13).contains($0) || $0 >= 0x80 }) {
            return "text"
        }
        return nil
    }

    /// ERF has no magic number: 8 bytes of time, type (low 7 bits 1–48), flags, record length (≥ 16, big-endian),
    /// loss counter, wire length (above 0).
    private static func isERF(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 16 else { return false }
        let recordLength = Int(bytes[10]) << 8 | Int(bytes[11])
        let wireLength = Int(bytes[14]) << 8 | Int(bytes[15])
        return (1...48).contains(bytes[8] & 0x7F) && bytes[9] & 0xC0 == 0 && recordLength >= 16 && wireLength > 0
            && wireLength <= 16_384 && recordLength <= wireLength + 64
    }
}
