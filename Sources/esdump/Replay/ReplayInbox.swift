import CaptureAnalysis
import ESProtocol
import MessageFormat
import Sockets

/// What was sent and received so far; whoever waits for an answer is told when it has come.
actor ReplayInbox {
    /// The messages of both sides, as a capture of them would have them.
    private let messages = CapturedMessages()
    private var conversation: ReplayedConversation
    /// How many of the messages were looked at.
    private var seen = 0
    /// Answers that came: type and id.
    private var answers: [Answer: Int] = [:]
    private var waiting: [(answer: Answer, shot: OneShot<Bool>)] = []
    private(set) var isClosed = false
    private(set) var fromServer = 0
    /// Heartbeats that were sent, and those that came: the server may send ours back.
    private var heartbeats = (sent: 0, received: 0)

    struct Answer: Hashable, Sendable {
        var type: UInt16
        var id: Int32
    }

    init(client: String, server: String, options: AnalysisOptions) {
        conversation = ReplayedConversation(client: client, server: server, options: options, output: messages)
    }

    func sent(_ bytes: [UInt8], time: Int64) {
        conversation.bytes(bytes.span.bytes, .clientToServer, time: time)
        _ = lookAtNew()
    }

    /// - Returns: heartbeats and pings that want an answer: their places.
    func received(_ bytes: [UInt8], time: Int64) -> [Request] {
        conversation.bytes(bytes.span.bytes, .serverToClient, time: time)
        return lookAtNew()
    }

    /// A heartbeat or a ping of the server.
    struct Request: Sendable {
        var header: MessageHeader
        var bytes: [UInt8]
    }

    private func lookAtNew() -> [Request] {
        var requests: [Request] = []
        while seen < messages.messages.count {
            let message = messages.messages[seen]
            defer { seen += 1 }
            let name = messages.typeName(of: seen)
            guard message.direction == .serverToClient else {
                if name == "HeartBeat" { heartbeats.sent += 1 }
                continue
            }
            fromServer += 1
            if name == "HeartBeat" { heartbeats.received += 1 }
            if name == "HeartBeat" && heartbeats.received > heartbeats.sent || name == "PingByServer" {
                requests.append(Request(header: message.header, bytes: messages.bytes(of: seen)))
            }
            let answer = Answer(type: message.header.messageType, id: message.header.messageID)
            answers[answer, default: 0] += 1
            for index in waiting.indices.reversed() where waiting[index].answer == answer {
                waiting[index].shot.give(.success(true))
                waiting.remove(at: index)
            }
        }
        return requests
    }

    /// The other end has closed the connection: nobody needs to wait any more.
    func close() {
        isClosed = true
        for waiter in waiting { waiter.shot.give(.success(false)) }
        waiting = []
    }

    /// Something that is given once the answer has come, or cannot come any more.
    func wait(for answer: Answer) -> OneShot<Bool> {
        let shot = OneShot<Bool>()
        if answers[answer] != nil {
            shot.give(.success(true))
        } else if isClosed {
            shot.give(.success(false))
        } else {
            waiting.append((answer, shot))
        }
        return shot
    }

    /// Ends the conversation.
    func finish(time: Int64) -> SentMessages {
        conversation.finish(time: time)
        messages.finish()
        return SentMessages(messages: messages)
    }

    /// Handed over when nothing is added any more.
    struct SentMessages: @unchecked Sendable {
        let messages: CapturedMessages
    }
}
