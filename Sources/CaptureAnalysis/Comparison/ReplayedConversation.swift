import ESProtocol
import MessageFormat
import NetworkStack

/// A conversation as it goes on: bytes of both sides become messages, as those of a capture do.
package struct ReplayedConversation {
    private var stage: FramingStage
    private var offsets: [Int64] = [0, 0]
    private var hasEnded = [false, false]
    private var pieces: UInt64 = 0
    private let conversation: Conversation

    /// - Parameters:
    ///   - client: the address of this end; `server` of the other: `a.b.c.d:port` or `[v6]:port`.
    ///   - output: takes the messages of both as they are complete.
    package init(client: String, server: String, options: AnalysisOptions, output: any AnalysisOutput) {
        stage = FramingStage(output: output, options: options)
        conversation = Conversation(
            number: 1,
            first: Endpoint(v4: 0, port: 1),
            second: Endpoint(v4: 0, port: 0),
            time: 0
        )
        stage.conversationOpened(0, conversation)
        stage.reporter.givenNames = (.text(client), .text(server))
        stage.reporter.statuses[0].setClient(0)
        for side in 0...1 { stage.streamBegins(StreamID(conversation: 0, side: side)) }
    }

    /// Bytes that were sent or received.
    /// - Parameter time: nanoseconds since 1970-01-01 UTC.
    package mutating func bytes(_ bytes: RawSpan, _ direction: Direction, time: Int64) {
        let side = direction == .clientToServer ? 0 : 1
        guard bytes.byteCount > 0, !hasEnded[side] else { return }
        pieces += 1
        let mark = PacketMark(packet: pieces, time: time)
        stage.reporter.now = mark
        stage.streamBytes(StreamID(conversation: 0, side: side), bytes, offset: offsets[side], mark: mark)
        offsets[side] += Int64(bytes.byteCount)
    }

    /// Nothing more comes from either.
    package mutating func finish(time: Int64) {
        let mark = PacketMark(packet: pieces, time: time)
        stage.reporter.now = mark
        for side in 0...1 where !hasEnded[side] {
            hasEnded[side] = true
            stage.streamEnded(StreamID(conversation: 0, side: side), mark: mark)
        }
        stage.conversationClosed(0, conversation)
    }
}
