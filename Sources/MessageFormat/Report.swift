import ESProtocol

/// Which way a message goes.
package enum Direction: UInt8, Sendable {
    case clientToServer
    case serverToClient

    /// As in the JSON output: `c2s` or `s2c`.
    package var name: String { self == .clientToServer ? "c2s" : "s2c" }
}

/// What is said of one message beside its bytes. The bytes (header and body, those that were there, in order) are handed
/// on next to it.
package struct MessageReport {
    /// Nanoseconds since 1970-01-01 UTC of the packet that completes (or ends) the message.
    package var time: Int64
    /// Number of that packet in the input, from 1.
    package var packet: UInt64
    /// Number of the conversation, from 1.
    package var conversation: Int
    package var isUDP: Bool
    package var direction: Direction
    package var status: MessageStatus
    /// Offset of the first byte in its direction of the stream.
    package var streamOffset: Int64
    package var header: MessageHeader
    /// The names of the ends.
    package var sender: EndpointName
    package var receiver: EndpointName
    /// Whose names its numbers have, and whose bodies.
    package var profile: Profile
    /// What ``gaps`` gives: nothing is easier to copy than an empty list.
    private var damage: [MessageGap]?

    /// Where bytes are missing (offsets within the message, in order); empty if the message is complete. What a truncated
    /// message lacks at its end is the last of them.
    package var gaps: [MessageGap] {
        get { damage ?? [] }
        set { damage = newValue.isEmpty ? nil : newValue }
    }
    /// The names of the ends as text: `a.b.c.d:port` or `[v6]:port`.
    package var source: String {
        get { sender.text }
        set { sender = .text(newValue) }
    }
    package var destination: String {
        get { receiver.text }
        set { receiver = .text(newValue) }
    }

    /// Whether it goes from client to server.
    package var isRequest: Bool { direction == .clientToServer }
    /// Header and declared body in bytes.
    package var length: Int { header.messageLength }
    /// How many of its bytes are missing.
    package var missing: Int { gaps.reduce(0) { $0 + $1.length } }
}

/// The initialisers stand outside so that they pass on to the one that the compiler makes: one that sets each property by
/// itself copies the whole once more.
extension MessageReport {
    package init(
        time: Int64,
        packet: UInt64,
        conversation: Int,
        isUDP: Bool = false,
        direction: Direction,
        sender: EndpointName,
        receiver: EndpointName,
        streamOffset: Int64,
        status: MessageStatus,
        header: MessageHeader,
        gaps: [MessageGap],
        profile: Profile
    ) {
        self.init(
            time: time,
            packet: packet,
            conversation: conversation,
            isUDP: isUDP,
            direction: direction,
            status: status,
            streamOffset: streamOffset,
            header: header,
            sender: sender,
            receiver: receiver,
            profile: profile,
            damage: gaps.isEmpty ? nil : gaps
        )
    }

    /// The same with names that are text.
    package init(
        time: Int64,
        packet: UInt64,
        conversation: Int,
        isUDP: Bool = false,
        direction: Direction,
        source: String,
        destination: String,
        streamOffset: Int64,
        status: MessageStatus,
        header: MessageHeader,
        gaps: [MessageGap] = [],
        profile: Profile? = nil
    ) {
        self.init(
            time: time,
            packet: packet,
            conversation: conversation,
            isUDP: isUDP,
            direction: direction,
            sender: .text(source),
            receiver: .text(destination),
            streamOffset: streamOffset,
            status: status,
            header: header,
            gaps: gaps,
            profile: profile ?? Profile(startToken: header.layout.startToken)
        )
    }
}

/// Something that is not a message: bytes that belong to none, bytes that were never captured, a notice.
package struct EventReport {
    /// Names as in the JSON output (OUTPUT.md).
    package enum Kind: String, Sendable {
        case gap, skipped, truncated, limit, preface, late, layout, notice
        case notES = "not-es"
    }

    package var kind: Kind
    package var time: Int64
    package var packet: UInt64
    package var conversation: Int
    package var source: String
    package var destination: String
    /// The bytes that it covers; `nil` for an event that covers none.
    package var streamOffset: Int64?
    package var length: Int64?
    /// Why, in words: "segment lost before the capture", "start in mid-message" …; for `layout` and `notice` what is said.
    package var reason: String
    /// `layout`: the versions that are left open.
    package var versions: ProtocolVersions?
    /// `not-es`: "TLS", "HTTP" …, if it is known.
    package var looksLike: String?
    /// `not-es`: its first bytes (at most 16).
    package var firstBytes: [UInt8] = []
    package var isUDP = false
    /// Whether its conversation is known to be ES; text leaves out what happens in others.
    package var isInES = true
    /// `truncated`, `limit`, `preface`, `skipped`: the bytes, if they are at hand (at most 4096 of them), for display.
    package var bytes: [UInt8] = []
    /// Which way the bytes went, if it is known. Skipped bytes towards a server may be the rest of a Logon: they are hidden
    /// unless secrets are shown. `nil` counts as towards the server.
    package var direction: Direction?

    package init(
        kind: Kind,
        time: Int64,
        packet: UInt64,
        conversation: Int,
        source: String,
        destination: String,
        streamOffset: Int64? = nil,
        length: Int64? = nil,
        reason: String = "",
        looksLike: String? = nil,
        firstBytes: [UInt8] = [],
        bytes: [UInt8] = [],
        direction: Direction? = nil
    ) {
        self.kind = kind
        self.time = time
        self.packet = packet
        self.conversation = conversation
        self.source = source
        self.destination = destination
        self.streamOffset = streamOffset
        self.length = length
        self.reason = reason
        self.looksLike = looksLike
        self.firstBytes = firstBytes
        self.bytes = bytes
        self.direction = direction
    }
}
