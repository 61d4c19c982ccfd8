/// A version of the framework whose bytes are known.
public enum ProtocolVersion: UInt8, CaseIterable, Sendable {
    /// 4.0 of 2011, known from one described message.
    case v40
    /// 4.7.3
    case v47
    case v65
    /// "MSide": several devices of one user.
    case v72

    /// As people write it: `6.5`.
    public var name: String {
        switch self {
        case .v40: "4.0"
        case .v47: "4.7"
        case .v65: "6.5"
        case .v72: "7.2"
        }
    }

    /// The version of a name.
    public init?(name: String) {
        guard let version = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = version
    }

    /// What its headers start with.
    public var startToken: HeaderLayout.StartToken {
        switch self {
        case .v40: .ffff
        case .v47, .v65: .ff
        case .v72: .zeroF
        }
    }

    /// Bytes of one id slot where user ids have at most so many bytes; `nil` if that does not fit a slot.
    ///
    /// Measured for 4.7, 6.5 and 7.2 (PROTOCOL.md section 2); for 4.0 from its one described message.
    public func idSlot(maximumUserIDLength: Int) -> UInt8? {
        guard (0...255).contains(maximumUserIDLength) else { return nil }
        let slot =
            switch self {
            case .v40: 1 + maximumUserIDLength
            case .v47, .v65: (1 + maximumUserIDLength + 1) & ~1
            case .v72: (1 + maximumUserIDLength + 2 + 1) & ~1
            }
        return slot <= 255 && slot >= 2 ? UInt8(slot) : nil
    }
}

/// A set of versions.
public struct ProtocolVersions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public init(_ version: ProtocolVersion) { rawValue = 1 << version.rawValue }

    public static let v40 = ProtocolVersions(.v40)
    public static let v47 = ProtocolVersions(.v47)
    public static let v65 = ProtocolVersions(.v65)
    public static let v72 = ProtocolVersions(.v72)
    public static let upTo65: ProtocolVersions = [.v47, .v65]
    public static let since65: ProtocolVersions = [.v65, .v72]
    /// All whose message types are known: 4.7, 6.5 and 7.2.
    public static let measured: ProtocolVersions = [.v47, .v65, .v72]
    /// All.
    public static let all: ProtocolVersions = [.v40, .v47, .v65, .v72]

    /// Those that a start token leaves open.
    public init(startToken: HeaderLayout.StartToken) {
        self =
            switch startToken {
            case .ffff: .v40
            case .ff: .upTo65
            case .zeroF: .v72
            }
    }

    /// The versions in it, the newest first: the newer one is the likelier where bytes leave it open.
    public var newestFirst: [ProtocolVersion] {
        ProtocolVersion.allCases.reversed().filter { contains(ProtocolVersions($0)) }
    }

    /// `4.7 or 6.5`
    public var name: String { names.joined(separator: " or ") }

    /// `4.7`, `6.5`; the oldest first.
    public var names: [String] { newestFirst.reversed().map(\.name) }

    /// Whether it is one version, so that nothing is left open.
    public var isSingle: Bool { rawValue.nonzeroBitCount == 1 }
}
