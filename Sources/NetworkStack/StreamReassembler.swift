import PacketCapture

/// TCP flags (RFC 9293 section 3.1).
public enum TCPFlags {
    @inlinable public static var fin: UInt8 { 0x01 }
    @inlinable public static var syn: UInt8 { 0x02 }
    @inlinable public static var rst: UInt8 { 0x04 }
    @inlinable public static var psh: UInt8 { 0x08 }
    @inlinable public static var ack: UInt8 { 0x10 }
}

/// Puts the segments of TCP conversations in order and hands on bytes and gaps.
///
/// In-order payload is handed on without a copy. What is out of order is held, within limits, until its hole is
/// filled or given up.
public struct StreamReassembler {
    public var limits: ReassemblyLimits
    public var table = ConversationTable()
    /// Conversations opened so far.
    public var conversationCount = 0
    /// Bytes held out of order in all streams.
    public var heldBytes = 0
    /// Conversations with a hole or a reset to watch.
    public var watched: [Int] = []
    public var watchCursor = 0
    public var lastWatchTime: Int64 = 0
    public var idleCursor = 0

    public init(limits: ReassemblyLimits = ReassemblyLimits()) {
        self.limits = limits
    }

    /// The conversations that are open.
    public var openConversations: Int { table.count }

    public func conversation(_ slot: Int) -> Conversation { table.conversations[slot] }

    /// The number of a conversation, from 1.
    @inlinable public func number(_ slot: Int) -> Int { table.conversations[slot].number }

    /// The earliest packet that brought bytes which are still held, in any stream.
    public func earliestHeldPacket() -> UInt64? {
        var earliest: UInt64?
        for slot in watched where table.conversations[slot].isOpen {
            for side in 0...1 {
                if let packet = table.streams[slot * 2 + side].hold?.earliestPacket, packet < earliest ?? .max {
                    earliest = packet
                }
            }
        }
        return earliest
    }

    // MARK: - Segments

    @inlinable
    public mutating func segment<Sink: StreamSink>(
        _ segment: TransportSegment,
        payload: RawSpan,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        let slot: Int
        if let found = table.find(segment.source, segment.destination) {
            slot = found
        } else {
            slot = open(segment, mark: mark, into: &sink)
        }
        var stream = StreamID(conversation: slot, side: sideOfSource(slot, segment))
        let otherFlags = TCPFlags.syn | TCPFlags.fin | TCPFlags.rst
        // Nearly every packet: an acknowledgement, and the bytes that come next.
        if segment.flags & otherFlags == 0,
            isInOrder(stream, segment, captured: payload.byteCount)
        {
            let offset = advance(slot, side: stream.side, by: payload.byteCount, mark: mark)
            if payload.byteCount > 0 { sink.streamBytes(stream, payload, offset: offset, mark: mark) }
        } else {
            stream = slowSegment(segment, payload: payload, stream: stream, mark: mark, into: &sink)
        }
        if segment.flags & TCPFlags.ack != 0 {
            acknowledge(stream.conversation, side: stream.side, segment.acknowledgement)
        }
        watch(time: mark.time, slot: stream.conversation, mark: mark, into: &sink)
    }

    @inlinable
    public func sideOfSource(_ slot: Int, _ segment: TransportSegment) -> Int {
        table.conversations[slot].first == segment.source ? 0 : 1
    }

    /// Whether a segment without SYN, FIN or RST continues a stream that has nothing out of order.
    @inlinable
    public func isInOrder(_ stream: StreamID, _ segment: TransportSegment, captured: Int) -> Bool {
        if captured == 0 { return segment.payloadLength == 0 }
        let place = stream.conversation
        guard table.streams[place * 2 + stream.side].nextSequence == segment.sequence,
            table.streams[place * 2 + stream.side].hasBase,
            !table.streams[place * 2 + stream.side].hasEnded, captured == segment.payloadLength,
            table.conversations[place].resetTime == nil
        else { return false }
        guard let hold = table.streams[place * 2 + stream.side].hold else { return true }
        return hold.first == nil
    }

    /// - Returns: the offset of the bytes in the stream.
    @inlinable
    public mutating func advance(_ slot: Int, side: Int, by count: Int, mark: PacketMark) -> Int64 {
        table.conversations[slot].packets &+= 1
        table.conversations[slot].lastTime = mark.time
        table.conversations[slot].lastPacket = mark.packet
        if count == 0 { return 0 }
        let offset = table.streams[slot * 2 + side].nextOffset
        table.streams[slot * 2 + side].nextOffset &+= Int64(count)
        table.streams[slot * 2 + side].nextSequence &+= UInt32(truncatingIfNeeded: count)
        return offset
    }

    @inlinable
    public mutating func acknowledge(_ slot: Int, side: Int, _ number: UInt32) {
        let state = table.streams[slot * 2 + side]
        if !state.hasAcknowledged {
            table.streams[slot * 2 + side].hasAcknowledged = true
            table.streams[slot * 2 + side].acknowledged = number
        } else if Int32(bitPattern: number &- state.acknowledged) > 0 {
            table.streams[slot * 2 + side].acknowledged = number
        }
    }

    @inlinable
    public mutating func open<Sink: StreamSink>(
        _ segment: TransportSegment,
        mark: PacketMark,
        into sink: inout Sink
    ) -> Int {
        if table.count >= limits.conversations { closeAnOldOne(mark: mark, into: &sink) }
        conversationCount += 1
        let slot = table.insert(
            Conversation(
                number: conversationCount,
                first: segment.source,
                second: segment.destination,
                time: mark.time
            )
        )
        if segment.flags & TCPFlags.syn != 0 {
            table.conversations[slot].clientSide = segment.flags & TCPFlags.ack == 0 ? 0 : 1
        }
        sink.conversationOpened(slot, table.conversations[slot])
        return slot
    }

    @inlinable
    public mutating func closeAnOldOne<Sink: StreamSink>(mark: PacketMark, into sink: inout Sink) {
        var oldest: Int?
        var looked = 0
        while looked < 16 || oldest == nil, looked < table.conversations.count {
            idleCursor = (idleCursor + 1) % table.conversations.count
            looked += 1
            let candidate = table.conversations[idleCursor]
            guard candidate.isOpen else { continue }
            if oldest == nil || candidate.lastTime < table.conversations[oldest!].lastTime { oldest = idleCursor }
        }
        if let oldest { close(oldest, reason: .end, closing: .limit, mark: mark, into: &sink) }
    }

    // MARK: - What is not simply in order

    @inlinable
    public mutating func slowSegment<Sink: StreamSink>(
        _ segment: TransportSegment,
        payload: RawSpan,
        stream: StreamID,
        mark: PacketMark,
        into sink: inout Sink
    ) -> StreamID {
        var slot = stream.conversation
        var side = stream.side
        var sequence = segment.sequence
        if segment.flags & TCPFlags.syn != 0 {
            if isNewConnection(segment, slot: slot, side: side) {
                close(slot, reason: .portReuse, closing: .portReused, mark: mark, into: &sink)
                slot = open(segment, mark: mark, into: &sink)
                side = 0
            }
            sequence &+= 1
            synchronize(slot, side: side, segment, first: sequence, into: &sink)
        }
        table.conversations[slot].packets &+= 1
        table.conversations[slot].lastTime = mark.time
        table.conversations[slot].lastPacket = mark.packet
        let stream = StreamID(conversation: slot, side: side)
        var length = Int64(segment.payloadLength)
        if length > 0, segment.flags & TCPFlags.rst != 0 {
            // What a reset carries says why (RFC 9293 section 3.5.3); it is not part of the stream.
            let offset =
                table.streams[slot * 2 + side].hasBase ? table.streams[slot * 2 + side].offset(of: sequence) : 0
            sink.lateSegment(stream, offset: offset, length: length, reason: "carried by a reset", mark: mark)
            length = 0
        }
        if length > 0 || segment.flags & TCPFlags.fin != 0 {
            if !table.streams[slot * 2 + side].hasBase {
                if isKeepAlive(slot, side: side, sequence: sequence, length: length) { return stream }
                table.streams[slot * 2 + side].hasBase = true
                table.streams[slot * 2 + side].nextSequence = sequence
                if length == 0 {
                    // A FIN as the first thing that was seen: bytes that lie before it may still come.
                    table.conversations[slot].finSides |= 1 << UInt8(truncatingIfNeeded: side)
                    return stream
                }
            } else if length > 0 {
                startEarlier(slot, side: side, sequence: sequence, length: length)
            }
            // In a hole a byte that was not pushed; one that was may have been overtaken by its acknowledgement.
            if length == 1, segment.flags & (TCPFlags.psh | TCPFlags.fin) == 0,
                table.streams[slot * 2 + side].offset(of: sequence) > table.streams[slot * 2 + side].nextOffset,
                isKeepAlive(slot, side: side, sequence: sequence, length: length)
            {
                return stream
            }
            take(payload, length: length, sequence: sequence, stream: stream, mark: mark, into: &sink)
            if segment.flags & TCPFlags.fin != 0 {
                table.conversations[slot].finSides |= 1 << UInt8(truncatingIfNeeded: side)
                let end = table.streams[slot * 2 + side].offset(of: sequence) &+ length
                hold(
                    StreamHold.Piece(offset: end, length: 0, bytes: [], isFIN: true, mark: mark),
                    stream: stream,
                    mark: mark,
                    into: &sink
                )
            }
        }
        if segment.flags & TCPFlags.rst != 0 {
            for side in 0...1 {
                giveUpAll(StreamID(conversation: slot, side: side), reason: .reset, mark: mark, into: &sink)
            }
            table.conversations[slot].resetTime = mark.time
            table.conversations[slot].wasReset = true
            watchConversation(slot)
        } else if length > 0 {
            table.conversations[slot].resetTime = nil
        }
        return stream
    }

    /// Whether a SYN begins another connection between the same endpoints.
    public func isNewConnection(_ segment: TransportSegment, slot: Int, side: Int) -> Bool {
        let state = table.streams[slot * 2 + side]
        guard state.hasBase else { return false }
        let offset = state.offset(of: segment.sequence &+ 1)
        if state.hasSYN {
            // Of several answers with other numbers the last one before the bytes counts.
            let hasBytes = state.nextOffset != 0 || state.hold != nil
            return offset != 0 && (hasBytes || segment.flags & TCPFlags.ack == 0)
        }
        guard segment.flags & TCPFlags.ack == 0 else { return false }
        // The SYN of the connection that is under way may be captured late.
        return offset > 0 || offset < -65536 || (offset != 0 && table.conversations[slot].packets > 64)
    }

    @inlinable
    public mutating func synchronize<Sink: StreamSink>(
        _ slot: Int,
        side: Int,
        _ segment: TransportSegment,
        first: UInt32,
        into sink: inout Sink
    ) {
        if table.conversations[slot].clientSide == nil {
            table.conversations[slot].clientSide = segment.flags & TCPFlags.ack == 0 ? side : 1 - side
        }
        let state = table.streams[slot * 2 + side]
        if !state.hasBase || (state.nextOffset == 0 && state.hold == nil) {
            table.streams[slot * 2 + side].hasBase = true
            table.streams[slot * 2 + side].hasSYN = true
            table.streams[slot * 2 + side].nextSequence = first
        } else if state.offset(of: first) == 0 {
            if state.hasSYN { table.conversations[slot].repeatedSegments &+= 1 }
            table.streams[slot * 2 + side].hasSYN = true
        } else {
            return
        }
        sink.streamSynchronized(
            StreamID(conversation: slot, side: side),
            clientSide: table.conversations[slot].clientSide
        )
    }

    /// Bytes before the beginning, as long as none has been seen: it was not the beginning (a FIN that was captured before
    /// the bytes, a SYN of another connection or with a broken number).
    @inlinable
    func mayStartEarlier(_ state: StreamState, sequence: UInt32) -> Bool {
        state.nextOffset == 0 && state.hold == nil && !state.hasEnded && state.offset(of: sequence) < 0
    }

    @inlinable
    mutating func startEarlier(_ slot: Int, side: Int, sequence: UInt32, length: Int64) {
        let state = table.streams[slot * 2 + side]
        guard mayStartEarlier(state, sequence: sequence),
            !isKeepAlive(slot, side: side, sequence: sequence, length: length)
        else { return }
        if state.hasSYN {
            // A SYN is believed unless the other side acknowledges what lies before it.
            let other = table.streams[slot * 2 + (1 - side)]
            guard other.hasAcknowledged, state.offset(of: other.acknowledged) < 0 else { return }
        }
        table.streams[slot * 2 + side].hasSYN = false
        table.streams[slot * 2 + side].nextSequence = sequence
    }

    /// A keep-alive repeats the last byte that was acknowledged; it is not data (RFC 9293 section 3.8.4).
    public func isKeepAlive(_ slot: Int, side: Int, sequence: UInt32, length: Int64) -> Bool {
        let other = table.streams[slot * 2 + (1 - side)]
        return length == 1 && other.hasAcknowledged && other.acknowledged == sequence &+ 1
    }

    /// Takes payload at a sequence number.
    @inlinable
    public mutating func take<Sink: StreamSink>(
        _ payload: RawSpan,
        length: Int64,
        sequence: UInt32,
        stream: StreamID,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        let state = table.streams[stream.index]
        var offset = state.offset(of: sequence)
        let end = offset + length
        let capturedEnd = offset + Int64(payload.byteCount)
        if offset < state.nextOffset {
            if !isKeepAlive(stream.conversation, side: stream.side, sequence: sequence, length: length) {
                table.conversations[stream.conversation].repeatedSegments &+= 1
            }
            reportLate(
                from: offset,
                to: min(end, state.nextOffset),
                state: state,
                stream: stream,
                mark: mark,
                into: &sink
            )
            guard end > state.nextOffset else { return }
        }
        if state.hasEnded {
            // A FIN that comes again brings no bytes.
            guard length > 0 else { return }
            sink.lateSegment(
                stream,
                offset: max(offset, state.nextOffset),
                length: end - max(offset, state.nextOffset),
                reason: "after the end of the stream",
                mark: mark
            )
            takeAfterEnd(payload, offset: offset, stream: stream, mark: mark, into: &sink)
            return
        }
        var bytes = payload
        if offset < state.nextOffset {
            let known = Int(min(state.nextOffset, capturedEnd) - offset)
            bytes = payload.extracting(known..<payload.byteCount)
            offset = state.nextOffset
        }
        if offset == state.nextOffset, bytes.byteCount > 0, state.hold?.first == nil {
            deliver(bytes, stream: stream, mark: mark, into: &sink)
        } else if bytes.byteCount > 0 {
            hold(
                StreamHold.Piece(
                    offset: offset,
                    length: Int64(bytes.byteCount),
                    bytes: bytes.withUnsafeBytes { Array($0) },
                    isFIN: false,
                    mark: mark
                ),
                stream: stream,
                mark: mark,
                into: &sink
            )
        }
        if end > capturedEnd {
            let start = max(capturedEnd, state.nextOffset)
            hold(
                StreamHold.Piece(offset: start, length: end - start, bytes: [], isFIN: false, mark: mark),
                stream: stream,
                mark: mark,
                into: &sink
            )
        }
    }

    /// Bytes behind a FIN belong to no message, but to what was captured: each is handed on once.
    @inlinable
    mutating func takeAfterEnd<Sink: StreamSink>(
        _ payload: RawSpan,
        offset: Int64,
        stream: StreamID,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        let start = max(offset, table.streams[stream.index].nextOffset)
        let end = offset + Int64(payload.byteCount)
        guard start < end, table.streams[stream.index].hold?.first == nil else { return }
        sink.bytesAfterEnd(
            stream,
            payload.extracting(Int(start - offset)..<payload.byteCount),
            offset: start,
            mark: mark
        )
        noteHoleBehindEnd(stream, to: start)
        let advance = end - table.streams[stream.index].nextOffset
        table.streams[stream.index].nextOffset = end
        table.streams[stream.index].nextSequence &+= UInt32(truncatingIfNeeded: advance)
    }

    /// Behind the end nothing waits for a hole to be filled; what fills it later is late, and no retransmission.
    @inlinable
    mutating func noteHoleBehindEnd(_ stream: StreamID, to start: Int64) {
        let next = table.streams[stream.index].nextOffset
        guard next < start else { return }
        let hold = table.streams[stream.index].hold ?? StreamHold()
        table.streams[stream.index].hold = hold
        hold.noteGap(next..<start)
    }

    /// Bytes that come again are usually a retransmission; where their hole was given up, they are late.
    public func reportLate<Sink: StreamSink>(
        from start: Int64,
        to end: Int64,
        state: StreamState,
        stream: StreamID,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        guard start < end else { return }
        if !state.hasSYN, start < 0 {
            sink.lateSegment(
                stream,
                offset: start,
                length: min(end, 0) - start,
                reason: "lies before the first byte that was captured",
                mark: mark
            )
        }
        for gap in state.hold?.gaps ?? [] {
            let from = max(start, gap.lowerBound)
            let to = min(end, gap.upperBound)
            if from < to {
                sink.lateSegment(
                    stream,
                    offset: from,
                    length: to - from,
                    reason: "came after its hole had been given up",
                    mark: mark
                )
            }
        }
    }

    @inlinable
    public mutating func deliver<Sink: StreamSink>(
        _ bytes: RawSpan,
        stream: StreamID,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        let offset = table.streams[stream.index].nextOffset
        table.streams[stream.index].nextOffset += Int64(bytes.byteCount)
        table.streams[stream.index].nextSequence &+= UInt32(
            truncatingIfNeeded: bytes.byteCount
        )
        sink.streamBytes(stream, bytes, offset: offset, mark: mark)
    }

    // MARK: - Out of order

    @inlinable
    public mutating func hold<Sink: StreamSink>(
        _ piece: StreamHold.Piece,
        stream: StreamID,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        // Neither another FIN nor what the snap length cut off comes behind the end.
        guard !table.streams[stream.index].hasEnded else { return }
        let hold: StreamHold
        if let existing = table.streams[stream.index].hold {
            hold = existing
        } else {
            hold = StreamHold()
            table.streams[stream.index].hold = hold
        }
        if hold.first == nil {
            hold.openSince = mark.time
            hold.suspectSince = nil
        }
        let before = hold.byteCount
        hold.insert(piece)
        if hold.byteCount == before, !piece.bytes.isEmpty {
            table.conversations[stream.conversation].repeatedSegments &+= 1
        }
        heldBytes += hold.byteCount - before
        drain(stream, into: &sink)
        while hold.byteCount > limits.streamBytes || hold.pieces.count > limits.streamPieces
            || heldBytes > limits.totalBytes, hold.canGoOn
        {
            giveUpFirstHole(stream, reason: .bufferLimit, mark: mark, into: &sink)
        }
        if hold.canGoOn { watchConversation(stream.conversation) }
    }

    /// Hands on what is in order now.
    @inlinable
    public mutating func drain<Sink: StreamSink>(_ stream: StreamID, into sink: inout Sink) {
        guard let hold = table.streams[stream.index].hold else { return }
        var moved = false
        while let first = hold.first {
            let next = table.streams[stream.index].nextOffset
            guard first.offset <= next, hold.canGoOn else { break }
            let piece = hold.removeFirst()
            heldBytes -= piece.bytes.count
            moved = true
            if piece.isFIN {
                if !table.streams[stream.index].hasEnded {
                    table.streams[stream.index].hasEnded = true
                    sink.streamEnded(stream, mark: piece.mark)
                }
                dropBehindEnd(stream, into: &sink)
                break
            }
            guard piece.end > next else { continue }
            if piece.bytes.isEmpty {
                emitGap(stream, to: piece.end, reason: .snapLength, mark: piece.mark, into: &sink)
            } else {
                let known = Int(next - piece.offset)
                let bytes = piece.bytes.span.bytes
                deliver(bytes.extracting(known..<bytes.byteCount), stream: stream, mark: piece.mark, into: &sink)
            }
        }
        if hold.first == nil {
            if hold.gaps.isEmpty { table.streams[stream.index].hold = nil }
        } else if moved {
            hold.openSince = table.conversations[stream.conversation].lastTime
            hold.suspectSince = nil
        }
    }

    /// What is held behind a FIN cannot belong to the stream.
    @inlinable
    public mutating func dropBehindEnd<Sink: StreamSink>(_ stream: StreamID, into sink: inout Sink) {
        guard let hold = table.streams[stream.index].hold else { return }
        let next = table.streams[stream.index].nextOffset
        for piece in hold.pieces where piece.end > next {
            let start = max(piece.offset, next)
            sink.lateSegment(
                stream,
                offset: start,
                length: piece.end - start,
                reason: "after the end of the stream",
                mark: piece.mark
            )
            guard !piece.bytes.isEmpty else { continue }
            let bytes = piece.bytes.span.bytes
            sink.bytesAfterEnd(
                stream,
                bytes.extracting(Int(start - piece.offset)..<bytes.byteCount),
                offset: start,
                mark: piece.mark
            )
            noteHoleBehindEnd(stream, to: start)
            table.streams[stream.index].nextSequence &+= UInt32(
                truncatingIfNeeded: piece.end - table.streams[stream.index].nextOffset
            )
            table.streams[stream.index].nextOffset = piece.end
        }
        heldBytes -= hold.byteCount
        hold.removeAll()
    }

    @inlinable
    public mutating func emitGap<Sink: StreamSink>(
        _ stream: StreamID,
        to end: Int64,
        reason: GapReason,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        let start = table.streams[stream.index].nextOffset
        guard end > start else { return }
        table.streams[stream.index].nextOffset = end
        table.streams[stream.index].nextSequence &+= UInt32(
            truncatingIfNeeded: end - start
        )
        table.streams[stream.index].hold?.noteGap(start..<end)
        sink.streamGap(stream, offset: start, length: end - start, reason: reason, mark: mark)
    }

    @inlinable
    public mutating func giveUpFirstHole<Sink: StreamSink>(
        _ stream: StreamID,
        reason: GapReason,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        guard let hold = table.streams[stream.index].hold, let first = hold.first else {
            return
        }
        let suspectSince = hold.suspectSince
        let suspectPacket = hold.suspectPacket
        emitGap(stream, to: first.offset, reason: reason, mark: mark, into: &sink)
        drain(stream, into: &sink)
        // The next hole is as old as what lies behind it, and as suspect if it was acknowledged with this one.
        guard let next = hold.first else { return }
        hold.openSince = next.mark.time
        if let suspectSince, next.mark.time <= suspectSince, next.offset <= hold.suspectEnd {
            hold.suspectSince = suspectSince
            hold.suspectPacket = suspectPacket
        } else {
            hold.suspectSince = nil
        }
    }

    @inlinable
    public mutating func giveUpAll<Sink: StreamSink>(
        _ stream: StreamID,
        reason: GapReason,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        guard let hold = table.streams[stream.index].hold else { return }
        while hold.canGoOn { giveUpFirstHole(stream, reason: reason, mark: mark, into: &sink) }
        hold.removeAll()
    }

    // MARK: - Time

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

    // MARK: - Ends

    @inlinable
    public mutating func end<Sink: StreamSink>(
        _ stream: StreamID,
        reason: GapReason,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        giveUpAll(stream, reason: reason, mark: mark, into: &sink)
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
        table.streams[slot * 2] = StreamState()
        table.streams[slot * 2 + 1] = StreamState()
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
        let open = table.conversations.indices.filter { table.conversations[$0].isOpen }
            .sorted { table.conversations[$0].number < table.conversations[$1].number }
        for slot in open {
            let mark = PacketMark(
                packet: table.conversations[slot].lastPacket,
                time: table.conversations[slot].lastTime
            )
            close(slot, reason: .end, closing: .inputEnded, mark: mark, into: &sink)
        }
    }
}
