import CaptureAnalysis
import ESProtocol
import Foundation
import MessageFormat
import NetworkStack
import PacketCapture
import Testing

/// Messages as a capture would bring them, for tests to change and to compare.
struct RecordedMessages {
    struct One {
        var conversation = 1
        var direction = Direction.clientToServer
        var bytes: [UInt8]
        var layout = HeaderLayout(startToken: .ff, idSlot: 12)
        var streamOffset: Int64 = 0

        var header: MessageHeader { MessageHeader(reading: bytes.span.bytes, layout: layout) }
    }

    var list: [One] = []
    /// Of the client of conversation 1, 2 …
    var clientPorts = [40001, 40002, 40003]
    var server = "192.0.2.1:4530"

    mutating func add(
        _ type: UInt16,
        id: Int32,
        from user: Message.ID,
        to destination: Message.ID,
        body: [UInt8] = [],
        direction: Direction = .clientToServer,
        conversation: Int = 1,
        layout: HeaderLayout = HeaderLayout(startToken: .ff, idSlot: 12),
        clientType: UInt8 = 0
    ) throws {
        let message = Message(
            layout: layout,
            clientType: clientType,
            messageType: type,
            messageID: id,
            userID: user,
            destUserID: destination,
            body: body
        )
        list.append(
            One(conversation: conversation, direction: direction, bytes: try message.bytes(), layout: layout)
        )
    }

    /// A message of text between users: InformationBySend.
    mutating func say(
        _ text: String,
        id: Int32,
        from user: Message.ID = "aa01",
        to destination: Message.ID = "bb02",
        direction: Direction = .clientToServer,
        conversation: Int = 1
    ) throws {
        try add(
            202,
            id: id,
            from: user,
            to: destination,
            body: Self.content(text),
            direction: direction,
            conversation: conversation
        )
    }

    /// The body of 201, 202 …: {Content, InformationType}.
    static func content(_ text: String, type: UInt8 = 7) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [UInt8(bytes.count + 8), 0, 0, 0, UInt8(bytes.count), 0, 0, 0] + bytes + [type, 0, 0, 0]
    }

    /// What the analysis would have handed on.
    func captured() -> CapturedMessages {
        let messages = CapturedMessages()
        for (index, one) in list.enumerated() {
            let client = "198.51.100.7:\(clientPorts[one.conversation - 1])"
            let isToServer = one.direction == .clientToServer
            let report = MessageReport(
                time: Int64(index) * 1_000_000,
                packet: UInt64(index + 1),
                conversation: one.conversation,
                direction: one.direction,
                source: isToServer ? client : server,
                destination: isToServer ? server : client,
                streamOffset: one.streamOffset,
                status: .complete,
                header: one.header
            )
            messages.message(report, bytes: one.bytes.span.bytes)
        }
        messages.finish()
        return messages
    }

    /// The same messages, to be changed.
    init(_ captured: CapturedMessages) {
        for index in captured.messages.indices {
            let message = captured.messages[index]
            list.append(
                One(
                    conversation: message.conversation,
                    direction: message.direction,
                    bytes: captured.bytes(of: index),
                    layout: message.header.layout,
                    streamOffset: message.streamOffset
                )
            )
        }
    }

    init() {}

    /// The messages of a capture file.
    static func capture(_ path: String) throws -> CapturedMessages {
        let messages = CapturedMessages()
        var analyzer = CaptureAnalyzer(output: messages, options: AnalysisOptions(), limits: ReassemblyLimits())
        var file = try CaptureFile(path: path)
        _ = try file.read(into: &analyzer)
        analyzer.finish()
        messages.finish()
        return messages
    }

    /// A capture of the project.
    static func own(_ name: String) throws -> CapturedMessages {
        try capture(ExpectedCaptures.root.appendingPathComponent("Captures/\(name).pcap").path)
    }
}

extension CaptureComparison {
    /// What is different, in short: `changed 3 3 es.body.content`, `only in A 4`.
    var differences: [String] {
        var comparison = self
        var result: [String] = []
        for conversation in conversations {
            for entry in conversation.entries where entry.kind != .same {
                let numbers = [
                    entry.a >= 0 ? a.messages[entry.a].number : nil, entry.b >= 0 ? b.messages[entry.b].number : nil,
                ].compactMap { $0.map(String.init) }.joined(separator: " ")
                switch entry.kind {
                case .same: break
                case .changed:
                    let names = comparison.changes(of: entry).map(\.name).joined(separator: " ")
                    result.append("changed \(numbers) \(names)")
                case .onlyInA: result.append("only in A \(numbers)")
                case .onlyInB: result.append("only in B \(numbers)")
                case .reordered: result.append("reordered \(numbers)")
                }
            }
        }
        return result
    }
}
