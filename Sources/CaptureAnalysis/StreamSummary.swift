import ESProtocol
import NetworkStack

/// What `esdump streams` says of one conversation.
package struct StreamSummary: Sendable {
    package enum Ending: String, Sendable, CaseIterable {
        /// Both sides said that they send no more.
        case fin
        /// One side did, and nothing else ended it.
        case halfClosed = "half-closed"
        case reset = "rst"
        case open
        /// Silent for longer than `--idle-time`.
        case idle
        /// A SYN began another connection between the same ports.
        case portReused = "port-reused"
        /// Given up at a limit (`--max-conversations`, `--total-buffer`).
        case limit

        /// As people write it.
        package var text: String {
            switch self {
            case .fin: "FIN"
            case .reset: "RST"
            case .portReused: "port reused"
            case .halfClosed, .open, .idle, .limit: rawValue
            }
        }
    }

    package var number: Int
    package var transport = TransportSegment.Transport.tcp
    package var client: String
    package var server: String
    /// Nanoseconds since 1970-01-01 UTC of its first and last packet.
    package var start: Int64
    package var end: Int64
    package var packets: Int
    package var toServer: DirectionSummary
    package var toClient: DirectionSummary
    /// The users who logged on, in the order of their logons, as they came: to be escaped.
    package var users: [String] = []
    package var moreUsers = 0
    /// The versions of the framework that its messages leave open; `nil` if it holds no message.
    package var versions: ProtocolVersions?
    /// Segments whose bytes (or whose SYN) had been seen before.
    package var retransmissions: Int
    package var ending: Ending

    package var duration: Int64 { end >= start ? end &- start : 0 }
    package var bytes: Int64 { toServer.bytes + toClient.bytes }
    package var messages: Int { toServer.messages + toClient.messages }
    package var transportName: String { transport == .udp ? "udp" : "tcp" }
    package var gaps: Int { toServer.gapCount + toClient.gapCount }
}

/// What it says of one direction.
package struct DirectionSummary: Sendable, Equatable {
    package struct Run: Sendable, Equatable {
        package var offset: Int64
        package var length: Int64
        package var sha256: String
    }

    /// Payload bytes that were captured, each once.
    package var bytes: Int64 = 0
    package var messages = 0
    /// Those of them that are not complete.
    package var damagedMessages = 0
    /// Whether its SYN was seen: offset 0 is then the byte after it, otherwise the byte that was captured first. What was
    /// sent before that byte, and captured after it, has offsets below 0.
    package var hasSYN = false
    /// Where bytes are missing: offset and length; the first ones, if there are very many.
    package var gaps: [(offset: Int64, length: Int64)] = []
    package var gapCount = 0
    package var missingBytes: Int64 = 0
    /// Bytes that came after their hole had been given up, or lie far before the first one: not in `bytes`.
    package var lateBytes: Int64 = 0
    /// Of the bytes without filler; `nil` if it was not asked for.
    package var sha256: String?
    /// The pieces between the gaps, if there are gaps and hashes were asked for.
    package var runs: [Run] = []
    /// The file that the bytes were written to.
    package var file: String?

    package init() {}

    package static func == (left: Self, right: Self) -> Bool {
        left.bytes == right.bytes && left.messages == right.messages && left.damagedMessages == right.damagedMessages
            && left.hasSYN == right.hasSYN && left.gaps.elementsEqual(right.gaps, by: ==)
            && left.gapCount == right.gapCount && left.missingBytes == right.missingBytes
            && left.lateBytes == right.lateBytes && left.sha256 == right.sha256 && left.runs == right.runs
            && left.file == right.file
    }
}
