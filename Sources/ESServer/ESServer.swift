import ESProtocol
import Sockets

/// A small server of the framework's protocol: who logs on is online, and messages go from user to user.
///
/// It says everything that it does to `report`, in order.
package actor ESServer {
    package nonisolated let options: ServerOptions
    let report: @Sendable (ServerEvent) -> Void
    private var listeners: [ListeningSocket] = []
    private var tasks: [Task<Void, Never>] = []
    private var readers: [Int: Task<Void, Never>] = [:]
    private var isStopped = false
    private var lastNumber = 0

    var connections: [Int: ServerConnection] = [:]
    /// Those who are logged on, in the order of their logon.
    var online: [ServerConnection] = []
    var groups: GroupDirectory
    /// Ids of the server's own messages count from 1001, as in the recordings.
    private var lastMessageID: Int32 = 1000

    /// - Parameter report: is called for each event, and not twice at a time. While it runs the server does nothing else.
    package init(options: ServerOptions, report: @escaping @Sendable (ServerEvent) -> Void = { _ in }) {
        self.options = options
        self.report = report
        groups = GroupDirectory(options)
    }

    deinit {
        for listener in listeners { listener.close() }
        for task in tasks { task.cancel() }
        // Their sockets are closed with them.
        for reader in readers.values { reader.cancel() }
    }

    // MARK: - Starting and stopping

    /// Begins to listen.
    /// - Returns: the addresses; the port is a real one.
    @discardableResult
    package func start() async throws -> [SocketAddress] {
        var port = options.port
        var failure: any Error = SocketError.unresolved("", reason: "no address to listen on")
        for host in options.hosts {
            do {
                for address in try await HostResolver.resolve(host, port: port) {
                    let listener = try ListeningSocket(address)
                    listeners.append(listener)
                    // The same port for all addresses, also if it was left open.
                    port = listener.address.port
                    report(ServerEvent(kind: .notice("listening on \(listener.address)")))
                }
            } catch {
                failure = error
                // A system without IPv6 is no reason not to serve IPv4.
                if host != "::1" || listeners.isEmpty {
                    stop()
                    throw error
                }
            }
        }
        guard !listeners.isEmpty else { throw failure }
        for listener in listeners {
            tasks.append(Task { [weak self] in await Self.accept(listener) { await self?.begin($0) } })
        }
        let limits = [
            options.logonTime, options.heartbeatTime, options.slowReaderTime, options.lingerTime,
        ]
        let interval = min(max((limits.min() ?? .seconds(1)) / 4, .milliseconds(5)), .seconds(1))
        tasks.append(
            Task { [weak self] in
                while (try? await Task.sleep(for: interval)) != nil { await self?.lookAtTheClock() }
            }
        )
        return listeners.map(\.address)
    }

    /// Ends all connections and listens no more.
    package func stop() {
        isStopped = true
        for listener in listeners { listener.close() }
        listeners = []
        for task in tasks { task.cancel() }
        tasks = []
        for connection in connections.values { connection.socket.close() }
    }

    package var connectionCount: Int { connections.count }

    /// The users that are online, in the order of their logon.
    package var onlineUsers: [String] {
        var seen: Set<String> = []
        return online.map(\.user).filter { seen.insert($0).inserted }
    }

    // MARK: - Connections

    private static func accept(_ listener: ListeningSocket, _ begin: (StreamSocket) async -> Void) async {
        while let socket = try? await listener.accept() { await begin(socket) }
    }

    private func begin(_ socket: StreamSocket) {
        lastNumber += 1
        let number = lastNumber
        let name = ConnectionName(
            number: number,
            client: socket.remoteAddress.description,
            server: socket.localAddress.description
        )
        guard !isStopped, connections.count < options.maximumConnections else {
            socket.close()
            say("refused: \(connections.count) connections are open", name)
            return
        }
        connections[number] = ServerConnection(
            name,
            socket,
            MessageDecoder(layout: options.profile?.layout, maximumBody: options.maximumBody),
            now: .now
        )
        say("connected", name)
        readers[number] = Task { [weak self] in
            var why = "closed by the client"
            do {
                while true {
                    let bytes = try await socket.read()
                    guard !bytes.isEmpty, await self?.received(bytes, number) == true else { break }
                }
            } catch {
                why = "\(error)"
            }
            await self?.ended(number, why)
        }
    }

    /// - Returns: whether to go on reading.
    private func received(_ bytes: [UInt8], _ number: Int) async -> Bool {
        guard let connection = connections[number] else { return false }
        connection.decoder.push(bytes)
        while true {
            let offset = connection.decoder.streamOffset
            let message: Message?
            do throws(MessageDecoder.Failure) {
                message = try connection.decoder.next()
            } catch {
                let shown: [UInt8] = if case .notAHeader(let bytes, _) = error { bytes } else { [] }
                report(
                    ServerEvent(
                        connection: connection.name,
                        kind: .refused(shown, offset: offset, reason: error.description)
                    )
                )
                close(connection, "it sent something else than messages")
                return false
            }
            guard let message else { return true }
            note(message, at: offset, connection)
            // Who was told to go is not listened to any more.
            if case .leaving = connection.state { continue }
            await handle(message, connection)
            guard connections[number] != nil else { return false }
        }
    }

    /// Takes note of a message, and of the profile if it is the first.
    private func note(_ message: Message, at offset: Int64, _ connection: ServerConnection) {
        connection.heard = .now
        if connection.profile == nil {
            let version: ProtocolVersion =
                switch message.layout.startToken {
                case .ffff: .v40
                case .ff: .v65
                case .zeroF: .v72
                }
            var profile = options.profile ?? SessionProfile(version)
            profile.layout = message.layout
            profile.clientType = 0
            connection.profile = profile
        }
        let bytes = (try? message.bytes()) ?? []
        report(ServerEvent(connection: connection.name, kind: .received(message, bytes, offset: offset)))
    }

    /// Closes a connection and says why.
    func close(_ connection: ServerConnection, _ why: String) {
        guard connections[connection.name.number] != nil else { return }
        say(why, connection.name)
        // The reader ends, and does the rest.
        connection.socket.close()
        forget(connection, sayCut: false)
    }

    private func ended(_ number: Int, _ why: String) {
        readers[number] = nil
        guard let connection = connections[number] else { return }
        connection.socket.close()
        if connection.isLoggedOn {
            say("\(why); \(connection.loginID) is offline", connection.name)
        } else {
            say(why, connection.name)
        }
        forget(connection, sayCut: true)
    }

    private func forget(_ connection: ServerConnection, sayCut: Bool) {
        connections[connection.name.number] = nil
        let cut = connection.decoder.pendingByteCount
        if sayCut, cut > 0 {
            let offset = connection.decoder.streamOffset
            report(ServerEvent(connection: connection.name, kind: .cutShort(count: cut, offset: offset)))
        }
        if connection.isLoggedOn { leave(connection) }
        connection.state = .leaving(since: .now)
    }

    /// Lets a client that was told to go close the connection itself.
    func letGo(_ connection: ServerConnection) {
        connection.state = .leaving(since: .now)
        connection.socket.endOutput()
    }

    private func lookAtTheClock() {
        let now = ContinuousClock.now
        for connection in connections.values {
            switch connection.state {
            case .new where now - connection.began > options.logonTime:
                close(connection, "no logon within \(options.logonTime.text)")
            case .loggedOn where now - connection.heard > options.heartbeatTime:
                close(connection, "no heartbeat for \(options.heartbeatTime.text); \(connection.loginID) is offline")
            case .leaving(let since) where now - since > options.lingerTime:
                close(connection, "closed")
            default: break
            }
            if connection.socket.pendingByteCount < options.outputLimit {
                connection.congestedSince = nil
            } else if let since = connection.congestedSince, now - since > options.slowReaderTime {
                close(connection, "it reads too slowly: \(connection.socket.pendingByteCount) bytes wait to be sent")
            } else if connection.congestedSince == nil {
                connection.congestedSince = now
            }
        }
    }

    // MARK: - Sending

    func say(_ text: String, _ name: ConnectionName? = nil) {
        report(ServerEvent(connection: name, kind: .notice(text)))
    }

    func nextMessageID() -> Int32 {
        lastMessageID = lastMessageID == .max ? 1001 : lastMessageID + 1
        return lastMessageID
    }

    /// Sends a message as it is; its header is written anew if the receiver has another layout.
    func send(_ message: Message, to connection: ServerConnection) {
        guard connections[connection.name.number] != nil, let profile = connection.profile else { return }
        var message = message
        message.layout = profile.layout
        let bytes: [UInt8]
        do throws(MessageError) {
            bytes = try message.bytes()
        } catch {
            say("not sent: \(error)", connection.name)
            return
        }
        guard let waiting = try? connection.socket.post(bytes) else { return }
        report(
            ServerEvent(connection: connection.name, kind: .sent(message, bytes, offset: connection.sentOffset))
        )
        connection.sentOffset += Int64(bytes.count)
        if waiting > options.maximumOutput {
            close(connection, "it does not read: \(waiting) bytes wait to be sent")
        }
    }

    /// Sends a message of the server's own.
    /// - Parameters:
    ///   - id: of the message that it answers; `nil` takes the next of the server's own.
    ///   - body: `nil` is none.
    func send(_ kind: SessionMessage, _ body: BodyValue?, id: Int32? = nil, to connection: ServerConnection) {
        guard let profile = connection.profile else { return }
        var bytes: [UInt8] = []
        if let body {
            guard let schema = profile.schema(of: kind, isRequest: false), let written = try? schema.bytes(of: body)
            else {
                say("a message of type \(profile.number(of: kind)) could not be written", connection.name)
                return
            }
            bytes = written
        }
        send(
            Message(
                layout: profile.layout,
                clientType: 0,
                messageType: profile.number(of: kind),
                messageID: id ?? nextMessageID(),
                userID: Message.ID(SessionProfile.serverID),
                destUserID: Message.ID(connection.loginID),
                body: bytes
            ),
            to: connection
        )
    }

    /// Sends a message of the server's own to all devices of a user.
    /// - Parameter carrier: `.informationBySend`, `.informationByPost`, `.informationNeedAck` or `.request`.
    /// - Returns: whether the user is online.
    @discardableResult
    package func send(
        _ content: [UInt8]?,
        type: Int32,
        to user: String,
        by carrier: SessionMessage = .informationBySend
    ) -> Bool {
        let devices = online.filter { $0.user == user }
        for device in devices {
            send(
                carrier,
                .object([
                    BodyValue.Property("Content", content.map { .bytes($0) } ?? .null),
                    BodyValue.Property("InformationType", .integer(Int64(type))),
                ]),
                to: device
            )
        }
        return !devices.isEmpty
    }

    /// Waits, so that its sender has to, while too much is waiting to be sent to a receiver. Whoever does not read for too long is
    /// cut off, which ends the waiting.
    func waitForRoom(_ receivers: [ServerConnection]) async {
        let sockets = receivers.map(\.socket)
        for socket in sockets where socket.pendingByteCount >= options.outputLimit {
            try? await socket.waitForRoom()
        }
    }
}

extension Duration {
    /// `10 s`, `250 ms`
    var text: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if milliseconds == 0 { return "\(seconds) s" }
        return seconds == 0 ? "\(milliseconds) ms" : "\(seconds).\(milliseconds / 100) s"
    }
}
