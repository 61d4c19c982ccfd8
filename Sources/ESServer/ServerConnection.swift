import ESProtocol
import Sockets

/// What a server knows of one connection.
final class ServerConnection {
    enum State {
        /// Nobody has logged on yet.
        case new
        case loggedOn
        /// It was told to end; what comes is not looked at any more.
        case leaving(since: ContinuousClock.Instant)
    }

    let name: ConnectionName
    let socket: StreamSocket
    let began: ContinuousClock.Instant
    var state = State.new
    var decoder: MessageDecoder
    /// Once the first message has come.
    var profile: SessionProfile?
    /// How the client calls itself in headers: `9#aa01`.
    var loginID = ""
    var user = ""
    var clientType: UInt8 = 0
    /// When a message came last.
    var heard: ContinuousClock.Instant
    /// Since when too much waits to be sent.
    var congestedSince: ContinuousClock.Instant?
    /// Bytes that were sent.
    var sentOffset: Int64 = 0
    /// Where it can be reached directly, as it told (401).
    var peerAddress: BodyValue?
    /// The fragments of a question that are not complete yet.
    var question: (blobID: Int64, content: [UInt8])?

    init(_ name: ConnectionName, _ socket: StreamSocket, _ decoder: MessageDecoder, now: ContinuousClock.Instant) {
        self.name = name
        self.socket = socket
        self.decoder = decoder
        began = now
        heard = now
    }

    var isLoggedOn: Bool { if case .loggedOn = state { true } else { false } }

    /// The user of an id in a header of this connection, and the device that is meant, if it says one.
    func address(_ id: Message.ID) -> LoginID {
        if profile?.hasLoginIDs == true { return LoginID(id.text) }
        var whole = LoginID("")
        whole.user = id.text
        return whole
    }
}
