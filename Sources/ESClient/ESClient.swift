import ESProtocol
import Sockets

/// A client of an ESFramework server.
///
///     let client = ESClient(profile: SessionProfile(.v65))
///     try await client.connect(host: "localhost", port: 4530)
///     guard try await client.logOn(userID: "aa01", password: "").isSuccess else { return }
///     try await client.send("hello", to: "bb02")
///
/// What comes from others is in ``incoming``. A connection that is lost is made again and the user logged on anew, as
/// ``ClientOptions`` say.
public actor ESClient {
    enum Phase {
        case new
        /// There is a connection, and nobody is logged on.
        case connected(StreamSocket)
        case loggedOn(StreamSocket)
        /// The connection was lost, and is to be made again. While the new logon is under way there is a socket.
        case reconnecting(StreamSocket?)
        case ended(String)
    }

    struct Credentials {
        var userID: String
        var password: String
        var systemToken: String
        var authorizedUser: String
    }

    /// Messages, questions and notices that come from others, and what becomes of the connection.
    public nonisolated let incoming: IncomingEvents
    public nonisolated let options: ClientOptions
    nonisolated let queue: IncomingQueue

    var session: ClientSession
    var phase = Phase.new
    var host = ""
    var port: UInt16 = 0
    var credentials: Credentials?
    var logonResult: OneShot<LogonResult>?
    /// Those who wait for a reply, by the id of what they sent.
    var replies: [Int32: OneShot<ClientSession.Reply>] = [:]
    /// Those who wait for a new logon to send something.
    var waiting: [UInt64: OneShot<Void>] = [:]
    var lastWaiting: UInt64 = 0
    /// Attempts to connect again since the connection was lost.
    private var attempts = 0
    private var reader: Task<Void, Never>?
    private var heart: Task<Void, Never>?

    public init(profile: SessionProfile, options: ClientOptions = ClientOptions()) {
        session = ClientSession(profile: profile, limits: options.limits)
        self.options = options
        queue = IncomingQueue(
            maximumEvents: options.maximumWaitingEvents,
            maximumBytes: options.maximumWaitingBytes
        )
        incoming = IncomingEvents(queue: queue)
    }

    deinit {
        reader?.cancel()
        heart?.cancel()
        phase.socket?.close()
        queue.finish(.ended(.loggedOff))
    }

    /// The user that is logged on, or was.
    public var userID: String { session.userID }

    public var isLoggedOn: Bool { if case .loggedOn = phase { true } else { false } }

    // MARK: - Beginning

    /// Connects to a server. Once for each client.
    /// - Parameter host: a name or an address, IPv4 or IPv6.
    public func connect(host: String, port: UInt16 = 4530) async throws {
        guard case .new = phase, reader == nil, self.host.isEmpty else { throw ESClientError.alreadyConnected }
        (self.host, self.port) = (host, port)
        do {
            let socket = try await openSocket()
            guard case .new = phase else {
                socket.close()
                throw ESClientError.sessionEnded("it was closed")
            }
            phase = .connected(socket)
            startReading(socket)
        } catch {
            // It can be tried again.
            if case .new = phase { self.host = "" }
            throw error
        }
    }

    func openSocket() async throws -> StreamSocket {
        do {
            return try await StreamSocket.connect(
                host: host,
                port: port,
                timeout: options.connectTimeout,
                outputLimit: options.maximumUnsentBytes
            )
        } catch let error as SocketError {
            throw ESClientError.cannotConnect(error.description)
        }
    }

    /// Logs on over the connection.
    ///
    /// The password goes over the connection as it is: the protocol has no encryption. After any result but success the client
    /// closes the connection, as the original library does.
    /// - Parameters:
    ///   - systemToken: what the application agreed on with its server.
    ///   - authorizedUser: the name that the framework was licensed for.
    public func logOn(
        userID: String,
        password: String,
        systemToken: String = "",
        authorizedUser: String = "FreeUser"
    ) async throws -> LogonResult {
        guard case .connected(let socket) = phase, logonResult == nil else {
            if case .ended(let why) = phase { throw ESClientError.sessionEnded(why) }
            if case .new = phase { throw ESClientError.notLoggedOn }
            throw ESClientError.alreadyConnected
        }
        let credentials = Credentials(
            userID: userID,
            password: password,
            systemToken: systemToken,
            authorizedUser: authorizedUser
        )
        self.credentials = credentials
        return try await logOn(credentials, over: socket)
    }

    func logOn(_ credentials: Credentials, over socket: StreamSocket) async throws -> LogonResult {
        let message = try session.logOn(
            user: credentials.userID,
            password: credentials.password,
            systemToken: credentials.systemToken,
            authorizedUser: credentials.authorizedUser,
            time: .now()
        )
        let slot = OneShot<LogonResult>()
        logonResult = slot
        defer { logonResult = nil }
        do {
            try await write(message.bytes, socket)
            return try await slot.value(timeout: options.connectTimeout, or: ESClientError.timedOut("the logon"))
        } catch {
            // What the server answers later must not be taken for something else.
            socket.close()
            throw error
        }
    }

    // MARK: - The end

    /// Ends the session: a last heartbeat, then the connection is closed. The protocol has no message for it.
    public func logOff() async {
        if case .loggedOn(let socket) = phase, let bytes = try? session.heartbeat() {
            phase = .ended("logged off")
            heart?.cancel()
            let closer = Task { [options] in
                try await Task.sleep(for: options.connectTimeout)
                socket.close()
            }
            try? await socket.write(bytes)
            try? await socket.drain()
            closer.cancel()
            // As long as the original library waits.
            try? await Task.sleep(for: .milliseconds(20))
            socket.close()
        }
        end(.loggedOff)
    }

    /// Closes the connection at once.
    public func close() { end(.loggedOff) }

    func end(_ reason: ClientEvent.EndReason) {
        let why = reason.description
        let socket = phase.socket
        phase = .ended(why)
        heart?.cancel()
        reader?.cancel()
        socket?.close()
        letGo(ESClientError.sessionEnded(why))
        queue.finish(.ended(reason))
    }

    /// Tells everybody who waits for an answer that none comes.
    private func failReplies(_ error: any Error) {
        for slot in replies.values { slot.give(.failure(error)) }
        replies = [:]
        logonResult?.give(.failure(error))
    }

    private func letGo(_ error: any Error) {
        failReplies(error)
        for slot in waiting.values { slot.give(.failure(error)) }
        waiting = [:]
    }

    // MARK: - Reading

    private enum Step {
        case goOn
        /// The connection is of no more use: why.
        case stop(String)
    }

    /// The task holds the client only while it does something for it: a client that nobody has any more is closed.
    private func startReading(_ first: StreamSocket) {
        reader = Task { [weak self] in
            var socket = first
            while true {
                let why = await Self.readAll(socket) { [weak self, socket] in
                    await self?.take($0, from: socket) ?? .stop("the client is gone")
                }
                guard await self?.lost(socket, why) == true else { return }
                var next: StreamSocket?
                while next == nil {
                    guard let delay = await self?.nextDelay() else { return }
                    do { try await Task.sleep(for: delay) } catch { return }
                    next = await self?.reconnect()
                }
                if let next { socket = next }
            }
        }
    }

    private static func readAll(
        _ socket: StreamSocket,
        _ take: @Sendable ([UInt8]) async -> Step
    ) async -> String {
        do {
            while true {
                let bytes = try await socket.read()
                if bytes.isEmpty { return "the server closed it" }
                if case .stop(let why) = await take(bytes) { return why }
            }
        } catch {
            return "\(error)"
        }
    }

    private func take(_ bytes: [UInt8], from socket: StreamSocket) async -> Step {
        guard phase.socket === socket else { return .stop("it was closed") }
        for output in session.receive(bytes) {
            switch output {
            case .send(let bytes):
                // What is to be answered waits like everything else for a server that does not read.
                do { try await write(bytes, socket) } catch { return .stop("\(error)") }
            case .logonResult(let result): await took(result, socket)
            case .reply(let id, let reply): replies.removeValue(forKey: id)?.give(.success(reply))
            case .event(let event): await queue.put(event)
            case .end(let reason):
                try? await socket.drain()
                end(reason)
                return .stop("the session has ended")
            case .failed(let failure): return .stop("the server sent something else than messages: \(failure)")
            }
        }
        return .goOn
    }

    private func took(_ result: LogonResult, _ socket: StreamSocket) async {
        guard phase.socket === socket else { return }
        logonResult?.give(.success(result))
        guard result.isSuccess else {
            end(.logonRefused(result))
            return
        }
        let isNew = if case .connected = phase { true } else { false }
        phase = .loggedOn(socket)
        attempts = 0
        startHeart(socket)
        for slot in waiting.values { slot.give(.success(())) }
        waiting = [:]
        if !isNew { await queue.put(.reconnected) }
    }

    private func startHeart(_ socket: StreamSocket) {
        heart?.cancel()
        guard let interval = options.heartbeatInterval else { return }
        heart = Task { [weak self] in
            while true {
                do {
                    try await Task.sleep(for: interval)
                    guard let bytes = await self?.heartbeat() else { return }
                    try await socket.write(bytes)
                } catch { return }
            }
        }
    }

    private func heartbeat() -> [UInt8]? { try? session.heartbeat() }

    // MARK: - Connecting again

    /// - Returns: whether the connection is to be made again.
    private func lost(_ socket: StreamSocket, _ why: String) async -> Bool {
        socket.close()
        heart?.cancel()
        let wasLoggedOn: Bool
        switch phase {
        case .loggedOn: wasLoggedOn = true
        case .reconnecting: wasLoggedOn = false
        case .connected:
            letGo(ESClientError.connectionLost(why))
            end(.connectionLost(why))
            return false
        case .new, .ended: return false
        }
        failReplies(ESClientError.connectionLost(why))
        phase = .reconnecting(nil)
        guard options.reconnection != nil else {
            end(.connectionLost(why))
            return false
        }
        if wasLoggedOn { await queue.put(.connectionLost(why)) }
        return true
    }

    /// - Returns: how long to wait before the next attempt; `nil` if there is to be none.
    private func nextDelay() -> Duration? {
        guard case .reconnecting = phase, let policy = options.reconnection else { return nil }
        if let maximum = policy.maximumAttempts, attempts >= maximum {
            end(.connectionLost("no new logon after \(attempts) attempts"))
            return nil
        }
        defer { attempts += 1 }
        return policy.delay(attempts, random: .random(in: 0..<1))
    }

    /// Tries once to connect, and sends the logon; its answer is read like everything else.
    private func reconnect() async -> StreamSocket? {
        guard case .reconnecting = phase, let credentials, let socket = try? await openSocket() else { return nil }
        guard case .reconnecting = phase else {
            socket.close()
            return nil
        }
        session.restart()
        phase = .reconnecting(socket)
        Task { _ = try? await self.logOn(credentials, over: socket) }
        return socket
    }

    // MARK: - Sending

    /// Sends bytes in the order of the calls.
    func write(_ bytes: [UInt8], _ socket: StreamSocket) async throws {
        do {
            try await socket.write(bytes)
        } catch let error as SocketError {
            throw ESClientError.connectionLost(error.description)
        }
    }

    /// The connection of the session; waits for it if that was chosen.
    func sessionSocket() async throws -> StreamSocket {
        while true {
            switch phase {
            case .loggedOn(let socket): return socket
            case .new, .connected: throw ESClientError.notLoggedOn
            case .ended(let why): throw ESClientError.sessionEnded(why)
            case .reconnecting:
                guard case .wait = options.whileDisconnected else { throw ESClientError.notLoggedOn }
                lastWaiting += 1
                let number = lastWaiting
                let slot = OneShot<Void>()
                waiting[number] = slot
                defer { waiting[number] = nil }
                try await slot.value()
            }
        }
    }
}

extension ESClient.Phase {
    var socket: StreamSocket? {
        switch self {
        case .connected(let socket), .loggedOn(let socket): socket
        case .reconnecting(let socket): socket
        case .new, .ended: nil
        }
    }
}

extension ClientEvent.EndReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .loggedOff: "logged off"
        case .pushedOut: "the same user logged on elsewhere"
        case .kickedOut: "the user was kicked out"
        case .logonRefused(let result): result.description
        case .connectionLost(let why): "the connection was lost: \(why)"
        }
    }
}
