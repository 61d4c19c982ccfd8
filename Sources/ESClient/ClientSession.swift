import ESProtocol

/// The client's side of a session without the connection: it makes the bytes that are to be sent, is pushed the bytes that come,
/// and says what they mean. ``ESClient`` drives one over a TCP connection; it can be driven over anything else.
public struct ClientSession: Sendable {
    public enum State: Equatable, Sendable { case new, loggingOn, loggedOn, ended }

    /// A message that is to be sent.
    public struct Outgoing: Equatable, Sendable {
        /// By which a reply is matched.
        public var messageID: Int32
        public var bytes: [UInt8]
    }

    /// A reply to something that was sent.
    public struct Reply: Equatable, Sendable {
        /// The reply; of one in fragments the last of them.
        public var message: Message
        /// The joined contents of one in fragments.
        public var blob: [UInt8]?
    }

    /// What came of the bytes that were pushed.
    public enum Output: Equatable, Sendable {
        /// To be sent at once: answers that a client gives by itself.
        case send([UInt8])
        case logonResult(LogonResult)
        /// The reply to the message with that id, which ``ClientSession/expect(_:replyTo:)`` was told of.
        case reply(to: Int32, Reply)
        case event(ClientEvent)
        /// The server has ended the session: the connection is to be closed.
        case end(ClientEvent.EndReason)
        /// What came are no messages: the connection is to be closed.
        case failed(MessageDecoder.Failure)
    }

    /// Limits on what comes from outside.
    public struct Limits: Sendable {
        /// The longest body that is accepted, in bytes. The framework's own default for a whole message is 1 MiB.
        public var maximumBody = 4 << 20
        /// Bytes of blobs that are not complete.
        public var maximumBlobBytes = 64 << 20

        public init() {}
    }

    public let profile: SessionProfile
    public internal(set) var state = State.new
    /// The user, without the kind of client before it; empty before the logon.
    public internal(set) var userID = ""
    public let limits: Limits

    // One counter for all messages of a client, also across connections.
    private var lastMessageID: Int32 = 0
    private var lastBlobID: Int32 = 0
    var decoder: MessageDecoder
    var blobs: BlobAssembler
    /// The numbers of the messages that answer, by message id.
    var expected: [Int32: [UInt16]] = [:]

    public init(profile: SessionProfile, limits: Limits = Limits()) {
        self.profile = profile
        self.limits = limits
        decoder = MessageDecoder(layout: profile.layout, maximumBody: limits.maximumBody)
        blobs = BlobAssembler(maximumBytes: limits.maximumBlobBytes)
    }

    /// Begins anew on a new connection. Message ids go on.
    public mutating func restart() {
        state = .new
        decoder = MessageDecoder(layout: profile.layout, maximumBody: limits.maximumBody)
        blobs.removeAll()
        expected = [:]
    }

    /// Says that a message with one of these numbers, in answer to the message with that id, is to be handed on as its reply.
    public mutating func expect(_ answers: [SessionMessage], replyTo messageID: Int32) {
        expected[messageID] = answers.map { profile.number(of: $0) }
    }

    /// Says that nobody waits for that reply any more.
    public mutating func expectNothing(replyTo messageID: Int32) { expected[messageID] = nil }

    // MARK: - Writing

    mutating func nextMessageID() -> Int32 {
        lastMessageID = lastMessageID == .max ? 1 : lastMessageID + 1
        return lastMessageID
    }

    mutating func nextBlobID() -> Int32 {
        lastBlobID = lastBlobID == .max ? 1 : lastBlobID + 1
        return lastBlobID
    }

    /// How the client calls itself in a header.
    public var loginID: String { profile.loginID(user: userID) }

    func encode(
        _ message: SessionMessage,
        id: Int32,
        from sender: String? = nil,
        clientType: UInt8? = nil,
        to receiver: String,
        body: [UInt8] = []
    ) throws(ESClientError) -> [UInt8] {
        let message = Message(
            layout: profile.layout,
            clientType: clientType ?? profile.clientType,
            messageType: profile.number(of: message),
            messageID: id,
            userID: Message.ID(sender ?? loginID),
            destUserID: Message.ID(receiver),
            body: body
        )
        do throws(MessageError) {
            return try message.bytes()
        } catch {
            throw .cannotSend(error.description)
        }
    }

    func body(_ message: SessionMessage, _ value: BodyValue?, isRequest: Bool = true) throws(ESClientError) -> [UInt8] {
        guard let value else { return [] }
        guard let schema = profile.schema(of: message, isRequest: isRequest) else {
            throw .cannotSend("the body of a message of type \(profile.number(of: message)) is not known")
        }
        do throws(BodyError) {
            return try schema.bytes(of: value)
        } catch {
            throw .cannotSend(error.description)
        }
    }
}
