import ESProtocol

/// What a server is to do, and how much it lets itself in for.
package struct ServerOptions: Sendable {
    /// What becomes of a second logon of the same user (in 7.2: on the same kind of device).
    package enum SecondLogon: String, Sendable, CaseIterable {
        /// The first session is pushed out.
        case replaces
        /// The second one is told that the user is logged on already.
        case refused
    }

    /// Addresses in numbers, or names of hosts, to listen on. Those of the loopback interface unless told otherwise.
    package var hosts = ["127.0.0.1", "::1"]
    /// 0 is any that is free.
    package var port: UInt16 = 4530
    /// The profile that clients must use; `nil` takes each client's from its first message.
    package var profile: SessionProfile?
    /// Says whether a password is right; `nil` lets everybody in.
    package var checkPassword: (@Sendable (_ user: String, _ password: String) async -> PasswordVerdict)?
    package var secondLogon = SecondLogon.replaces
    /// Members of groups, by group. If there is none, everybody is in every group.
    package var groups: [String: [String]] = [:]
    package var answer: @Sendable (ServerQuery) -> ServerAnswer = { .content($0.content) }
    /// Tells clients of those who come and go.
    package var sendsNotices = true
    /// Hands heartbeats back unchanged.
    package var echoesHeartbeats = false
    /// Offers clients to find each other for direct connections.
    package var offersPeerToPeer = false
    /// Lets clients kick each other out.
    package var allowsKickOut = false

    // Limits.
    package var maximumConnections = 1000
    /// The longest body of a message, in bytes.
    package var maximumBody = 1 << 20
    /// Bytes of a user id, in UTF-8.
    package var maximumUserIDLength = 64
    /// How long a connection may be without a logon.
    package var logonTime = Duration.seconds(10)
    /// How long a client may be silent; it sends a heartbeat every ten seconds.
    package var heartbeatTime = Duration.seconds(30)
    /// Bytes for one client that may wait to be sent before those who send to it have to wait.
    package var outputLimit = 256 << 10
    /// Bytes for one client that may wait at all.
    package var maximumOutput = 8 << 20
    /// How long more than ``outputLimit`` may wait to be sent before the client is cut off.
    package var slowReaderTime = Duration.seconds(10)
    /// How long a connection that was told to end may take to close.
    package var lingerTime = Duration.seconds(2)
    /// Dynamic groups, and members of one, that are kept.
    package var maximumGroups = 1000
    package var maximumGroupMembers = 1000

    package init() {}
}

/// What the check of a password says.
package enum PasswordVerdict: Equatable, Sendable {
    case right
    /// Wrong, or there is no such user.
    case wrong
    /// It cannot be said now: too many are waiting.
    case busy
}

/// A question to the server.
package struct ServerQuery: Sendable {
    package enum Kind: Sendable { case request, blob, beforeLogon }

    package var kind: Kind
    /// Who asks; empty before the logon.
    package var user: String
    package var type: Int32
    package var content: [UInt8]?
}

package enum ServerAnswer: Equatable, Sendable {
    /// `nil` is null.
    case content([UInt8]?)
    /// As if the handler had failed: an answer without a body.
    case failure
    /// No answer.
    case none
}
