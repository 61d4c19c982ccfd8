import ESProtocol

/// What the server says to a logon.
public enum LogonResult: Equatable, Sendable {
    /// The session has begun.
    case succeeded(SessionSettings)
    /// A wrong password or the like; the server's words, if it has any.
    case refused(cause: String?)
    /// The user is logged on elsewhere, and the server keeps that session.
    case alreadyOnline(cause: String?)
    /// The server speaks another version of the protocol.
    case versionMismatched(cause: String?)
    /// The server does not want this kind of client (7.2).
    case clientTypeMismatched(cause: String?)
    /// A number that is not known.
    case other(Int32, cause: String?)

    public var isSuccess: Bool { if case .succeeded = self { true } else { false } }

    /// What the server offers to a session.
    public struct SessionSettings: Equatable, Sendable {
        /// The server tells of friends and members of groups that come and go.
        public var groupRelationEnabled: Bool
        /// Clients may connect to each other directly.
        public var p2pEnabled: Bool
        public var useAsP2PServer: Bool

        public init(groupRelationEnabled: Bool = false, p2pEnabled: Bool = false, useAsP2PServer: Bool = false) {
            self.groupRelationEnabled = groupRelationEnabled
            self.p2pEnabled = p2pEnabled
            self.useAsP2PServer = useAsP2PServer
        }
    }

    /// - Parameter body: of the server's reply.
    init(_ body: BodyValue) {
        func flag(_ name: String) -> Bool { body[name] == .boolean(true) }
        let cause = body["FailureCause"]?.text
        self =
            switch body["LogonResult"]?.number {
            case 0:
                .succeeded(
                    SessionSettings(
                        groupRelationEnabled: flag("GroupRelationEnabled"),
                        p2pEnabled: flag("P2PEnabled"),
                        useAsP2PServer: flag("UseAsP2PServer")
                    )
                )
            case 1: .refused(cause: cause)
            case 2: .alreadyOnline(cause: cause)
            case 3: .versionMismatched(cause: cause)
            case 4: .clientTypeMismatched(cause: cause)
            case let number: .other(Int32(truncatingIfNeeded: number ?? -1), cause: cause)
            }
    }
}

extension LogonResult: CustomStringConvertible {
    public var description: String {
        func because(_ cause: String?) -> String { cause.map { $0.isEmpty ? "" : ": \($0)" } ?? "" }
        return switch self {
        case .succeeded: "logged on"
        case .refused(let cause): "the server refuses the logon\(because(cause))"
        case .alreadyOnline(let cause): "the user is logged on elsewhere\(because(cause))"
        case .versionMismatched(let cause): "the server speaks another version\(because(cause))"
        case .clientTypeMismatched(let cause): "the server does not want this kind of client\(because(cause))"
        case .other(let number, let cause): "the server refuses the logon with result \(number)\(because(cause))"
        }
    }
}
