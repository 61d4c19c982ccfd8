/// Writes packets to a pcap file, or to a pcapng file if the name ends in `.pcapng`, in this machine's byte order.
///
/// pcap holds one link type, that of its first packet; pcapng gets an interface for each.
public final class CaptureWriter {
    public enum Format: Equatable, Sendable {
        case pcap, pcapng
    }

    public struct Options: Sendable {
        /// Write out each packet at once (`-U`).
        public var flushEachPacket = false
        /// Times in nanoseconds (pcap; pcapng always has them).
        public var nanoseconds = false
        /// What the file says that packets were cut to, in bytes.
        public var snapLength: UInt32 = 262_144
        /// nil: by the file's name.
        public var format: Format?
        /// Whom a new file is to belong to when root writes.
        public var owner: Privileges.User?

        public init() {}
    }

    public let format: Format
    private let options: Options
    private let file: OutputFile
    /// The link types in the order of their interfaces; pcap has at most one.
    private var linkTypes: [UInt16] = []
    private var isBegun = false
    private var scratch: [UInt8] = []
    public private(set) var packetCount: UInt64 = 0
    public var byteCount: UInt64 { file.count }

    /// Creates the file, or takes standard output for `-`; nothing is written yet.
    public init(path: String, options: Options = Options()) throws(CaptureError) {
        self.options = options
        format = options.format ?? (path.hasSuffix(".pcapng") ? .pcapng : .pcap)
        file = try OutputFile(path: path, owner: options.owner ?? Privileges.callerOfSudo)
    }

    /// Writes the file's header, which otherwise comes before the first packet.
    public func begin(linkType: UInt16) throws(CaptureError) {
        try declare(linkType)
        try file.flush()
    }

    /// - Parameter comment: kept in pcapng only.
    public func write(_ packet: Packet, bytes: RawSpan, comment: String? = nil) throws(CaptureError) {
        let interface = try declare(packet.linkType)
        packetCount &+= 1
        scratch.removeAll(keepingCapacity: true)
        let count = bytes.byteCount
        let original = UInt32(clamping: packet.originalLength)
        switch format {
        case .pcap:
            // pcap's seconds are unsigned: earlier times than 1970 become 0.
            let time = UInt64(max(packet.time, 0))
            let fraction = time % 1_000_000_000
            put(UInt32(truncatingIfNeeded: time / 1_000_000_000))
            put(UInt32(options.nanoseconds ? fraction : fraction / 1000))
            put(UInt32(count))
            put(original)
            try appendScratch()
            try append(bytes)
        case .pcapng:
            let padding = (4 - count % 4) % 4
            let options = packetOptions(comment)
            let time = UInt64(max(packet.time, 0))
            let length = UInt32(32 + count + padding + options.count)
            for word in [
                6, length, interface, UInt32(time >> 32), UInt32(truncatingIfNeeded: time), UInt32(count), original,
            ] {
                put(word)
            }
            try appendScratch()
            try append(bytes)
            scratch += [UInt8](repeating: 0, count: padding)
            scratch += options
            put(length)
            try appendScratch()
        }
        if self.options.flushEachPacket { try file.flush() }
    }

    public func flush() throws(CaptureError) { try file.flush() }

    /// Writes what is still in the buffer, and the header if there was no packet. Call it before letting go.
    /// - Parameter linkType: of the header of a file without packets.
    public func finish(linkType: UInt16 = 1) throws(CaptureError) {
        if !isBegun { try declare(linkType) }
        try file.flush()
    }

    /// - Returns: the interface's index.
    @discardableResult private func declare(_ linkType: UInt16) throws(CaptureError) -> UInt32 {
        if let index = linkTypes.firstIndex(of: linkType) { return UInt32(index) }
        scratch.removeAll(keepingCapacity: true)
        switch format {
        case .pcap:
            if let first = linkTypes.first {
                throw CaptureError(
                    .usage,
                    "\(file.name): a pcap file holds packets of one link type; it has \(first), and now comes \(linkType). "
                        + "Write to a name that ends in .pcapng, or filter"
                )
            }
            put(options.nanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4 as UInt32)
            put(2 as UInt16)
            put(4 as UInt16)
            put(0 as UInt64)
            put(options.snapLength)
            put(UInt32(linkType))
        case .pcapng:
            if !isBegun {
                for word in [0x0A0D_0D0A, 28, 0x1A2B_3C4D, 1, .max, .max, 28] as [UInt32] { put(word) }
                #if _endian(big)
                    scratch.swapAt(13, 15)  // Version 1.0 is two numbers of two bytes.
                #endif
            }
            put(1 as UInt32)
            put(32 as UInt32)
            put(linkType)
            put(0 as UInt16)
            put(options.snapLength)
            // if_tsresol 9: nanoseconds; end of options.
            put(9 as UInt16)
            put(1 as UInt16)
            scratch += [9, 0, 0, 0]
            put(0 as UInt32)
            put(32 as UInt32)
        }
        isBegun = true
        linkTypes.append(linkType)
        try appendScratch()
        return UInt32(linkTypes.count - 1)
    }

    private func packetOptions(_ comment: String?) -> [UInt8] {
        guard let comment, !comment.isEmpty else { return [] }
        let text = Array(comment.utf8.prefix(65_532))
        let kept = scratch
        defer { scratch = kept }
        scratch = []
        put(1 as UInt16)
        put(UInt16(text.count))
        scratch += text
        scratch += [UInt8](repeating: 0, count: (4 - text.count % 4) % 4)
        put(0 as UInt32)
        return scratch
    }

    private func put<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value) { scratch.append(contentsOf: $0) }
    }

    private func appendScratch() throws(CaptureError) {
        var failure: CaptureError?
        scratch.withUnsafeBytes { bytes in
            do throws(CaptureError) { try file.append(bytes) } catch { failure = error }
        }
        scratch.removeAll(keepingCapacity: true)
        if let failure { throw failure }
    }

    private func append(_ bytes: RawSpan) throws(CaptureError) {
        var failure: CaptureError?
        bytes.withUnsafeBytes { bytes in
            do throws(CaptureError) { try file.append(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
