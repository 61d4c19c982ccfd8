import ESProtocol
import MessageFormat
import NetworkStack

/// What is known of a conversation beside its streams' state.
///
/// There may be hundreds of thousands: the order of the fields leaves no room between them, and its names are made when they
/// are wanted.
struct ConversationRecord {
    let first: Endpoint
    /// What its own messages show of the version.
    var version = VersionKnowledge()
    let second: Endpoint
    var hasLayoutReport = false
    var guesses: (StreamGuess, StreamGuess) = (.unknown, .unknown)
    /// Where that stands which the messages of all conversations with its server show of it; from its first message on.
    var server = ServerVersions.Place.unasked
    var number: Int
    /// Bytes that belong to no message, kept back until it is known whether the conversation is ES at all.
    var pending: PendingBytes?

    init(number: Int, endpoints: (Endpoint, Endpoint)) {
        self.number = number
        (first, second) = endpoints
    }

    var endpoints: (Endpoint, Endpoint) { (first, second) }
    func endpoint(side: Int) -> Endpoint { side == 0 ? first : second }
    func name(side: Int) -> String { endpoint(side: side).description }
    func guess(side: Int) -> StreamGuess { side == 0 ? guesses.0 : guesses.1 }
}

/// What is asked of a conversation for each message, in one byte.
struct ConversationStatus {
    private var bits: UInt8

    /// - Parameter endpoints: As long as nothing tells, the client is who has the higher port.
    init(endpoints: (Endpoint, Endpoint)) { bits = endpoints.0.port >= endpoints.1.port ? 0 : 1 }

    /// The side that counts as the client.
    @inline(__always) var client: Int { Int(bits & 1) }
    @inline(__always) var isClientKnown: Bool { bits & 2 != 0 }
    /// Whether a message was found in the conversation.
    var isES: Bool {
        @inline(__always) get { bits & 4 != 0 }
        set { bits = newValue ? bits | 4 : bits & ~4 }
    }

    mutating func setClient(_ side: Int) { bits = bits & ~1 | UInt8(truncatingIfNeeded: side) & 1 | 2 }

    @inline(__always)
    func direction(side: Int) -> Direction { side == client ? .clientToServer : .serverToClient }

    /// Which bits must be set.
    struct Mask {
        fileprivate var bits: UInt8
        /// Client and protocol are known: nothing about the conversation is open any more.
        static let settled = Mask(bits: 6)
        /// Nothing is settled.
        static let never = Mask(bits: 0)
    }

    @inline(__always) func isSettled(mask: Mask) -> Bool { bits & mask.bits == 6 }
}

/// The names of the ends of the latest conversations that must be made into text, each made once and not once a message.
struct EndpointNames {
    struct Entry {
        var number = 0
        var names = (EndpointName.text(""), EndpointName.text(""))
    }

    /// By the number of the conversation, as far as the count reaches; there when the first is asked for.
    private var entries = DenseStore<Entry>()

    mutating func names(of ends: (Endpoint, Endpoint), number: Int) -> (EndpointName, EndpointName) {
        if entries.count == 0 { entries = DenseStore(repeating: Entry(), count: 4096) }
        let index = number & 4095
        if entries[index].number != number {
            entries[index] = Entry(number: number, names: (EndpointName(ends.0), EndpointName(ends.1)))
        }
        return entries[index].names
    }
}

extension EndpointName {
    @inline(__always)
    init(_ endpoint: Endpoint) {
        if endpoint.isIPv4 {
            self = .ipv4(UInt32(truncatingIfNeeded: endpoint.low), port: endpoint.port)
        } else {
            self = .text(endpoint.description)
        }
    }
}

/// A hole in a stream, as the reassembler told of it.
struct StreamGap {
    var offset: Int64
    var length: Int64
    var reason: GapReason
}

/// Kept back bytes and gaps of both sides of a conversation that may not be ES.
final class PendingBytes: @unchecked Sendable {
    var runs: ([UnframedBytes], [UnframedBytes]) = ([], [])
    var gaps: ([StreamGap], [StreamGap]) = ([], [])
    var firstBytes: ([UInt8], [UInt8]) = ([], [])

    /// Runs that are kept for each side; more are summed up in the last.
    static let maximumRuns = 256

    /// - Returns: false if no more are kept.
    func add(_ gap: StreamGap, side: Int) -> Bool {
        guard gaps.0.count + gaps.1.count < PendingBytes.maximumRuns else { return false }
        if side == 0 { gaps.0.append(gap) } else { gaps.1.append(gap) }
        return true
    }

    func add(_ run: UnframedBytes, side: Int) {
        if side == 0 { PendingBytes.add(run, to: &runs.0) } else { PendingBytes.add(run, to: &runs.1) }
    }

    /// Beyond the limit the newest run takes the new bytes too: their number stays right, their place does not.
    private static func add(_ run: UnframedBytes, to runs: inout [UnframedBytes]) {
        if runs.count >= maximumRuns {
            runs[runs.count - 1].length += run.length
        } else {
            runs.append(run)
        }
    }
}
