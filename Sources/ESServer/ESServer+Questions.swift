import ESProtocol

extension ESServer {
    /// Bytes of one fragment of an answer, as the original library cuts questions.
    private static let answerFragmentSize = 1200

    func answer(_ message: Message, _ request: BodyValue?, _ connection: ServerConnection) {
        guard let type = request?["InformationType"]?.number else {
            say("not answered: the question is not understood", connection.name)
            return
        }
        let query = ServerQuery(
            kind: .request,
            user: connection.user,
            type: Int32(truncatingIfNeeded: type),
            content: request?["Content"]?.bytes
        )
        switch options.answer(query) {
        case .content(let content):
            send(
                .response,
                .object([
                    BodyValue.Property("Content", content.map { .bytes($0) } ?? .null),
                    BodyValue.Property("InformationType", .integer(type)),
                ]),
                id: message.messageID,
                to: connection
            )
        case .failure: send(.response, nil, id: message.messageID, to: connection)
        case .none: say("not answered: a question of type \(type)", connection.name)
        }
    }

    func answerBeforeLogon(_ message: Message, _ connection: ServerConnection) {
        guard let schema = connection.profile?.schema(of: .queryBeforeLogin, isRequest: true),
            let request = try? schema.value(parsing: message.body), let type = request["QueryType"]?.number
        else {
            close(connection, "the question before the logon is not understood")
            return
        }
        let query = ServerQuery(
            kind: .beforeLogon,
            user: "",
            type: Int32(truncatingIfNeeded: type),
            content: request["Content"]?.text.map { Array($0.utf8) }
        )
        guard case .content(let content) = options.answer(query) else {
            say("not answered: a question of type \(type)", connection.name)
            return
        }
        // Who has not logged on is called nothing.
        if !connection.isLoggedOn { connection.loginID = message.userID.text }
        let text = content.map { BodyValue.string(String(decoding: $0, as: UTF8.self)) } ?? .null
        send(
            .queryBeforeLogin,
            .object([BodyValue.Property("Response", text)]),
            id: message.messageID,
            to: connection
        )
    }

    /// A question in fragments: it is answered when the last has come, with the id of that.
    func answerBlob(_ message: Message, _ request: BodyValue?, _ connection: ServerConnection) {
        guard let blobID = request?["BlobID"]?.number, let index = request?["FragmentIndex"]?.number,
            let type = request?["InformationType"]?.number, let fragment = request?["Fragment"]?.bytes
        else {
            say("not answered: the question is not understood", connection.name)
            return
        }
        if index == 0 { connection.question = (blobID, []) }
        guard let before = connection.question, before.blobID == blobID,
            before.content.count + fragment.count <= options.maximumBody
        else {
            connection.question = nil
            say("not answered: a question whose fragments do not fit together, or are too many", connection.name)
            return
        }
        connection.question?.content += fragment
        guard request?["IsLast"] == .boolean(true) else { return }
        let content = connection.question?.content
        connection.question = nil
        let query = ServerQuery(
            kind: .blob,
            user: connection.user,
            type: Int32(truncatingIfNeeded: type),
            content: content
        )
        guard case .content(let answer?) = options.answer(query) else {
            say("not answered: a question of type \(type)", connection.name)
            return
        }
        var offset = 0
        var next: Int64 = 0
        repeat {
            let end = min(offset + Self.answerFragmentSize, answer.count)
            send(
                .blobQueryResult,
                .object([
                    BodyValue.Property("BlobID", .integer(blobID)),
                    BodyValue.Property("Fragment", .bytes(Array(answer[offset..<end]))),
                    BodyValue.Property("FragmentIndex", .integer(next)),
                    BodyValue.Property("InformationType", .integer(type)),
                    BodyValue.Property("IsLast", .boolean(end == answer.count)),
                ]),
                id: message.messageID,
                to: connection
            )
            offset = end
            next += 1
        } while offset < answer.count
    }
}

extension BodyValue {
    /// The bytes of a property of bytes; `nil` for null.
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
