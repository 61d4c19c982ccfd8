// What is not simply the next bytes: SYN, FIN and RST, bytes that come again, and bytes that come too early or too late.

extension StreamReassembler {
    @inlinable @inline(never)
    mutating func slowSegment<Sink: StreamSink>(
        _ segment: TransportSegment,
        payload: RawSpan,
        slot: Int,
        side: Int,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        var slot = slot
        var side = side
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
        table.conversations[slot].notePacket(mark)
        defer {
            if segment.flags & TCPFlags.ack != 0 {
                table.streams[slot * 2 + side].acknowledge(segment.acknowledgement)
            }
            watch(slot: slot, mark: mark, into: &sink)
            noteIfFinished(slot)
        }
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
                if isKeepAlive(slot, side: side, sequence: sequence, length: length) { return }
                table.streams[slot * 2 + side].hasBase = true
                table.streams[slot * 2 + side].nextSequence = sequence
                if length == 0 {
                    // A FIN as the first thing that was seen: bytes that lie before it may still come.
                    table.conversations[slot].finSides |= 1 << UInt8(truncatingIfNeeded: side)
                    return
                }
            } else if length > 0 {
                startEarlier(slot, side: side, sequence: sequence, length: length)
            }
            // In a hole a byte that was not pushed; one that was may have been overtaken by its acknowledgement.
            if length == 1, segment.flags & (TCPFlags.psh | TCPFlags.fin) == 0,
                table.streams[slot * 2 + side].offset(of: sequence) > table.streams[slot * 2 + side].nextOffset,
                isKeepAlive(slot, side: side, sequence: sequence, length: length)
            {
                return
            }
            take(payload, length: length, sequence: sequence, stream: stream, mark: mark, into: &sink)
            if segment.flags & TCPFlags.fin != 0 {
                table.conversations[slot].finSides |= 1 << UInt8(truncatingIfNeeded: side)
                let end = table.streams[slot * 2 + side].offset(of: sequence) &+ length
                hold(
                    StreamHold.Piece(offset: end, length: 0, isFIN: true, mark: mark),
                    bytes: payload.extracting(0..<0),
                    stream: stream,
                    mark: mark,
                    into: &sink
                )
            }
        }
        if segment.flags & TCPFlags.rst != 0 {
            for side in 0...1 {
                giveUpHoles(StreamID(conversation: slot, side: side), reason: .reset, mark: mark, into: &sink)
            }
            table.conversations[slot].resetTime = mark.time
            table.conversations[slot].wasReset = true
            watchConversation(slot)
        } else if length > 0 {
            table.conversations[slot].resetTime = nil
        }
    }

    /// Whether a SYN begins another connection between the same endpoints.
    public mutating func isNewConnection(_ segment: TransportSegment, slot: Int, side: Int) -> Bool {
        let state = table.streams[slot * 2 + side]
        guard state.hasBase else { return false }
        let offset = state.offset(of: segment.sequence &+ 1)
        if state.hasSYN {
            // Of several answers with other numbers the last one before the bytes counts.
            let hasBytes = state.nextOffset != 0 || state.hold != .none
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
        if !state.hasBase || (state.nextOffset == 0 && state.hold == .none) {
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
        state.nextOffset == 0 && state.hold == .none && !state.hasEnded && state.offset(of: sequence) < 0
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
    public mutating func isKeepAlive(_ slot: Int, side: Int, sequence: UInt32, length: Int64) -> Bool {
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
        // A FIN may bring no bytes.
        guard length > 0 else { return }
        let state = table.streams[stream.index]
        var offset = state.offset(of: sequence)
        let end = offset + length
        let capturedEnd = offset + Int64(payload.byteCount)
        if offset < state.nextOffset {
            // The byte of a keep-alive may be any.
            let isData = !isKeepAlive(stream.conversation, side: stream.side, sequence: sequence, length: length)
            if isData { table.conversations[stream.conversation].repeatedSegments &+= 1 }
            reportLate(
                from: offset,
                to: min(end, state.nextOffset),
                state: state,
                stream: stream,
                mark: mark,
                into: &sink
            )
            let again = Int(min(state.nextOffset, capturedEnd) - offset)
            if again > 0, isData {
                sink.repeatedBytes(stream, payload.extracting(0..<again), offset: offset, mark: mark)
            }
            guard end > state.nextOffset else { return }
        }
        if state.hasEnded {
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
        if offset == state.nextOffset, bytes.byteCount > 0, state.hold == .none || holds[state.hold].pieceCount == 0 {
            let offset = table.streams[stream.index].advance(by: bytes.byteCount)
            sink.streamBytes(stream, bytes, offset: offset, mark: mark)
        } else if bytes.byteCount > 0 {
            hold(
                StreamHold.Piece(offset: offset, length: Int64(bytes.byteCount), mark: mark),
                bytes: bytes,
                stream: stream,
                mark: mark,
                into: &sink
            )
        }
        if end > capturedEnd {
            let start = max(capturedEnd, state.nextOffset)
            hold(
                StreamHold.Piece(offset: start, length: end - start, mark: mark),
                bytes: payload.extracting(0..<0),
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
        let place = table.streams[stream.index].hold
        guard start < end, place == .none || holds[place].pieceCount == 0 else { return }
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
    public mutating func noteHoleBehindEnd(_ stream: StreamID, to start: Int64) {
        let next = table.streams[stream.index].nextOffset
        guard next < start else { return }
        if table.streams[stream.index].hold == .none { table.streams[stream.index].hold = holds.make() }
        holds[table.streams[stream.index].hold].noteGap(next..<start)
    }

    /// Bytes that come again are usually a retransmission; where their hole was given up, they are late.
    public mutating func reportLate<Sink: StreamSink>(
        from start: Int64,
        to end: Int64,
        state: StreamState,
        stream: StreamID,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        if !state.hasSYN, start < 0 {
            sink.lateSegment(
                stream,
                offset: start,
                length: min(end, 0) - start,
                reason: "lies before the first byte that was captured",
                mark: mark
            )
        }
        for gap in hold(of: state)?.gaps ?? [] {
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
}
