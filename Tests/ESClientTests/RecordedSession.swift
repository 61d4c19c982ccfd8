import ESClient
import ESProtocol
import TestSupport
import Testing

/// One client's session of a recording, message by message.
struct RecordedSession {
    enum Step {
        case sent(Message)
        case received(Message)
    }

    let profile: SessionProfile
    /// In the order of the packets.
    let steps: [Step]

    /// The sessions of a recording, in the order of their beginning; none if it is not there.
    static func all(_ version: ProtocolVersion, _ name: String) throws -> [RecordedSession] {
        let folder = version == .v47 ? "4.7.3" : version.name
        guard let path = recording(folder, name) else { return [] }
        var order: [UInt16] = []
        var decoders: [UInt16: [MessageDecoder]] = [:]
        var steps: [UInt16: [Step]] = [:]
        for piece in try recordedPieces(path) {
            guard case .bytes(let bytes) = piece.kind else { continue }
            if decoders[piece.client] == nil {
                order.append(piece.client)
                decoders[piece.client] = [0, 1].map { _ in MessageDecoder(layout: nil, maximumBody: 1 << 20) }
            }
            let side = piece.isFromClient ? 0 : 1
            decoders[piece.client]?[side].push(bytes)
            while let message = try decoders[piece.client]?[side].next() {
                steps[piece.client, default: []].append(piece.isFromClient ? .sent(message) : .received(message))
            }
        }
        return order.compactMap { client in
            guard let steps = steps[client], case .sent(let first) = steps.first else { return nil }
            var profile = SessionProfile(version, clientType: first.clientType)
            profile.layout = first.layout
            return RecordedSession(profile: profile, steps: steps)
        }
    }
}

/// Plays a recorded session: does what the original client did and compares every byte that is sent, and pushes what the server
/// sent in pieces.
struct SessionPlayer {
    var session: ClientSession
    /// Bytes that are pushed at a time.
    let pieceSize: Int
    /// What a client sends by itself and was not in the recording yet.
    private var answers: [[UInt8]] = []
    private(set) var outputs: [ClientSession.Output] = []
    private(set) var comparedCount = 0
    /// Messages whose ids are not those of the recording.
    private(set) var otherIDs = 0
    private var blobs: [Int64: OutgoingBlob] = [:]
    private var queries: [Int32: IncomingQuery] = [:]

    init(_ recorded: RecordedSession, pieceSize: Int = 1) {
        session = ClientSession(profile: recorded.profile)
        self.pieceSize = pieceSize
    }

    var events: [ClientEvent] {
        outputs.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    mutating func play(_ recorded: RecordedSession) throws {
        for step in recorded.steps {
            switch step {
            case .received(let message): try receive(message)
            case .sent(let message): try send(message)
            }
        }
    }

    private mutating func receive(_ message: Message) throws {
        let bytes = try message.bytes()
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            let time = LocalTime(date: "20261130", milliseconds: 0)
            for output in session.receive(bytes[start..<min(start + pieceSize, bytes.count)], time: time) {
                outputs.append(output)
                if case .send(let bytes) = output { answers.append(bytes) }
                if case .event(.query(let query)) = output { queries[query.messageID] = query }
            }
        }
    }

    /// Makes what the client sent, from what it says and not from its bytes, and compares.
    private mutating func send(_ recorded: Message) throws {
        let kind = try #require(session.profile.message(recorded.messageType), "type \(recorded.messageType)")
        var made: [UInt8]
        switch kind {
        case .heartBeat:
            if let index = answers.firstIndex(where: { $0[2] == 104 }) {
                made = answers.remove(at: index)
            } else {
                made = try session.heartbeat()
            }
        case .ack, .pingAck, .getClientTimeResponse:
            let index = try #require(answers.firstIndex { $0[2] == UInt8(recorded.messageType & 0xFF) })
            made = answers.remove(at: index)
        case .response:
            let asked = queries.removeValue(forKey: recorded.messageID)
            let query = try #require(asked)
            var content: [UInt8]??
            if !recorded.body.isEmpty { content = .some(try body(kind, recorded)["Content"]?.bytes) }
            made = try session.answer(query, content)
        default:
            made = try make(kind, recorded).bytes
        }
        var expected = try recorded.bytes()
        if made[4..<8] != expected[4..<8] {
            otherIDs += 1
            made.replaceSubrange(4..<8, with: expected[4..<8])
        }
        if kind == .getClientTimeResponse {
            made.removeLast(8)
            expected.removeLast(8)
        }
        #expect(made == expected, "\(kind) id \(recorded.messageID)")
        comparedCount += 1
        if kind.hasReply { session.expect([kind.reply], replyTo: recorded.messageID) }
    }

    private func body(_ kind: SessionMessage, _ message: Message) throws -> BodyValue {
        let schema = try #require(session.profile.schema(of: kind, isRequest: true))
        return try schema.value(parsing: message.body)
    }

    private mutating func make(_ kind: SessionMessage, _ recorded: Message) throws -> ClientSession.Outgoing {
        let receiver = recorded.destUserID.text
        let value = recorded.body.isEmpty ? nil : try body(kind, recorded)
        let type = Int32(truncatingIfNeeded: value?["InformationType"]?.number ?? 0)
        switch kind {
        case .logon:
            let token = value?["SystemToken"]?.text ?? ""
            return try session.logOn(
                user: LoginID(recorded.userID.text).user,
                password: value?["Password"]?.text ?? "",
                systemToken: session.profile.logonForm.hasDate ? String(token.dropFirst(8)) : token,
                time: LocalTime(date: String(token.prefix(8)), milliseconds: 0)
            )
        case .informationByPost, .informationBySend, .informationNeedAck, .request:
            return try session.information(value?["Content"]?.bytes, type: type, to: receiver, by: kind)
        case .broadcastByServer, .broadcastToContacts:
            return try session.broadcast(
                value?["Content"]?.bytes,
                type: type,
                tag: value?["Tag"]?.text,
                group: try #require(value?["GroupID"]?.text)
            )
        case .blobInformation, .blobByRapidEngine, .blobByRapidEngineNeedEcho, .blobQuery, .broadcastBlobToContacts:
            return try fragment(kind, try #require(value), type, receiver)
        case .queryBeforeLogin:
            return try session.queryBeforeLogon(
                type: Int32(truncatingIfNeeded: value?["QueryType"]?.number ?? 0),
                content: value?["Content"]?.text ?? ""
            )
        default:
            return try session.message(kind, value, to: receiver)
        }
    }

    /// Contents of the blobs that are being sent, and how they are cut.
    var contents: [Int64: (bytes: [UInt8], fragmentSize: Int)] = [:]

    private mutating func fragment(
        _ kind: SessionMessage,
        _ value: BodyValue,
        _ type: Int32,
        _ receiver: String
    ) throws -> ClientSession.Outgoing {
        let id = try #require(value["BlobID"]?.number)
        if value["FragmentIndex"]?.number == 0 {
            let content = try #require(contents[id])
            let blob: OutgoingBlob
            if kind == .blobInformation || kind == .blobQuery {
                blob = session.blob(
                    content.bytes,
                    type: type,
                    to: receiver,
                    by: kind,
                    fragmentSize: content.fragmentSize
                )
            } else {
                var reader = PrimitiveReader(content.bytes)
                let joined = try reader.object()
                var object = try #require(joined)
                blob = session.taggedMessage(
                    try object.lengthPrefixedBytes(),
                    tag: try object.string(),
                    type: type,
                    to: receiver,
                    by: kind,
                    fragmentSize: content.fragmentSize
                )
            }
            blobs[id] = blob
        }
        var blob = try #require(blobs[id])
        let message = try session.nextFragment(of: &blob)
        blobs[id] = blob
        return try #require(message)
    }

    /// Looks through the recording for the contents of the blobs.
    mutating func collectBlobs(_ recorded: RecordedSession) throws {
        for case .sent(let message) in recorded.steps {
            guard let kind = recorded.profile.message(message.messageType), kind.isBlob else { continue }
            let value = try body(kind, message)
            let id = try #require(value["BlobID"]?.number)
            let bytes = value["Fragment"]?.bytes ?? []
            contents[id, default: ([], bytes.count)].bytes += bytes
        }
    }
}

extension SessionMessage {
    var isBlob: Bool {
        [.blobInformation, .blobByRapidEngine, .blobByRapidEngineNeedEcho, .blobQuery, .broadcastBlobToContacts]
            .contains(self)
    }

    /// What a reply to it is.
    var reply: SessionMessage {
        switch self {
        case .request: .response
        case .informationNeedAck: .ack
        case .pingByServer: .pingAck
        case .blobQuery: .blobQueryResult
        default: self
        }
    }

    var hasReply: Bool {
        switch self {
        case .request, .informationNeedAck, .pingByServer, .blobQuery, .getMyIPE, .getUserIPE, .getAllOnlineUsers,
            .queryOnline, .queryOnlines, .getMyOnlineDevice, .getFriends, .getGroupMembers, .getContacts,
            .getContactsGroupMembers, .queryBeforeLogin, .joinGroup, .getGroupInformation, .getMyGroups,
            .getOnlineGroupmates, .getMyPublicIPE, .reqUserData:
            true
        default: false
        }
    }
}

extension BodyValue {
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
