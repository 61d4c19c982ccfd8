import CPcap

/// A pcap filter expression compiled for one link type.
public final class PacketFilter {
    public let expression: String
    public let linkType: UInt16
    private var program = bpf_program()

    /// An empty expression lets every packet pass.
    public convenience init(_ expression: String, linkType: UInt16) throws(CaptureError) {
        guard let handle = pcap_open_dead(LinkType.dlt(of: linkType), 262_144) else {
            throw CaptureError(.filter, "the filter cannot be compiled: out of memory")
        }
        defer { pcap_close(handle) }
        try self.init(expression, linkType: linkType, handle: handle)
    }

    init(_ expression: String, linkType: UInt16, handle: OpaquePointer) throws(CaptureError) {
        self.expression = expression
        self.linkType = linkType
        // All bits set: the netmask is unknown (PCAP_NETMASK_UNKNOWN).
        guard pcap_compile(handle, &program, expression, 1, 0xFFFF_FFFF) == 0 else {
            throw CaptureError(
                .filter,
                "the filter \"\(expression)\" does not compile: \(String(cString: pcap_geterr(handle))); "
                    + "its syntax is that of tcpdump, see pcap-filter(7)"
            )
        }
    }

    deinit { pcap_freecode(&program) }

    /// Sets it as the filter of an open device.
    func install(on handle: OpaquePointer) -> Bool { pcap_setfilter(handle, &program) == 0 }

    /// - Parameter originalLength: what `len` and `greater` compare with.
    public func matches(_ bytes: RawSpan, originalLength: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            // Of no bytes at all none is looked at, so that any address does.
            let start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 16)!
            var header = pcap_pkthdr()
            header.caplen = UInt32(truncatingIfNeeded: bytes.count)
            header.len = UInt32(clamping: originalLength)
            return pcap_offline_filter(&program, &header, start.assumingMemoryBound(to: UInt8.self)) != 0
        }
    }
}

/// A filter for packets of any link types, compiled for each one that occurs.
public final class FilterSet {
    public let expression: String
    private var programs: [UInt16: PacketFilter?] = [:]
    private var current: PacketFilter?
    private var currentLinkType: UInt16?
    /// Link types that the expression does not compile for, with libpcap's reason. Their packets do not pass.
    public private(set) var notCompiled: [UInt16: CaptureError] = [:]
    public private(set) var seen: UInt64 = 0
    public private(set) var passed: UInt64 = 0
    private(set) var vlanHint: VLANHint

    /// Checks the expression for the common link types: some words are known for one kind of network only, so it is
    /// refused when none of them takes it.
    public init(_ expression: String) throws(CaptureError) {
        self.expression = expression
        vlanHint = VLANHint(expression)
        var first: CaptureError?
        // Ethernet, raw IP, Linux cooked 1 and 2, 802.11 with radiotap, PPP, MTP2, ATM.
        for linkType in [1, 101, 113, 276, 127, 9, 140, 123] as [UInt16] {
            do throws(CaptureError) {
                programs[linkType] = try PacketFilter(expression, linkType: linkType)
                return
            } catch { if first == nil { first = error } }
        }
        if let first { throw first }
    }

    public func matches(_ packet: Packet, bytes: RawSpan) -> Bool {
        if packet.linkType != currentLinkType { choose(packet.linkType) }
        seen &+= 1
        guard let current, current.matches(bytes, originalLength: packet.originalLength) else {
            if passed == 0, packet.linkType == 1 {
                vlanHint.look(at: bytes, originalLength: packet.originalLength)
            }
            return false
        }
        passed &+= 1
        return true
    }

    private func choose(_ linkType: UInt16) {
        currentLinkType = linkType
        if let known = programs[linkType] {
            current = known
            return
        }
        do throws(CaptureError) {
            current = try PacketFilter(expression, linkType: linkType)
        } catch {
            current = nil
            notCompiled[linkType] = error
        }
        programs[linkType] = .some(current)
    }
}
