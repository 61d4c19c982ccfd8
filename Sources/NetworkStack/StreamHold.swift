/// Where the hold of a stream is among those of the reassembler.
public struct HoldPlace: Equatable, Sendable {
    /// The index plus 1; 0 for none.
    @usableFromInline var raw: UInt32

    /// Nothing is out of order, and no hole was given up.
    @inlinable public static var none: HoldPlace { HoldPlace(raw: 0) }

    @inlinable init(raw: UInt32) { self.raw = raw }
}

/// The holds of all streams. Few streams have one at a time; their places are used again.
public struct StreamHolds {
    @usableFromInline var holds = DenseStore<StreamHold>()
    private var free: [HoldPlace] = []
    /// Arrays of pieces that were handed on, to be filled again: most segments are of the same size.
    private var spare: [[UInt8]] = []

    init() {}

    /// A copy of bytes, for a piece.
    @usableFromInline mutating func copy(_ bytes: RawSpan) -> [UInt8] {
        var copy = spare.popLast() ?? []
        if copy.capacity < bytes.byteCount { copy.reserveCapacity(max(bytes.byteCount, 1500)) }
        bytes.withUnsafeBytes { copy.append(contentsOf: $0) }
        return copy
    }

    /// Takes back the bytes of a piece.
    @usableFromInline mutating func recycle(_ bytes: consuming [UInt8]) {
        guard spare.count < 512, bytes.capacity <= 4096 else { return }
        bytes.removeAll(keepingCapacity: true)
        spare.append(bytes)
    }

    /// - Parameter place: of a hold; not `none`.
    @inlinable public subscript(place: HoldPlace) -> StreamHold {
        @inline(__always) unsafeAddress { UnsafePointer(holds.address(Int(place.raw) &- 1)) }
        @inline(__always) nonmutating unsafeMutableAddress { holds.address(Int(place.raw) &- 1) }
    }

    @usableFromInline mutating func make() -> HoldPlace {
        if let place = free.popLast() { return place }
        holds.append(StreamHold())
        return HoldPlace(raw: UInt32(holds.count))
    }

    /// Forgets what is at a place.
    @usableFromInline mutating func release(_ place: HoldPlace) {
        guard place != .none else { return }
        self[place].reset()
        free.append(place)
    }
}

/// The out-of-order segments of one stream, and the holes that were given up.
public struct StreamHold {
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

    /// In order of offset, without overlaps; those before `start` have been taken.
    private var storage: [Piece] = []
    private var start = 0
    public private(set) var byteCount = 0
    public private(set) var pieceCount = 0
    /// Offset of the first piece, if there is one.
    public private(set) var firstOffset: Int64 = 0
    /// Whether anything is held that the stream goes on with. Bytes that the snap length cut off at the very end are
    /// nothing: the stream ends at its last captured byte, unless something follows.
    public private(set) var canGoOn = false
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
    public mutating func insert(_ piece: Piece, overlap: OverlapPolicy = .first) -> Range<Int64>? {
        defer { update() }
        return place(piece, overlap)
    }

    /// Notes what is asked for most often.
    private mutating func update() {
        pieceCount = storage.count - start
        guard pieceCount > 0 else {
            canGoOn = false
            return
        }
        firstOffset = storage[start].offset
        canGoOn = pieceCount > 1 || storage[start].isFIN || !storage[start].bytes.isEmpty
    }

    private mutating func place(_ piece: Piece, _ overlap: OverlapPolicy) -> Range<Int64>? {
        if piece.isFIN {
            guard !pieces.contains(where: \.isFIN) else { return nil }
            storage.insert(piece, at: lowerBound(piece.offset, afterEqual: true))
            return nil
        }
        if let last = pieces.last, last.end <= piece.offset, !last.isFIN {
            storage.append(piece)
            byteCount += piece.bytes.count
            return nil
        }
        var difference: Range<Int64>?
        var offset = piece.offset
        var index = lowerBound(piece.offset, afterEqual: false)
        if index > start, storage[index - 1].end > offset { index -= 1 }
        while offset < piece.end {
            if index < storage.count, storage[index].offset <= offset {
                let there = storage[index]
                if there.bytes.isEmpty, !there.isFIN, !piece.bytes.isEmpty, there.end > offset {
                    replaceCut(at: index, from: offset, with: piece)
                    offset = min(there.end, piece.end)
                } else if let other = compare(at: index, with: piece, overlap) {
                    difference = (difference?.lowerBound ?? other.lowerBound)..<other.upperBound
                }
                offset = max(offset, storage[index].end)
                index += 1
                continue
            }
            let end = index < storage.count ? min(piece.end, storage[index].offset) : piece.end
            let part = slice(piece, offset..<end)
            storage.insert(part, at: index)
            byteCount += part.bytes.count
            offset = end
            index += 1
        }
        return difference
    }

    /// Compares a piece with one that is held; where they differ, the later copy replaces the earlier one if it counts.
    private mutating func compare(at index: Int, with piece: Piece, _ overlap: OverlapPolicy) -> Range<Int64>? {
        let there = storage[index]
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
            storage[index].bytes.replaceSubrange(old..<old + count, with: piece.bytes[new..<new + count])
        }
        return start + Int64(first)..<start + Int64(last) + 1
    }

    /// Puts captured bytes in the place of bytes that were cut off.
    private mutating func replaceCut(at index: Int, from offset: Int64, with piece: Piece) {
        let cut = storage[index]
        let end = min(cut.end, piece.end)
        var parts: [Piece] = []
        if cut.offset < offset { parts.append(slice(cut, cut.offset..<offset)) }
        let part = slice(piece, offset..<end)
        parts.append(part)
        if end < cut.end { parts.append(slice(cut, end..<cut.end)) }
        storage.replaceSubrange(index...index, with: parts)
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
        var low = start
        var high = storage.count
        while low < high {
            let middle = (low + high) / 2
            if storage[middle].offset < offset || (afterEqual && storage[middle].offset == offset) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// What is held, in order of offset, without overlaps.
    public var pieces: ArraySlice<Piece> { storage[start...] }
    /// The packet that brought the first piece.
    public var firstMark: PacketMark? { pieceCount == 0 ? nil : storage[start].mark }

    /// Forgets everything; a small store is kept for the next stream that needs a hold.
    mutating func reset() {
        var storage = storage
        self = StreamHold()
        storage.removeAll(keepingCapacity: storage.capacity <= 64)
        self.storage = storage
    }

    /// Forgets what is held.
    public mutating func removeAll() {
        storage.removeAll()
        start = 0
        byteCount = 0
        update()
    }

    /// Takes the first piece; there is one.
    public mutating func removeFirst() -> Piece {
        let piece = storage[start]
        byteCount -= piece.bytes.count
        start += 1
        if start == storage.count {
            storage.removeAll(keepingCapacity: storage.capacity <= 64)
            start = 0
        } else {
            storage[start - 1].bytes = []
            // What was taken is cut off only now and then: thousands of pieces may be taken one by one.
            if start >= 64, start > storage.count / 2 {
                storage.removeFirst(start)
                start = 0
            }
        }
        update()
        return piece
    }

    public mutating func noteGap(_ range: Range<Int64>) {
        if gaps.count >= 256 { gaps.removeFirst(128) }
        gaps.append(range)
    }

    /// The packet of the piece that came first.
    public var earliestPacket: UInt64? { pieces.lazy.filter { !$0.bytes.isEmpty }.map(\.mark.packet).min() }
}
