import ESProtocol

/// What kind of name a value is. Names may be others in another capture, if they are so throughout.
package enum IdentityKind: UInt8, Hashable, Sendable {
    /// A user, a group, the project of a file transfer.
    case user
    case address
    case port
    /// The number of a blob.
    case blob
    /// The kind of client in the header.
    case clientType
}

/// How a field is compared.
enum FieldRole: Equatable {
    /// By its bytes.
    case value
    /// A length or a number of elements: told only if nothing that it counts is.
    case derived
    case messageID
    case identity(IdentityKind)
    case date
    /// Text that version 7.2 puts the date in front of.
    case datedText
    /// Part of the layout.
    case layout
    case ignored
}

/// Knows the role of a field by its name.
struct FieldRoles {
    private let ignored: [String]
    private let isExact: Bool
    private var known: [String: FieldRole] = [:]
    /// Which of the names to be ignored were met.
    private(set) var metIgnored: Set<String> = []
    /// Elements of lists have names without end.
    private static let maximumKnown = 1 << 14

    init(_ options: ComparisonOptions) {
        ignored = options.ignoredFields
        isExact = options.isExact
    }

    mutating func role(of field: Field) -> FieldRole {
        if case .date = field.value, !isExact {
            return role(ofName: field.name) == .ignored ? .ignored : .date
        }
        return role(ofName: field.name)
    }

    /// The role of a field that is no date.
    mutating func role(ofName name: String) -> FieldRole {
        if let role = known[name] { return role }
        let role = find(name)
        if known.count < Self.maximumKnown { known[name] = role }
        return role
    }

    private mutating func find(_ name: String) -> FieldRole {
        for ignored in ignored where Self.covers(ignored, name) {
            metIgnored.insert(ignored)
            return .ignored
        }
        switch name {
        case "es.start_token": return .layout
        case "es.message_id": return .messageID
        case "es.user_id", "es.dest_user_id": return .identity(.user)
        case "es.client_type": return isExact ? .value : .identity(.clientType)
        case "es.body_length": return .derived
        case "es.body.system_token": return isExact ? .value : .datedText
        default: break
        }
        let isElement = name.utf8.last == UInt8(ascii: "]")
        let last = name.utf8.split(separator: UInt8(ascii: ".")).last.map { Substring($0) } ?? ""
        if last == "length" || last == "count" { return .derived }
        // The framework's lists of text are lists of users and groups.
        if last == "id" || last.hasSuffix("_id") && last != "blob_id" || last == "user_be_kicked_out" || last == "key"
            || isElement
        {
            return .identity(.user)
        }
        guard !isExact else { return .value }
        if last == "ip" || last.hasSuffix("_ip") || last == "ip_address" { return .identity(.address) }
        if last == "port" || last.hasSuffix("_port") { return .identity(.port) }
        return last == "blob_id" ? .identity(.blob) : .value
    }

    /// Whether a name that was given stands for a field: its own, or what is below it.
    static func covers(_ given: String, _ name: String) -> Bool {
        // Numbers of elements count only where the given name has them.
        startsWith(given, name) || startsWith(given, withoutIndices(name))
    }

    private static func withoutIndices(_ name: String) -> String {
        var isInside = false
        var result: [UInt8] = []
        for byte in name.utf8 {
            if byte == UInt8(ascii: "[") { isInside = true }
            if !isInside { result.append(byte) }
            if byte == UInt8(ascii: "]") { isInside = false }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func startsWith(_ given: String, _ name: String) -> Bool {
        guard name.hasPrefix(given) else { return false }
        guard let next = name.utf8.dropFirst(given.utf8.count).first else { return true }
        return next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
    }
}

/// A login id is a user with the kind of device in front: `1#aa01`. The server sees it so, the client may not.
struct LoginID: Equatable {
    /// `1`, if there is one.
    var device: Substring?
    var user: Substring

    init(_ id: String) {
        user = id[...]
        // An answer may have it twice: `9#9#aa01`.
        for _ in 0..<2 {
            let digits = user.utf8.prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard (1...3).contains(digits.count), user.utf8.dropFirst(digits.count).first == UInt8(ascii: "#"),
                user.utf8.count > digits.count + 1
            else { return }
            device = Substring(digits)
            user = Substring(user.utf8.dropFirst(digits.count + 1))
        }
    }

    /// Version 7.2 writes `_g1` for the group `g1`.
    mutating func dropGroupMark() {
        if user.utf8.count > 1, user.utf8.first == UInt8(ascii: "_"), user != "_0" { user = user.dropFirst() }
    }
}

/// Whether text begins with a date like `20261130`, which version 7.2 puts in front of the system token.
func hasDateInFront(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount >= 8 else { return false }
    func number(_ range: Range<Int>) -> Int? {
        var value = 0
        for index in range {
            let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int(byte) - 0x30
        }
        return value
    }
    guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8) else { return false }
    return (1970...2199).contains(year) && (1...12).contains(month) && (1...31).contains(day)
}
