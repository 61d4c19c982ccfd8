import PacketCapture

@testable import NetworkStack

func big16(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)] }
func big32(_ value: Int) -> [UInt8] { big16(value >> 16) + big16(value) }
func little16(_ value: Int) -> [UInt8] { big16(value).reversed() }
func little32(_ value: Int) -> [UInt8] { big32(value).reversed() }
func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

/// Makes packets by hand, header by header.
enum Build {
    static let text = Array("hello, server".utf8)
    static let source4: [UInt8] = [10, 0, 0, 1]
    static let destination4: [UInt8] = [10, 0, 0, 2]
    static let source6: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + zeros(11) + [1]
    static let destination6: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + zeros(11) + [2]

    static func sum(_ bytes: [UInt8]) -> Int {
        var sum = 0
        for (index, byte) in bytes.enumerated() { sum += index % 2 == 0 ? Int(byte) << 8 : Int(byte) }
        while sum > 0xFFFF { sum = (sum & 0xFFFF) + (sum >> 16) }
        return sum
    }

    static func tcp(_ payload: [UInt8] = text, options: [UInt8] = [], checksum: Int = 0) -> [UInt8] {
        big16(44482) + big16(4530) + big32(0x0102_0304) + big32(0x0506_0708)
            + [UInt8(5 + options.count / 4) << 4, 0x18] + big16(8192) + big16(checksum) + big16(0) + options + payload
    }

    /// A TCP segment with its checksum, between the usual IPv4 addresses.
    static func checkedTCP(_ payload: [UInt8] = text) -> [UInt8] {
        let plain = tcp(payload)
        let pseudo = source4 + destination4 + [0, 6] + big16(plain.count)
        return tcp(payload, checksum: ~sum(pseudo + plain) & 0xFFFF)
    }

    static func udp(
        _ payload: [UInt8] = text,
        from: Int = 40000,
        to: Int = 4530,
        length: Int? = nil
    ) -> [UInt8] {
        big16(from) + big16(to) + big16(length ?? 8 + payload.count) + big16(0) + payload
    }

    static func ipv4(
        _ payload: [UInt8],
        number: Int = 6,
        options: [UInt8] = [],
        total: Int? = nil,
        identification: Int = 7,
        fragment: Int = 0
    ) -> [UInt8] {
        let length = 20 + options.count
        func header(_ checksum: Int) -> [UInt8] {
            [UInt8(0x40 | length / 4), 0] + big16(total ?? length + payload.count) + big16(identification)
                + big16(fragment) + [64, UInt8(number)] + big16(checksum) + source4 + destination4 + options
        }
        return header(~sum(header(0)) & 0xFFFF) + payload
    }

    static func ipv6(_ payload: [UInt8], number: Int = 6, length: Int? = nil) -> [UInt8] {
        big32(0x6000_0000) + big16(length ?? payload.count) + [UInt8(number), 64] + source6 + destination6 + payload
    }

    static func ethernet(_ payload: [UInt8], type: Int = 0x0800) -> [UInt8] {
        [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1] + big16(type) + payload
    }

    static func snap(_ payload: [UInt8], type: Int = 0x0800) -> [UInt8] {
        [0xAA, 0xAA, 0x03, 0, 0, 0] + big16(type) + payload
    }

    /// An 802.11 data frame to the distribution system.
    static func wireless(_ payload: [UInt8], quality: Bool = false, aggregate: Bool = false) -> [UInt8] {
        [quality ? 0x88 : 0x08, 0x01, 0, 0] + zeros(18) + [0x10, 0] + (quality ? [aggregate ? 0x80 : 0, 0] : [])
            + payload
    }
}

/// Keeps what the decoder hands on.
struct Collector: SegmentSink {
    struct Entry {
        var segment: TransportSegment
        var payload: [UInt8]
        var packet: UInt64
        var time: Int64
    }

    var entries: [Entry] = []

    mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64) {
        let bytes = (0..<payload.byteCount).map { payload.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        entries.append(Entry(segment: segment, payload: bytes, packet: packet, time: time))
    }
}

extension PacketDecoder {
    /// Decodes one packet and says what came out.
    mutating func decode(
        _ bytes: [UInt8],
        link: UInt16 = 1,
        original: Int? = nil,
        number: UInt64 = 1,
        time: Int64 = 0
    ) -> [Collector.Entry] {
        var sink = Collector()
        let packet = Packet(number: number, time: time, linkType: link, originalLength: original ?? bytes.count)
        // Bytes of its own, so that a read beyond the end is one beyond an allocation.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        decode(packet, bytes: RawSpan(_unsafeBytes: UnsafeRawBufferPointer(copy)), into: &sink)
        copy.deallocate()
        return sink.entries
    }
}
