/// Bytes of a message or a stream that were never captured.
public struct MessageGap: Equatable, Sendable {
    /// Offset of the first missing byte, within the message.
    public var offset: Int
    /// Number of missing bytes.
    public var length: Int

    @inlinable public init(offset: Int, length: Int) {
        self.offset = offset
        self.length = length
    }
}

/// How much of a message is there.
public enum MessageStatus: String, Sendable {
    /// Every byte is there.
    case complete
    /// Bytes inside it were never captured, but the stream goes on at its end or behind.
    case gap
    /// The stream ends inside it.
    case truncated
}
