// Judges holes as time passes, and closes what is silent for too long.

extension StreamReassembler {
    public mutating func watchConversation(_ slot: Int) {
        guard !table.conversations[slot].isWatched else { return }
        table.conversations[slot].isWatched = true
        watched.append(slot)
    }

    /// Looks at the holes of the packet's conversation, and now and then at a few of the others; closes what is idle.
    @inlinable @inline(__always)
    mutating func watch<Sink: StreamSink>(slot: Int, mark: PacketMark, into sink: inout Sink) {
        if table.conversations[slot].isWatched, hasWatchedState(slot) { judge(slot, mark: mark, into: &sink) }
        // Unsigned: also when the clock was set back.
        if !watched.isEmpty, UInt64(bitPattern: mark.time &- lastWatchTime) >= 100_000_000 || watchCursor > 0 {
            watchSome(64, mark: mark, into: &sink)
        }
        if mark.time < earliestTime { earliestTime = mark.time }
        if mark.time &- earliestTime > limits.idleTime { closeOneIfIdle(mark: mark, into: &sink) }
    }

    /// Whether there is still anything to watch in a conversation that is watched.
    @inlinable @inline(__always)
    func hasWatchedState(_ slot: Int) -> Bool {
        table.streams[slot &* 2].hold != .none || table.streams[slot &* 2 &+ 1].hold != .none
            || table.conversations[slot].isResetPending
    }

    /// Looks at one conversation after the other, one a packet.
    @inlinable @inline(never)
    mutating func closeOneIfIdle<Sink: StreamSink>(mark: PacketMark, into sink: inout Sink) {
        idleCursor += 1
        if idleCursor >= table.conversations.count { idleCursor = 0 }
        closeIfIdle(idleCursor, mark: mark, into: &sink)
    }

    /// Says that time has passed without packets, so that holes can be given up and idle conversations closed.
    @inlinable
    public mutating func timePassed<Sink: StreamSink>(_ time: Int64, packet: UInt64, into sink: inout Sink) {
        let mark = PacketMark(packet: packet, time: time)
        watchCursor = 0
        watchSome(Int.max, mark: mark, into: &sink)
        for _ in 0..<min(1024, table.conversations.count) {
            idleCursor = (idleCursor + 1) % table.conversations.count
            closeIfIdle(idleCursor, mark: mark, into: &sink)
        }
    }

    @inlinable
    public mutating func closeIfIdle<Sink: StreamSink>(_ slot: Int, mark: PacketMark, into sink: inout Sink) {
        guard table.conversations[slot].isOpen, mark.time &- table.conversations[slot].lastTime > limits.idleTime else {
            return
        }
        close(slot, reason: .end, closing: .idle, mark: mark, into: &sink)
    }

    @inlinable
    public mutating func watchSome<Sink: StreamSink>(_ count: Int, mark: PacketMark, into sink: inout Sink) {
        if watchCursor == 0 { lastWatchTime = mark.time }
        var looked = 0
        while watchCursor < watched.count, looked < count {
            looked += 1
            let slot = watched[watchCursor]
            judge(slot, mark: mark, into: &sink)
            if needsWatching(slot) {
                watchCursor += 1
            } else {
                table.conversations[slot].isWatched = false
                watched.swapAt(watchCursor, watched.count - 1)
                watched.removeLast()
            }
        }
        if watchCursor >= watched.count { watchCursor = 0 }
    }

    public mutating func needsWatching(_ slot: Int) -> Bool {
        guard table.conversations[slot].isOpen else { return false }
        return table.conversations[slot].resetTime != nil || canGoOn(table.streams[slot * 2].hold)
            || canGoOn(table.streams[slot * 2 + 1].hold)
    }

    @inlinable @inline(__always)
    func canGoOn(_ place: HoldPlace) -> Bool { place != .none && holds[place].canGoOn }

    @inlinable @inline(never)
    mutating func judge<Sink: StreamSink>(_ slot: Int, mark: PacketMark, into sink: inout Sink) {
        guard table.conversations[slot].isOpen else { return }
        for side in 0...1 {
            let stream = StreamID(conversation: slot, side: side)
            while canGoOn(table.streams[stream.index].hold), let reason = givesUp(stream, time: mark.time) {
                giveUpFirstHole(stream, reason: reason, mark: mark, into: &sink)
            }
        }
        if let reset = table.conversations[slot].resetTime, mark.time &- reset >= limits.gapMaximumTime {
            table.conversations[slot].resetTime = nil
            for side in 0...1 { end(StreamID(conversation: slot, side: side), reason: .reset, mark: mark, into: &sink) }
        }
        noteIfFinished(slot)
    }

    /// Whether the first hole of a stream, behind which it can go on, is to be given up now, and why.
    /// (It is mutating so that not all of this struct is copied for the call.)
    @usableFromInline mutating func givesUp(_ stream: StreamID, time: Int64) -> GapReason? {
        let state = table.streams[stream.index]
        let other = table.streams[stream.conversation * 2 + (1 - stream.side)]
        guard other.hasAcknowledged else {
            let isOver =
                time &- holds[state.hold].openSince >= limits.oneWayTime
                || holds[state.hold].byteCount >= limits.oneWayBytes
            return isOver ? .lostOneWay : nil
        }
        let acknowledged = state.offset(of: other.acknowledged)
        guard acknowledged > state.nextOffset else { return nil }
        let packets = table.conversations[stream.conversation].packets
        if holds[state.hold].suspectSince == nil {
            holds[state.hold].suspectSince = time
            holds[state.hold].suspectPacket = packets
            holds[state.hold].suspectEnd = acknowledged
        }
        let waited = time &- (holds[state.hold].suspectSince ?? time)
        let isLost =
            waited >= limits.gapMaximumTime
            || (waited >= limits.gapTime && packets &- holds[state.hold].suspectPacket >= limits.gapPackets)
        return isLost ? .lost : nil
    }
}
