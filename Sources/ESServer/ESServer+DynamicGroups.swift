import ESProtocol

extension ESServer {
    /// Groups that clients join and leave.
    func handleDynamicGroup(
        _ message: Message,
        _ kind: SessionMessage?,
        _ request: BodyValue?,
        _ connection: ServerConnection
    ) {
        func reply(_ body: BodyValue?, _ kind: SessionMessage) {
            send(kind, body, id: message.messageID, to: connection)
        }
        let user = connection.user
        let group = request?["GroupID"]?.text ?? ""
        switch kind {
        case .joinGroup:
            let isNew = groups.dynamic[group]?.members.contains(user) != true
            guard groups.join(group, user) != nil else {
                say("not joined: there are too many groups, or members of \(group)", connection.name)
                return
            }
            reply(information(group), .joinGroup)
            if isNew { tellMembers(of: group, but: user, .someoneJoinGroupNotify, groupAndUser(group, user)) }
        case .quitGroup:
            guard groups.quit(group, user) else { return }
            tellMembers(of: group, but: user, .someoneQuitGroupNotify, groupAndUser(group, user))
        case .getGroupInformation: reply(information(group), .getGroupInformation)
        case .getMyGroups: reply(.list(groups.groups(of: user).map { .string($0) }), .getMyGroups)
        case .setGroupTag:
            guard groups.dynamic[group]?.members.contains(user) == true else {
                say("not done: \(user) is not in group \(group)", connection.name)
                return
            }
            let tag = request?["Tag"]?.text
            groups.setTag(group, tag)
            tellMembers(
                of: group,
                but: user,
                .groupTagChangedNotify,
                .object([
                    BodyValue.Property("GroupID", .string(group)), BodyValue.Property("OperatorID", .string(user)),
                    BodyValue.Property("Tag", tag.map { .string($0) } ?? .null),
                ])
            )
        case .getOnlineGroupmates:
            let mates = groups.groups(of: user).flatMap { groups.dynamic[$0]?.members ?? [] }
            let others = onlineUsers.filter { $0 != user && mates.contains($0) }
            reply(.list(others.map { .string($0) }), .getOnlineGroupmates)
        default: break
        }
    }

    private func information(_ group: String) -> BodyValue? {
        guard let found = groups.dynamic[group] else { return nil }
        return .object([
            BodyValue.Property("ID", .string(group)),
            BodyValue.Property("Members", .list(found.members.map { .string($0) })),
            BodyValue.Property("Tag", found.tag.map { .string($0) } ?? .null),
        ])
    }

    private func groupAndUser(_ group: String, _ user: String) -> BodyValue {
        .object([BodyValue.Property("GroupID", .string(group)), BodyValue.Property("UserID", .string(user))])
    }

    private func tellMembers(of group: String, but user: String, _ kind: SessionMessage, _ body: BodyValue) {
        let members = groups.dynamic[group]?.members ?? []
        for member in online where member.user != user && members.contains(member.user) {
            send(kind, body, to: member)
        }
    }
}
