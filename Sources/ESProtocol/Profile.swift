/// What a version lays down beside the layout of a header: the names of its numbers, and its bodies.
///
/// It is that of one version, or of several where the bytes leave it open (4.7 and 6.5 have the same header), or that of a
/// user's file, which says what an application has of its own.
public struct Profile: Hashable, Sendable {
    /// The versions whose names and bodies it has; never empty unless a user's file wants none of them.
    public let versions: ProtocolVersions
    /// What a user's files add. Nearly always nothing: in one reference, as each message is given a profile.
    private var additions: Additions?

    private final class Additions: Hashable, Sendable {
        let custom: CustomProfile?
        let describedNames: [UInt16: String]

        init(_ custom: CustomProfile?, _ describedNames: [UInt16: String]) {
            self.custom = custom
            self.describedNames = describedNames
        }

        static func == (left: Additions, right: Additions) -> Bool {
            left.custom == right.custom && left.describedNames == right.describedNames
        }

        func hash(into hasher: inout Hasher) { hasher.combine(custom) }
    }

    /// Whether a user's files add anything.
    package var hasAdditions: Bool { additions != nil }
    /// What a user's file adds and changes.
    public var custom: CustomProfile? { additions?.custom }
    /// Names of message types from a user's description of the bodies; they go before all others.
    public var describedNames: [UInt16: String] {
        get { additions?.describedNames ?? [:] }
        set {
            let custom = custom
            additions = custom == nil && newValue.isEmpty ? nil : Additions(custom, newValue)
        }
    }

    public init(_ version: ProtocolVersion) { self.init(versions: ProtocolVersions(version)) }

    public init(versions: ProtocolVersions) {
        self.versions = versions
    }

    public init(_ custom: CustomProfile) {
        versions = custom.version.map { ProtocolVersions($0) } ?? []
        additions = Additions(custom, [:])
    }

    /// All that a start token leaves open.
    public init(startToken: HeaderLayout.StartToken) { self.init(versions: ProtocolVersions(startToken: startToken)) }

    /// One for each version.
    public static let all = ProtocolVersion.allCases.map { Profile($0) }

    /// `6.5`, `4.7 or 6.5`, or the name that a user's file gives.
    public var name: String { custom?.name ?? versions.name }

    /// The version, if it is one only.
    public var version: ProtocolVersion? {
        let all = versions.newestFirst
        return all.count == 1 ? all[0] : nil
    }

    // MARK: - The layout

    /// What its headers start with; `nil` if that is left open.
    public var startToken: HeaderLayout.StartToken? {
        if let custom { return custom.startToken ?? custom.version?.startToken }
        let tokens = Set(versions.newestFirst.map(\.startToken))
        return tokens.count == 1 ? tokens.first : nil
    }

    /// Bytes of one id slot where user ids have at most so many bytes; `nil` if that does not fit a slot, or it is not known
    /// how the version does it.
    public func idSlot(maximumUserIDLength: Int) -> UInt8? {
        versions.newestFirst.first?.idSlot(maximumUserIDLength: maximumUserIDLength)
    }

    /// The header's layout where user ids have at most so many bytes; 11 is the framework's default.
    public func layout(maximumUserIDLength: Int = 11) -> HeaderLayout? {
        guard let startToken, let slot = custom?.idSlot ?? idSlot(maximumUserIDLength: maximumUserIDLength) else {
            return nil
        }
        return HeaderLayout(startToken: startToken, idSlot: slot)
    }

    // MARK: - Names

    /// The name of a kind of client; `nil` if it is not known. Where the versions disagree, all of their names.
    public func clientTypeName(_ type: UInt8) -> String? {
        custom?.clientTypes[type] ?? ClientTypeTable.name(of: type, in: versions)
    }

    /// The name of a message type; `nil` for an application's own, and where it is not known.
    public func messageTypeName(_ type: UInt16) -> String? {
        if let additions, let name = additions.describedNames[type] ?? additions.custom?.types[type]?.name {
            return name
        }
        return MessageTypeTable.name(of: type, in: versions)
    }

    /// The name by direction where request and reply share the number: `Logon request`.
    public func messageTypeName(_ type: UInt16, isRequest: Bool) -> String? {
        if let additions, let name = additions.describedNames[type] { return name }
        guard let own = custom?.types[type] else {
            return MessageTypeTable.name(of: type, in: versions, isRequest: isRequest)
        }
        guard let bodyType = own.bodyType,
            MessageTypeDescription.all.contains(where: {
                $0.number == bodyType && $0.isExchange && !$0.versions.isDisjoint(with: versions)
            })
        else { return own.name }
        return own.name + (isRequest ? " request" : " reply")
    }

    // MARK: - Bodies

    /// The framework's type whose bodies a message of a type has; `nil` for one of which a user's file says that it has none
    /// of them.
    public func bodyType(of type: UInt16) -> UInt16? {
        guard let own = custom?.types[type] else { return type }
        return own.bodyType
    }

    /// Whether a message of that type can be a Logon, whose body holds a password: 112, in 4.0 also 116, and what a user's
    /// file says to be one.
    public func isLogon(_ type: UInt16) -> Bool {
        // Whatever a file says of it, 112 is treated with care.
        if type == 112 { return true }
        if custom == nil { return type == 116 && versions.contains(.v40) }
        guard let bodyType = bodyType(of: type) else { return false }
        return bodyType == 112 || bodyType == 116 && versions.contains(.v40)
    }

    /// All types of message, in order of their numbers: those of the framework in these versions, and an application's own.
    public var messageTypes: [MessageTypeDescription] {
        let known = MessageTypeDescription.all.compactMap { $0.restricted(to: versions) }
        guard let custom else { return known }
        let own = custom.types.map { number, type in
            known.first { $0.number == type.bodyType }?.renumbered(number, type.name)
                ?? MessageTypeDescription(number, type.name, .any, in: versions, hasKnownBodies: false)
        }
        return (known.filter { custom.types[$0.number] == nil } + own).sorted { $0.number < $1.number }
    }
}
