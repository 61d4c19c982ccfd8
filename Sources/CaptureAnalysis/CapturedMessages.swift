import ESProtocol
import MessageFormat

/// One message of a capture that is kept for a later look, without its bytes.
package struct CapturedMessage: Sendable {
    /// Number of the message in the output of its capture, from 1; known after ``CapturedMessages/finish()``.
    package fileprivate(set) var number = 0
    /// Nanoseconds since 1970-01-01 UTC of the packet that completes (or ends) the message.
    package var time: Int64
    package var packet: UInt64
    package var conversation: Int
    package var direction: Direction
    package var status: MessageStatus
    package var isUDP: Bool
    package var header: MessageHeader
    package var streamOffset: Int64
    package var gaps: [MessageGap]
    /// How many of its bytes are there.
    package var byteCount: Int
    /// Place of its profile in the list of them.
    fileprivate var profile: Int32
    /// Where they are kept.
    fileprivate var chunk: Int32
    fileprivate var start: Int32
}

/// What is known of one conversation beside its messages.
package struct CapturedConversation: Sendable {
    package var number: Int
    /// `a.b.c.d:port` or `[v6]:port`.
    package var client: String
    package var server: String
    package var isUDP: Bool
    /// Bytes that were never captured, and bytes that belong to no message.
    package var missingBytes: Int64 = 0
    package var strayBytes: Int64 = 0

    package var serverPort: Substring { CapturedConversation.port(of: server) }
    package var clientPort: Substring { CapturedConversation.port(of: client) }
    package var clientAddress: Substring { CapturedConversation.address(of: client) }
    package var serverAddress: Substring { CapturedConversation.address(of: server) }

    private static func port(of endpoint: String) -> Substring {
        endpoint.lastIndex(of: ":").map { endpoint[endpoint.index(after: $0)...] } ?? ""
    }

    /// Without the brackets of IPv6.
    private static func address(of endpoint: String) -> Substring {
        let address = endpoint.lastIndex(of: ":").map { endpoint[..<$0] } ?? endpoint[...]
        return address.first == "[" && address.last == "]" ? address.dropFirst().dropLast() : address
    }
}

/// Keeps the messages of a capture, for what needs to look at many of them at once.
///
/// A message costs about a hundred bytes beside its own, which lie one behind the other in large pieces of memory.
/// Beyond ``maximumBytes`` (or ``maximumMessages``) nothing is kept any more: ``isOverLimit``.
package final class CapturedMessages: AnalysisOutput {
    /// In the order of the output: by packet, then as they were found.
    package private(set) var messages: [CapturedMessage] = []
    /// In the order of their numbers; those that have no message are not in it.
    package private(set) var conversations: [CapturedConversation] = []
    package let maximumBytes: Int
    package let maximumMessages: Int
    /// Whether the capture has more than may be kept.
    package private(set) var isOverLimit = false
    private var chunks: [[UInt8]] = []
    private var byteCount = 0
    private var places: [Int: Int] = [:]
    /// What versions the messages are of: few, as conversations have one each.
    private var profiles: [Profile] = []
    /// Of conversations that have no message yet.
    private var pending: [Int: (missing: Int64, stray: Int64)] = [:]
    private static let chunkSize = 1 << 20
    private static let maximumPending = 1 << 16

    package init(maximumBytes: Int = 1 << 30, maximumMessages: Int = 10_000_000) {
        self.maximumBytes = maximumBytes
        self.maximumMessages = min(maximumMessages, Int(Int32.max) - 1)
    }

    package var isOpen: Bool { !isOverLimit }

    package func message(_ report: MessageReport, bytes: RawSpan) {
        guard messages.count < maximumMessages, bytes.byteCount <= maximumBytes - byteCount else {
            isOverLimit = true
            return
        }
        var message = CapturedMessage(
            time: report.time,
            packet: report.packet,
            conversation: report.conversation,
            direction: report.direction,
            status: report.status,
            isUDP: report.isUDP,
            header: report.header,
            streamOffset: report.streamOffset,
            gaps: report.gaps,
            byteCount: bytes.byteCount,
            profile: place(of: report.profile),
            chunk: 0,
            start: 0
        )
        keep(bytes, of: &message)
        if places[report.conversation] == nil { addConversation(of: report) }
        messages.append(message)
    }

    package func event(_ report: EventReport) {
        let length = report.length ?? 0
        let missing: Int64
        switch report.kind {
        case .gap: missing = length
        case .skipped, .truncated, .limit: missing = 0
        default: return
        }
        if let place = places[report.conversation] {
            conversations[place].missingBytes &+= missing
            conversations[place].strayBytes &+= length - missing
        } else if pending.count < Self.maximumPending || pending[report.conversation] != nil {
            pending[report.conversation, default: (0, 0)].missing &+= missing
            pending[report.conversation, default: (0, 0)].stray &+= length - missing
        }
    }

    /// The capture has ended: brings the messages into the order of the output and numbers them.
    package func finish() {
        // Those of one packet stay in the order in which they were found.
        messages.sort { $0.packet < $1.packet }
        for index in messages.indices { messages[index].number = index + 1 }
        conversations.sort { $0.number < $1.number }
        for (place, conversation) in conversations.enumerated() { places[conversation.number] = place }
        pending = [:]
    }

    /// Forgets all but one message.
    /// - Returns: whether there is one with this number.
    package func keepOnly(number: Int) -> Bool {
        guard let index = index(ofNumber: number) else { return false }
        messages = [messages[index]]
        conversations.removeAll { $0.number != messages[0].conversation }
        places = [messages[0].conversation: 0]
        return true
    }

    private func addConversation(of report: MessageReport) {
        let isToServer = report.direction == .clientToServer
        var conversation = CapturedConversation(
            number: report.conversation,
            client: isToServer ? report.source : report.destination,
            server: isToServer ? report.destination : report.source,
            isUDP: report.isUDP
        )
        if let found = pending.removeValue(forKey: report.conversation) {
            conversation.missingBytes = found.missing
            conversation.strayBytes = found.stray
        }
        places[report.conversation] = conversations.count
        conversations.append(conversation)
    }

    private func place(of profile: Profile) -> Int32 {
        if let place = profiles.lastIndex(of: profile) { return Int32(place) }
        profiles.append(profile)
        return Int32(profiles.count - 1)
    }

    private func keep(_ bytes: RawSpan, of message: inout CapturedMessage) {
        let count = bytes.byteCount
        if chunks.isEmpty || chunks[chunks.count - 1].count + count > Self.chunkSize {
            chunks.append([])
            chunks[chunks.count - 1].reserveCapacity(min(Self.chunkSize, max(count, 4096 * (1 + chunks.count))))
        }
        let last = chunks.count - 1
        message.chunk = Int32(last)
        message.start = Int32(chunks[last].count)
        bytes.withUnsafeBytes { chunks[last].append(contentsOf: $0) }
        byteCount += count
    }

    // MARK: - Looking at them

    package func conversation(_ number: Int) -> CapturedConversation? { places[number].map { conversations[$0] } }

    /// The place of the message with this number in the output.
    package func index(ofNumber number: Int) -> Int? {
        var (low, high) = (0, messages.count)
        while low < high {
            let middle = (low + high) / 2
            if messages[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < messages.count && messages[low].number == number ? low : nil
    }

    /// The bytes of a message that were there, in order.
    @inline(__always)
    package func withBytes<Result>(of index: Int, _ body: (RawSpan) -> Result) -> Result {
        let message = messages[index]
        let start = Int(message.start)
        return chunks[Int(message.chunk)].withUnsafeBytes { chunk in
            body(UnsafeRawBufferPointer(rebasing: chunk[start..<start + message.byteCount]).bytes)
        }
    }

    package func bytes(of index: Int) -> [UInt8] {
        withBytes(of: index) { $0.withUnsafeBytes { Array($0) } }
    }

    /// What is known of the version that a message is of.
    package func profile(of index: Int) -> Profile { profiles[Int(messages[index].profile)] }

    /// The name of a message's type; `nil` if it is not known.
    package func typeName(of index: Int) -> String? {
        profile(of: index).messageTypeName(messages[index].header.messageType)
    }

    /// What the formatters take.
    package func report(of index: Int) -> MessageReport {
        let message = messages[index]
        let conversation = conversation(message.conversation)
        let isToServer = message.direction == .clientToServer
        let (client, server) = (conversation?.client ?? "", conversation?.server ?? "")
        return MessageReport(
            time: message.time,
            packet: message.packet,
            conversation: message.conversation,
            isUDP: message.isUDP,
            direction: message.direction,
            source: isToServer ? client : server,
            destination: isToServer ? server : client,
            streamOffset: message.streamOffset,
            status: message.status,
            header: message.header,
            gaps: message.gaps,
            profile: profile(of: index)
        )
    }
}
