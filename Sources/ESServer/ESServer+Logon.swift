import ESProtocol

extension ESServer {
    /// LogonResult, as the framework counts.
    private enum LogonNumber: Int64 { case succeeded, failed, alreadyOnline }

    func logOn(_ message: Message, _ connection: ServerConnection) async {
        guard let profile = connection.profile else { return }
        let id = connection.address(message.userID)
        // Not `id.user.utf8`: what is not UTF-8 must stay so.
        let prefix = message.userID.bytes.count - id.user.utf8.count
        let bytes = id.clientType == nil ? message.userID.bytes : Array(message.userID.bytes.dropFirst(max(prefix, 0)))
        connection.loginID = message.userID.text
        guard
            let schema = profile.schema(of: .logon, isRequest: true),
            let body = try? schema.value(parsing: message.body)
        else {
            refuse(message, connection, "the logon is not understood")
            return
        }
        if let objection = UserIDCheck.objection(bytes, maximumLength: options.maximumUserIDLength) {
            refuse(message, connection, "\(objection) is not taken")
            return
        }
        if let check = options.checkPassword {
            let verdict = await check(id.user, body["Password"]?.text ?? "")
            guard connections[connection.name.number] != nil else { return }
            switch verdict {
            case .right: break
            case .wrong:
                refuse(message, connection, "wrong user or password")
                return
            case .busy:
                refuse(message, connection, "too many logons at a time, try again")
                return
            }
        }
        if let first = online.first(where: { $0.user == id.user && $0.clientType == message.clientType }) {
            guard options.secondLogon == .replaces else {
                refuse(message, connection, "the user is logged on already", .alreadyOnline)
                return
            }
            say("\(first.loginID) logs on from \(connection.name.client): pushed out", first.name)
            send(.beingPushedOutNotify, nil, to: first)
            online.removeAll { $0 === first }
            letGo(first)
        }
        connection.user = id.user
        connection.clientType = message.clientType
        connection.state = .loggedOn
        let others = online
        online.append(connection)
        reply(.succeeded, "", to: message, connection)
        say("\(connection.loginID) is online", connection.name)
        tell(others, of: connection, isOnline: true)
    }

    private func refuse(
        _ message: Message,
        _ connection: ServerConnection,
        _ cause: String,
        _ number: LogonNumber = .failed
    ) {
        reply(number, cause, to: message, connection)
        say("logon refused: \(cause)", connection.name)
        letGo(connection)
    }

    private func reply(
        _ number: LogonNumber,
        _ cause: String,
        to message: Message,
        _ connection: ServerConnection
    ) {
        let isSuccess = number == .succeeded
        send(
            .logon,
            .object([
                BodyValue.Property("FailureCause", .string(cause)),
                BodyValue.Property("GroupRelationEnabled", .boolean(isSuccess && options.sendsNotices)),
                BodyValue.Property("LogonResult", .integer(number.rawValue)),
                BodyValue.Property("P2PEnabled", .boolean(isSuccess && options.offersPeerToPeer)),
                BodyValue.Property("UseAsP2PServer", .boolean(false)),
            ]),
            id: message.messageID,
            to: connection
        )
    }

    /// A user has gone.
    func leave(_ connection: ServerConnection) {
        guard online.contains(where: { $0 === connection }) else { return }
        online.removeAll { $0 === connection }
        tell(online, of: connection, isOnline: false)
    }

    /// Tells others that a user came or went.
    private func tell(_ others: [ServerConnection], of connection: ServerConnection, isOnline: Bool) {
        guard options.sendsNotices else { return }
        let user = connection.user
        for other in others {
            guard let profile = other.profile else { continue }
            if profile.version == .v72 {
                tellDevice(other, of: connection, isOnline: isOnline)
                continue
            }
            guard other.user != user else { continue }
            send(
                .friendNotify,
                .object([
                    BodyValue.Property("Connected", .boolean(isOnline)),
                    BodyValue.Property("FriendUserID", .string(user)),
                ]),
                to: other
            )
            guard groups.shareGroup(user, other.user) else { continue }
            send(
                isOnline ? .groupmateConnectedNotify : .groupmateOfflineNotify,
                .object([BodyValue.Property("UserID", .string(user))]),
                to: other
            )
        }
    }

    private func tellDevice(_ other: ServerConnection, of connection: ServerConnection, isOnline: Bool) {
        let type = BodyValue.integer(Int64(connection.clientType))
        guard other.user != connection.user else {
            send(
                .deviceOnOfflineNotify,
                .object([BodyValue.Property("ClientType", type), BodyValue.Property("Online", .boolean(isOnline))]),
                to: other
            )
            return
        }
        let isLast = !isOnline && !online.contains { $0.user == connection.user }
        send(
            isOnline ? .contactsConnectedNotify : .contactsOfflineNotify,
            .object([
                BodyValue.Property("AllClientType", .boolean(isLast)),
                BodyValue.Property("ClientType", type),
                BodyValue.Property("UserID", .string(connection.user)),
            ]),
            to: other
        )
    }
}
