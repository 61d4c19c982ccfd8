/// The kinds of client (PROTOCOL.md section 2). Versions disagree on their numbers.
enum ClientTypeTable {
    /// Of a version, from 0 on; empty for 4.0, which has none. `nil` is a number that the version leaves out.
    static func names(_ version: ProtocolVersion) -> [String?] {
        switch version {
        case .v40: []
        case .v47: [".NET", "Silverlight", "Windows Phone", "WebSocket", "iOS", "Android", "others"]
        case .v65:
            [
                ".NET", "Silverlight", "Windows Phone", "WebSocket", "iOS", "Android", "Xamarin", "WebSocket with TLS",
                "others",
            ]
        case .v72:
            [
                "server", ".NET", "Android", "WebSocket", "iOS", "Mac", "Xamarin", nil, "WxSocket", "Linux", "others",
            ]
        }
    }

    /// The name of a number in a set of versions; `nil` if none of them knows it.
    static func name(of type: UInt8, in versions: ProtocolVersions) -> String? {
        let names = tables[Int(versions.rawValue & 15)]
        return Int(type) < names.count ? names[Int(type)] : nil
    }

    /// By the set's bits.
    private static let tables: [[String?]] = (0..<16).map { make(ProtocolVersions(rawValue: UInt8($0))) }

    /// `others (4.7) or Xamarin (6.5)` where they disagree.
    private static func make(_ versions: ProtocolVersions) -> [String?] {
        let lists = versions.newestFirst.reversed().map { (version: $0, names: names($0)) }
        let count = lists.map(\.names.count).max() ?? 0
        return (0..<count).map { number in
            let known = lists.compactMap { list -> (version: ProtocolVersion, name: String)? in
                guard number < list.names.count, let name = list.names[number] else { return nil }
                return (list.version, name)
            }
            guard let first = known.first else { return nil }
            if known.allSatisfy({ $0.name == first.name }) { return first.name }
            return known.map { "\($0.name) (\($0.version.name))" }.joined(separator: " or ")
        }
    }
}
