/// The out-of-order segments of one stream, and the holes that were given up.
public final class StreamHold: @unchecked Sendable {
    public init() {}

    public struct Piece {
        public var offset: Int64
        /// Bytes that the segment had here.
        public var length: Int64
        /// Those that were captured: all, or none (cut off by the snap length, or the FIN, which has no length).
        public var bytes: [UInt8]
        public var isFIN: Bool
        public var mark: PacketMark

        public init(offset: Int64, length: Int64, bytes: [UInt8], isFIN: Bool, mark: PacketMark) {
            self.offset = offset
            self.length = length
            self.bytes = bytes
            self.isFIN = isFIN
            self.mark = mark
        }

        public var end: Int64 { offset + length }
    }

    /// In order of offset, without overlaps.
    public private(set) var pieces: [Piece] = []
    public private(set) var byteCount = 0
    /// When the first hole was opened, and when and at which packet of the conversation it became suspect.
    public var openSince: Int64 = 0
    public var suspectSince: Int64?
    public var suspectPacket: UInt32 = 0
    /// What was acknowledged then.
    public var suspectEnd: Int64 = 0
    /// Holes that were given up, most recent last; old ones are forgotten.
    public private(set) var gaps: [Range<Int64>] = []

    /// Puts a piece in its place. Where bytes are already, the policy says which copy stays; bytes replace those that the
    /// snap length cut off.
    /// - Returns: the place where it differs from what was there: from the first byte that differs up to the last.
    @discardableResult
    public func insert(_ piece: Piece, overlap: OverlapPolicy = .first) -> Range<Int64>? {
        if piece.isFIN {
            guard !pieces.contains(where: \.isFIN) else { return nil }
            pieces.insert(piece, at: lowerBound(piece.offset, afterEqual: true))
            return nil
        }
        if let last = pieces.last, last.end <= piece.offset, !last.isFIN {
            pieces.append(piece)
            byteCount += piece.bytes.count
            return nil
        }
        var difference: Range<Int64>?
        var offset = piece.offset
        var index = lowerBound(piece.offset, afterEqual: false)
        if index > 0, pieces[index - 1].end > offset { index -= 1 }
        while offset < piece.end {
            if index < pieces.count, pieces[index].offset <= offset {
                let there = pieces[index]
                if there.bytes.isEmpty, !there.isFIN, !piece.bytes.isEmpty, there.end > offset {
                    replaceCut(at: index, from: offset, with: piece)
                    offset = min(there.end, piece.end)
                } else if let other = compare(at: index, with: piece, overlap) {
                    difference = (difference?.lowerBound ?? other.lowerBound)..<other.upperBound
                }
                offset = max(offset, pieces[index].end)
                index += 1
                continue
            }
            let end = index < pieces.count ? min(piece.end, pieces[index].offset) : piece.end
            let part = slice(piece, offset..<end)
            pieces.insert(part, at: index)
            byteCount += part.bytes.count
            offset = end
            index += 1
        }
        return difference
    }

    /// Compares a piece with one that is held; where they differ, the later copy replaces the earlier one if it counts.
    private func compare(at index: Int, with piece: Piece, _ overlap: OverlapPolicy) -> Range<Int64>? {
        let there = pieces[index]
        let start = max(there.offset, piece.offset)
        let end = min(there.end, piece.end)
        guard start < end, !there.bytes.isEmpty, !piece.bytes.isEmpty else { return nil }
        let old = Int(start - there.offset)
        let new = Int(start - piece.offset)
        let count = Int(end - start)
        guard let first = (0..<count).first(where: { there.bytes[old + $0] != piece.bytes[new + $0] }),
            let last = (first..<count).last(where: { there.bytes[old + $0] != piece.bytes[new + $0] })
        else { return nil }
        if overlap == .last {
            pieces[index].bytes.replaceSubrange(old..<old + count, with: piece.bytes[new..<new + count])
        }
        return start + Int64(first)..<start + Int64(last) + 1
    }

    /// Puts captured bytes in the place of bytes that were cut off.
    private func replaceCut(at index: Int, from offset: Int64, with piece: Piece) {
        let cut = pieces[index]
        let end = min(cut.end, piece.end)
        var parts: [Piece] = []
        if cut.offset < offset { parts.append(slice(cut, cut.offset..<offset)) }
        let part = slice(piece, offset..<end)
        parts.append(part)
        if end < cut.end { parts.append(slice(cut, end..<cut.end)) }
        pieces.replaceSubrange(index...index, with: parts)
        byteCount += part.bytes.count
    }

    private func slice(_ piece: Piece, _ range: Range<Int64>) -> Piece {
        var part = piece
        part.offset = range.lowerBound
        part.length = range.upperBound - range.lowerBound
        if !piece.bytes.isEmpty, part.length != piece.length {
            let start = Int(range.lowerBound - piece.offset)
            part.bytes = Array(piece.bytes[start..<start + Int(part.length)])
        }
        return part
    }

    private func lowerBound(_ offset: Int64, afterEqual: Bool) -> Int {
        var low = 0
        var high = pieces.count
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].offset < offset || (afterEqual && pieces[middle].offset == offset) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    public var first: Piece? { pieces.first }

    /// Whether anything is held that the stream goes on with. Bytes that the snap length cut off at the very end are
    /// nothing: the stream ends at its last captured byte, unless something follows.
    public var canGoOn: Bool {
        pieces.count > 1 || pieces.first.map { $0.isFIN || !$0.bytes.isEmpty } ?? false
    }

    /// Forgets what is held.
    public func removeAll() {
        pieces.removeAll()
        byteCount = 0
    }

    public func removeFirst() -> Piece {
        let piece = pieces.removeFirst()
        byteCount -= piece.bytes.count
        return piece
    }

    public func noteGap(_ range: Range<Int64>) {
        if gaps.count >= 256 { gaps.removeFirst(128) }
        gaps.append(range)
    }

    /// The packet of the piece that came first.
    public var earliestPacket: UInt64? { pieces.lazy.filter { !$0.bytes.isEmpty }.map(\.mark.packet).min() }
}
