import ESProtocol
import MessageFormat

/// What a client sent, in order, and what it waited for.
package struct ReplayPlan: Sendable {
    package struct Step: Equatable, Sendable {
        /// Place of the message in ``CapturedMessages/messages``.
        package var message: Int
        /// Nanoseconds from the message that was sent before it to this one; 0 for the first.
        package var pause: Int64
        /// Earlier messages of the plan that had been answered when this one was sent: their places.
        package var answered: [Int]
    }

    package var steps: [Step] = []
    /// Messages of the plan that were answered at all, with the type that their answer has: places.
    package var expected: [Int: UInt16] = [:]
    /// What the server sent: places. The answers of chosen messages only, if messages were chosen.
    package var fromServer: [Int] = []

    /// - Parameters:
    ///   - chosen: places of the messages of the client that are to be sent; `nil`: all of them.
    package init(_ messages: CapturedMessages, conversation: Int, chosen: Set<Int>? = nil) {
        let delays = ReplyDelays(messages)
        var previous: Int64?
        var waiting: [Int] = []
        var answered: [Int] = []
        for (index, message) in messages.messages.enumerated() where message.conversation == conversation {
            if message.direction == .clientToServer {
                guard chosen?.contains(index) ?? true else { continue }
                let (pause, overflow) = message.time.subtractingReportingOverflow(previous ?? message.time)
                steps.append(Step(message: index, pause: overflow ? 0 : max(pause, 0), answered: answered))
                answered = []
                previous = message.time
                waiting.append(index)
            } else {
                let request = delays.reply(index)?.request
                if let request, let place = waiting.firstIndex(of: request) {
                    waiting.remove(at: place)
                    answered.append(request)
                    expected[request] = message.header.messageType
                    fromServer.append(index)
                } else if chosen == nil {
                    fromServer.append(index)
                }
            }
        }
    }
}
