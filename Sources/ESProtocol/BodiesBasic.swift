/// Bodies of the types from 100 on: the session itself. PROTOCOL.md section 4.
enum BodiesBasic {
    static let all: [MessageTypeDescription] = [
        MessageTypeDescription(101, "GetMyIPE", [.reply(.object([.string("IP"), .int32("Port")]))]),
        MessageTypeDescription(102, "PingByServer"),
        MessageTypeDescription(103, "PingAck"),
        MessageTypeDescription(104, "HeartBeat"),
        MessageTypeDescription(105, "BeingPushedOutNotify"),
        MessageTypeDescription(106, "PingByP2PChannel", in: .v47),
        MessageTypeDescription(108, "KickOut", [.request(.object([.string("UserBeKickedOut")]))]),
        MessageTypeDescription(109, "BeingKickedOutNotify"),
        MessageTypeDescription(110, "GetAllOnlineUsers", [.reply(.object([.strings("UserList")]))]),
        MessageTypeDescription(
            111,
            "QueryOnline",
            [.request(.object([.string("UserID")])), .reply(.object([.bool("Online")]))]
        ),
        logon,
        MessageTypeDescription(
            113,
            "GetUserIPE",
            [.request(.object([.string("UserID")])), .reply(.object([.string("IP"), .int32("Port")]))]
        ),
        MessageTypeDescription(
            114,
            "QueryOnlines",
            [.request(.list(.string)), .reply(.dictionary(key: .string, value: .boolean))]
        ),
        MessageTypeDescription(115, "CallClient", in: .since65, [.notice(.object([.int32("InstanceID")]))]),
        logon40,
        MessageTypeDescription(116, "GetMyOnlineDevice", in: .v72, [.reply(.list(.enumeration(.clientType72)))]),
        MessageTypeDescription(
            117,
            "DeviceOnOfflineNotify",
            in: .v72,
            [.notice(.object([.enumeration("ClientType", .clientType72), .bool("Online")]))]
        ),
        MessageTypeDescription(
            118,
            "QueryBeforeLogin",
            in: .v72,
            [
                .request(.object([.string("Content"), .int32("QueryType")])),
                .reply(.object([.string("Response")])),
            ]
        ),
        MessageTypeDescription(199, "PingByP2PChannel", in: .since65),
    ]

    private static let logon = MessageTypeDescription(
        112,
        "Logon",
        [
            .request(.object([.string("AuthorizedUser"), .secret("Password"), .string("SystemToken")])),
            .reply(
                .object([
                    .string("FailureCause"), .bool("GroupRelationEnabled"),
                    .enumeration("LogonResult", .logonResult), .bool("P2PEnabled"), .bool("UseAsP2PServer"),
                ]),
                in: .upTo65
            ),
            .reply(
                .object([
                    .string("FailureCause"), .bool("GroupRelationEnabled"),
                    .enumeration("LogonResult", .logonResult72), .bool("P2PEnabled"), .bool("UseAsP2PServer"),
                ]),
                in: .v72
            ),
        ]
    )

    /// The one message of 4.0 that is known.
    private static let logon40 = MessageTypeDescription(
        116,
        "Logon",
        in: .v40,
        [.request(.object([.secret("Password"), .string("SystemToken")]), in: .v40)]
    )
}

extension BodyEnumeration {
    static let logonResult = BodyEnumeration("LogonResult", ["Succeed", "Failed", "HadLoggedOn", "VersionMismatched"])
    static let logonResult72 = BodyEnumeration("LogonResult", logonResult.names + ["ClientTypeMismatched"])
    static let clientType72 = BodyEnumeration("ClientType", Profile(.v72).clientTypeNames)
}
