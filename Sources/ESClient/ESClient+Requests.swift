import ESProtocol
import Sockets

extension ESClient {
    // MARK: - Messages

    /// Sends a message. Returns when it is on its way; whether it arrived only ``sendAcknowledged(_:type:to:timeout:)`` tells.
    ///
    /// Waits while the server does not read.
    /// - Parameters:
    ///   - content: `nil` is null.
    ///   - type: the application's number, `InformationType`.
    ///   - receiver: a user, or the server.
    ///   - carrier: `nil` is the plain one of the version; also `.informationByPost`, `.informationBySend`.
    public func send(
        _ content: [UInt8]?,
        type: Int32 = 0,
        to receiver: String = SessionProfile.serverID,
        by carrier: SessionMessage? = nil
    ) async throws {
        try await send { session throws(ESClientError) in
            try session.information(content, type: type, to: receiver, by: carrier)
        }
    }

    /// Sends a text in UTF-8.
    public func send(_ text: String, type: Int32 = 0, to receiver: String = SessionProfile.serverID) async throws {
        try await send(Array(text.utf8), type: type, to: receiver)
    }

    /// Sends a message and waits until the receiver has acknowledged it.
    public func sendAcknowledged(
        _ content: [UInt8]?,
        type: Int32 = 0,
        to receiver: String = SessionProfile.serverID,
        timeout: Duration? = nil
    ) async throws {
        _ = try await request(expecting: [.ack], "a message that is to be acknowledged", timeout) {
            session throws(ESClientError) in
            try session.information(content, type: type, to: receiver, by: .informationNeedAck)
        }
    }

    /// Sends a message of any length in fragments, which are joined where they arrive.
    /// - Parameter fragmentSize: bytes of one fragment.
    public func sendBlob(
        _ content: [UInt8],
        type: Int32 = 0,
        to receiver: String = SessionProfile.serverID,
        fragmentSize: Int? = nil
    ) async throws {
        _ = try await sendFragments(session.blob(content, type: type, to: receiver, fragmentSize: fragmentSize))
    }

    /// Sends a message with a tag, in fragments (the framework's `SendMessage`).
    /// - Parameter echoes: whether the user's other devices get a copy (7.2).
    public func sendMessage(
        _ content: [UInt8]?,
        type: Int32 = 0,
        tag: String? = nil,
        to receiver: String = SessionProfile.serverID,
        fragmentSize: Int? = nil,
        echoes: Bool = false
    ) async throws {
        let blob = session.taggedMessage(
            content,
            tag: tag,
            type: type,
            to: receiver,
            by: echoes ? .blobByRapidEngineNeedEcho : .blobByRapidEngine,
            fragmentSize: fragmentSize
        )
        _ = try await sendFragments(blob)
    }

    /// Sends a message to all members of a group.
    public func broadcast(_ content: [UInt8]?, type: Int32 = 0, tag: String? = nil, group: String) async throws {
        try await send { session throws(ESClientError) in
            try session.broadcast(content, type: type, tag: tag, group: group)
        }
    }

    // MARK: - Questions

    /// Asks the server or another user, and waits for the answer.
    /// - Returns: the content of the answer; `nil` is null.
    /// - Throws: ``ESClientError/remoteFailure`` if the other end could not answer.
    public func query(
        _ content: [UInt8]?,
        type: Int32 = 0,
        to receiver: String = SessionProfile.serverID,
        timeout: Duration? = nil
    ) async throws -> [UInt8]? {
        let reply = try await request(expecting: [.response], "a question of type \(type)", timeout) {
            session throws(ESClientError) in
            try session.information(content, type: type, to: receiver, by: .request)
        }
        // No body at all: the handler failed.
        guard !reply.message.body.isEmpty else { throw ESClientError.remoteFailure }
        return try value(of: .response, reply.message)["Content"]?.content
    }

    /// Asks the server with a question in fragments (7.2).
    public func blobQuery(_ content: [UInt8], type: Int32 = 0, timeout: Duration? = nil) async throws -> [UInt8] {
        let blob = session.blob(content, type: type, by: .blobQuery)
        let reply = try await sendFragments(
            blob,
            expecting: [.blobQueryResult],
            "a question of type \(type)",
            timeout
        )
        guard let joined = reply?.blob else { throw ESClientError.badReply("fragments that do not fit together") }
        return joined
    }

    /// Asks the server before the logon (7.2), over the same connection.
    public func queryBeforeLogon(type: Int32, content: String) async throws -> String? {
        guard case .connected(let socket) = phase else { throw ESClientError.alreadyConnected }
        let message = try session.queryBeforeLogon(type: type, content: content)
        let reply = try await reply(to: message, over: socket, [.queryBeforeLogin], "a question before the logon", nil)
        return try value(of: .queryBeforeLogin, reply.message)["Response"]?.text
    }

    /// Answers a question that came.
    /// - Parameter content: `nil` is null.
    public func answer(_ query: IncomingQuery, with content: [UInt8]?) async throws {
        try await write(session.answer(query, .some(content)), sessionSocket())
    }

    /// Says that a question cannot be answered.
    public func answerFailed(_ query: IncomingQuery) async throws {
        try await write(session.answer(query, .none), sessionSocket())
    }

    /// Asks for a sign of life. Another user answers by itself.
    /// - Returns: the time that it took.
    @discardableResult
    public func ping(_ receiver: String = SessionProfile.serverID, timeout: Duration? = nil) async throws -> Duration {
        let start = ContinuousClock.now
        _ = try await request(expecting: [.pingAck], "a ping", timeout) { session throws(ESClientError) in
            try session.message(.pingByServer, nil, to: receiver)
        }
        return ContinuousClock.now - start
    }

    /// Asks the server with one of the framework's own messages.
    /// - Returns: the body of its reply, of the same type.
    public func ask(
        _ message: SessionMessage,
        _ body: BodyValue? = nil,
        to receiver: String = SessionProfile.serverID,
        timeout: Duration? = nil
    ) async throws -> BodyValue {
        let reply = try await request(expecting: [message], "a \(message)", timeout) {
            session throws(ESClientError) in
            try session.message(message, body, to: receiver)
        }
        return try value(of: message, reply.message)
    }

    /// Tells the server something with one of the framework's own messages that have no reply.
    public func tell(
        _ message: SessionMessage,
        _ body: BodyValue? = nil,
        to receiver: String = SessionProfile.serverID
    ) async throws {
        try await send { session throws(ESClientError) in try session.message(message, body, to: receiver) }
    }

    /// Who is online.
    public func onlineUsers() async throws -> [String] {
        try await ask(.getAllOnlineUsers)["UserList"]?.strings ?? []
    }

    public func isOnline(_ user: String) async throws -> Bool {
        let body = BodyValue.object([BodyValue.Property("UserID", .string(user))])
        return try await ask(.queryOnline, body)["Online"] == .boolean(true)
    }

    /// Asks the server to end another user's session. A server may not let every user do that.
    public func kickOut(_ user: String) async throws {
        try await tell(.kickOut, .object([BodyValue.Property("UserBeKickedOut", .string(user))]))
    }

    /// The members of a group.
    public func members(ofGroup group: String) async throws -> (online: [String], offline: [String]) {
        let isContacts = session.profile.version == .v72
        let body = try await ask(
            isContacts ? .getContactsGroupMembers : .getGroupMembers,
            Self.groupBody(group),
            to: isContacts ? session.groupReceiver(group) : SessionProfile.serverID
        )
        return (body["OnlineGroupmates"]?.strings ?? [], body["OfflineGroupmates"]?.strings ?? [])
    }

    /// Joins a dynamic group (6.5, 7.2).
    /// - Returns: its members.
    @discardableResult
    public func joinGroup(_ group: String) async throws -> [String] {
        let body = try await ask(.joinGroup, Self.groupBody(group), to: session.groupReceiver(group))
        return body["Members"]?.strings ?? []
    }

    /// Leaves a dynamic group (6.5, 7.2).
    public func quitGroup(_ group: String) async throws {
        try await tell(.quitGroup, Self.groupBody(group), to: session.groupReceiver(group))
    }

    private static func groupBody(_ group: String) -> BodyValue {
        .object([BodyValue.Property("GroupID", .string(group))])
    }

    // MARK: - How it is done

    private func value(of message: SessionMessage, _ reply: Message) throws -> BodyValue {
        guard let schema = session.profile.schema(of: message, isRequest: false) else { return .null }
        do throws(BodyError) {
            return try schema.value(parsing: reply.body)
        } catch {
            throw ESClientError.badReply(error.description)
        }
    }

    private func send(
        _ make: (inout ClientSession) throws(ESClientError) -> ClientSession.Outgoing
    ) async throws {
        let socket = try await sessionSocket()
        try await write(make(&session).bytes, socket)
    }

    private func request(
        expecting answers: [SessionMessage],
        _ what: String,
        _ timeout: Duration?,
        _ make: (inout ClientSession) throws(ESClientError) -> ClientSession.Outgoing
    ) async throws -> ClientSession.Reply {
        let socket = try await sessionSocket()
        return try await reply(to: make(&session), over: socket, answers, what, timeout)
    }

    private func reply(
        to message: ClientSession.Outgoing,
        over socket: StreamSocket,
        _ answers: [SessionMessage],
        _ what: String,
        _ timeout: Duration?
    ) async throws -> ClientSession.Reply {
        let slot = OneShot<ClientSession.Reply>()
        replies[message.messageID] = slot
        session.expect(answers, replyTo: message.messageID)
        defer {
            replies[message.messageID] = nil
            session.expectNothing(replyTo: message.messageID)
        }
        try await write(message.bytes, socket)
        return try await slot.value(timeout: timeout ?? options.replyTimeout, or: ESClientError.timedOut(what))
    }

    /// Sends fragment after fragment, each when the one before is on its way; other messages may go between them.
    private func sendFragments(
        _ blob: OutgoingBlob,
        expecting answers: [SessionMessage] = [],
        _ what: String = "",
        _ timeout: Duration? = nil
    ) async throws -> ClientSession.Reply? {
        let socket = try await sessionSocket()
        var blob = blob
        var next = try session.nextFragment(of: &blob)
        while let message = next {
            next = try session.nextFragment(of: &blob)
            if next == nil, !answers.isEmpty {
                return try await reply(to: message, over: socket, answers, what, timeout)
            }
            try await write(message.bytes, socket)
            // What belongs to the old connection must not go over a new one.
            guard phase.socket === socket else { throw ESClientError.connectionLost("in the middle of a blob") }
        }
        return nil
    }
}

extension BodyValue {
    /// The texts of a list; what is null in it is left out.
    var strings: [String]? {
        if case .list(let values) = self { values.compactMap(\.text) } else { nil }
    }
}
