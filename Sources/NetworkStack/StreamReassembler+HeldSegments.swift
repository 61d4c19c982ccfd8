// Out-of-order segments: held until their hole is filled, or given up.

extension StreamReassembler {
    /// - Parameter bytes: those of the piece, if they were captured.
    @inlinable
    public mutating func hold<Sink: StreamSink>(
        _ piece: StreamHold.Piece,
        bytes: RawSpan,
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
        if let difference = holds.insert(piece, bytes: bytes, overlap: limits.overlap, at: place) {
            sink.overlapDiffers(
                stream,
                offset: difference.lowerBound,
                length: difference.upperBound - difference.lowerBound,
                kept: limits.overlap,
                mark: mark
            )
        }
        let added = holds[place].byteCount - before
        if added == 0, bytes.byteCount > 0 { table.conversations[stream.conversation].repeatedSegments &+= 1 }
        heldBytes += added
        drain(stream, into: &sink)
        while isOverLimit(table.streams[stream.index].hold) {
            giveUpFirstHole(stream, reason: .bufferLimit, mark: mark, into: &sink)
        }
        if canGoOn(table.streams[stream.index].hold) { watchConversation(stream.conversation) }
    }

    // Not inlined and mutating, although they change nothing: all of this struct would be copied for the call otherwise.

    @usableFromInline mutating func isOverLimit(_ place: HoldPlace) -> Bool {
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
            let piece = holds[place].first
            heldBytes -= piece.byteCount
            moved = true
            if piece.isFIN {
                holds[place].removeFirst()
                if !table.streams[stream.index].hasEnded {
                    table.streams[stream.index].hasEnded = true
                    sink.streamEnded(stream, mark: piece.mark)
                }
                dropBehindEnd(stream, into: &sink)
                break
            }
            if piece.end > next {
                if piece.isCaptured {
                    let known = Int(next - piece.offset)
                    let offset = table.streams[stream.index].advance(by: piece.byteCount - known)
                    let block = holds[place].blocks[Int(piece.block)]
                    sink.streamBytes(
                        stream,
                        block.span.bytes.extracting(holds[place].range(of: piece, from: known)),
                        offset: offset,
                        mark: piece.mark
                    )
                } else {
                    emitGap(stream, to: piece.end, reason: .snapLength, mark: piece.mark, into: &sink)
                }
            }
            holds[place].removeFirst()
        }
        if holds[place].pieceCount == 0 {
            if holds[place].gaps.isEmpty {
                table.streams[stream.index].hold = .none
                holds.release(place)
            } else {
                // What stays is to know late bytes by: it needs no room for others.
                holds.emptied(place)
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
            guard piece.isCaptured else { continue }
            let block = holds[place].blocks[Int(piece.block)]
            sink.bytesAfterEnd(
                stream,
                block.span.bytes.extracting(holds[place].range(of: piece, from: Int(start - piece.offset))),
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
        holds.emptied(place)
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
