import ESProtocol
import MessageFormat
import NetworkStack

/// What is known of a conversation beside its streams' state.
struct ConversationRecord {
    var number: Int
    /// The side that is the client, once something tells.
    var clientSide: Int?
    /// Who is the client if nothing tells: the higher port.
    var likelyClientSide: Int
    /// Whether a message was found in it.
    var isES = false
    let endpoints: (Endpoint, Endpoint)
    /// The endpoints as text; empty if no reports are wanted.
    var names: (String, String) = ("", "")
    var guesses: (StreamGuess, StreamGuess) = (.unknown, .unknown)
    var hasLayoutReport = false
    /// What its own messages show of the version.
    var version = VersionKnowledge()
    /// What the messages of all conversations with its server show of it; once one of its own told something.
    var server: ServerVersion?
    /// Bytes that belong to no message, kept back until it is known whether the conversation is ES at all.
    var pending: PendingBytes?

    func name(side: Int) -> String { side == 0 ? names.0 : names.1 }
    func guess(side: Int) -> StreamGuess { side == 0 ? guesses.0 : guesses.1 }

    func direction(side: Int) -> Direction {
        side == clientSide ?? likelyClientSide ? .clientToServer : .serverToClient
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
