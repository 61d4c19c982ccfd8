#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The system's form of it, `sockaddr_in` or `sockaddr_in6`.
    private let bytes: [UInt8]

    /// - Parameter length: bytes of the address; what is longer than the system's largest is cut.
    init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        let count = min(Int(length), MemoryLayout<sockaddr_storage>.size)
        bytes = Array(UnsafeRawBufferPointer(start: address, count: count))
    }

    /// The address of one end of a connected or listening socket; `nil` if the system does not say.
    init?(
        of descriptor: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found: SocketAddress? = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                ask(descriptor, $0, &length) == 0 ? SocketAddress($0, length: length) : nil
            }
        }
        guard let found else { return nil }
        self = found
    }

    /// An address in numbers: `127.0.0.1`, `::1`; `nil` if it is none.
    package init?(numeric host: String, port: UInt16) {
        guard let first = HostResolver.lookUp(host, port: port, numericOnly: true).addresses.first else { return nil }
        self = first
    }

    func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        return withUnsafeMutablePointer(to: &storage) { storage in
            UnsafeMutableRawPointer(storage).copyMemory(from: bytes, byteCount: bytes.count)
            return storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes.count)) }
        }
    }

    var family: sa_family_t { withSystemAddress { address, _ in address.pointee.sa_family } }
    package var isIPv6: Bool { Int32(family) == AF_INET6 }

    /// The host in numbers: `127.0.0.1`, `::1`.
    package var host: String { names.host }
    package var port: UInt16 { UInt16(names.port) ?? 0 }

    private var names: (host: String, port: String) {
        var host = [CChar](repeating: 0, count: 128)
        var port = [CChar](repeating: 0, count: 16)
        let status = withSystemAddress { address, length in
            getnameinfo(
                address,
                length,
                &host,
                socklen_t(host.count),
                &port,
                socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV
            )
        }
        guard status == 0 else { return ("?", "0") }
        return (host.withUnsafeBufferPointer(text), port.withUnsafeBufferPointer(text))
    }

    private func text(_ characters: UnsafeBufferPointer<CChar>) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `127.0.0.1:4530`, `[::1]:4530`
    package var description: String {
        let (host, port) = names
        return isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// The name or address of a host, and a port, as people write them.
package struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST`, `HOST:PORT`, `[v6]`, `[v6]:PORT` or a bare IPv6 address.
    /// - Parameter defaultPort: used where there is no port.
    package init(_ text: String, defaultPort: UInt16) throws(SocketError) {
        var host = text[...]
        var digits: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else {
                throw .invalidAddress(text, reason: "the \"]\" is missing")
            }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw .invalidAddress(text, reason: "only a port, \":4530\", may stand behind the \"]\"")
            }
            if !rest.isEmpty { digits = rest.dropFirst() }
        } else if let colon = text.firstIndex(of: ":"), text[text.index(after: colon)...].firstIndex(of: ":") == nil {
            host = text[..<colon]
            digits = text[text.index(after: colon)...]
        }
        guard !host.isEmpty else { throw .invalidAddress(text, reason: "there is no host in it") }
        if let digits {
            guard let number = UInt16(digits), number > 0 else {
                throw .invalidAddress(text, reason: "\"\(digits)\" is not a port (1 to 65535)")
            }
            port = number
        } else {
            port = defaultPort
        }
        self.host = String(host)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
