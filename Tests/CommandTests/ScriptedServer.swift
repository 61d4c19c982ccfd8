import Dispatch
import ESProtocol

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A server that answers as it is told, for one client after the other.
///
/// It has a thread of its own: tests block those that run tasks.
final class ScriptedServer: @unchecked Sendable {
    let port: UInt16
    private let listener: Int32
    private let queue = DispatchQueue(label: "scripted server")
    private let log = DispatchQueue(label: "log of the scripted server")
    private var bytes: [UInt8] = []
    private var count = 0

    static let layout = HeaderLayout(startToken: .ff, idSlot: 12)

    /// - Parameter answer: gets a message of the client, and gives what is sent back; `nil` closes the connection.
    init(_ answer: @escaping @Sendable (Message) -> [Message]?) throws {
        #if canImport(Darwin)
            let type = SOCK_STREAM
        #else
            let type = Int32(SOCK_STREAM.rawValue)
        #endif
        let listener = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard listener >= 0, status else { throw ServerError() }
        // What other tests start must not keep it open.
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        queue.async { [weak self, listener] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let self else { break }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                self.log.sync { self.count += 1 }
                self.serve(client, answer)
                close(client)
            }
        }
    }

    struct ServerError: Error {}

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// What came, byte for byte.
    var received: [UInt8] { log.sync { bytes } }
    var connections: Int { log.sync { count } }

    private func serve(_ client: Int32, _ answer: (Message) -> [Message]?) {
        var waiting: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
            log.sync { bytes += buffer[..<count] }
            waiting += buffer[..<count]
            while waiting.count >= Self.layout.headerLength {
                let length = MessageHeader(reading: waiting.span.bytes, layout: Self.layout).messageLength
                guard waiting.count >= length,
                    let message = try? Message(parsing: Array(waiting[..<length]), layout: Self.layout)
                else { break }
                waiting.removeFirst(length)
                guard let answers = answer(message) else { return }
                for bytes in answers.compactMap({ try? $0.bytes() }) {
                    guard send(client, bytes, bytes.count, 0) == bytes.count else { return }
                }
            }
        }
    }
}
