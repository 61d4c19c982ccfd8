import CPcap

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How to capture on a device.
public struct LiveOptions: Sendable {
    /// Name or number; nil: the one that tcpdump would take.
    public var device: String?
    public var promiscuous = true
    /// Longest part of a packet that is captured, in bytes.
    public var snapLength: Int32 = 262_144
    /// The kernel's buffer in KiB; nil: 8 MiB (libpcap's own default is 2 MiB on Linux).
    public var bufferKiB: Int32?
    /// Packets show at once instead of when a buffer is full.
    ///
    /// On Linux this is a delay of 10 ms and not libpcap's immediate mode, which gives each packet a slot of the full
    /// snap length in the kernel's buffer: on loopback a few dozen packets fill it, and of a burst of 20,000 small ones
    /// 11,863 were dropped, where none are with a delay.
    public var immediate = true
    /// Filter expression; empty: all packets.
    public var filter = ""

    public init() {}
}

/// What became of the packets of a live capture.
public struct CaptureStatistics: Equatable, Sendable {
    /// Handed on.
    public var captured: UInt64 = 0
    /// Passed the filter, whether or not they were dropped then (libpcap's count, 32 bits wide).
    public var received: UInt64 = 0
    public var droppedByKernel: UInt64 = 0
    public var droppedByInterface: UInt64 = 0
}

/// A live capture by libpcap.
public final class LiveCapture {
    public let device: CaptureDevice
    public let linkType: UInt16
    public let hasNanoseconds: Bool
    /// What libpcap warned of when the device was opened (no promiscuous mode, for instance).
    public let warning: String?
    @usableFromInline var number: UInt64 = 0
    private let snapLength: UInt32
    private let handle: OpaquePointer
    private let stop: StopFlag
    /// Becomes readable when there are packets; -1 where the device has no such descriptor.
    private let descriptor: Int32
    /// Milliseconds to wait at a time.
    private let patience: Int32

    /// Opens the device; needs the privilege to capture, which may be given up afterwards.
    public init(_ options: LiveOptions, stop: StopFlag = .process) throws(CaptureError) {
        self.stop = stop
        device = if let name = options.device { try .find(name) } else { try .standard() }
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        guard let handle = pcap_create(device.name, &message) else {
            throw CaptureError(.noSuchDevice, "\(device.name) cannot be opened: \(CaptureDevice.text(message))")
        }
        self.handle = handle
        snapLength = UInt32(clamping: options.snapLength)
        var isComplete = false
        defer { if !isComplete { pcap_close(handle) } }

        pcap_set_snaplen(handle, options.snapLength)
        pcap_set_promisc(handle, options.promiscuous ? 1 : 0)
        pcap_set_timeout(handle, options.immediate ? 10 : 100)
        #if !os(Linux)
            pcap_set_immediate_mode(handle, options.immediate ? 1 : 0)
        #endif
        pcap_set_buffer_size(handle, (options.bufferKiB ?? 8192).multipliedClamping(by: 1024))
        let nanoseconds = pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO) == 0
        let status = pcap_activate(handle)
        guard status >= 0 else { throw Self.activationError(status, handle, device) }
        warning = status > 0 ? Self.statusText(status, handle) : nil
        // Cooked capture version 2 says which interface a packet came from.
        if device.name == "any" { pcap_set_datalink(handle, 276) }
        hasNanoseconds = nanoseconds && pcap_get_tstamp_precision(handle) == PCAP_TSTAMP_PRECISION_NANO
        linkType = LinkType.linkType(ofDLT: pcap_datalink(handle))
        let filter = try PacketFilter(options.filter, linkType: linkType, handle: handle)
        guard filter.install(on: handle) else {
            throw CaptureError(
                .filter,
                "the filter \"\(options.filter)\" cannot be set on \(device.name): \(String(cString: pcap_geterr(handle)))"
            )
        }
        guard pcap_setnonblock(handle, 1, &message) == 0 else {
            throw CaptureError(.input, "\(device.name) cannot be read: \(CaptureDevice.text(message))")
        }
        descriptor = pcap_get_selectable_fd(handle)
        // Some devices must be asked more often than they wake poll(2) up.
        if let required = pcap_get_required_select_timeout(handle)?.pointee {
            patience = min(100, max(1, Int32(clamping: required.tv_sec * 1000 + Int(required.tv_usec) / 1000)))
        } else {
            patience = descriptor < 0 ? 10 : 100
        }
        isComplete = true
    }

    deinit { pcap_close(handle) }

    /// Hands packets to `sink` until it or the stop flag ends it. Called again, it goes on.
    @inlinable public func read<Sink: PacketSink>(into sink: inout Sink) throws(CaptureError) -> ReadingEnd {
        while true {
            switch try next() {
            case .packet(let packet, let bytes):
                if !sink.packet(packet, bytes: bytes.bytes) { return .sinkEnough }
            case .nothing:
                sink.willWait()
                if !wait(), !sink.timePassed(wallClock()) { return .sinkEnough }
            case .stopped:
                return .stopped
            }
        }
    }

    @usableFromInline enum Next {
        case packet(Packet, UnsafeRawBufferPointer)
        /// All that came was handed on.
        case nothing
        case stopped
    }

    @usableFromInline func next() throws(CaptureError) -> Next {
        if stop.isSet { return .stopped }
        var header: UnsafeMutablePointer<pcap_pkthdr>?
        var bytes: UnsafePointer<UInt8>?
        let status = pcap_next_ex(handle, &header, &bytes)
        if status == 1, let header = header?.pointee, let bytes {
            number &+= 1
            let fraction = Int64(header.ts.tv_usec) &* (hasNanoseconds ? 1 : 1000)
            let packet = Packet(
                number: number,
                time: Int64(header.ts.tv_sec) &* 1_000_000_000 &+ fraction,
                linkType: linkType,
                originalLength: Int(max(header.len, header.caplen))
            )
            return .packet(packet, UnsafeRawBufferPointer(start: bytes, count: Int(header.caplen)))
        }
        if status < 0 && status != PCAP_ERROR_BREAK {
            throw CaptureError(
                .input,
                "the capture on \(device.name) ended: \(String(cString: pcap_geterr(handle)))"
            )
        }
        return .nothing
    }

    /// Waits for packets, about 100 ms.
    /// - Returns: false if that time has passed.
    @usableFromInline func wait() -> Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // A descriptor of -1 is passed over by poll(2), which then only waits.
        return poll(&poller, 1, patience) != 0
    }

    /// The counts so far; may be asked for at any time between packets.
    public func statistics() -> CaptureStatistics {
        var counts = pcap_stat()
        guard pcap_stats(handle, &counts) == 0 else { return CaptureStatistics(captured: number) }
        return CaptureStatistics(
            captured: number,
            received: UInt64(counts.ps_recv),
            droppedByKernel: UInt64(counts.ps_drop),
            droppedByInterface: UInt64(counts.ps_ifdrop)
        )
    }

    private static func statusText(_ status: Int32, _ handle: OpaquePointer) -> String {
        let own = String(cString: pcap_geterr(handle))
        return own.isEmpty ? String(cString: pcap_statustostr(status)) : own
    }

    private static func activationError(
        _ status: Int32,
        _ handle: OpaquePointer,
        _ device: CaptureDevice
    ) -> CaptureError {
        switch status {
        case PCAP_ERROR_PERM_DENIED, PCAP_ERROR_PROMISC_PERM_DENIED:
            return CaptureError(
                .permission,
                "no permission to capture on \(device.name): \(CaptureDevice.permissionAdvice)"
            )
        case PCAP_ERROR_IFACE_NOT_UP:
            return CaptureError(.noSuchDevice, "\(device.name) is not up")
        default:
            return CaptureError(.noSuchDevice, "\(device.name) cannot be opened: \(statusText(status, handle))")
        }
    }
}

extension Int32 {
    fileprivate func multipliedClamping(by factor: Int32) -> Int32 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}

extension LiveCapture: PacketDetails {
    public func comments(of packet: Packet) -> [String] { [] }

    public var sectionComments: [String] { [] }

    public func interface(of packet: Packet) -> CaptureNotes.Interface? {
        CaptureNotes.Interface(linkType: linkType, snapLength: snapLength, name: device.name)
    }
}
