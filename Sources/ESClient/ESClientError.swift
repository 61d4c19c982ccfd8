/// Why something could not be done. A task that was cancelled gets `CancellationError`.
public enum ESClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no connection, or nobody is logged on over it.
    case notLoggedOn
    /// It was done before: a client has one connection and one session.
    case alreadyConnected
    /// The connection could not be made: why.
    case cannotConnect(String)
    /// The connection ended before the answer came: why. A message that was being sent may have arrived.
    case connectionLost(String)
    /// No answer came in time: to what.
    case timedOut(String)
    /// The user was pushed out or kicked out, or has logged off.
    case sessionEnded(String)
    /// The other end could not answer: its handler failed.
    case remoteFailure
    /// The answer is not what it should be: what is wrong.
    case badReply(String)
    /// It cannot be sent: why.
    case cannotSend(String)

    public var description: String {
        switch self {
        case .notLoggedOn: "not logged on"
        case .alreadyConnected: "the client is connected already"
        case .cannotConnect(let why): why
        case .connectionLost(let why): "the connection was lost: \(why)"
        case .timedOut(let what): "no answer in time to \(what)"
        case .sessionEnded(let why): "the session has ended: \(why)"
        case .remoteFailure: "the other end failed to answer"
        case .badReply(let why): "not an answer: \(why)"
        case .cannotSend(let why): "it cannot be sent: \(why)"
        }
    }
}
