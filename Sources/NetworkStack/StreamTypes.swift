import PacketCapture

/// The packet that brought something: its number and time.
package struct PacketMark: Equatable, Sendable {
    /// From 1.
    package var packet: UInt64
    /// Nanoseconds since 1970-01-01 UTC.
    package var time: Int64

    @inlinable package init(packet: UInt64, time: Int64) {
        self.packet = packet
        self.time = time
    }
}

/// One direction of a conversation.
package struct StreamID: Hashable, Sendable {
    /// The conversation's place in the table; it is used again after the conversation was closed.
    package var conversation: Int
    /// 0: from the endpoint that sent the conversation's first packet; 1: from the other.
    package var side: Int

    @inlinable package init(conversation: Int, side: Int) {
        self.conversation = conversation
        self.side = side
    }

    /// A dense index, two for each conversation.
    @inlinable package var index: Int { conversation * 2 + side }
}

/// Why bytes are missing from a stream.
package enum GapReason: String, Sendable {
    case lost = "segment lost before the capture"
    case lostOneWay = "segment lost, or not captured; only this direction was seen"
    case snapLength = "cut off by the snap length of the capture"
    case bufferLimit = "given up at the limit for out-of-order segments"
    case reset = "missing when the connection was reset"
    case end = "still missing at the end"
    case portReuse = "still missing when the port was used again"
}

/// What takes the streams that the reassembler puts in order.
package protocol StreamSink {
    mutating func conversationOpened(_ slot: Int, _ conversation: borrowing Conversation)
    /// A SYN was seen: the stream begins with the byte after it.
    /// - Parameter clientSide: who opened the connection.
    mutating func streamSynchronized(_ stream: StreamID, clientSide: Int?)
    /// - Parameter offset: of the first of the bytes in the stream.
    mutating func streamBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark)
    mutating func streamGap(_ stream: StreamID, offset: Int64, length: Int64, reason: GapReason, mark: PacketMark)
    /// Bytes that came after their hole had been given up, or that lie before the first byte that was captured.
    mutating func lateSegment(_ stream: StreamID, offset: Int64, length: Int64, reason: String, mark: PacketMark)
    /// The stream ends here: no bytes follow.
    mutating func streamEnded(_ stream: StreamID, mark: PacketMark)
    /// The conversation is forgotten; both streams have ended.
    mutating func conversationClosed(_ slot: Int, _ conversation: borrowing Conversation)
}

/// When a hole is given up, and how much is kept. All times are capture time in nanoseconds.
package struct ReassemblyLimits: Sendable {
    /// A suspect hole (acknowledged by the other side) is a gap after so many more packets of the conversation …
    package var gapPackets: UInt32 = 64
    /// … and so much time,
    package var gapTime: Int64 = 1_000_000_000
    /// or after so much time.
    package var gapMaximumTime: Int64 = 3_000_000_000
    /// Where the other direction is not seen: so much time,
    package var oneWayTime: Int64 = 10_000_000_000
    /// or so many bytes behind the hole.
    package var oneWayBytes = 256 << 10
    /// Out-of-order bytes that one stream may hold.
    package var streamBytes = 4 << 20
    /// Out-of-order segments that one stream may hold.
    package var streamPieces = 4096
    /// Out-of-order bytes that all streams together may hold.
    package var totalBytes = 256 << 20
    /// Conversations that are remembered at once; then the one that was silent longest of a few goes.
    package var conversations = 1_000_000
    /// A conversation without a packet for so long is closed.
    package var idleTime: Int64 = 3_600_000_000_000

    package init() {}
}
