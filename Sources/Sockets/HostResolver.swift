import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Finds the addresses of a host's name.
package enum HostResolver {
    /// The system's resolver blocks a thread: these are not those that run tasks.
    private static let queue = DispatchQueue(label: "host names", attributes: .concurrent)

    /// The addresses of a host, in the order in which they are to be tried.
    ///
    /// Whoever waits is let go after `timeout`, or when the task is cancelled; the system's resolver cannot be stopped and
    /// ends by itself.
    package static func resolve(
        _ host: String,
        port: UInt16,
        timeout: Duration = .seconds(10)
    ) async throws -> [SocketAddress] {
        let numeric = lookUp(host, port: port, numericOnly: true)
        if !numeric.addresses.isEmpty { return numeric.addresses }
        let answer = OneShot<[SocketAddress]>()
        queue.async {
            let found = lookUp(host, port: port, numericOnly: false)
            answer.give(
                found.addresses.isEmpty
                    ? .failure(SocketError.unresolved(host, reason: found.reason)) : .success(found.addresses)
            )
        }
        return try await answer.value(
            timeout: timeout,
            or: SocketError.timedOut("look up the address of \(host)")
        )
    }

    /// Asks the system; with `numericOnly` it does not block.
    static func lookUp(
        _ host: String,
        port: UInt16,
        numericOnly: Bool
    ) -> (addresses: [SocketAddress], reason: String) {
        var hints = addrinfo()
        hints.ai_socktype = Platform.streamType
        hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else { return ([], String(cString: gai_strerror(status))) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr, [AF_INET, AF_INET6].contains(entry.ai_family) {
                let found = SocketAddress(address, length: entry.ai_addrlen)
                if !addresses.contains(found) { addresses.append(found) }
            }
            next = entry.ai_next
        }
        return (addresses, addresses.isEmpty ? "it has no IPv4 or IPv6 address" : "")
    }
}
