#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One end of a TCP connection.
///
/// No thread is blocked by waiting. What is written goes into a queue of bounded length on its way to the system: ``write(_:)``
/// waits while it is full, ``post(_:)`` never waits and tells its length. Whoever has a socket closes it with ``close()``.
package final class StreamSocket: @unchecked Sendable {
    package let localAddress: SocketAddress
    package let remoteAddress: SocketAddress
    /// Bytes that may wait to be sent before ``write(_:)`` waits.
    package let outputLimit: Int

    private let descriptor: SocketDescriptor
    private let lock = Lock()
    private var output = OutputQueue()

    /// - Parameter descriptor: of a connected socket that does not block.
    /// - Throws: if the other end is gone already.
    init(_ descriptor: SocketDescriptor, outputLimit: Int) throws(SocketError) {
        let ends = try descriptor.use { number throws(SocketError) in
            Platform.setNoDelay(number)
            return (SocketAddress(of: number, getsockname), SocketAddress(of: number, getpeername))
        }
        guard let local = ends.0, let remote = ends.1 else { throw .system("connection", code: ENOTCONN) }
        (localAddress, remoteAddress) = (local, remote)
        self.descriptor = descriptor
        self.outputLimit = outputLimit
    }

    deinit { descriptor.close() }

    /// Closes the connection at once. Whoever waits for it gets `SocketError.closed`. The system still delivers what it has
    /// taken, unless the other end sent something that was not read.
    package func close() {
        descriptor.close()
        let waiting = lock.withLock { output.fail(.closed) }
        for waiter in waiting { waiter.resume(throwing: SocketError.closed) }
    }

    // MARK: - Reading

    /// Waits for bytes. One task at a time may read.
    /// - Returns: at least one and at most `count` bytes; none if the other end has finished.
    package func read(atMost count: Int = 1 << 16) async throws -> [UInt8] {
        while true {
            try Task.checkCancellation()
            if let bytes = try receive(atMost: count) { return bytes }
            try await descriptor.wait(.reading)
        }
    }

    /// - Returns: what is there; `nil` if nothing is there yet.
    private func receive(atMost count: Int) throws(SocketError) -> [UInt8]? {
        try descriptor.use { number throws(SocketError) in
            while true {
                var received = 0
                let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { room, used in
                    received = Platform.receiveBytes(number, UnsafeMutableRawBufferPointer(room))
                    used = max(received, 0)
                }
                if received >= 0 { return bytes }
                switch errno {
                case EINTR: continue
                case EAGAIN, EWOULDBLOCK: return nil
                case let code: throw .system("read from \(remoteAddress)", code: code)
                }
            }
        }
    }

    // MARK: - Writing

    /// Sends bytes, after those that others sent before. Waits while ``outputLimit`` bytes or more are waiting to be sent.
    ///
    /// A task that is cancelled while it waits has sent nothing: bytes go out whole or not at all. What one actor writes goes
    /// out in the order of its calls.
    nonisolated(nonsending) package func write(_ bytes: [UInt8]) async throws {
        let number = lock.withLock { output.nextNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = lock.withLock {
                    if let failure = output.failure { return .failure(failure) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard output.hasRoom(outputLimit) else {
                        output.writers.append(
                            OutputQueue.Writer(number: number, bytes: bytes, continuation: continuation)
                        )
                        return nil
                    }
                    append(bytes)
                    return output.failure.map { .failure($0) } ?? .success(())
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            lock.withLock { output.removeWriter(number) }?.resume(throwing: CancellationError())
        }
    }

    /// Waits while ``outputLimit`` bytes or more are waiting to be sent.
    nonisolated(nonsending) package func waitForRoom() async throws { try await write([]) }

    /// Sends bytes and does not wait, however much is waiting to be sent; the caller has to look at that.
    /// - Returns: how many bytes wait to be sent now.
    @discardableResult
    package func post(_ bytes: [UInt8]) throws(SocketError) -> Int {
        try lock.withLock { () throws(SocketError) in
            if let failure = output.failure { throw failure }
            append(bytes)
            if let failure = output.failure { throw failure }
            return output.count
        }
    }

    /// Bytes that were written and wait to be sent.
    package var pendingByteCount: Int { lock.withLock { output.count } }

    /// Waits until the system has taken all that was written before.
    package func drain() async throws {
        let number = lock.withLock { output.nextNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = lock.withLock {
                    if let failure = output.failure { return .failure(failure) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if output.isEmpty { return .success(()) }
                    output.drainers.append((number, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            lock.withLock { output.removeDrainer(number) }?.resume(throwing: CancellationError())
        }
    }

    /// Tells the other end, behind all that was written, that nothing more comes. Reading goes on.
    package func endOutput() {
        lock.withLock {
            guard output.failure == nil else { return }
            output.endsWhenEmpty = true
            if output.isEmpty { finishOutput() }
        }
    }

    // With the lock held.

    private func append(_ bytes: [UInt8]) {
        guard !output.endsWhenEmpty else {
            output.failure = .closed
            return
        }
        let wasEmpty = output.count == 0
        output.append(bytes)
        guard wasEmpty else { return }
        resume(sendWhatFits())
        if output.count > 0, output.failure == nil { Task { [self] in await sendTheRest() } }
    }

    private func resume(_ waiting: [(CheckedContinuation<Void, any Error>, SocketError?)]) {
        for (continuation, failure) in waiting {
            if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
        }
    }

    private func finishOutput() {
        try? descriptor.use { number in Platform.endOutput(number) }
    }

    /// Sends as long as the system takes something.
    /// - Returns: who need wait no longer, and the failure that is why.
    private func sendWhatFits() -> [(CheckedContinuation<Void, any Error>, SocketError?)] {
        var served: [CheckedContinuation<Void, any Error>] = []
        do throws(SocketError) {
            sending: while output.count > 0 {
                let sent = try descriptor.use { number in output.withBytes { Platform.sendBytes(number, $0) } }
                if sent >= 0 {
                    output.removeFirst(sent)
                    served += output.admitWriters(limit: outputLimit)
                    continue
                }
                switch errno {
                case EINTR: continue
                case EAGAIN, EWOULDBLOCK: break sending
                case let code: throw .system("write to \(remoteAddress)", code: code)
                }
            }
        } catch {
            return served.map { ($0, nil) } + output.fail(error).map { ($0, error) }
        }
        if output.isEmpty {
            served += output.takeDrainers()
            if output.endsWhenEmpty { finishOutput() }
        }
        return served.map { ($0, nil) }
    }

    /// Runs while something waits to be sent.
    private func sendTheRest() async {
        while true {
            do {
                try await descriptor.wait(.writing)
            } catch {
                // It was closed: whoever waited has been told.
                return
            }
            let isDone = lock.withLock {
                resume(sendWhatFits())
                return output.count == 0 || output.failure != nil
            }
            if isDone { return }
        }
    }
}
