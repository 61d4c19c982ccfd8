/// What a capture file says beside its packets, and what was noticed while it was read.
///
/// It is shared with whoever wants to look while the file is being read (a `PacketSink`, for instance). Everything in
/// it is bounded: what goes beyond is counted.
public final class CaptureNotes {
    /// A comment that somebody put into a pcapng file.
    public struct Comment: Equatable {
        public enum Subject: Equatable {
            case section
            /// The interface's index in `interfaces`.
            case interface(Int)
            /// The packet's number, from 1.
            case packet(UInt64)
        }
        public var subject: Subject
        public var text: String

        public init(subject: Subject, text: String) {
            self.subject = subject
            self.text = text
        }
    }

    /// An interface that packets were captured on.
    public struct Interface: Equatable {
        public var linkType: UInt16
        /// 0: no limit.
        public var snapLength: UInt32
        /// A pcapng interface's name, if the file says it.
        public var name: String?
        public var comments: [String] = []
        /// Packets that the interface and the system received and dropped, from the last statistics block.
        public var received: UInt64?
        public var dropped: UInt64?
    }

    /// At most 10,000 comments and 1 MiB of their text are kept.
    public internal(set) var comments: [Comment] = []
    public internal(set) var commentsNotKept = 0
    /// Interfaces of all sections in the order of their descriptions (at most 65,536 are kept), for pcap the only one.
    public internal(set) var interfaces: [Interface] = []
    /// Time stamps that do not fit nanoseconds in 64 bits since 1970, and were set to the nearest that do.
    public internal(set) var clampedTimes = 0
    /// Packets without a time stamp of their own (pcapng simple packets); they have that of the packet before.
    public internal(set) var packetsWithoutTime = 0
    /// Blocks of pcapng that hold no packets and were passed over, by their type.
    public internal(set) var skippedBlocks: [UInt32: Int] = [:]
    /// Whether the file holds times finer than a microsecond.
    public internal(set) var hasNanoseconds = false
    /// The name of the format and of the compression around it, if any: `pcap`, `pcapng`, `gzip` …
    public internal(set) var format = ""
    public internal(set) var compression: String?

    /// Index in `interfaces` of the interface of the packet that is being handed on.
    @usableFromInline var packetInterface = 0
    /// The last packet that had comments, and all of them.
    private var commented: (packet: UInt64, comments: [String]) = (0, [])
    private var commentBytes = 0

    func addPacketComment(_ packet: UInt64, _ text: UnsafeRawBufferPointer) {
        addComment(.packet(packet), text)
        if commented.packet != packet { commented = (packet, []) }
        commented.comments.append(String(decoding: text, as: UTF8.self))
    }

    /// - Returns: whether it is kept.
    @discardableResult
    func addComment(_ subject: Comment.Subject, _ text: UnsafeRawBufferPointer) -> Bool {
        guard comments.count < 10_000, commentBytes + text.count <= 1 << 20 else {
            commentsNotKept += 1
            return false
        }
        commentBytes += text.count
        comments.append(Comment(subject: subject, text: String(decoding: text, as: UTF8.self)))
        return true
    }

    /// Whether there is anything that a reader should be told.
    public var saysSomething: Bool {
        !comments.isEmpty || commentsNotKept > 0 || clampedTimes > 0 || packetsWithoutTime > 0
            || skippedBlocks[CaptureNotes.decryptionSecrets] != nil
            || interfaces.contains { $0.dropped ?? 0 > 0 }
    }

    /// The type of pcapng's block of keys for TLS and the like.
    public static let decryptionSecrets: UInt32 = 10

    @usableFromInline func noteClampedTime() { clampedTimes += 1 }

    func skip(blockType: UInt32) {
        if skippedBlocks[blockType] != nil || skippedBlocks.count < 1_000 {
            skippedBlocks[blockType, default: 0] += 1
        }
    }
}

/// Says what a capture file holds of the packet that is being handed on, beside the packet.
public protocol PacketDetails: AnyObject {
    /// Its comments; none in files that have no comments.
    func comments(of packet: Packet) -> [String]
    /// Comments on the file, as far as they are known when a packet is handed on.
    var sectionComments: [String] { get }
    /// The interface that it was captured on.
    func interface(of packet: Packet) -> CaptureNotes.Interface?
}

extension CaptureNotes: PacketDetails {
    public func comments(of packet: Packet) -> [String] {
        commented.packet == packet.number ? commented.comments : []
    }

    public var sectionComments: [String] { comments.filter { $0.subject == .section }.map(\.text) }

    public func interface(of packet: Packet) -> Interface? {
        interfaces.indices.contains(packetInterface) ? interfaces[packetInterface] : nil
    }
}
