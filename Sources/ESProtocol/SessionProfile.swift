/// A message of the framework that the two ends of a session write and read. The raw value is its number in the versions
/// that were measured; ``SessionProfile/number(of:)`` has that of a profile.
public enum SessionMessage: UInt16, CaseIterable, Sendable {
    case getMyIPE = 101
    case pingByServer = 102
    case pingAck = 103
    case heartBeat = 104
    case beingPushedOutNotify = 105
    case kickOut = 108
    case beingKickedOutNotify = 109
    case getAllOnlineUsers = 110
    case queryOnline = 111
    case logon = 112
    case getUserIPE = 113
    case queryOnlines = 114
    case getMyOnlineDevice = 116
    case deviceOnOfflineNotify = 117
    case queryBeforeLogin = 118
    case pingByP2PChannel = 199
    case informationByPost = 201
    case informationBySend = 202
    case request = 203
    case response = 204
    case informationNeedAck = 205
    case ack = 206
    case blobInformation = 207
    case blobByRapidEngine = 208
    case getClientTimeRequest = 209
    case getClientTimeResponse = 210
    case blobByRapidEngineNeedEcho = 211
    case blobByRapidEngineEchoNotify = 212
    case blobByRapidEngineToSpecialDevice = 213
    case blobQuery = 221
    case blobQueryResult = 222
    case p2pLogon = 401
    case reqUserData = 402
    case getMyPublicIPE = 405
    case friendNotify = 501
    case getFriends = 502
    case groupmateOfflineNotify = 601
    case groupmateConnectedNotify = 602
    case getGroupMembers = 603
    case broadcastByServer = 604
    case broadcastBlob = 605
    case contactsOfflineNotify = 701
    case contactsConnectedNotify = 702
    case getContactsGroupMembers = 703
    case broadcastToContacts = 704
    case broadcastBlobToContacts = 705
    case getContacts = 706
    case getGroupInformation = 800
    case joinGroup = 801
    case quitGroup = 802
    case pullIntoGroup = 803
    case removeFromGroup = 804
    case someoneJoinGroupNotify = 805
    case someoneQuitGroupNotify = 806
    case getMyGroups = 814
    case setGroupTag = 815
    case groupTagChangedNotify = 816
    case inviteJoinGroup = 817
    case getOnlineGroupmates = 818
    case broadcast = 819
}

/// What the two ends of a session have agreed on before it begins: header layout, numbers of messages, form of the logon.
///
/// There is one for each generation of the framework, and all of it can be changed for a server that was built otherwise.
/// PROTOCOL.md sections 1, 2 and 4.
public struct SessionProfile: Hashable, Sendable {
    /// What stands in a logon.
    public struct LogonForm: Hashable, Sendable {
        /// Whether the body begins with AuthorizedUser.
        public var hasAuthorizedUser: Bool
        /// Whether SystemToken begins with the date of the client, `20261130`.
        public var hasDate: Bool

        public init(hasAuthorizedUser: Bool, hasDate: Bool) {
            self.hasAuthorizedUser = hasAuthorizedUser
            self.hasDate = hasDate
        }
    }

    /// The version whose bodies are written and read.
    public var version: ProtocolVersion
    /// Start token and id slot of every header.
    public var layout: HeaderLayout
    /// The kind of client that stands in the header, and in front of the user id where ``hasLoginIDs`` is set.
    public var clientType: UInt8
    /// Whether a client calls itself `9#aa01`: its kind, `#` and its user.
    public var hasLoginIDs: Bool
    public var logonForm: LogonForm
    /// What carries a plain message: it is `InformationBySend` up to 6.5, and `InformationByPost` in 7.2.
    public var plainMessage: SessionMessage
    /// Numbers that differ from those of the versions that were measured.
    public var numbers: [SessionMessage: UInt16]

    /// Everything as you like.
    public init(
        version: ProtocolVersion,
        layout: HeaderLayout,
        clientType: UInt8,
        hasLoginIDs: Bool,
        logonForm: LogonForm,
        plainMessage: SessionMessage = .informationBySend,
        numbers: [SessionMessage: UInt16] = [:]
    ) {
        self.version = version
        self.layout = layout
        self.clientType = clientType
        self.hasLoginIDs = hasLoginIDs
        self.logonForm = logonForm
        self.plainMessage = plainMessage
        self.numbers = numbers
    }

    /// A generation of the framework.
    ///
    /// Of 4.0 only the logon was ever described: its other numbers are taken to be those of the later versions, which may
    /// be wrong.
    /// - Parameters:
    ///   - maximumUserIDLength: the framework's setting `MaxLengthOfUserID`, in bytes; what does not fit a header becomes
    ///     the default of 11.
    ///   - clientType: unless it is to be that of the system that this runs on.
    public init(_ version: ProtocolVersion, maximumUserIDLength: Int = 11, clientType: UInt8? = nil) {
        let profile = Profile(version)
        let slot = profile.idSlot(maximumUserIDLength: maximumUserIDLength) ?? (version == .v72 ? 14 : 12)
        self.init(
            version: version,
            layout: HeaderLayout(startToken: version.startToken, idSlot: slot),
            clientType: clientType ?? Self.systemClientType(version),
            hasLoginIDs: version == .v72,
            logonForm: LogonForm(hasAuthorizedUser: version != .v40, hasDate: version == .v72),
            plainMessage: version == .v72 ? .informationByPost : .informationBySend,
            numbers: version == .v40 ? [.logon: 116] : [:]
        )
    }

    /// `_0`: the server, as sender and as receiver.
    public static let serverID = "_0"

    private static func systemClientType(_ version: ProtocolVersion) -> UInt8 {
        #if os(iOS)
            return version == .v40 ? 0 : 4
        #elseif os(macOS)
            return version == .v72 ? 5 : 0
        #else
            return version == .v72 ? 9 : 0
        #endif
    }

    /// The number of a message.
    public func number(of message: SessionMessage) -> UInt16 { numbers[message] ?? message.rawValue }

    /// The message that has a number; `nil` for an application's own, and for what no session needs.
    public func message(_ number: UInt16) -> SessionMessage? {
        if let (message, _) = numbers.first(where: { $0.value == number }) { return message }
        guard let message = SessionMessage(rawValue: number), numbers[message] == nil else { return nil }
        return message
    }

    /// The form of a body.
    public func schema(of message: SessionMessage, isRequest: Bool) -> BodySchema? {
        // What is not known of 4.0 is taken to be as it became later.
        for version in [version, .v65, .v72] {
            for number in [self.number(of: message), message.rawValue] {
                guard let type = MessageTypeDescription.find(number, version: version) else { continue }
                if number != message.rawValue, type.name != message.name { continue }
                if let schema = type.schema(version: version, isRequest: isRequest) { return schema }
            }
        }
        return nil
    }

    /// How a client of this kind calls itself: `9#aa01`, or just `aa01`.
    public func loginID(user: String) -> String { hasLoginIDs ? "\(clientType)#\(user)" : user }
}

extension SessionMessage {
    /// The framework's name, as it stands in the tables.
    var name: String? {
        MessageTypeDescription.all.first { $0.number == rawValue && !$0.versions.isDisjoint(with: .measured) }?.name
    }
}

/// An id as it stands in a header: in 7.2 with the kind of client before it.
public struct LoginID: Hashable, Sendable {
    /// `9` of `9#aa01`.
    public var clientType: UInt8?
    public var user: String

    /// Takes an id apart. The original library puts the prefix twice at times (`9#9#aa01`): then the inner one is taken.
    public init(_ text: String) {
        var rest = text[...]
        for _ in 0..<2 {
            guard let mark = rest.firstIndex(of: "#"), let type = UInt8(rest[..<mark]),
                rest[..<mark].utf8.allSatisfy({ (48...57).contains($0) })
            else { break }
            clientType = type
            rest = rest[rest.index(after: mark)...]
        }
        user = String(rest)
    }
}
