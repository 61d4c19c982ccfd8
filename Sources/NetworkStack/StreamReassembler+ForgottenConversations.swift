// What is kept of conversations that ended and were forgotten: enough to tell a segment that comes again from the first one of another
// conversation.

/// The ends of their streams, in a table of fixed size: where two want the same place, the later one has it.
@usableFromInline struct ForgottenConversations {
    private struct Entry {
        /// That of both endpoints; 0 where there is none.
        var hash: UInt64 = 0
        /// The sequence number behind the last byte that was sent by the lesser endpoint, and by the greater one.
        var ends: (UInt32, UInt32) = (0, 0)
        /// The time of the last packet.
        var time: Int64 = 0
    }

    /// A power of two.
    private static var count: Int { 32_768 }
    /// What comes again has come at most so many bytes ago.
    private static var window: Int32 { 1 << 20 }

    /// Made when it is needed.
    private var entries = ContiguousArray<Entry>()

    init() {}

    private func index(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (entries.count - 1) }

    fileprivate mutating func note(
        hash: UInt64,
        _ first: Endpoint,
        _ second: Endpoint,
        ends: (UInt32, UInt32),
        time: Int64
    ) {
        if entries.isEmpty { entries = ContiguousArray(repeating: Entry(), count: Self.count) }
        let ends = first.isLess(than: second) ? ends : (ends.1, ends.0)
        entries[index(hash)] = Entry(hash: hash, ends: ends, time: time)
    }

    /// Whether a segment brings nothing but what a conversation brought that was forgotten.
    fileprivate mutating func knows(hash: UInt64, _ segment: TransportSegment, time: Int64, within limit: Int64) -> Bool
    {
        guard !entries.isEmpty, segment.flags & TCPFlags.syn == 0 else { return false }
        let entry = entries[index(hash)]
        guard entry.hash == hash, time &- entry.time <= limit else { return false }
        let end = segment.source.isLess(than: segment.destination) ? entry.ends.0 : entry.ends.1
        let length = UInt32(truncatingIfNeeded: segment.payloadLength)
        let distance = Int32(bitPattern: segment.sequence &+ length &- end)
        // The FIN has a sequence number of its own, which acknowledgements lie behind.
        guard distance <= (length == 0 ? 1 : 0), distance > -Self.window else { return false }
        entries[index(hash)].time = time
        return true
    }
}

extension Endpoint {
    fileprivate func isLess(than other: Endpoint) -> Bool {
        (high, low, port) < (other.high, other.low, other.port)
    }
}

extension StreamReassembler {
    /// Keeps of a conversation that is forgotten now what its segments are known by if they come again.
    @usableFromInline mutating func keepEnds(of slot: Int) {
        let (one, other) = (table.streams[slot * 2], table.streams[slot * 2 + 1])
        guard one.hasBase, other.hasBase else { return }
        let (first, second) = (table.conversations[slot].first, table.conversations[slot].second)
        forgotten.note(
            hash: table.hash(first, second),
            first,
            second,
            ends: (one.nextSequence, other.nextSequence),
            time: table.conversations[slot].lastTime
        )
    }

    /// Whether a segment of no conversation that is known is one that a forgotten conversation sent before.
    @usableFromInline mutating func comesAgain(_ segment: TransportSegment, time: Int64) -> Bool {
        forgotten.knows(
            hash: table.hash(segment.source, segment.destination),
            segment,
            time: time,
            within: limits.finishedTime
        )
    }
}
