/// The framework's own names of its message types, from the table of its bodies.
public enum MessageTypeNames {
    /// The name of a type; `nil` for an application's own types and those that are not known in that layout.
    public static func name(of type: UInt16, layout: HeaderLayout) -> String? {
        let names =
            switch layout.startToken {
            case .ffff: names40
            case .ff: namesUpTo65
            case .zeroF: names72
            }
        return Int(type) < names.count ? names[Int(type)] : nil
    }

    private static let names40 = names(.ffff)
    private static let namesUpTo65 = names(.ff)
    private static let names72 = names(.zeroF)

    private static func names(_ token: HeaderLayout.StartToken) -> [String?] {
        let versions = ProtocolVersions(startToken: token)
        let types = MessageTypeDescription.all.filter { !$0.versions.isDisjoint(with: versions) }
        var names = [String?](repeating: nil, count: 1 + Int(types.map(\.number).max() ?? 0))
        for type in types { names[Int(type.number)] = type.name }
        return names
    }
}
