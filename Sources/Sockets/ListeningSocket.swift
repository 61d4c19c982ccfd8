#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A socket that others connect to.
package final class ListeningSocket: Sendable {
    /// Where it listens; the port is a real one, also if 0 was asked for.
    package let address: SocketAddress
    private let descriptor: SocketDescriptor

    /// Listens at an address. Of IPv6 it takes IPv6 alone.
    /// - Parameters:
    ///   - address: port 0 is any that is free.
    ///   - backlog: connections that may wait to be accepted.
    package init(_ address: SocketAddress, backlog: Int32 = 512) throws(SocketError) {
        let what = "listen on \(address)"
        let number = Platform.makeSocket(family: address.family)
        guard number >= 0 else { throw .system(what, code: errno) }
        descriptor = SocketDescriptor(number)
        Platform.setOption(number, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.isIPv6 { Platform.setOption(number, Platform.ipv6, IPV6_V6ONLY, 1) }
        let isBound = address.withSystemAddress { bind(number, $0, $1) } == 0
        guard isBound, listen(number, backlog) == 0 else { throw .system(what, code: errno) }
        self.address = SocketAddress(of: number, getsockname) ?? address
    }

    deinit { descriptor.close() }

    /// Waits for the next connection. One task at a time may wait.
    ///
    /// If the program has no descriptor left it goes on when there is one; the connection waits meanwhile.
    package func accept(outputLimit: Int = StreamSocket.defaultOutputLimit) async throws -> StreamSocket {
        while true {
            try Task.checkCancellation()
            let (number, code) = try descriptor.use { listener in
                let number = Platform.acceptNext(listener)
                return (number, number < 0 ? errno : 0)
            }
            if number >= 0 {
                // It may be gone again: then the next one is waited for.
                if let socket = try? StreamSocket(SocketDescriptor(number), outputLimit: outputLimit) { return socket }
                continue
            }
            switch code {
            case EAGAIN, EWOULDBLOCK: try await descriptor.wait(.reading)
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENETUNREACH, EHOSTUNREACH, EHOSTDOWN: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: try await Task.sleep(for: .milliseconds(100))
            default: throw SocketError.system("accept on \(address)", code: code)
            }
        }
    }

    /// Takes no more connections.
    package func close() { descriptor.close() }
}
