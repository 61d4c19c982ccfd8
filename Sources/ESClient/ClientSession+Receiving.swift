import ESProtocol

extension ClientSession {
    /// Takes bytes that came.
    /// - Parameter time: what the client answers when it is asked for its time.
    /// - Returns: what came of them, in order.
    public mutating func receive(
        _ bytes: some Collection<UInt8>,
        time: @autoclosure () -> LocalTime = .now()
    ) -> [Output] {
        decoder.push(bytes)
        var outputs: [Output] = []
        do throws(MessageDecoder.Failure) {
            while state != .ended, let message = try decoder.next() { receive(message, time, &outputs) }
        } catch {
            state = .ended
            outputs.append(.failed(error))
        }
        return outputs
    }

    /// The user of an id that stands in a header.
    private func user(_ id: Message.ID) -> String { profile.hasLoginIDs ? LoginID(id.text).user : id.text }

    private mutating func receive(_ message: Message, _ time: () -> LocalTime, _ outputs: inout [Output]) {
        guard let kind = profile.message(message.messageType) else {
            outputs.append(.event(.other(message)))
            return
        }
        if kind == .logon, state == .loggingOn {
            receiveLogonReply(message, &outputs)
        } else if expected[message.messageID]?.contains(message.messageType) == true {
            receiveReply(kind, message, &outputs)
        } else {
            receiveUnasked(kind, message, time, &outputs)
        }
    }

    private func value(_ kind: SessionMessage, _ message: Message, isRequest: Bool = false) -> BodyValue? {
        guard let schema = profile.schema(of: kind, isRequest: isRequest) else { return nil }
        return try? schema.value(parsing: message.body)
    }

    private mutating func receiveLogonReply(_ message: Message, _ outputs: inout [Output]) {
        let result =
            value(.logon, message).map { LogonResult($0) } ?? .other(-1, cause: "a reply that is not understood")
        state = result.isSuccess ? .loggedOn : .ended
        // Before anything that is sent because the logon succeeded, as the original library has it.
        if result.isSuccess, let bytes = try? heartbeat() { outputs.append(.send(bytes)) }
        outputs.append(.logonResult(result))
    }

    private mutating func receiveReply(_ kind: SessionMessage, _ message: Message, _ outputs: inout [Output]) {
        var reply = Reply(message: message)
        if kind == .blobQueryResult {
            switch assemble(kind, message) {
            case .complete(let bytes): reply.blob = bytes
            case .incomplete: return
            case .discarded: break
            }
        }
        expected[message.messageID] = nil
        outputs.append(.reply(to: message.messageID, reply))
    }

    private mutating func receiveUnasked(
        _ kind: SessionMessage,
        _ message: Message,
        _ time: () -> LocalTime,
        _ outputs: inout [Output]
    ) {
        let body = value(kind, message)
        switch kind {
        case .pingByServer, .pingByP2PChannel:
            send(.pingAck, inAnswerTo: message, &outputs)
        case .getClientTimeRequest where profile.version != .v47:
            let answer = BodyValue.object([
                BodyValue.Property("Time", .date(BodyDate(raw: time().milliseconds, encoding: .milliseconds)))
            ])
            send(.getClientTimeResponse, answer, inAnswerTo: message, &outputs)
        case .informationByPost, .informationBySend:
            receiveInformation(kind, message, body, &outputs)
        case .informationNeedAck:
            receiveInformation(kind, message, body, &outputs)
            send(.ack, inAnswerTo: message, &outputs)
        case .request:
            guard let body, let type = body["InformationType"]?.number else {
                outputs.append(.event(.other(message)))
                return
            }
            outputs.append(
                .event(
                    .query(
                        IncomingQuery(
                            sender: user(message.userID),
                            senderID: message.userID.text,
                            receiverID: message.destUserID.text,
                            type: Int32(truncatingIfNeeded: type),
                            content: body["Content"]?.content,
                            messageID: message.messageID
                        )
                    )
                )
            )
        case .blobInformation, .blobByRapidEngine, .blobByRapidEngineNeedEcho, .blobByRapidEngineEchoNotify,
            .blobByRapidEngineToSpecialDevice, .broadcastBlob, .broadcastBlobToContacts:
            receiveFragment(kind, message, body, &outputs)
        case .broadcastByServer, .broadcastToContacts, .broadcast:
            receiveInformation(kind, message, body, &outputs)
        case .beingPushedOutNotify: end(.pushedOut, &outputs)
        case .beingKickedOutNotify: end(.kickedOut, &outputs)
        case .heartBeat, .pingAck, .ack, .response:
            // The echo of a heartbeat, or a reply that nobody waits for any more.
            break
        default:
            if let notice = body.flatMap({ Notice(kind, $0) }) {
                outputs.append(.event(.notice(notice)))
            } else {
                outputs.append(.event(.other(message)))
            }
        }
    }

    private func send(
        _ kind: SessionMessage,
        _ value: BodyValue? = nil,
        inAnswerTo message: Message,
        _ outputs: inout [Output]
    ) {
        // The receiver of what is answered stands as the sender, as the original library has it.
        guard let body = try? self.body(kind, value),
            let bytes = try? encode(
                kind,
                id: message.messageID,
                from: message.destUserID.text.isEmpty ? nil : message.destUserID.text,
                to: user(message.userID),
                body: body
            )
        else { return }
        outputs.append(.send(bytes))
    }

    private mutating func end(_ reason: ClientEvent.EndReason, _ outputs: inout [Output]) {
        // A last heartbeat, which 4.7 does not send.
        if profile.version != .v47, let bytes = try? heartbeat() { outputs.append(.send(bytes)) }
        state = .ended
        outputs.append(.end(reason))
    }

    private func incoming(_ kind: SessionMessage, _ message: Message, type: Int64) -> IncomingMessage {
        IncomingMessage(
            sender: user(message.userID),
            senderID: message.userID.text,
            receiverID: message.destUserID.text,
            group: nil,
            type: Int32(truncatingIfNeeded: type),
            content: nil,
            tag: nil,
            messageID: message.messageID,
            carrier: kind
        )
    }

    private func receiveInformation(
        _ kind: SessionMessage,
        _ message: Message,
        _ body: BodyValue?,
        _ outputs: inout [Output]
    ) {
        guard let body, let type = body["InformationType"]?.number else {
            outputs.append(.event(.other(message)))
            return
        }
        var incoming = incoming(kind, message, type: type)
        incoming.content = body["Content"]?.content
        incoming.group = body["GroupID"]?.text
        incoming.tag = body["Tag"]?.text
        outputs.append(.event(.message(incoming)))
    }

    // MARK: - Blobs

    private mutating func assemble(_ kind: SessionMessage, _ message: Message) -> BlobAssembler.Outcome {
        guard let body = value(kind, message), let id = body["BlobID"]?.number,
            let index = body["FragmentIndex"]?.number
        else { return .discarded("a fragment that is not understood") }
        return blobs.add(
            body["Fragment"]?.content ?? [],
            index: Int32(truncatingIfNeeded: index),
            isLast: body["IsLast"] == .boolean(true),
            to: BlobAssembler.Key(
                sender: message.userID.bytes,
                receiver: message.destUserID.bytes,
                messageType: message.messageType,
                blobID: Int32(truncatingIfNeeded: id)
            )
        )
    }

    private mutating func receiveFragment(
        _ kind: SessionMessage,
        _ message: Message,
        _ body: BodyValue?,
        _ outputs: inout [Output]
    ) {
        switch assemble(kind, message) {
        case .incomplete: break
        case .discarded(let reason):
            outputs.append(.event(.blobDiscarded(from: message.userID.text, reason: reason)))
        case .complete(let bytes):
            var incoming = incoming(kind, message, type: body?["InformationType"]?.number ?? 0)
            incoming.content = bytes
            guard kind != .blobInformation, kind != .broadcastBlob else {
                outputs.append(.event(.blob(incoming)))
                return
            }
            // The others hold a message and its tag.
            if let (content, tag) = Self.contentAndTag(bytes) {
                incoming.content = content
                incoming.tag = tag
            }
            outputs.append(.event(.message(incoming)))
        }
    }

    private static func contentAndTag(_ bytes: [UInt8]) -> ([UInt8]?, String?)? {
        do throws(BodyError) {
            var reader = PrimitiveReader(bytes)
            guard var object = try reader.object() else { return nil }
            return (try object.lengthPrefixedBytes(), try object.string())
        } catch {
            return nil
        }
    }
}

extension BodyValue {
    /// The bytes of a property of bytes; `nil` for null.
    var content: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .string(let text): Array(text.utf8)
        default: nil
        }
    }
}

extension Notice {
    /// What a message of the server tells; `nil` if it is no notice.
    init?(_ kind: SessionMessage, _ body: BodyValue) {
        func text(_ name: String) -> String? { body[name]?.text }
        func clientType() -> UInt8? { body["ClientType"]?.number.map { UInt8(truncatingIfNeeded: $0) } }
        switch kind {
        case .friendNotify:
            guard let user = text("FriendUserID") else { return nil }
            self =
                body["Connected"] == .boolean(true)
                ? .online(user: user, relation: .friend) : .offline(user: user, relation: .friend)
        case .groupmateConnectedNotify:
            guard let user = text("UserID") else { return nil }
            self = .online(user: user, relation: .groupmate)
        case .groupmateOfflineNotify:
            guard let user = text("UserID") else { return nil }
            self = .offline(user: user, relation: .groupmate)
        case .contactsConnectedNotify:
            guard let user = text("UserID") else { return nil }
            self = .online(user: user, relation: .contact, clientType: clientType())
        case .contactsOfflineNotify:
            guard let user = text("UserID") else { return nil }
            self = .offline(
                user: user,
                relation: .contact,
                clientType: clientType(),
                isLastDevice: body["AllClientType"] != .boolean(false)
            )
        case .deviceOnOfflineNotify:
            guard let type = clientType() else { return nil }
            self = .ownDevice(clientType: type, isOnline: body["Online"] == .boolean(true))
        case .someoneJoinGroupNotify, .someoneQuitGroupNotify:
            guard let user = text("UserID"), let group = text("GroupID") else { return nil }
            self =
                kind == .someoneJoinGroupNotify
                ? .joinedGroup(user: user, group: group) : .quitGroup(user: user, group: group)
        case .groupTagChangedNotify:
            guard let user = text("OperatorID"), let group = text("GroupID") else { return nil }
            self = .groupTagChanged(group: group, by: user, tag: text("Tag"))
        default: return nil
        }
    }
}
