/// How a client behaves.
public struct ClientOptions: Sendable {
    /// What becomes of messages that are sent while there is no connection but one is being made again.
    public enum WhileDisconnected: Sendable {
        /// The call throws ``ESClientError/notLoggedOn``.
        case fail
        /// The call waits for the new logon.
        case wait
    }

    /// Whether and when a connection that was lost is made again.
    public struct Reconnection: Sendable {
        /// Before the first attempt. The original library waits 5 s (4.7: 2 s).
        public var firstDelay: Duration
        /// It doubles with each attempt up to this.
        public var maximumDelay: Duration
        /// `nil` is without end.
        public var maximumAttempts: Int?

        public init(
            firstDelay: Duration = .seconds(1),
            maximumDelay: Duration = .seconds(60),
            maximumAttempts: Int? = nil
        ) {
            self.firstDelay = firstDelay
            self.maximumDelay = maximumDelay
            self.maximumAttempts = maximumAttempts
        }

        /// The delay before an attempt.
        /// - Parameter attempt: from 0 on.
        /// - Parameter random: 0 ..< 1. Clients that lost the same server do not all come back at the same moment: a delay is
        ///   between three quarters and the whole.
        func delay(_ attempt: Int, random: Double) -> Duration {
            var delay = firstDelay
            for _ in 0..<min(attempt, 62) where delay < maximumDelay { delay *= 2 }
            return min(delay, maximumDelay) * (0.75 + random / 4)
        }
    }

    /// For finding the host, connecting, and the server's answer to the logon.
    public var connectTimeout = Duration.seconds(10)
    /// For replies and acknowledgements, unless the call says otherwise.
    public var replyTimeout = Duration.seconds(10)
    /// The original library's `HeartBeatSpanInSecs`; `nil` sends none.
    public var heartbeatInterval: Duration? = .seconds(10)
    /// `nil` ends the session when the connection is lost.
    public var reconnection: Reconnection? = Reconnection()
    public var whileDisconnected = WhileDisconnected.fail
    /// Limits on what comes from outside.
    public var limits = ClientSession.Limits()
    /// Events, and bytes of them, that may wait to be taken.
    public var maximumWaitingEvents = 1024
    public var maximumWaitingBytes = 8 << 20
    /// Bytes that may wait to be sent before a call that sends waits.
    public var maximumUnsentBytes = 256 << 10

    public init() {}
}
