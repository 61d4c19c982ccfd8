/// Bodies of the types from 400 on: how two clients find each other. PROTOCOL.md section 4.
enum BodiesPeerToPeer {
    static let all: [MessageTypeDescription] = [
        MessageTypeDescription(
            401,
            "P2PLogon",
            .fromClient,
            [
                .request(.object([.bool("IsPublicIP"), address]), in: .since65),
                .request(.object([address]), in: .v47),
            ]
        ),
        MessageTypeDescription(
            402,
            "ReqUserData",
            .exchange,
            [
                .request(.object([.string("FriendID")]), in: .upTo65),
                .request(.object([.enumeration("ClientType", .clientType72), .string("FriendID")]), in: .v72),
                .reply(.object([address, .string("UserID")]), in: .upTo65),
                .reply(
                    .object([.enumeration("ClientType", .clientType72), address, .string("UserID")]),
                    in: .v72
                ),
            ]
        ),
        MessageTypeDescription(403, "InviteTcpP2P", .any),
        MessageTypeDescription(404, "InviteUdpP2P", .any),
        MessageTypeDescription(
            405,
            "GetMyPublicIPE",
            .exchange,
            [
                .reply(.object([.string("IP"), .int32("PublicPort")]), in: .since65),
                .reply(.object([.string("IP"), .int32("PublicTcpPort")]), in: .v47),
            ]
        ),
        MessageTypeDescription(
            406,
            "P2PUdpProbe",
            .any,
            in: .v47,
            [.both(.object([BodyProperty("EndingIPE", endPoint)]))]
        ),
        MessageTypeDescription(
            407,
            "ReceiveUdpP2PProbe",
            .any,
            in: .v47,
            [.both(.object([BodyProperty("EndingIPEndPoint", endPoint), BodyProperty("SourceIPEndPoint", endPoint)]))]
        ),
        MessageTypeDescription(408, "TcpP2PChannelTest", .any),
        MessageTypeDescription(
            409,
            "GetMyPublicUdpPort",
            .exchange,
            in: .v47,
            [.reply(.object([.int32("PublicUdpPort")]))]
        ),
        MessageTypeDescription(410, "Help4UDP_FeedbackVacancy", .any, in: .since65, [.both(.object([.bytes("Buff")]))]),
        MessageTypeDescription(411, "Help4UDP_SynAck", .any, in: .since65, [.both(endPoint)]),
        MessageTypeDescription(412, "Help4UDP_Exit", .any, in: .since65, hasKnownBodies: false),
        MessageTypeDescription(
            413,
            "Help4UDP_PMTUTestAck",
            .any,
            in: .since65,
            [.both(.object([BodyProperty("Pmtu", .uint16)]))]
        ),
    ]

    private static let endPoint = BodySchema.object([.string("IPAddress"), .int32("Port")])

    private static let address = BodyProperty(
        "P2PAddress",
        .object([
            .string("PrivateIP"), .int32("PrivateTcpPort"), .int32("PrivateUdpPort"), .string("PublicIP"),
            .int32("PublicTcpPort"), .int32("PublicUdpPort"),
        ])
    )
}
