import PacketCapture

/// The packet that brought something: its number and time.
public struct PacketMark: Equatable, Sendable {
    /// From 1.
    public var packet: UInt64
    /// Nanoseconds since 1970-01-01 UTC.
    public var time: Int64

    @inlinable public init(packet: UInt64, time: Int64) {
        self.packet = packet
        self.time = time
    }
}

/// One direction of a conversation.
public struct StreamID: Hashable, Sendable {
    /// The conversation's place in the table; it is used again after the conversation was closed.
    public var conversation: Int
    /// 0: from the endpoint that sent the conversation's first packet; 1: from the other.
    public var side: Int

    @inlinable public init(conversation: Int, side: Int) {
        self.conversation = conversation
        self.side = side
    }

    /// A dense index, two for each conversation.
    @inlinable public var index: Int { conversation &* 2 &+ side }
}

/// Why bytes are missing from a stream.
public enum GapReason: String, Sendable {
    case lost = "segment lost before the capture"
    case lostOneWay = "segment lost, or not captured; only this direction was seen"
    case snapLength = "cut off by the snap length of the capture"
    case bufferLimit = "given up at the limit for out-of-order segments"
    case reset = "missing when the connection was reset"
    case end = "still missing at the end"
    case portReuse = "still missing when the port was used again"
    case notInText = "the text goes on behind them, and does not have them"
    case hiddenInText = "hidden in the text"
}

/// Which copy of bytes counts if they came twice with different content. Bytes that were handed on stay what they are; the
/// choice is left where both copies wait behind a hole.
public enum OverlapPolicy: String, CaseIterable, Sendable {
    case first, last
}

/// What takes the streams that the reassembler puts in order.
public protocol StreamSink {
    /// Bytes of this conversation are likely to come soon: a sink can begin to fetch what it keeps of it.
    mutating func approach(_ slot: Int)
    mutating func conversationOpened(_ slot: Int, _ conversation: borrowing Conversation)
    /// A SYN was seen: the stream begins with the byte after it.
    /// - Parameter clientSide: who opened the connection.
    mutating func streamSynchronized(_ stream: StreamID, clientSide: Int?)
    /// - Parameter offset: of the first of the bytes in the stream.
    mutating func streamBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark)
    mutating func streamGap(_ stream: StreamID, offset: Int64, length: Int64, reason: GapReason, mark: PacketMark)
    /// Bytes that came after their hole had been given up, or that lie before the first byte that was captured.
    mutating func lateSegment(_ stream: StreamID, offset: Int64, length: Int64, reason: String, mark: PacketMark)
    /// Bytes that were handed on, or given up, come again: usually a retransmission. A sink that kept the first copy can
    /// compare.
    mutating func repeatedBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark)
    /// Bytes behind a hole came twice, and are not the same.
    /// - Parameters:
    ///   - offset: the first byte that differs.
    ///   - length: up to the last one that differs.
    ///   - kept: the copy that counts.
    mutating func overlapDiffers(
        _ stream: StreamID,
        offset: Int64,
        length: Int64,
        kept: OverlapPolicy,
        mark: PacketMark
    )
    /// Bytes that came although the stream had ended (``lateSegment`` has told of them); each once.
    mutating func bytesAfterEnd(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark)
    /// The stream ends here: no bytes follow.
    mutating func streamEnded(_ stream: StreamID, mark: PacketMark)
    /// The conversation is forgotten; both streams have ended.
    mutating func conversationClosed(_ slot: Int, _ conversation: borrowing Conversation)
}

extension StreamSink {
    @inlinable @inline(__always) public mutating func approach(_ slot: Int) {}

    /// Most sinks have done with a stream that has ended.
    @inlinable public mutating func bytesAfterEnd(
        _ stream: StreamID,
        _ bytes: RawSpan,
        offset: Int64,
        mark: PacketMark
    ) {}

    @inlinable public mutating func repeatedBytes(
        _ stream: StreamID,
        _ bytes: RawSpan,
        offset: Int64,
        mark: PacketMark
    ) {}

    @inlinable public mutating func overlapDiffers(
        _ stream: StreamID,
        offset: Int64,
        length: Int64,
        kept: OverlapPolicy,
        mark: PacketMark
    ) {}
}

/// When a hole is given up, and how much is kept. All times are capture time in nanoseconds.
public struct ReassemblyLimits: Sendable {
    /// A suspect hole (acknowledged by the other side) is a gap after so many more packets of the conversation …
    public var gapPackets: UInt32 = 64
    /// … and so much time,
    public var gapTime: Int64 = 1_000_000_000
    /// or after so much time.
    public var gapMaximumTime: Int64 = 3_000_000_000
    /// Where the other direction is not seen: so much time,
    public var oneWayTime: Int64 = 10_000_000_000
    /// or so many bytes behind the hole.
    public var oneWayBytes = 256 << 10
    /// Out-of-order bytes that one stream may hold.
    public var streamBytes = 4 << 20
    /// Out-of-order segments that one stream may hold.
    public var streamPieces = 4096
    /// Out-of-order bytes that all streams together may hold.
    public var totalBytes = 256 << 20
    /// Conversations that are remembered at once; then the one that was silent longest of a few goes.
    public var conversations = 1_000_000
    /// A conversation without a packet for so long is closed.
    public var idleTime: Int64 = 3_600_000_000_000
    /// So many conversations that have ended on both sides are remembered like others, to know what comes late by. Where more
    /// of them end within `idleTime`, the oldest are forgotten, …
    public var finishedConversations = 4096
    /// … once they were silent for so long, which is the time of many retransmissions;
    public var finishedTime: Int64 = 30_000_000_000
    /// and there are never more than these. Of the others only the ends of their streams are kept, for `finishedTime`.
    public var maximumFinishedConversations = 8192
    /// Of bytes that wait behind a hole in two copies that differ, the one that counts.
    public var overlap = OverlapPolicy.first

    public init() {}
}
