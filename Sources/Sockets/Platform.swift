// What differs between the systems.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The calls of the system that have other names, types or habits elsewhere.
enum Platform {
    #if canImport(Darwin) || canImport(Musl)
        static let streamType = SOCK_STREAM
        static let tcp = Int32(IPPROTO_TCP)
        static let ipv6 = Int32(IPPROTO_IPV6)
    #else
        static let streamType = Int32(SOCK_STREAM.rawValue)
        static let tcp = Int32(IPPROTO_TCP)
        static let ipv6 = Int32(IPPROTO_IPV6)
    #endif

    /// A TCP socket that does not block and is not inherited.
    /// - Returns: the descriptor, or −1 with `errno`.
    static func makeSocket(family: sa_family_t) -> Int32 {
        #if canImport(Darwin)
            let descriptor = socket(Int32(family), streamType, 0)
            if descriptor >= 0 { prepare(descriptor) }
            return descriptor
        #else
            return socket(Int32(family), streamType | nonBlocking, 0)
        #endif
    }

    /// Takes the next connection of a listening socket.
    /// - Returns: the descriptor, or −1 with `errno`.
    static func acceptNext(_ listener: Int32) -> Int32 {
        let descriptor = accept(listener, nil, nil)
        if descriptor >= 0 { prepare(descriptor) }
        return descriptor
    }

    static func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
        connect(descriptor, address, length)
    }

    /// Sends without a signal if the other end is gone.
    static func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            send(descriptor, bytes.baseAddress, bytes.count, 0)
        #else
            send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    static func receiveBytes(_ descriptor: Int32, _ room: UnsafeMutableRawBufferPointer) -> Int {
        recv(descriptor, room.baseAddress, room.count, 0)
    }

    static func endOutput(_ descriptor: Int32) {
        #if canImport(Darwin) || canImport(Musl)
            _ = shutdown(descriptor, SHUT_WR)
        #else
            _ = shutdown(descriptor, Int32(SHUT_WR))
        #endif
    }

    static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

    static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// A message goes out when it is written.
    static func setNoDelay(_ descriptor: Int32) { setOption(descriptor, tcp, TCP_NODELAY, 1) }

    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
        #if canImport(Darwin)
            setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
    }

    #if canImport(Musl)
        private static let nonBlocking = SOCK_NONBLOCK | SOCK_CLOEXEC
    #elseif !canImport(Darwin)
        private static let nonBlocking = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    #endif
}
