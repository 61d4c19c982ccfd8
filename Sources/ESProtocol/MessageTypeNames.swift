/// The framework's own names of its message types where only the layout of a header is known.
public enum MessageTypeNames {
    /// The name of a type; `nil` for an application's own types and those that are not known in that layout.
    public static func name(of type: UInt16, layout: HeaderLayout) -> String? {
        Profile(startToken: layout.startToken).messageTypeName(type)
    }
}

/// Names by number for each set of versions, made once from the table of bodies.
enum MessageTypeTable {
    /// The arrays' indices are the numbers.
    private struct Names: Sendable {
        var name: [String?] = []
        var requestName: [String?] = []
        var replyName: [String?] = []
        /// The versions of the set that have it.
        var versions: [ProtocolVersions] = []
    }

    static func name(of type: UInt16, in versions: ProtocolVersions) -> String? {
        let set = Int(versions.rawValue & 15)
        return Int(type) < tables[set].name.count ? tables[set].name[Int(type)] : nil
    }

    /// The name by direction where request and reply share the number.
    static func name(of type: UInt16, in versions: ProtocolVersions, isRequest: Bool) -> String? {
        let set = Int(versions.rawValue & 15)
        guard Int(type) < tables[set].name.count else { return nil }
        return isRequest ? tables[set].requestName[Int(type)] : tables[set].replyName[Int(type)]
    }

    /// The versions of a set that have a type; `nil` if none of them does.
    static func versions(of type: UInt16, in versions: ProtocolVersions) -> ProtocolVersions? {
        let set = Int(versions.rawValue & 15)
        guard Int(type) < tables[set].name.count, !tables[set].versions[Int(type)].isEmpty else { return nil }
        return tables[set].versions[Int(type)]
    }

    private static let tables: [Names] = (0..<16).map { make(ProtocolVersions(rawValue: UInt8($0))) }

    private static func make(_ versions: ProtocolVersions) -> Names {
        let types = MessageTypeDescription.all.filter { !$0.versions.isDisjoint(with: versions) }
        let count = types.isEmpty ? 0 : 1 + Int(types.map(\.number).max() ?? 0)
        var names = Names()
        names.name = [String?](repeating: nil, count: count)
        names.requestName = names.name
        names.replyName = names.name
        names.versions = [ProtocolVersions](repeating: [], count: count)
        // Where versions of one set mean different things by a number, the newest one's meaning counts.
        for type in types.sorted(by: { $0.versions.rawValue < $1.versions.rawValue }) {
            names.name[Int(type.number)] = type.name
            names.requestName[Int(type.number)] = type.title(.request)
            names.replyName[Int(type.number)] = type.title(.reply)
            names.versions[Int(type.number)] = type.versions.intersection(versions)
        }
        return names
    }
}
