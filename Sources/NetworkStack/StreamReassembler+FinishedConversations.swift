// Conversations that have ended on both sides: some thousands are remembered, to know late segments by, and the oldest of more
// are forgotten but for the numbers that their streams ended with. So a capture of many short connections needs no more memory the longer it is.

/// They wait in the order in which they ended.
@usableFromInline struct FinishedConversations {
    @usableFromInline struct Entry {
        @usableFromInline var slot: Int
        /// Tells whether it is still the same conversation that has this place.
        @usableFromInline var number: Int
        /// When its last packet came, as far as known here.
        @usableFromInline var time: Int64
    }

    private var entries: [Entry] = []
    private var start = 0

    init() {}

    @usableFromInline var count: Int { entries.count - start }
    @usableFromInline var first: Entry? { start < entries.count ? entries[start] : nil }

    @usableFromInline mutating func append(slot: Int, number: Int, time: Int64) {
        entries.append(Entry(slot: slot, number: number, time: time))
    }

    @usableFromInline mutating func removeFirst() {
        start += 1
        // What was taken is cut off only now and then.
        if start >= 256, start > entries.count / 2 {
            entries.removeFirst(start)
            start = 0
        }
    }
}

extension StreamReassembler {
    /// Lets a conversation wait for its end if both of its streams have ended.
    @usableFromInline mutating func noteIfFinished(_ slot: Int) {
        guard table.conversations[slot].isOpen, !table.conversations[slot].isFinished,
            table.streams[slot * 2].hasEnded, table.streams[slot * 2 + 1].hasEnded
        else { return }
        table.conversations[slot].isFinished = true
        finished.append(
            slot: slot,
            number: table.conversations[slot].number,
            time: table.conversations[slot].lastTime
        )
    }

    /// Forgets those that ended first, if there are many. It is called for each conversation that begins, and forgets two of them at most: their
    /// number cannot grow, and no packet costs more than others.
    @inlinable
    mutating func closeFinished<Sink: StreamSink>(mark: PacketMark, into sink: inout Sink) {
        for _ in 0..<2 {
            guard let entry = finished.first else { return }
            let isTooMany =
                finished.count > limits.maximumFinishedConversations || table.count >= limits.conversations
            let isDue =
                finished.count > limits.finishedConversations && mark.time &- entry.time > limits.finishedTime
            guard isTooMany || isDue else { return }
            finished.removeFirst()
            let slot = entry.slot
            guard table.conversations[slot].isOpen, table.conversations[slot].number == entry.number else { continue }
            let lastTime = table.conversations[slot].lastTime
            if lastTime > entry.time, !isTooMany {
                finished.append(slot: slot, number: entry.number, time: lastTime)
            } else {
                keepEnds(of: slot)
                close(slot, reason: .end, closing: .finished, mark: mark, into: &sink)
            }
        }
    }
}
