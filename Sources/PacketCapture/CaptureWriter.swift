/// Writes packets to a pcap file, or to a pcapng file if the name ends in `.pcapng`, in this machine's byte order.
///
/// pcap holds one link type, that of its first packet; pcapng gets an interface for each, and for each name.
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
        /// Files that are not to be written, since they are being read.
        public var protected: Set<CaptureInputs.FileID> = []

        public init() {}
    }

    public let format: Format
    private let options: Options
    private let file: OutputFile
    /// The interfaces by the order of their descriptions; pcap has at most one.
    private var interfaces: [Interface: UInt32] = [:]
    private var last: (interface: Interface, index: UInt32)?
    private var isBegun = false
    private var scratch: [UInt8] = []
    public private(set) var packetCount: UInt64 = 0
    public var byteCount: UInt64 { file.count }

    /// Comments on the file, for pcapng: to be set before the first packet.
    public var sectionComments: [String] = []

    private struct Interface: Hashable {
        var linkType: UInt16
        var snapLength: UInt32
        var name: String?
        var comments: [String] = []
    }

    /// Creates the file, or takes standard output for `-`; nothing is written yet.
    /// - Parameter folder: the folder that it lies in, if that is open already.
    public init(path: String, folder: OutputFolder? = nil, options: Options = Options()) throws(CaptureError) {
        self.options = options
        format = options.format ?? (path.hasSuffix(".pcapng") ? .pcapng : .pcap)
        file = try OutputFile(
            path: path,
            folder: folder,
            owner: options.owner ?? Privileges.callerOfSudo,
            protected: options.protected
        )
    }

    /// Writes the file's header, which otherwise comes before the first packet.
    /// - Parameter interface: its name, for pcapng.
    public func begin(linkType: UInt16, interface: String? = nil) throws(CaptureError) {
        try declare(Interface(linkType: linkType, snapLength: options.snapLength, name: interface))
        try file.flush()
    }

    /// - Parameters:
    ///   - comments: kept in pcapng only, as the interface's name.
    ///   - interface: that it was captured on.
    public func write(
        _ packet: Packet,
        bytes: RawSpan,
        comments: [String] = [],
        interface: CaptureNotes.Interface? = nil
    ) throws(CaptureError) {
        let interface = try declare(
            Interface(
                linkType: packet.linkType,
                snapLength: interface?.snapLength ?? options.snapLength,
                name: interface?.name,
                comments: interface?.comments ?? []
            )
        )
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
            let options = commentOptions(comments)
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
        if !isBegun {
            try declare(Interface(linkType: linkType, snapLength: options.snapLength, name: nil))
        }
        try file.flush()
    }

    /// - Returns: the interface's index.
    @discardableResult private func declare(_ interface: Interface) throws(CaptureError) -> UInt32 {
        if let last, last.interface == interface { return last.index }
        if let index = interfaces[interface] {
            last = (interface, index)
            return index
        }
        let linkType = interface.linkType
        scratch.removeAll(keepingCapacity: true)
        switch format {
        case .pcap:
            if let first = interfaces.first?.key.linkType {
                if first == linkType { return 0 }
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
                let options = commentOptions(sectionComments)
                let length = UInt32(28 + options.count)
                for word in [0x0A0D_0D0A, length, 0x1A2B_3C4D, 1, .max, .max] as [UInt32] { put(word) }
                scratch += options
                put(length)
                #if _endian(big)
                    scratch.swapAt(13, 15)  // Version 1.0 is two numbers of two bytes.
                #endif
            }
            let name = Array((interface.name ?? "").utf8.prefix(256))
            let comments = commentOptions(interface.comments).dropLast(4)
            let length = UInt32(32 + (name.isEmpty ? 0 : 4 + (name.count + 3) & ~3) + comments.count)
            put(1 as UInt32)
            put(length)
            put(linkType)
            put(0 as UInt16)
            put(interface.snapLength)
            if !name.isEmpty { put(option: 2, name) }
            scratch += comments
            // if_tsresol 9: nanoseconds; end of options.
            put(9 as UInt16)
            put(1 as UInt16)
            scratch += [9, 0, 0, 0]
            put(0 as UInt32)
            put(length)
        }
        isBegun = true
        let index = UInt32(interfaces.count)
        interfaces[interface] = index
        last = (interface, index)
        try appendScratch()
        return index
    }

    /// Writes what the first interface received and dropped (pcapng only), behind the packets.
    public func writeStatistics(_ statistics: CaptureStatistics, time: Int64) throws(CaptureError) {
        guard format == .pcapng, !interfaces.isEmpty else { return }
        scratch.removeAll(keepingCapacity: true)
        let ticks = UInt64(max(time, 0))
        let counts: [(code: UInt16, value: UInt64)] = [
            (4, statistics.received), (5, statistics.droppedByInterface), (7, statistics.droppedByKernel),
        ]
        let length = UInt32(20 + counts.count * 12 + 4 + 4)
        for word in [5, length, 0, UInt32(ticks >> 32), UInt32(truncatingIfNeeded: ticks)] { put(word) }
        for count in counts {
            put(count.code)
            put(8 as UInt16)
            put(count.value)
        }
        put(0 as UInt32)
        put(length)
        try appendScratch()
    }

    /// At most so many bytes of comments are written with a packet, an interface or the file.
    private static let longestComments = 1 << 20

    /// Options of a block, with their end; nothing if there are none.
    private func commentOptions(_ comments: [String]) -> [UInt8] {
        if comments.isEmpty { return [] }
        let kept = scratch
        defer { scratch = kept }
        scratch = []
        for comment in comments where scratch.count < Self.longestComments - 65_540 {
            put(option: 1, Array(comment.utf8.prefix(65_532)))
        }
        put(0 as UInt32)
        return scratch
    }

    private func put(option code: UInt16, _ value: [UInt8]) {
        put(code)
        put(UInt16(value.count))
        scratch += value
        scratch += [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
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
