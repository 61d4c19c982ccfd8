/// Bodies of the types from 500 on: friends, groups and contacts. PROTOCOL.md section 4.
enum BodiesGroups {
    static let all: [MessageTypeDescription] = friends + groups + contacts + dynamicGroups

    private static let friends: [MessageTypeDescription] = [
        MessageTypeDescription(
            501,
            "FriendNotify",
            in: .upTo65,
            [.notice(.object([.bool("Connected"), .string("FriendUserID")]))]
        ),
        MessageTypeDescription(502, "GetFriends", in: .upTo65, [.request(userQuery), .reply(userList)]),
    ]

    private static let groups: [MessageTypeDescription] = [
        MessageTypeDescription(601, "GroupmateOfflineNotify", in: .upTo65, [.notice(userID)]),
        MessageTypeDescription(602, "GroupmateConnectedNotify", in: .upTo65, [.notice(userID)]),
        MessageTypeDescription(603, "GetGroupMembers", in: .upTo65, [.request(groupID), .reply(groupmates)]),
        MessageTypeDescription(604, "BroadcastByServer", in: .upTo65, [.both(.object(broadcast))]),
        MessageTypeDescription(605, "BroadcastBlob", in: .upTo65, [.both(BodiesCustomizeInfo.blob)]),
    ]

    private static let contacts: [MessageTypeDescription] = [
        MessageTypeDescription(
            701,
            "ContactsOfflineNotify",
            in: .since65,
            [.notice(userID, in: .v65), .notice(device, in: .v72)]
        ),
        MessageTypeDescription(
            702,
            "ContactsConnectedNotify",
            in: .since65,
            [.notice(userID, in: .v65), .notice(device, in: .v72)]
        ),
        MessageTypeDescription(703, "GetGroupMembers", in: .since65, [.request(groupID), .reply(groupmates)]),
        MessageTypeDescription(704, "BroadcastByServer", in: .since65, [.both(.object(broadcast + [.string("Tag")]))]),
        MessageTypeDescription(705, "BroadcastBlob", in: .since65, [.both(BodiesCustomizeInfo.taggedBlob)]),
        MessageTypeDescription(706, "GetContracts", in: .since65, [.request(userQuery), .reply(userList)]),
    ]

    private static let dynamicGroups: [MessageTypeDescription] = [
        MessageTypeDescription(800, "GetGroupInfomation", in: .since65, [.request(groupID), .reply(groupInfo)]),
        MessageTypeDescription(801, "JoinGroup", in: .since65, [.request(groupID), .reply(groupInfo)]),
        MessageTypeDescription(802, "QuitGroup", in: .since65, [.request(groupID)]),
        MessageTypeDescription(803, "PullIntoGroup", in: .since65, [.request(membersByOperator)]),
        MessageTypeDescription(804, "RemoveFromGroup", in: .since65, [.request(membersByOperator)]),
        MessageTypeDescription(805, "SomeoneJoinGroupNotify", in: .since65, [.notice(groupAndUser)]),
        MessageTypeDescription(806, "SomeoneQuitGroupNotify", in: .since65, [.notice(groupAndUser)]),
        MessageTypeDescription(814, "GetMyGroups", in: .since65, [.reply(.list(.string))]),
        MessageTypeDescription(
            815,
            "SetGroupTag",
            in: .since65,
            [.request(.object([.string("GroupID"), .string("Tag")]))]
        ),
        MessageTypeDescription(
            816,
            "GroupTagChangedNotify",
            in: .since65,
            [.notice(.object([.string("GroupID"), .string("OperatorID"), .string("Tag")]))]
        ),
        MessageTypeDescription(817, "InviteJoinGroup", in: .since65, [.request(membersByOperator)]),
        MessageTypeDescription(818, "GetOnlineGroupmates", in: .since65, [.reply(.list(.string))]),
        MessageTypeDescription(
            819,
            "Broadcast",
            in: .since65,
            [.both(.object([.bytes("Content"), .string("GroupID"), .int32("InformationType"), .string("Tag")]))]
        ),
    ]

    private static let userID = BodySchema.object([.string("UserID")])
    private static let groupID = BodySchema.object([.string("GroupID")])
    private static let groupAndUser = BodySchema.object([.string("GroupID"), .string("UserID")])
    private static let userQuery = BodySchema.object([.bool("JustOnline"), .string("Tag")])
    private static let userList = BodySchema.object([.strings("UserList")])
    private static let groupmates = BodySchema.object([.strings("OfflineGroupmates"), .strings("OnlineGroupmates")])
    private static let groupInfo = BodySchema.object([.string("ID"), .strings("Members"), .string("Tag")])
    private static let membersByOperator = BodySchema.object([
        .string("GroupID"), .strings("Members"), .string("OperatorID"),
    ])
    private static let device = BodySchema.object([
        .bool("AllClientType"), .enumeration("ClientType", .clientType72), .string("UserID"),
    ])
    private static let broadcast: [BodyProperty] = [
        .enumeration("ActionTypeOnChannelIsBusy", .actionTypeOnChannelIsBusy), .bytes("Content"), .string("GroupID"),
        .int32("InformationType"),
    ]
}

extension BodyEnumeration {
    static let actionTypeOnChannelIsBusy = BodyEnumeration("ActionTypeOnChannelIsBusy", ["Continue", "Discard"])
}
