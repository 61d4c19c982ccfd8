/// Bodies of the types from 100 on: the session itself. PROTOCOL.md section 4.
enum BodiesBasic {
    static let all: [MessageTypeDescription] = [
        MessageTypeDescription(101, "GetMyIPE", .exchange, [.reply(.object([.string("IP"), .int32("Port")]))]),
        MessageTypeDescription(102, "PingByServer", .any),
        MessageTypeDescription(103, "PingAck", .any),
        MessageTypeDescription(104, "HeartBeat", .any),
        MessageTypeDescription(105, "BeingPushedOutNotify", .fromServer),
        MessageTypeDescription(106, "PingByP2PChannel", .any, in: .v47),
        MessageTypeDescription(108, "KickOut", .fromClient, [.request(.object([.string("UserBeKickedOut")]))]),
        MessageTypeDescription(109, "BeingKickedOutNotify", .fromServer),
        MessageTypeDescription(110, "GetAllOnlineUsers", .exchange, [.reply(.object([.strings("UserList")]))]),
        MessageTypeDescription(
            111,
            "QueryOnline",
            .exchange,
            [.request(.object([.string("UserID")])), .reply(.object([.bool("Online")]))]
        ),
        logon,
        MessageTypeDescription(
            113,
            "GetUserIPE",
            .exchange,
            [.request(.object([.string("UserID")])), .reply(.object([.string("IP"), .int32("Port")]))]
        ),
        MessageTypeDescription(
            114,
            "QueryOnlines",
            .exchange,
            [.request(.list(.string)), .reply(.dictionary(key: .string, value: .boolean))]
        ),
        MessageTypeDescription(115, "CallClient", .fromServer, in: .since65, [.reply(.object([.int32("InstanceID")]))]),
        logon40,
        MessageTypeDescription(
            116,
            "GetMyOnlineDevice",
            .exchange,
            in: .v72,
            [.reply(.list(.enumeration(.clientType72)))]
        ),
        MessageTypeDescription(
            117,
            "DeviceOnOfflineNotify",
            .fromServer,
            in: .v72,
            [.reply(.object([.enumeration("ClientType", .clientType72), .bool("Online")]))]
        ),
        MessageTypeDescription(
            118,
            "QueryBeforeLogin",
            .exchange,
            in: .v72,
            [
                .request(.object([.string("Content"), .int32("QueryType")])),
                .reply(.object([.string("Response")])),
            ]
        ),
        MessageTypeDescription(199, "PingByP2PChannel", .any, in: .since65),
    ]

    private static let logon = MessageTypeDescription(
        112,
        "Logon",
        .exchange,
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
        .exchange,
        in: .v40,
        [.request(.object([.secret("Password"), .string("SystemToken")]), in: .v40)]
    )
}

extension BodyEnumeration {
    static let logonResult = BodyEnumeration("LogonResult", ["Succeed", "Failed", "HadLoggedOn", "VersionMismatched"])
    static let logonResult72 = BodyEnumeration("LogonResult", logonResult.names + ["ClientTypeMismatched"])
    static let clientType72 = BodyEnumeration(
        "ClientType",
        ClientTypeTable.names(.v72).enumerated().map { $1 ?? String($0) }
    )
}
