import Sockets
import Testing

@Suite(.timeLimit(.minutes(10))) struct StreamSocketTests {
    @Test func bytesGoBothWaysAndTheEndIsSeen() async throws {
        let pair = try await SocketPair()
        #expect(pair.client.remoteAddress == pair.server.localAddress)
        #expect(pair.server.remoteAddress == pair.client.localAddress)
        try await pair.client.write([1, 2, 3])
        #expect(try await pair.server.read(exactly: 3) == [1, 2, 3])
        try await pair.server.write([4])
        pair.server.endOutput()
        #expect(try await pair.client.read() == [4])
        #expect(try await pair.client.read() == [])
        // The other direction is still open.
        try await pair.client.write([5])
        #expect(try await pair.server.read() == [5])
        pair.close()
    }

    @Test func aWriterWaitsForASlowReaderAndNothingIsLost() async throws {
        let pair = try await SocketPair(outputLimit: 10_000)
        let block = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let blocks = 200
        let writer = Task {
            for _ in 0..<blocks { try await pair.client.write(block) }
            try await pair.client.drain()
            pair.client.endOutput()
        }
        try await Task.sleep(for: .milliseconds(50))
        // The system takes some of the 20 MB; the rest waits with the writer and not in memory.
        #expect(pair.client.pendingByteCount > 0 && pair.client.pendingByteCount <= 10_000 + block.count)
        var received: [UInt8] = []
        while true {
            let bytes = try await pair.server.read()
            if bytes.isEmpty { break }
            received += bytes
        }
        try await writer.value
        let isWhole = received == repeatElement(block, count: blocks).reduce(into: []) { $0 += $1 }
        #expect(isWhole)
        pair.close()
    }

    @Test func writersThatWaitKeepTheirOrderAndACancelledOneSendsNothing() async throws {
        let pair = try await SocketPair(outputLimit: 1)
        // Fills what the system takes.
        let filler = [UInt8](repeating: 0, count: 32 << 20)
        try pair.client.post(filler)
        func writer(_ byte: UInt8, count: Int) async throws -> Task<Void, any Error> {
            let task = Task { try await pair.client.write([byte, byte]) }
            while pair.client.waitingWriterCount < count { try await Task.sleep(for: .milliseconds(1)) }
            return task
        }
        let first = try await writer(1, count: 1)
        let second = try await writer(2, count: 2)
        let third = try await writer(3, count: 3)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try await pair.server.read(exactly: filler.count).count == filler.count)
        #expect(try await pair.server.read(exactly: 4) == [1, 1, 3, 3])
        try await first.value
        try await third.value
        pair.close()
    }

    @Test func closingLetsEverybodyGo() async throws {
        let pair = try await SocketPair(outputLimit: 1)
        try pair.client.post([UInt8](repeating: 0, count: 32 << 20))
        let reader = Task { try await pair.client.read() }
        let writer = Task { try await pair.client.write([1]) }
        let drainer = Task { try await pair.client.drain() }
        try await Task.sleep(for: .milliseconds(30))
        pair.client.close()
        await #expect(throws: SocketError.closed) { try await reader.value }
        await #expect(throws: SocketError.closed) { try await writer.value }
        await #expect(throws: SocketError.closed) { try await drainer.value }
        await #expect(throws: SocketError.closed) { try await pair.client.write([1]) }
        await #expect(throws: SocketError.closed) { try await pair.client.read() }
        pair.server.close()
    }

    @Test func readingCanBeCancelledAndGoneOnWith() async throws {
        let pair = try await SocketPair()
        let reader = Task { try await pair.server.read() }
        try await Task.sleep(for: .milliseconds(20))
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await pair.client.write([9])
        #expect(try await pair.server.read() == [9])
        pair.close()
    }

    @Test func twoReadersAtATimeAreAnErrorAndNoMess() async throws {
        let pair = try await SocketPair()
        let outcomes = await withTaskGroup(of: Result<[UInt8], any Error>.self) { group in
            for _ in 0..<2 {
                group.addTask { do { return .success(try await pair.server.read()) } catch { return .failure(error) } }
            }
            // One of them is turned away, and only then there is something to read.
            var outcomes = [await group.next()]
            try? await pair.client.write([7])
            outcomes.append(await group.next())
            return outcomes
        }
        guard case .failure(let error) = outcomes[0], case .success(let bytes) = outcomes[1] else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(error as? SocketError == .busy && bytes == [7])
        pair.close()
    }

    @Test func aPeerThatIsGoneIsAnErrorAndNotTheEndOfTheProgram() async throws {
        let pair = try await SocketPair()
        // What it has not read makes its close a reset.
        try await pair.client.write([1])
        try await Task.sleep(for: .milliseconds(20))
        pair.server.close()
        await #expect(throws: SocketError.self) {
            while true {
                try await pair.client.write([2])
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        pair.client.close()
    }

    @Test func manyConnectionsAtOnce() async throws {
        let listener = try ListeningSocket(loopback())
        let server = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 {
                    let socket = try await listener.accept()
                    group.addTask {
                        let bytes = try await socket.read()
                        try await socket.write(bytes)
                        socket.endOutput()
                        _ = try await socket.read()
                        socket.close()
                    }
                }
                try await group.waitForAll()
            }
        }
        let echoed = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for index in 0..<200 {
                group.addTask {
                    let socket = try await StreamSocket.connect(to: listener.address)
                    defer { socket.close() }
                    try await socket.write([UInt8(index)])
                    return try await socket.read()
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        try await server.value
        #expect(echoed == Set((0..<200).map { [UInt8($0)] }))
        listener.close()
    }
}
