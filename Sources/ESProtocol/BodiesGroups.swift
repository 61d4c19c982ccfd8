/// Bodies of the types from 500 on: friends, groups and contacts. PROTOCOL.md section 4.
enum BodiesGroups {
    static let all: [MessageTypeDescription] = friends + groups + contacts + dynamicGroups

    private static let friends: [MessageTypeDescription] = [
        MessageTypeDescription(
            501,
            "FriendNotify",
            .fromServer,
            in: .upTo65,
            [.reply(.object([.bool("Connected"), .string("FriendUserID")]))]
        ),
        MessageTypeDescription(502, "GetFriends", .exchange, in: .upTo65, [.request(userQuery), .reply(userList)]),
    ]

    private static let groups: [MessageTypeDescription] = [
        MessageTypeDescription(601, "GroupmateOfflineNotify", .fromServer, in: .upTo65, [.reply(userID)]),
        MessageTypeDescription(602, "GroupmateConnectedNotify", .fromServer, in: .upTo65, [.reply(userID)]),
        MessageTypeDescription(
            603,
            "GetGroupMembers",
            .exchange,
            in: .upTo65,
            [.request(groupID), .reply(groupmates)]
        ),
        MessageTypeDescription(604, "BroadcastByServer", .any, in: .upTo65, [.both(.object(broadcast))]),
        MessageTypeDescription(605, "BroadcastBlob", .any, in: .upTo65, [.both(BodiesCustomizeInfo.blob)]),
    ]

    private static let contacts: [MessageTypeDescription] = [
        MessageTypeDescription(
            701,
            "ContactsOfflineNotify",
            .fromServer,
            in: .since65,
            [.reply(userID, in: .v65), .reply(device, in: .v72)]
        ),
        MessageTypeDescription(
            702,
            "ContactsConnectedNotify",
            .fromServer,
            in: .since65,
            [.reply(userID, in: .v65), .reply(device, in: .v72)]
        ),
        MessageTypeDescription(
            703,
            "GetGroupMembers",
            .exchange,
            in: .since65,
            [.request(groupID), .reply(groupmates)]
        ),
        MessageTypeDescription(
            704,
            "BroadcastByServer",
            .any,
            in: .since65,
            [.both(.object(broadcast + [.string("Tag")]))]
        ),
        MessageTypeDescription(705, "BroadcastBlob", .any, in: .since65, [.both(BodiesCustomizeInfo.taggedBlob)]),
        MessageTypeDescription(706, "GetContracts", .exchange, in: .since65, [.request(userQuery), .reply(userList)]),
    ]

    /// Of 807 to 813 and 820 no byte was ever seen; the names and bodies are those of public descriptions.
    private static let dynamicGroups: [MessageTypeDescription] = [
        MessageTypeDescription(
            800,
            "GetGroupInfomation",
            .exchange,
            in: .since65,
            [.request(groupID), .reply(groupInfo)]
        ),
        MessageTypeDescription(801, "JoinGroup", .exchange, in: .since65, [.request(groupID), .reply(groupInfo)]),
        MessageTypeDescription(802, "QuitGroup", .fromClient, in: .since65, [.request(groupID)]),
        MessageTypeDescription(803, "PullIntoGroup", .fromClient, in: .since65, [.request(membersByOperator)]),
        MessageTypeDescription(804, "RemoveFromGroup", .fromClient, in: .since65, [.request(membersByOperator)]),
        MessageTypeDescription(805, "SomeoneJoinGroupNotify", .fromServer, in: .since65, [.reply(groupAndUser)]),
        MessageTypeDescription(806, "SomeoneQuitGroupNotify", .fromServer, in: .since65, [.reply(groupAndUser)]),
        MessageTypeDescription(
            807,
            "PullIntoGroupNotify",
            .fromServer,
            in: .since65,
            hasKnownBodies: false
        ),
        MessageTypeDescription(
            808,
            "RemoveFromGroupNotify",
            .fromServer,
            in: .since65,
            hasKnownBodies: false
        ),
        MessageTypeDescription(
            809,
            "SomeonePullIntoGroupNotify",
            .fromServer,
            in: .since65,
            [.reply(membersByOperator, isMeasured: false)]
        ),
        MessageTypeDescription(
            810,
            "SomeoneRemoveFromGroupNotify",
            .fromServer,
            in: .since65,
            [.reply(membersByOperator, isMeasured: false)]
        ),
        MessageTypeDescription(
            811,
            "GroupmateOfflineNotify",
            .fromServer,
            in: .since65,
            [.reply(userID, isMeasured: false)]
        ),
        MessageTypeDescription(
            812,
            "GroupmateOnlineNotify",
            .fromServer,
            in: .since65,
            [.reply(userID, isMeasured: false)]
        ),
        MessageTypeDescription(
            813,
            "InvitedJoinGroupNotify",
            .fromServer,
            in: .since65,
            hasKnownBodies: false
        ),
        MessageTypeDescription(814, "GetMyGroups", .exchange, in: .since65, [.reply(.list(.string))]),
        MessageTypeDescription(
            815,
            "SetGroupTag",
            .fromClient,
            in: .since65,
            [.request(.object([.string("GroupID"), .string("Tag")]))]
        ),
        MessageTypeDescription(
            816,
            "GroupTagChangedNotify",
            .fromServer,
            in: .since65,
            [.reply(.object([.string("GroupID"), .string("OperatorID"), .string("Tag")]))]
        ),
        MessageTypeDescription(817, "InviteJoinGroup", .fromClient, in: .since65, [.request(membersByOperator)]),
        MessageTypeDescription(818, "GetOnlineGroupmates", .exchange, in: .since65, [.reply(.list(.string))]),
        MessageTypeDescription(
            819,
            "Broadcast",
            .any,
            in: .since65,
            [.both(.object([.bytes("Content"), .string("GroupID"), .int32("InformationType"), .string("Tag")]))]
        ),
        MessageTypeDescription(820, "GetMyAllDetailGroups", .exchange, in: .since65, hasKnownBodies: false),
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
