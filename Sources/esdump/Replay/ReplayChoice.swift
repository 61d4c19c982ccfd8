import BodyDescription
import CaptureAnalysis
import ESProtocol
import MessageFormat
import PacketCapture

/// Which messages of a capture are sent, and what they are compared with.
struct ReplayChoice {
    let plan: ReplayPlan
    let messages: CapturedMessages
    /// The conversation that is replayed.
    let conversation: Int

    /// - Throws: if it is not clear what is to be sent, or it cannot be.
    init(_ messages: CapturedMessages, _ options: Options, isSecretAllowed: Bool) throws(CaptureError) {
        self.messages = messages
        let name = options.readFile ?? "-"
        let fromClients = messages.messages.indices.filter { messages.messages[$0].direction == .clientToServer }
        let numbers = options.replay.numbers
        let chosen = fromClients.filter { index in
            numbers.isEmpty || numbers.contains { $0.contains(messages.messages[index].number) }
        }
        guard !chosen.isEmpty else {
            let what =
                messages.messages.isEmpty
                ? "no ES message"
                : numbers.isEmpty ? "no message of a client" : "none of the chosen messages is a client's"
            throw CaptureError(.usage, "\(name): \(what)")
        }
        let conversations = Set(chosen.map { messages.messages[$0].conversation })
        guard conversations.count == 1, let conversation = conversations.first else {
            throw CaptureError(.usage, Self.severalConversations(name, messages, chosen))
        }
        self.conversation = conversation
        if messages.conversation(conversation)?.isUDP == true {
            throw CaptureError(.usage, "\(name): conversation \(conversation) is one of UDP; replay sends by TCP")
        }
        if let damaged = chosen.first(where: { messages.messages[$0].status != .complete }) {
            let number = messages.messages[damaged].number
            throw CaptureError(
                .usage,
                "\(name): message \(number) is not whole and cannot be sent as it was (--message chooses others)"
            )
        }
        if !isSecretAllowed { try Self.checkSecrets(name, messages, chosen, options.describedBodies) }
        plan = ReplayPlan(messages, conversation: conversation, chosen: numbers.isEmpty ? nil : Set(chosen))
    }

    private static func severalConversations(_ name: String, _ messages: CapturedMessages, _ chosen: [Int]) -> String {
        var counts: [Int: Int] = [:]
        for index in chosen { counts[messages.messages[index].conversation, default: 0] += 1 }
        let list = counts.keys.sorted().prefix(8).map { number in
            "\(number) (\(messages.conversation(number)?.client ?? ""), \(counts[number] ?? 0) messages)"
        }
        let more = counts.count > 8 ? ", …" : ""
        return
            "\(name): the messages are those of \(counts.count) clients; choose a conversation with --conversation: \(list.joined(separator: ", "))\(more)"
    }

    private static func checkSecrets(
        _ name: String,
        _ messages: CapturedMessages,
        _ chosen: [Int],
        _ application: DescribedBodies?
    ) throws(CaptureError) {
        for index in chosen {
            let report = messages.report(of: index)
            let hasSecret = messages.withBytes(of: index) { !report.secrets(in: $0, application: application).isEmpty }
            guard hasSecret else { continue }
            throw CaptureError(
                .usage,
                "\(name): message \(messages.messages[index].number) holds a password: --show-secrets sends it as it is, --redact another in its place, --message chooses others"
            )
        }
    }

    /// What the answers are compared with: the messages of the plan, and what the server sent.
    var compared: CapturedMessages {
        let result = CapturedMessages()
        for index in (plan.steps.map(\.message) + plan.fromServer).sorted() {
            let report = messages.report(of: index)
            messages.withBytes(of: index) { result.message(report, bytes: $0) }
        }
        result.finish()
        return result
    }

    /// What is about to be sent, for the person who is asked.
    func announcement(to address: String) -> String {
        let bytes = plan.steps.reduce(0) { $0 + messages.messages[$1.message].byteCount }
        var text =
            "about to send \(DiffNotes.messages(plan.steps.count)) with \(bytes) bytes to \(ColumnText.escaped(address)):\n"
        for step in plan.steps.prefix(Self.longestList) {
            let report = messages.report(of: step.message)
            let cell = messages.withBytes(of: step.message) {
                MessageCell(report, $0, number: messages.messages[step.message].number)
            }
            text += "  #\(cell.number)  \(DiffText.text(cell))\n"
        }
        if plan.steps.count > Self.longestList { text += "  … and \(plan.steps.count - Self.longestList) more\n" }
        return text
    }

    private static let longestList = 20
}
