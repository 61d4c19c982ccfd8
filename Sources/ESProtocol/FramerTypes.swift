/// Where bytes of a stream came from: the packet that brought them.
public struct StreamMark: Equatable, Sendable {
    /// Number of the packet, from 1.
    public var packet: UInt64
    /// Nanoseconds since 1970-01-01 UTC.
    public var time: Int64

    @inlinable public init(packet: UInt64, time: Int64) {
        self.packet = packet
        self.time = time
    }

    /// The later of two packets.
    @inlinable func later(_ other: StreamMark) -> StreamMark { other.packet > packet ? other : self }
}

/// A message that the framer found.
public struct FramedMessage {
    /// Offset of its first byte in the stream.
    public var streamOffset: Int64
    public var header: MessageHeader
    public var status: MessageStatus
    /// Where bytes are missing, as offsets within the message, in order.
    public var gaps: [MessageGap]
    /// The packet that completes it, or ends it if it is not complete.
    public var mark: StreamMark

    @inlinable public init(
        streamOffset: Int64,
        header: MessageHeader,
        status: MessageStatus,
        gaps: [MessageGap],
        mark: StreamMark
    ) {
        self.streamOffset = streamOffset
        self.header = header
        self.status = status
        self.gaps = gaps
        self.mark = mark
    }
}

/// Bytes of a stream that belong to no message.
public struct UnframedBytes: Equatable, Sendable {
    public enum Reason: String, Sendable {
        case startInMidMessage = "the capture starts inside a message"
        case noBelievableHeader = "no believable header"
        case headerBrokenByGap = "header broken by a gap"
        /// The end of the stream cuts a header short.
        case headerCutShort = "the stream ends inside a header"
        /// The header declares more than the limit.
        case overLimit = "the header declares more than --max-message"
    }

    public var streamOffset: Int64
    public var length: Int64
    public var reason: Reason
    /// The packet that brought the last of them.
    public var mark: StreamMark
}

/// How the layout of a direction was found.
public enum LayoutEvidence: String, Sendable {
    case given = "given by an option"
    case firstHeader = "the first header after the SYN"
    case followingHeader = "a header and the one that follows it"
    case loneHeader = "a single header"
    case otherDirection = "the other direction"
    case sameServer = "another conversation with the same server"
    case datagram = "a datagram that its messages fill"
}

/// What a push changed in a framer, for who looks after many of them.
public struct PushEffect {
    /// How many more bytes it keeps in memory; negative if fewer.
    public var heldBytes: Int
    /// In sync with a confirmed layout (three headers) before and afterwards: there is nothing to see.
    public var isRoutine: Bool
    /// Whether the layout was not confirmed before.
    public var isFinding: Bool

    @inlinable init(heldBytes: Int, isRoutine: Bool, isFinding: Bool) {
        self.heldBytes = heldBytes
        self.isRoutine = isRoutine
        self.isFinding = isFinding
    }
}

/// What takes the framer's findings.
public protocol FramerSink {
    /// - Parameter bytes: the bytes of the message that were there, in order; the header alone if bodies are not kept.
    ///   Valid during the call only.
    mutating func message(_ message: FramedMessage, bytes: RawSpan)
    /// The same for a message that is complete, as nearly all are: told apart, since it costs a fraction. Who does not care
    /// implements ``message(_:bytes:)`` only.
    mutating func completeMessage(_ header: MessageHeader, streamOffset: Int64, mark: StreamMark, bytes: RawSpan)
    /// Whether the bytes of a message are wanted that comes in pieces; asked once its header is there, where bytes are kept at
    /// all. Otherwise it is handed on without bytes.
    mutating func wantsBytes(_ header: MessageHeader, streamOffset: Int64) -> Bool
    /// Memory that the framers of many streams pass on to each other. Without it each asks the system for its own.
    var spareMemory: FramerMemory { get set }
    /// - Parameter bytes: the first of them (all, or at most 4096), if they are at hand.
    mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan)
    mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark)
}

extension FramerSink {
    @inlinable public mutating func wantsBytes(_ header: MessageHeader, streamOffset: Int64) -> Bool { true }

    @inlinable public var spareMemory: FramerMemory {
        get { FramerMemory() }
        set {}
    }

    @inlinable public mutating func completeMessage(
        _ header: MessageHeader,
        streamOffset: Int64,
        mark: StreamMark,
        bytes: RawSpan
    ) {
        message(
            FramedMessage(streamOffset: streamOffset, header: header, status: .complete, gaps: [], mark: mark),
            bytes: bytes
        )
    }
}

/// How to look for messages. It is handed over with every piece of a stream, and therefore kept in two words.
public struct FramerOptions: Sendable {
    /// A header that declares a longer message (header and body, in bytes) is not believed.
    public var maximumMessage = 10 << 20
    /// From the low end a byte each: whether bodies are kept, whether headers are; the given token plus 1, or 0; the given
    /// slot, and whether there is one.
    @usableFromInline var rest: UInt64 = 0x0101

    public init() {}

    @inlinable @inline(__always) func byte(_ index: UInt64) -> UInt64 { rest &>> (8 &* index) & 0xFF }

    @usableFromInline mutating func set(_ index: UInt64, _ value: UInt64) {
        rest = rest & ~(0xFF << (8 * index)) | value << (8 * index)
    }

    /// Whether the bytes of bodies are collected for the sink.
    public var keepsBodies: Bool {
        @inlinable @inline(__always) get { byte(0) != 0 }
        @inlinable set { set(0, newValue ? 1 : 0) }
    }

    /// Where bodies are not: whether the bytes of a header are, if its message comes in pieces. Otherwise the sink gets no
    /// bytes with such a message.
    public var keepsHeaders: Bool {
        @inlinable @inline(__always) get { byte(1) != 0 }
        @inlinable set { set(1, newValue ? 1 : 0) }
    }

    /// What is known of the layout beforehand.
    public var startToken: HeaderLayout.StartToken? {
        @inlinable get { byte(2) == 0 ? nil : HeaderLayout.StartToken(code: UInt8(byte(2) - 1)) }
        @inlinable set { set(2, newValue.map { UInt64($0.rawValue) + 1 } ?? 0) }
    }

    public var idSlot: UInt8? {
        @inlinable get { byte(4) == 0 ? nil : UInt8(byte(3)) }
        @inlinable set {
            set(3, UInt64(newValue ?? 0))
            set(4, newValue == nil ? 0 : 1)
        }
    }

    /// The layout, if it was given whole.
    @inlinable public var givenLayout: HeaderLayout? {
        if let startToken, let idSlot { HeaderLayout(startToken: startToken, idSlot: idSlot) } else { nil }
    }
}
