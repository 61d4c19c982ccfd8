import CPcap

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A device that packets can be captured on.
public struct CaptureDevice: Sendable {
    /// Its place in the list, from 1; `-i` takes it as well.
    public var number: Int
    public var name: String
    public var description: String?
    public var isUp: Bool
    public var isRunning: Bool
    public var isLoopback: Bool
    public var isWireless: Bool
    /// IPv4 and IPv6 addresses as text.
    public var addresses: [String]

    /// All devices in libpcap's order: those that are up and running first, loopback and `any` after them.
    public static func list() throws(CaptureError) -> [CaptureDevice] {
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        var first: UnsafeMutablePointer<pcap_if_t>?
        guard pcap_findalldevs(&first, &message) == 0 else {
            throw CaptureError(.permission, "the devices cannot be listed: \(text(message))")
        }
        defer { if let first { pcap_freealldevs(first) } }
        var devices: [CaptureDevice] = []
        var next = first
        while let device = next?.pointee {
            devices.append(
                CaptureDevice(
                    number: devices.count + 1,
                    name: String(cString: device.name),
                    description: device.description.map { String(cString: $0) },
                    isUp: device.flags & 2 != 0,
                    isRunning: device.flags & 4 != 0,
                    isLoopback: device.flags & 1 != 0,
                    isWireless: device.flags & 8 != 0,
                    addresses: addresses(device.addresses)
                )
            )
            next = device.next
        }
        return devices
    }

    /// The device that tcpdump would take: the first of the list, unless one further down is up and no loopback.
    public static func standard() throws(CaptureError) -> CaptureDevice {
        let devices = try list()
        let best = devices.first { $0.isUp && !$0.isLoopback && $0.name != "any" } ?? devices.first
        guard let best else {
            throw CaptureError(.noSuchDevice, "there is no device to capture on; \(permissionAdvice)")
        }
        return best
    }

    /// Finds a device by its name or its number.
    public static func find(_ nameOrNumber: String) throws(CaptureError) -> CaptureDevice {
        let devices = try list()
        if let device = devices.first(where: { $0.name == nameOrNumber }) { return device }
        if let number = Int(nameOrNumber), devices.indices.contains(number - 1) { return devices[number - 1] }
        let names = devices.map { "\($0.number).\($0.name)" }.joined(separator: ", ")
        throw CaptureError(
            .noSuchDevice,
            "there is no device \(nameOrNumber) to capture on; there are: \(names.isEmpty ? "none" : names)"
        )
    }

    /// What to do where capturing is not permitted.
    public static var permissionAdvice: String {
        #if os(Linux)
            var path = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/exe", &path, path.count - 1)
            let program = count > 0 ? text(path) : "esdump"
            return "run it with sudo, or allow it once and for all: "
                + "sudo setcap cap_net_raw,cap_net_admin+eip \(shellQuoted(program))"
        #else
            return "run it with sudo, or join the group access_bpf that may open /dev/bpf* "
                + "(Wireshark's ChmodBPF package makes it)"
        #endif
    }

    static func text(_ message: [CChar]) -> String {
        message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    private static func shellQuoted(_ path: String) -> String {
        let plain = path.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"): true
            default: false
            }
        }
        if plain { return path }
        return "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static func addresses(_ first: UnsafeMutablePointer<pcap_addr_t>?) -> [String] {
        var texts: [String] = []
        var next = first
        while let address = next?.pointee {
            next = address.next
            guard let socket = address.addr else { continue }
            let length: Int
            switch Int32(socket.pointee.sa_family) {
            case AF_INET: length = MemoryLayout<sockaddr_in>.size
            case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
            default: continue
            }
            var host = [CChar](repeating: 0, count: 128)
            if getnameinfo(socket, socklen_t(length), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0 {
                texts.append(text(host))
            }
        }
        return texts
    }
}
