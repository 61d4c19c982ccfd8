import Sockets
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConnectingTests {
    @Test func aPortWhereNobodyListensRefuses() async throws {
        let listener = try ListeningSocket(loopback())
        let address = listener.address
        listener.close()
        let failure = await #expect(throws: SocketError.self) { try await StreamSocket.connect(to: address) }
        #expect(failure?.isRefusal == true)
        #expect(failure?.description.hasPrefix("connect to 127.0.0.1:") == true)
    }

    /// A listener whose queue is full lets further connections wait, as a host that does not answer would.
    private func silentAddress() async throws -> (ListeningSocket, [StreamSocket]) {
        let listener = try ListeningSocket(loopback(), backlog: 0)
        var sockets: [StreamSocket] = []
        while sockets.count < 16 {
            do {
                sockets.append(
                    try await StreamSocket.connect(to: listener.address, timeout: .milliseconds(100))
                )
            } catch { break }
        }
        return (listener, sockets)
    }

    #if os(Linux)
        @Test func aHostThatDoesNotAnswerIsWaitedForAsLongAsSaid() async throws {
            let (listener, sockets) = try await silentAddress()
            await #expect(throws: SocketError.timedOut("connect to \(listener.address)")) {
                try await StreamSocket.connect(to: listener.address, timeout: .milliseconds(50))
            }
            let attempt = Task { try await StreamSocket.connect(to: listener.address) }
            try await Task.sleep(for: .milliseconds(20))
            attempt.cancel()
            await #expect(throws: CancellationError.self) { try await attempt.value }
            for socket in sockets { socket.close() }
            listener.close()
        }
    #endif

    @Test func aHostIsFoundByItsName() async throws {
        let listener = try ListeningSocket(loopback())
        async let accepted = listener.accept()
        // `localhost` may be ::1 first, where nobody listens.
        let client = try await StreamSocket.connect(
            host: "localhost",
            port: listener.address.port,
            timeout: .seconds(300)
        )
        let server = try await accepted
        #expect(client.remoteAddress == listener.address)
        client.close()
        server.close()
        listener.close()
    }

    @Test func aNameThatDoesNotExistIsSaid() async throws {
        let failure = await #expect(throws: SocketError.self) {
            try await StreamSocket.connect(host: "no-such-host.invalid", port: 1, timeout: .seconds(5))
        }
        switch failure {
        case .unresolved(let host, _): #expect(host == "no-such-host.invalid")
        case .timedOut: break
        default: Issue.record("\(String(describing: failure))")
        }
    }

    @Test func acceptingCanBeCancelledAndClosed() async throws {
        let listener = try ListeningSocket(loopback())
        let cancelled = Task { try await listener.accept() }
        try await Task.sleep(for: .milliseconds(20))
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let closed = Task { try await listener.accept() }
        try await Task.sleep(for: .milliseconds(20))
        listener.close()
        await #expect(throws: SocketError.closed) { try await closed.value }
    }

    @Test func aPortThatIsTakenIsSaid() throws {
        let listener = try ListeningSocket(loopback())
        let failure = #expect(throws: SocketError.self) { try ListeningSocket(listener.address) }
        #expect(failure?.description.hasPrefix("listen on \(listener.address): ") == true)
        listener.close()
    }

    @Test func both4And6() async throws {
        guard let address = SocketAddress(numeric: "::1", port: 0), let listener = try? ListeningSocket(address) else {
            return
        }
        async let accepted = listener.accept()
        let client = try await StreamSocket.connect(host: "::1", port: listener.address.port)
        #expect(client.remoteAddress.description == "[::1]:\(listener.address.port)")
        #expect(client.remoteAddress.isIPv6)
        let server = try await accepted
        client.close()
        server.close()
        listener.close()
    }
}

@Suite struct HostAndPortTests {
    @Test func isReadAsPeopleWriteIt() throws {
        let cases: [(String, String, UInt16)] = [
            ("localhost", "localhost", 4530), ("localhost:1", "localhost", 1), ("10.0.0.1:65535", "10.0.0.1", 65535),
            ("::1", "::1", 4530), ("[::1]", "::1", 4530), ("[fe80::1%lo]:99", "fe80::1%lo", 99),
        ]
        for (text, host, port) in cases {
            #expect(try HostAndPort(text, defaultPort: 4530) == HostAndPort(host: host, port: port), "\(text)")
        }
        #expect(HostAndPort(host: "::1", port: 7).description == "[::1]:7")
    }

    @Test(arguments: ["", ":4530", "host:", "host:0", "host:65536", "host:x", "[::1", "[::1]4530", "host:-1"])
    func whatIsWrongIsSaid(text: String) {
        #expect(throws: SocketError.self) { try HostAndPort(text, defaultPort: 4530) }
    }
}
