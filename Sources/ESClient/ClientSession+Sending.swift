import ESProtocol

extension ClientSession {
    /// The logon, with which a session begins.
    /// - Parameters:
    ///   - user: without the kind of client before it.
    ///   - authorizedUser: the name that the framework was licensed for; the free edition's is `FreeUser`.
    ///   - time: its date stands in the logon of 7.2.
    public mutating func logOn(
        user: String,
        password: String,
        systemToken: String = "",
        authorizedUser: String = "FreeUser",
        time: LocalTime
    ) throws(ESClientError) -> Outgoing {
        userID = user
        var properties: [BodyValue.Property] = []
        if profile.logonForm.hasAuthorizedUser {
            properties.append(BodyValue.Property("AuthorizedUser", .string(authorizedUser)))
        }
        properties.append(BodyValue.Property("Password", .string(password)))
        let token = profile.logonForm.hasDate ? time.date + systemToken : systemToken
        properties.append(BodyValue.Property("SystemToken", .string(token)))
        let schema = BodySchema.object(properties.map { BodyProperty($0.name, .string) })
        guard let body = try? schema.bytes(of: .object(properties)) else { throw .cannotSend("a logon of this length") }
        let id = nextMessageID()
        let bytes = try encode(.logon, id: id, to: SessionProfile.serverID, body: body)
        state = .loggingOn
        return Outgoing(messageID: id, bytes: bytes)
    }

    /// What keeps the session alive: sent after the logon, then every ten seconds unless the server says otherwise, and once more
    /// before the connection is closed.
    public func heartbeat() throws(ESClientError) -> [UInt8] {
        try encode(.heartBeat, id: 0, to: SessionProfile.serverID)
    }

    /// Any message with any body.
    /// - Parameter body: `nil` is none.
    public mutating func message(
        _ message: SessionMessage,
        _ body: BodyValue?,
        to receiver: String = SessionProfile.serverID
    ) throws(ESClientError) -> Outgoing {
        let body = try self.body(message, body)
        let id = nextMessageID()
        return Outgoing(messageID: id, bytes: try encode(message, id: id, to: receiver, body: body))
    }

    /// A message, a question (`.request`), or one that is to be acknowledged (`.informationNeedAck`).
    /// - Parameters:
    ///   - content: `nil` is null.
    ///   - type: the application's number.
    ///   - carrier: `nil` is the version's plain one.
    public mutating func information(
        _ content: [UInt8]?,
        type: Int32,
        to receiver: String = SessionProfile.serverID,
        by carrier: SessionMessage? = nil
    ) throws(ESClientError) -> Outgoing {
        try message(carrier ?? profile.plainMessage, Self.information(content, type), to: receiver)
    }

    /// A question before the logon (7.2). The sender is empty then.
    public mutating func queryBeforeLogon(type: Int32, content: String) throws(ESClientError) -> Outgoing {
        let body = try self.body(
            .queryBeforeLogin,
            .object([
                BodyValue.Property("Content", .string(content)),
                BodyValue.Property("QueryType", .integer(Int64(type))),
            ])
        )
        let id = nextMessageID()
        let bytes = try encode(
            .queryBeforeLogin,
            id: id,
            from: "",
            clientType: 0,
            to: SessionProfile.serverID,
            body: body
        )
        return Outgoing(messageID: id, bytes: bytes)
    }

    /// The answer to a question.
    /// - Parameter content: `nil` is null; `.none` of the outer optional says that the question cannot be answered, as a handler
    ///   that failed does.
    public func answer(_ query: IncomingQuery, _ content: [UInt8]??) throws(ESClientError) -> [UInt8] {
        var body: [UInt8] = []
        if let content { body = try self.body(.response, Self.information(content, 0), isRequest: false) }
        // The original library puts its prefix before the receiver of the question, whatever that is.
        var sender = profile.loginID(user: query.receiverID)
        if sender.utf8.count >= Int(profile.layout.idSlot) { sender = loginID }
        return try encode(
            .response,
            id: query.messageID,
            from: sender,
            to: query.sender,
            body: body
        )
    }

    /// Bytes of one fragment of a blob, unless something else is said: as the original library cuts them.
    public static func defaultFragmentSize(_ carrier: SessionMessage) -> Int {
        switch carrier {
        case .blobQuery: 1200
        case .blobInformation: 20_480
        default: 2000
        }
    }

    /// Begins a blob.
    public mutating func blob(
        _ content: [UInt8],
        type: Int32,
        to receiver: String = SessionProfile.serverID,
        by carrier: SessionMessage = .blobInformation,
        fragmentSize: Int? = nil
    ) -> OutgoingBlob {
        OutgoingBlob(
            carrier: carrier,
            id: nextBlobID(),
            content: content,
            type: type,
            receiver: receiver,
            fragmentSize: max(fragmentSize ?? Self.defaultFragmentSize(carrier), 1)
        )
    }

    /// Begins a message with a tag: a blob whose content is an object of both.
    public mutating func taggedMessage(
        _ content: [UInt8]?,
        tag: String?,
        type: Int32,
        to receiver: String = SessionProfile.serverID,
        by carrier: SessionMessage = .blobByRapidEngine,
        fragmentSize: Int? = nil
    ) -> OutgoingBlob {
        var joined = PrimitiveWriter()
        joined.object { object in
            object.append(content)
            object.append(tag)
        }
        return blob(joined.bytes, type: type, to: receiver, by: carrier, fragmentSize: fragmentSize)
    }

    /// The next message of a blob; `nil` if all were sent.
    public mutating func nextFragment(of blob: inout OutgoingBlob) throws(ESClientError) -> Outgoing? {
        guard let fragment = blob.next() else { return nil }
        return try message(
            blob.carrier,
            .object([
                BodyValue.Property("BlobID", .integer(Int64(blob.id))),
                BodyValue.Property("Fragment", .bytes(fragment.bytes)),
                BodyValue.Property("FragmentIndex", .integer(Int64(fragment.index))),
                BodyValue.Property("InformationType", .integer(Int64(blob.type))),
                BodyValue.Property("IsLast", .boolean(fragment.isLast)),
            ]),
            to: blob.receiver
        )
    }

    /// A message to all members of a group.
    public mutating func broadcast(
        _ content: [UInt8]?,
        type: Int32,
        tag: String? = nil,
        group: String
    ) throws(ESClientError) -> Outgoing {
        var properties = [
            BodyValue.Property("ActionTypeOnChannelIsBusy", .integer(0)),
            BodyValue.Property("Content", content.map { .bytes($0) } ?? .null),
            BodyValue.Property("GroupID", .string(group)),
            BodyValue.Property("InformationType", .integer(Int64(type))),
        ]
        let isContacts = profile.version == .v72
        if isContacts { properties.append(BodyValue.Property("Tag", tag.map { .string($0) } ?? .null)) }
        return try message(
            isContacts ? .broadcastToContacts : .broadcastByServer,
            .object(properties),
            to: groupReceiver(group)
        )
    }

    /// What stands as the receiver of a message to a group.
    public func groupReceiver(_ group: String) -> String { profile.version == .v72 ? "_" + group : group }

    private static func information(_ content: [UInt8]?, _ type: Int32) -> BodyValue {
        .object([
            BodyValue.Property("Content", content.map { .bytes($0) } ?? .null),
            BodyValue.Property("InformationType", .integer(Int64(type))),
        ])
    }
}

/// A blob on its way, fragment after fragment.
public struct OutgoingBlob: Sendable {
    public let carrier: SessionMessage
    public let id: Int32
    public let type: Int32
    public let receiver: String
    private let content: [UInt8]
    private let fragmentSize: Int
    private var offset = 0
    private var index: Int32 = 0
    private var isFinished = false

    init(
        carrier: SessionMessage,
        id: Int32,
        content: [UInt8],
        type: Int32,
        receiver: String,
        fragmentSize: Int
    ) {
        self.carrier = carrier
        self.id = id
        self.content = content
        self.type = type
        self.receiver = receiver
        self.fragmentSize = fragmentSize
    }

    /// There is at least one fragment, also of an empty blob.
    fileprivate mutating func next() -> (bytes: [UInt8], index: Int32, isLast: Bool)? {
        guard !isFinished else { return nil }
        let end = min(offset + fragmentSize, content.count)
        isFinished = end == content.count
        defer {
            offset = end
            index &+= 1
        }
        return (Array(content[offset..<end]), index, isFinished)
    }
}
