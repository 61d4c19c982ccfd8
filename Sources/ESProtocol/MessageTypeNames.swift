/// The framework's own names of its message types where only the layout of a header is known.
public enum MessageTypeNames {
    /// The name of a type; `nil` for an application's own types and those that are not known in that layout.
    public static func name(of type: UInt16, layout: HeaderLayout) -> String? {
        Profile(startToken: layout.startToken).messageTypeName(type)
    }
}

/// Names by number for each set of versions, made once from the table of bodies.
enum MessageTypeTable {
    struct Entry: Sendable {
        let name: String
        let requestName: String
        let replyName: String
        /// Request and reply share the number.
        let isExchange: Bool
        /// The versions of the set that have it.
        let versions: ProtocolVersions
    }

    static func entry(of type: UInt16, in versions: ProtocolVersions) -> Entry? {
        let entries = tables[Int(versions.rawValue & 15)]
        return Int(type) < entries.count ? entries[Int(type)] : nil
    }

    private static let tables: [[Entry?]] = (0..<16).map { make(ProtocolVersions(rawValue: UInt8($0))) }

    private static func make(_ versions: ProtocolVersions) -> [Entry?] {
        let types = MessageTypeDescription.all.filter { !$0.versions.isDisjoint(with: versions) }
        var entries = [Entry?](repeating: nil, count: types.isEmpty ? 0 : 1 + Int(types.map(\.number).max() ?? 0))
        // Where versions of one set mean different things by a number, the newest one's meaning counts.
        for type in types.sorted(by: { $0.versions.rawValue < $1.versions.rawValue }) {
            entries[Int(type.number)] = Entry(
                name: type.name,
                requestName: type.isExchange ? type.name + " request" : type.name,
                replyName: type.isExchange ? type.name + " reply" : type.name,
                isExchange: type.isExchange,
                versions: type.versions.intersection(versions)
            )
        }
        return entries
    }
}
