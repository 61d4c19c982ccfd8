// The ends of streams and conversations.

extension StreamReassembler {
    /// Gives up every hole of a stream, and what is behind them is handed on.
    @inlinable
    mutating func giveUpHoles<Sink: StreamSink>(
        _ stream: StreamID,
        reason: GapReason,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        while canGoOn(table.streams[stream.index].hold) {
            giveUpFirstHole(stream, reason: reason, mark: mark, into: &sink)
        }
        let place = table.streams[stream.index].hold
        if place != .none { holds.emptied(place) }
    }

    @inlinable
    public mutating func end<Sink: StreamSink>(
        _ stream: StreamID,
        reason: GapReason,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        giveUpHoles(stream, reason: reason, mark: mark, into: &sink)
        guard !table.streams[stream.index].hasEnded else { return }
        table.streams[stream.index].hasEnded = true
        sink.streamEnded(stream, mark: mark)
    }

    /// Ends both streams of a conversation and forgets it.
    @inlinable
    public mutating func close<Sink: StreamSink>(
        _ slot: Int,
        reason: GapReason,
        closing: Conversation.Closing = .inputEnded,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        guard table.conversations[slot].isOpen else { return }
        table.conversations[slot].closing = closing
        for side in 0...1 { end(StreamID(conversation: slot, side: side), reason: reason, mark: mark, into: &sink) }
        sink.conversationClosed(slot, table.conversations[slot])
        for index in slot * 2...slot * 2 + 1 {
            holds.release(table.streams[index].hold)
            table.streams[index] = StreamState()
        }
        // It leaves `watched` when its turn comes: to look for it there would cost more the more are watched.
        table.remove(slot)
        if table.count == 0 {
            for slot in watched { table.conversations[slot].isWatched = false }
            watched.removeAll()
            watchCursor = 0
        }
    }

    /// The input has ended: closes every conversation, in the order of their numbers.
    @inlinable
    public mutating func finish<Sink: StreamSink>(into sink: inout Sink) {
        for place in table.openPlaces() {
            let slot = Int(place)
            let mark = PacketMark(
                packet: table.conversations[slot].lastPacket,
                time: table.conversations[slot].lastTime
            )
            close(slot, reason: .end, closing: .inputEnded, mark: mark, into: &sink)
        }
    }
}
