// Out-of-order segments: held until their hole is filled, or given up.

extension StreamReassembler {
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
        if let difference = hold.insert(piece, overlap: limits.overlap) {
            sink.overlapDiffers(
                stream,
                offset: difference.lowerBound,
                length: difference.upperBound - difference.lowerBound,
                kept: limits.overlap,
                mark: mark
            )
        }
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
}
