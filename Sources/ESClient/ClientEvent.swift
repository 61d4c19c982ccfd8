import ESProtocol

/// What comes to a client by itself.
public enum ClientEvent: Equatable, Sendable {
    case message(IncomingMessage)
    /// A question; ``ESClient/answer(_:with:)`` answers it.
    case query(IncomingQuery)
    /// A blob whose fragments have all come.
    case blob(IncomingMessage)
    case notice(Notice)
    /// The connection was lost: why. What follows is one of the next two.
    case connectionLost(String)
    /// There is a new connection, and the user is logged on again.
    case reconnected
    /// The session is over; no event follows.
    case ended(EndReason)
    /// A message that no session needs: of an application's own type, or of one that is not known.
    case other(Message)
    /// A blob that was given up: from whom, and why.
    case blobDiscarded(from: String, reason: String)
    /// So many of the oldest events were dropped, since nobody had begun to take them.
    case eventsDropped(Int)

    public enum EndReason: Equatable, Sendable {
        case loggedOff
        /// The same user logged on elsewhere.
        case pushedOut
        case kickedOut
        /// The server refused the new logon after the connection was lost.
        case logonRefused(LogonResult)
        /// The connection was lost, and is not to be made again: why.
        case connectionLost(String)
    }
}

/// A message from another user or from the server.
public struct IncomingMessage: Equatable, Sendable {
    /// The sender, without the kind of client before it; `_0` is the server.
    public var sender: String
    /// Sender and receiver as they stand in the header.
    public var senderID: String
    public var receiverID: String
    /// The group that it was sent to.
    public var group: String?
    /// The application's number, `InformationType`.
    public var type: Int32
    /// `nil` is null.
    public var content: [UInt8]?
    public var tag: String?
    public var messageID: Int32
    /// Which message carried it.
    public var carrier: SessionMessage
    /// It was acknowledged to the sender.
    public var isAcknowledged: Bool { carrier == .informationNeedAck }

    /// The content as UTF-8; what is not UTF-8 in it has become U+FFFD.
    public var text: String { String(decoding: content ?? [], as: UTF8.self) }
}

/// A question from another user or from the server.
public struct IncomingQuery: Equatable, Sendable {
    public var sender: String
    public var senderID: String
    public var receiverID: String
    public var type: Int32
    public var content: [UInt8]?
    public var messageID: Int32

    public var text: String { String(decoding: content ?? [], as: UTF8.self) }
}

/// What the server tells.
public enum Notice: Equatable, Sendable {
    /// A friend, a contact or a member of a group.
    case online(user: String, relation: Relation, clientType: UInt8? = nil)
    /// - Parameter isLastDevice: 7.2: no other device of the user is online.
    case offline(user: String, relation: Relation, clientType: UInt8? = nil, isLastDevice: Bool = true)
    /// Another device of the same user (7.2).
    case ownDevice(clientType: UInt8, isOnline: Bool)
    case joinedGroup(user: String, group: String)
    case quitGroup(user: String, group: String)
    case groupTagChanged(group: String, by: String, tag: String?)

    public enum Relation: Equatable, Sendable { case friend, groupmate, contact }
}
