import ESProtocol
import ESServer
import Sockets
import Testing

/// What a server said.
final class EventLog: Sendable {
    private let lock = Lock()
    nonisolated(unsafe) private var stored: [ServerEvent] = []

    func add(_ event: ServerEvent) { lock.withLock { stored.append(event) } }

    var events: [ServerEvent] { lock.withLock { stored } }

    func count(_ condition: (ServerEvent) -> Bool) -> Int { events.count(where: condition) }

    var receivedCount: Int { count { if case .received = $0.kind { true } else { false } } }
    /// Connections that have ended.
    var endedCount: Int { count { $0.isNotice("closed") } }

    var notices: [String] {
        events.compactMap { if case .notice(let text) = $0.kind { text } else { nil } }
    }

    func has(_ part: String) -> Bool { notices.contains { $0.contains(part) } }

    /// Waits until a condition holds; it is an error if it does not within some seconds.
    func wait(_ what: String = "", _ condition: () async -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while await !condition() {
            try #require(ContinuousClock.now < end, "\(what): it did not happen; \(notices.suffix(5))")
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

extension ServerEvent {
    func isNotice(_ start: String) -> Bool {
        if case .notice(let text) = kind { text.hasPrefix(start) } else { false }
    }
}

/// A client that sends what it is told, byte for byte, and keeps what comes.
actor RawClient {
    private let socket: StreamSocket
    private var received: [UInt8] = []
    private var reader: Task<Void, Never>?

    init(_ address: SocketAddress, reads: Bool = true) async throws {
        socket = try await StreamSocket.connect(to: address)
        if reads {
            reader = Task { [socket] in
                while let bytes = try? await socket.read(), !bytes.isEmpty { self.take(bytes) }
            }
        }
    }

    deinit { socket.close() }

    private func take(_ bytes: [UInt8]) { received += bytes }

    /// - Returns: whether it could be sent.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool { (try? await socket.write(bytes)) != nil }

    /// Closes its direction.
    func finish() async {
        try? await socket.drain()
        socket.endOutput()
    }

    func close() { socket.close() }

    /// Waits until the server has closed.
    func waitForEnd() async { await reader?.value }

    /// What came, when the server has closed.
    /// - Parameter layout: `nil` finds it.
    func messages(_ layout: HeaderLayout? = nil) async throws -> [Message] {
        await reader?.value
        return try decoded(layout)
    }

    /// What came up to now.
    func decoded(_ layout: HeaderLayout? = nil) throws -> [Message] {
        var decoder = MessageDecoder(layout: layout, maximumBody: 4 << 20)
        decoder.push(received)
        var messages: [Message] = []
        while let message = try decoder.next() { messages.append(message) }
        return messages
    }
}
