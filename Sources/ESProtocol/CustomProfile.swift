/// What a user's file says of an application's own use of the protocol: its layout, the names of its numbers, and which of
/// the framework's bodies its messages have. Read by ``ProfileFile``.
public final class CustomProfile: Sendable, Hashable {
    /// A type of message of the application, or one of the framework's under another number.
    public struct MessageType: Hashable, Sendable {
        public let name: String
        /// The framework's type whose bodies it has; `nil` if none is like them.
        public let bodyType: UInt16?

        public init(name: String, bodyType: UInt16?) {
            self.name = name
            self.bodyType = bodyType
        }
    }

    public let name: String
    /// Whose names and bodies hold for all types that are not in ``types``; `nil` for none.
    public let version: ProtocolVersion?
    /// `nil` leaves it to ``version``, or to the stream.
    public let startToken: HeaderLayout.StartToken?
    /// Bytes of one id slot; `nil` leaves it to the stream.
    public let idSlot: UInt8?
    /// Names of kinds of client that are not as in ``version``.
    public let clientTypes: [UInt8: String]
    public let types: [UInt16: MessageType]

    public init(
        name: String,
        version: ProtocolVersion?,
        startToken: HeaderLayout.StartToken? = nil,
        idSlot: UInt8? = nil,
        clientTypes: [UInt8: String] = [:],
        types: [UInt16: MessageType] = [:]
    ) {
        self.name = name
        self.version = version
        self.startToken = startToken
        self.idSlot = idSlot
        self.clientTypes = clientTypes
        self.types = types
    }

    public static func == (left: CustomProfile, right: CustomProfile) -> Bool {
        left.name == right.name && left.version == right.version && left.startToken == right.startToken
            && left.idSlot == right.idSlot && left.clientTypes == right.clientTypes && left.types == right.types
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(version)
        hasher.combine(types)
    }
}
