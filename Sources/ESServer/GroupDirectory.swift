/// The groups of a server: those that were declared, and those that clients make by joining them.
struct GroupDirectory {
    struct Group {
        /// In the order in which they joined.
        var members: [String]
        var tag: String?
    }

    private let declared: [String: [String]]
    private let maximumGroups: Int
    private let maximumMembers: Int
    private(set) var dynamic: [String: Group] = [:]
    /// In the order in which they were made.
    private var order: [String] = []

    init(_ options: ServerOptions) {
        declared = options.groups
        maximumGroups = options.maximumGroups
        maximumMembers = options.maximumGroupMembers
    }

    /// The group that everybody is in, always.
    static let everybody = "#0"

    /// The members of a group; `nil` means that everybody is in it.
    func members(_ group: String) -> [String]? {
        if let group = dynamic[group] { return group.members }
        if declared.isEmpty || group == Self.everybody { return nil }
        return declared[group] ?? []
    }

    /// Whether two users are in one declared group.
    func shareGroup(_ one: String, _ other: String) -> Bool {
        declared.isEmpty || declared.values.contains { $0.contains(one) && $0.contains(other) }
    }

    /// The dynamic groups of a user, in the order in which they were made.
    func groups(of user: String) -> [String] { order.filter { dynamic[$0]?.members.contains(user) == true } }

    /// - Returns: `nil` if there are too many groups or members.
    mutating func join(_ group: String, _ user: String) -> Group? {
        if dynamic[group] == nil {
            guard dynamic.count < maximumGroups, !group.isEmpty, group.utf8.count <= 255 else { return nil }
            dynamic[group] = Group(members: [], tag: nil)
            order.append(group)
        }
        guard dynamic[group]?.members.contains(user) == false else { return dynamic[group] }
        guard (dynamic[group]?.members.count ?? 0) < maximumMembers else { return nil }
        dynamic[group]?.members.append(user)
        return dynamic[group]
    }

    /// - Returns: whether the user was in it.
    mutating func quit(_ group: String, _ user: String) -> Bool {
        guard let index = dynamic[group]?.members.firstIndex(of: user) else { return false }
        dynamic[group]?.members.remove(at: index)
        if dynamic[group]?.members.isEmpty == true {
            dynamic[group] = nil
            order.removeAll { $0 == group }
        }
        return true
    }

    mutating func setTag(_ group: String, _ tag: String?) { dynamic[group]?.tag = tag }
}
