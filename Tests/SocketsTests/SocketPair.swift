import Sockets

/// Both ends of a connection on the loopback interface.
struct SocketPair {
    let client: StreamSocket
    let server: StreamSocket

    init(outputLimit: Int = StreamSocket.defaultOutputLimit) async throws {
        let listener = try ListeningSocket(loopback())
        async let accepted = listener.accept(outputLimit: outputLimit)
        client = try await StreamSocket.connect(to: listener.address, outputLimit: outputLimit)
        server = try await accepted
        listener.close()
    }

    func close() {
        client.close()
        server.close()
    }
}

/// 127.0.0.1, port 0 unless told otherwise.
func loopback(port: UInt16 = 0) throws -> SocketAddress {
    guard let address = SocketAddress(numeric: "127.0.0.1", port: port) else {
        throw SocketError.invalidAddress("127.0.0.1", reason: "not understood")
    }
    return address
}

extension StreamSocket {
    /// Reads until so many bytes came, or the other end has finished.
    func read(exactly count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try await read(atMost: count - bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }
}
