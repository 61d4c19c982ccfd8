#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension StreamSocket {
    /// Bytes that may wait to be sent, unless something else is said.
    package static let defaultOutputLimit = 1 << 18

    /// Connects to the first address of a host that answers.
    /// - Parameters:
    ///   - timeout: for all of it: finding the addresses, and trying one after the other.
    ///   - outputLimit: see ``outputLimit``.
    package static func connect(
        host: String,
        port: UInt16,
        timeout: Duration = .seconds(10),
        outputLimit: Int = defaultOutputLimit
    ) async throws -> StreamSocket {
        let end = ContinuousClock.now + timeout
        var failure: any Error = SocketError.timedOut("connect to \(HostAndPort(host: host, port: port))")
        let addresses = try await HostResolver.resolve(host, port: port, timeout: timeout)
        for (index, address) in addresses.enumerated() {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { break }
            do {
                // One that does not answer must not use up the time of the others.
                let share = left / (addresses.count - index)
                return try await connect(to: address, timeout: share, outputLimit: outputLimit)
            } catch let error as SocketError {
                failure = error
            }
        }
        throw failure
    }

    /// Connects to an address.
    package static func connect(
        to address: SocketAddress,
        timeout: Duration = .seconds(10),
        outputLimit: Int = defaultOutputLimit
    ) async throws -> StreamSocket {
        try Task.checkCancellation()
        let what = "connect to \(address)"
        let number = Platform.makeSocket(family: address.family)
        guard number >= 0 else { throw SocketError.system("make a socket", code: errno) }
        let descriptor = SocketDescriptor(number)
        let status = address.withSystemAddress { pointer, length in
            Platform.connectSocket(number, pointer, length) == 0 ? 0 : errno
        }
        switch status {
        case 0: break
        case EINPROGRESS, EINTR:
            do {
                try await descriptor.wait(.writing, timeout: timeout, for: what)
            } catch {
                descriptor.close()
                throw error
            }
        default: throw SocketError.system(what, code: status)
        }
        let code = try descriptor.use { number throws(SocketError) in
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
        }
        guard code == 0 else { throw SocketError.system(what, code: code) }
        return try StreamSocket(descriptor, outputLimit: outputLimit)
    }
}
