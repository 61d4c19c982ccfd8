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
        if table.streams[stream.index].hold == .none { table.streams[stream.index].hold = holds.make() }
        let place = table.streams[stream.index].hold
        if holds[place].pieceCount == 0 {
            holds[place].openSince = mark.time
            holds[place].suspectSince = nil
        }
        let before = holds[place].byteCount
        if let difference = holds[place].insert(piece, overlap: limits.overlap) {
            sink.overlapDiffers(
                stream,
                offset: difference.lowerBound,
                length: difference.upperBound - difference.lowerBound,
                kept: limits.overlap,
                mark: mark
            )
        }
        let added = holds[place].byteCount - before
        if added == 0, !piece.bytes.isEmpty { table.conversations[stream.conversation].repeatedSegments &+= 1 }
        heldBytes += added
        drain(stream, into: &sink)
        while isOverLimit(table.streams[stream.index].hold) {
            giveUpFirstHole(stream, reason: .bufferLimit, mark: mark, into: &sink)
        }
        if canGoOn(table.streams[stream.index].hold) { watchConversation(stream.conversation) }
    }

    @usableFromInline func isOverLimit(_ place: HoldPlace) -> Bool {
        guard canGoOn(place) else { return false }
        return holds[place].byteCount > limits.streamBytes || holds[place].pieceCount > limits.streamPieces
            || heldBytes > limits.totalBytes
    }

    /// Hands on what is in order now.
    @inlinable
    public mutating func drain<Sink: StreamSink>(_ stream: StreamID, into sink: inout Sink) {
        let place = table.streams[stream.index].hold
        guard place != .none else { return }
        var moved = false
        while holds[place].canGoOn {
            let next = table.streams[stream.index].nextOffset
            guard holds[place].firstOffset <= next else { break }
            var piece = holds[place].removeFirst()
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
                let offset = table.streams[stream.index].advance(by: piece.bytes.count - known)
                sink.streamBytes(
                    stream,
                    piece.bytes.span.bytes.extracting(known..<piece.bytes.count),
                    offset: offset,
                    mark: piece.mark
                )
                var bytes: [UInt8] = []
                swap(&bytes, &piece.bytes)
                holds.recycle(consume bytes)
            }
        }
        if holds[place].pieceCount == 0 {
            if holds[place].gaps.isEmpty {
                table.streams[stream.index].hold = .none
                holds.release(place)
            }
        } else if moved {
            holds[place].openSince = table.conversations[stream.conversation].lastTime
            holds[place].suspectSince = nil
        }
    }

    /// What is held behind a FIN cannot belong to the stream.
    @inlinable
    public mutating func dropBehindEnd<Sink: StreamSink>(_ stream: StreamID, into sink: inout Sink) {
        let place = table.streams[stream.index].hold
        guard place != .none else { return }
        let next = table.streams[stream.index].nextOffset
        for piece in holds[place].pieces where piece.end > next {
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
        heldBytes -= holds[place].byteCount
        holds[place].removeAll()
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
        let place = table.streams[stream.index].hold
        if place != .none { holds[place].noteGap(start..<end) }
        sink.streamGap(stream, offset: start, length: end - start, reason: reason, mark: mark)
    }

    @inlinable
    public mutating func giveUpFirstHole<Sink: StreamSink>(
        _ stream: StreamID,
        reason: GapReason,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        let place = table.streams[stream.index].hold
        guard place != .none, holds[place].pieceCount > 0 else { return }
        let first = holds[place].firstOffset
        let suspectSince = holds[place].suspectSince
        let suspectPacket = holds[place].suspectPacket
        let suspectEnd = holds[place].suspectEnd
        emitGap(stream, to: first, reason: reason, mark: mark, into: &sink)
        drain(stream, into: &sink)
        // The next hole is as old as what lies behind it, and as suspect if it was acknowledged with this one.
        guard table.streams[stream.index].hold == place, let nextMark = holds[place].firstMark else { return }
        holds[place].openSince = nextMark.time
        if let suspectSince, nextMark.time <= suspectSince, holds[place].firstOffset <= suspectEnd {
            holds[place].suspectSince = suspectSince
            holds[place].suspectPacket = suspectPacket
        } else {
            holds[place].suspectSince = nil
        }
    }
}
