import ESProtocol
import MessageFormat

/// Which messages of a capture answer which, and after what time.
package struct ReplyDelays: Sendable {
    package struct Reply: Equatable, Sendable {
        /// Places in ``CapturedMessages/messages``.
        package var request: Int
        package var reply: Int
        /// Nanoseconds from the request to the answer, as captured; not negative.
        package var delay: Int64
    }

    /// In the order of the answers.
    package let replies: [Reply]
    private let byReply: [Int: Int]
    private let byRequest: [Int: Int]

    /// An answer goes the other way, has the id of its request, and is of a type that answers it. The last such request
    /// that has no answer yet counts.
    package init(_ messages: CapturedMessages) {
        struct Key: Hashable {
            var conversation: Int
            var direction: Direction
            var id: Int32
            var type: UInt16
        }
        var open: [Key: Int] = [:]
        var replies: [Reply] = []
        for (index, message) in messages.messages.enumerated() where message.header.messageID != 0 {
            let header = message.header
            let other: Direction = message.direction == .clientToServer ? .serverToClient : .clientToServer
            let key = Key(
                conversation: message.conversation,
                direction: other,
                id: header.messageID,
                type: header.messageType
            )
            if let request = open.removeValue(forKey: key) {
                let (delay, overflow) = message.time.subtractingReportingOverflow(messages.messages[request].time)
                replies.append(Reply(request: request, reply: index, delay: overflow ? 0 : max(delay, 0)))
                continue
            }
            guard let answer = Self.answer(to: header.messageType, in: header.layout) else { continue }
            var mine = key
            mine.direction = message.direction
            mine.type = answer
            open[mine] = index
        }
        self.replies = replies
        byReply = Dictionary(replies.enumerated().map { ($1.reply, $0) }) { first, _ in first }
        byRequest = Dictionary(replies.enumerated().map { ($1.request, $0) }) { first, _ in first }
    }

    /// What a message answers.
    package func reply(_ index: Int) -> Reply? { byReply[index].map { replies[$0] } }

    /// What a message is answered by.
    package func replyTo(_ index: Int) -> Reply? { byRequest[index].map { replies[$0] } }

    /// The type of the answer to a request; `nil` if none is expected.
    package static func answer(to type: UInt16, in layout: HeaderLayout) -> UInt16? {
        // The numbers of 4.0 are others; of these one is known.
        if layout.startToken == .ffff { return type == 116 ? 116 : nil }
        switch type {
        case 102, 199: return 103
        case 106: return 103
        case 203: return 204
        case 205: return 206
        case 209: return 210
        case 221: return 222
        case 101, 110...114, 116, 118, 402, 405, 409, 502, 603, 703, 706, 800, 801, 814, 818: return type
        default: return nil
        }
    }
}
