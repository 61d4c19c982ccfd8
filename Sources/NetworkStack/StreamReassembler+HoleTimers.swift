// Judges holes as time passes, and closes what is silent for too long.

extension StreamReassembler {
    public mutating func watchConversation(_ slot: Int) {
        guard !table.conversations[slot].isWatched else { return }
        table.conversations[slot].isWatched = true
        watched.append(slot)
    }

    /// Looks at the holes of the packet's conversation, and now and then at a few of the others; closes what is idle.
    @inlinable
    public mutating func watch<Sink: StreamSink>(time: Int64, slot: Int, mark: PacketMark, into sink: inout Sink) {
        if table.conversations[slot].isWatched { judge(slot, mark: mark, into: &sink) }
        // Unsigned: also when the clock was set back.
        if !watched.isEmpty, UInt64(bitPattern: time &- lastWatchTime) >= 100_000_000 || watchCursor > 0 {
            watchSome(64, mark: mark, into: &sink)
        }
        idleCursor += 1
        if idleCursor >= table.conversations.count { idleCursor = 0 }
        if time &- table.conversations[idleCursor].lastTime > limits.idleTime {
            closeIfIdle(idleCursor, mark: mark, into: &sink)
        }
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
        let conversation = table.conversations[slot]
        guard conversation.isOpen, mark.time &- conversation.lastTime > limits.idleTime else { return }
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

    public func needsWatching(_ slot: Int) -> Bool {
        let conversation = table.conversations[slot]
        return conversation.isOpen
            && (table.streams[slot * 2].hold?.canGoOn ?? false || table.streams[slot * 2 + 1].hold?.canGoOn ?? false
                || conversation.resetTime != nil)
    }

    @inlinable
    public mutating func judge<Sink: StreamSink>(_ slot: Int, mark: PacketMark, into sink: inout Sink) {
        guard table.conversations[slot].isOpen else { return }
        for side in 0...1 { judgeHole(StreamID(conversation: slot, side: side), mark: mark, into: &sink) }
        if let reset = table.conversations[slot].resetTime, mark.time &- reset >= limits.gapMaximumTime {
            table.conversations[slot].resetTime = nil
            for side in 0...1 { end(StreamID(conversation: slot, side: side), reason: .reset, mark: mark, into: &sink) }
        }
    }

    @inlinable
    public mutating func judgeHole<Sink: StreamSink>(_ stream: StreamID, mark: PacketMark, into sink: inout Sink) {
        while let hold = table.streams[stream.index].hold, hold.canGoOn {
            let other = table.streams[stream.conversation * 2 + (1 - stream.side)]
            let state = table.streams[stream.index]
            let packets = table.conversations[stream.conversation].packets
            if other.hasAcknowledged {
                guard state.offset(of: other.acknowledged) > state.nextOffset else { return }
                if hold.suspectSince == nil {
                    hold.suspectSince = mark.time
                    hold.suspectPacket = packets
                    hold.suspectEnd = state.offset(of: other.acknowledged)
                }
                let waited = mark.time &- (hold.suspectSince ?? mark.time)
                guard
                    waited >= limits.gapMaximumTime
                        || (waited >= limits.gapTime && packets &- hold.suspectPacket >= limits.gapPackets)
                else { return }
                giveUpFirstHole(stream, reason: .lost, mark: mark, into: &sink)
            } else {
                guard mark.time &- hold.openSince >= limits.oneWayTime || hold.byteCount >= limits.oneWayBytes else {
                    return
                }
                giveUpFirstHole(stream, reason: .lostOneWay, mark: mark, into: &sink)
            }
        }
    }
}
