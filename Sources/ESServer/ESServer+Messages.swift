import ESProtocol

extension ESServer {
    /// Does what a message asks for.
    func handle(_ message: Message, _ connection: ServerConnection) async {
        guard let profile = connection.profile else { return }
        let kind = profile.message(message.messageType)
        guard connection.isLoggedOn else {
            switch kind {
            case .logon: await logOn(message, connection)
            case .queryBeforeLogin: answerBeforeLogon(message, connection)
            case .heartBeat: break
            default: close(connection, "a message of type \(message.messageType) before the logon")
            }
            return
        }
        // Nobody speaks for others. (The original library writes its own id in several ways: see LoginID.)
        guard connection.address(message.userID).user == connection.user else {
            say("not relayed: \(connection.loginID) is not \(message.userID.text)", connection.name)
            return
        }
        if let group = group(of: message, kind, profile) {
            await broadcast(message, kind, group, connection)
        } else if message.destUserID.text == SessionProfile.serverID || kind?.isForTheServer == true {
            handleOwn(message, kind, connection)
        } else {
            await relay(message, kind, connection)
        }
    }

    // MARK: - From user to user

    /// The connections that an id means: all devices of a user, or one.
    private func receivers(_ id: LoginID) -> [ServerConnection] {
        online.filter { $0.user == id.user && (id.clientType == nil || id.clientType == $0.clientType) }
    }

    private func relay(_ message: Message, _ kind: SessionMessage?, _ connection: ServerConnection) async {
        if kind == .blobByRapidEngineNeedEcho { echo(message, connection) }
        var message = message
        if kind == .blobByRapidEngineNeedEcho, let profile = connection.profile {
            message.messageType = profile.number(of: .blobByRapidEngine)
        }
        let receivers = receivers(connection.address(message.destUserID)).filter { $0 !== connection }
        guard !receivers.isEmpty else {
            say("not delivered: \(message.destUserID.text) is not online", connection.name)
            return
        }
        for receiver in receivers { send(message, to: receiver) }
        await waitForRoom(receivers)
    }

    /// Hands a user's message to the user's other devices.
    private func echo(_ message: Message, _ connection: ServerConnection) {
        var copy = message
        if let profile = connection.profile { copy.messageType = profile.number(of: .blobByRapidEngineEchoNotify) }
        for device in online where device.user == connection.user && device !== connection {
            send(copy, to: device)
        }
    }

    /// The group that a message is for; `nil` if it is for none.
    private func group(of message: Message, _ kind: SessionMessage?, _ profile: SessionProfile) -> String? {
        switch kind {
        case .broadcastByServer, .broadcastBlob, .broadcastToContacts, .broadcastBlobToContacts, .broadcast:
            let receiver = message.destUserID.text
            return profile.version == .v72 && receiver.hasPrefix("_") ? String(receiver.dropFirst()) : receiver
        default: return nil
        }
    }

    private func broadcast(
        _ message: Message,
        _ kind: SessionMessage?,
        _ group: String,
        _ connection: ServerConnection
    ) async {
        let members = groups.members(group)
        let receivers = online.filter { $0 !== connection && members?.contains($0.user) != false }
        guard !receivers.isEmpty else {
            say("not delivered: nobody else of group \(group) is online", connection.name)
            return
        }
        var message = message
        // The one broadcast that arrives with the bare name of the group.
        if kind == .broadcast { message.destUserID = Message.ID(group) }
        for receiver in receivers { send(message, to: receiver) }
        await waitForRoom(receivers)
    }

    // MARK: - To the server

    private func handleOwn(_ message: Message, _ kind: SessionMessage?, _ connection: ServerConnection) {
        guard let profile = connection.profile else { return }
        func reply(_ body: BodyValue?, _ kind: SessionMessage) {
            send(kind, body, id: message.messageID, to: connection)
        }
        let request = kind.flatMap { profile.schema(of: $0, isRequest: true) }
            .flatMap { try? $0.value(parsing: message.body) }
        func text(_ name: String) -> String { request?[name]?.text ?? "" }

        switch kind {
        case .heartBeat:
            if options.echoesHeartbeats { send(message, to: connection) }
        case .pingByServer: reply(nil, .pingAck)
        case .logon: close(connection, "a second logon over the same connection; \(connection.loginID) is offline")
        case .getMyIPE: reply(endpoint(connection), .getMyIPE)
        case .getMyPublicIPE:
            let port = profile.version == .v47 ? "PublicTcpPort" : "PublicPort"
            let address = connection.socket.remoteAddress
            reply(
                .object([
                    BodyValue.Property("IP", .string(address.host)),
                    BodyValue.Property(port, .integer(Int64(address.port))),
                ]),
                .getMyPublicIPE
            )
        case .getUserIPE: reply(endpoint(online.first { $0.user == text("UserID") }), .getUserIPE)
        case .getAllOnlineUsers: reply(users(onlineUsers), .getAllOnlineUsers)
        case .getFriends: reply(users(onlineUsers), .getFriends)
        case .getContacts: reply(users(onlineUsers), .getContacts)
        case .queryOnline:
            reply(.object([BodyValue.Property("Online", .boolean(isOnline(text("UserID"))))]), .queryOnline)
        case .queryOnlines: reply(onlineFlags(request), .queryOnlines)
        case .getMyOnlineDevice:
            let devices = online.filter { $0.user == connection.user }.map { BodyValue.integer(Int64($0.clientType)) }
            reply(.list(devices), .getMyOnlineDevice)
        case .getGroupMembers: reply(groupmates(text("GroupID")), .getGroupMembers)
        case .getContactsGroupMembers: reply(groupmates(text("GroupID")), .getContactsGroupMembers)
        case .kickOut: kickOut(text("UserBeKickedOut"), connection)
        case .request: answer(message, request, connection)
        case .blobQuery: answerBlob(message, request, connection)
        case .queryBeforeLogin: answerBeforeLogon(message, connection)
        case .p2pLogon: connection.peerAddress = request?["P2PAddress"]
        case .reqUserData: reply(peerData(request, profile), .reqUserData)
        case .joinGroup, .quitGroup, .getGroupInformation, .getMyGroups, .setGroupTag, .getOnlineGroupmates:
            handleDynamicGroup(message, kind, request, connection)
        case .ack, .response, .pingAck, .getClientTimeResponse, .informationByPost, .informationBySend,
            .blobInformation, .blobByRapidEngine, .blobByRapidEngineNeedEcho:
            break
        case .informationNeedAck: reply(nil, .ack)
        default: say("not answered: nothing is known of type \(message.messageType)", connection.name)
        }
    }

    private func isOnline(_ user: String) -> Bool { online.contains { $0.user == user } }

    private func users(_ users: [String]) -> BodyValue {
        .object([BodyValue.Property("UserList", .list(users.map { .string($0) }))])
    }

    private func endpoint(_ connection: ServerConnection?) -> BodyValue {
        let address = connection?.socket.remoteAddress
        return .object([
            BodyValue.Property("IP", address.map { .string($0.host) } ?? .null),
            BodyValue.Property("Port", .integer(Int64(address?.port ?? 0))),
        ])
    }

    private func onlineFlags(_ request: BodyValue?) -> BodyValue {
        guard case .list(let users) = request else { return .dictionary([]) }
        return .dictionary(
            users.compactMap(\.text).map {
                BodyValue.Entry(key: .string($0), value: .boolean(isOnline($0)))
            }
        )
    }

    private func groupmates(_ group: String) -> BodyValue {
        let members = groups.members(group) ?? onlineUsers
        return .object([
            BodyValue.Property("OfflineGroupmates", .list(members.filter { !isOnline($0) }.map { .string($0) })),
            BodyValue.Property(
                "OnlineGroupmates",
                .list(onlineUsers.filter { members.contains($0) }.map { .string($0) })
            ),
        ])
    }

    private func kickOut(_ user: String, _ connection: ServerConnection) {
        guard options.allowsKickOut else {
            say("not done: clients may not kick out each other", connection.name)
            return
        }
        for device in online where device.user == user {
            say("\(device.loginID) is kicked out by \(connection.loginID)", device.name)
            send(.beingKickedOutNotify, nil, to: device)
            leave(device)
            letGo(device)
        }
    }

    private func peerData(_ request: BodyValue?, _ profile: SessionProfile) -> BodyValue? {
        guard let user = request?["FriendID"]?.text else { return nil }
        let type = request?["ClientType"]?.number
        let friend = online.first {
            $0.user == user && $0.peerAddress != nil && (type == nil || type == Int64($0.clientType))
        }
        guard let friend, let address = friend.peerAddress else { return nil }
        var properties = [
            BodyValue.Property("P2PAddress", address), BodyValue.Property("UserID", .string(user)),
        ]
        if profile.version == .v72 {
            properties.insert(BodyValue.Property("ClientType", .integer(Int64(friend.clientType))), at: 0)
        }
        return .object(properties)
    }
}

extension SessionMessage {
    /// Goes to the server, whatever receiver its header names (in 7.2 that may be a group).
    var isForTheServer: Bool {
        switch self {
        case .logon, .heartBeat, .kickOut, .getGroupMembers, .getContactsGroupMembers, .joinGroup, .quitGroup,
            .getGroupInformation, .getMyGroups, .setGroupTag, .getOnlineGroupmates:
            true
        default: false
        }
    }
}
