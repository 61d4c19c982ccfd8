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
    private var spare = SpareBlocks()

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

    /// Puts a piece in its place in a hold; see ``StreamHold/insert(_:bytes:overlap:)``.
    @usableFromInline mutating func insert(
        _ piece: StreamHold.Piece,
        bytes: RawSpan,
        overlap: OverlapPolicy,
        at place: HoldPlace
    ) -> Range<Int64>? {
        if bytes.byteCount > self[place].room {
            let block = spare.take(room: bytes.byteCount, isFirst: self[place].blocks.isEmpty)
            self[place].use(block, room: max(block.capacity, bytes.byteCount))
        }
        return self[place].insert(piece, bytes: bytes, overlap: overlap)
    }

    /// Nothing is held at a place any more: takes its memory back.
    @usableFromInline mutating func emptied(_ place: HoldPlace) {
        spare.put(self[place].removeAll())
    }

    /// Forgets what is at a place.
    @usableFromInline mutating func release(_ place: HoldPlace) {
        guard place != .none else { return }
        emptied(place)
        self[place] = StreamHold()
        free.append(place)
    }
}

/// Memory for the bytes of segments, in blocks that never grow: nothing that is held is copied again. Some are kept for the next hold.
private struct SpareBlocks {
    /// A hold begins with one of these, which are enough for most, …
    private static let small = 8 << 10
    /// … and goes on with these.
    private static let large = 64 << 10
    private static let maximum = 32

    private var smallBlocks: [[UInt8]] = []
    private var largeBlocks: [[UInt8]] = []

    /// A block with nothing in it.
    /// - Parameter room: bytes that it must take at least.
    mutating func take(room: Int, isFirst: Bool) -> [UInt8] {
        let size = isFirst && room <= Self.small ? Self.small : Self.large
        if room <= size, let block = size == Self.small ? smallBlocks.popLast() : largeBlocks.popLast() { return block }
        var block: [UInt8] = []
        block.reserveCapacity(max(room, size))
        return block
    }

    mutating func put(_ blocks: consuming [[UInt8]]) {
        while var block = blocks.popLast() {
            if block.capacity < Self.small || block.capacity > 2 * Self.large { continue }
            block.removeAll(keepingCapacity: true)
            if block.capacity >= Self.large {
                if largeBlocks.count < Self.maximum { largeBlocks.append(block) }
            } else if smallBlocks.count < Self.maximum {
                smallBlocks.append(block)
            }
        }
    }
}

/// The out-of-order segments of one stream, and the holes that were given up.
public struct StreamHold {
    public init() {}

    public struct Piece {
        public var offset: Int64
        /// Bytes that the segment had here.
        public var length: Int64
        /// Whether they were captured: all, or none (cut off by the snap length, or the FIN, which has no length).
        public var isCaptured = false
        public var isFIN = false
        /// The block of the hold in which they stand, and where they begin there.
        @usableFromInline fileprivate(set) var block: Int32 = 0
        fileprivate var place: Int32 = 0
        public var mark: PacketMark

        /// The place of a segment, without its bytes.
        public init(offset: Int64, length: Int64, isFIN: Bool = false, mark: PacketMark) {
            self.offset = offset
            self.length = length
            self.isFIN = isFIN
            self.mark = mark
        }

        public var end: Int64 { offset + length }
        /// Bytes that were captured.
        public var byteCount: Int { isCaptured ? Int(length) : 0 }
    }

    /// In order of offset, without overlaps; those before `start` have been taken.
    private var storage: [Piece] = []
    private var start = 0
    /// The bytes of all pieces, in the order in which they came.
    @usableFromInline private(set) var blocks: [[UInt8]] = []
    /// Bytes that the last block still takes.
    fileprivate private(set) var room = 0
    /// Bytes in all blocks, also those that are not held any more.
    private var storedCount = 0
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
    /// - Parameter bytes: those of the piece, all of them; none if they were not captured.
    /// - Returns: the place where it differs from what was there: from the first byte that differs up to the last.
    @discardableResult
    public mutating func insert(_ piece: Piece, bytes: RawSpan, overlap: OverlapPolicy = .first) -> Range<Int64>? {
        defer { update() }
        return place(piece, bytes, overlap)
    }

    /// Notes what is asked for most often.
    private mutating func update() {
        pieceCount = storage.count - start
        guard pieceCount > 0 else {
            canGoOn = false
            return
        }
        firstOffset = storage[start].offset
        canGoOn = pieceCount > 1 || storage[start].isFIN || storage[start].isCaptured
    }

    private mutating func place(_ piece: Piece, _ bytes: RawSpan, _ overlap: OverlapPolicy) -> Range<Int64>? {
        if piece.isFIN {
            guard !pieces.contains(where: \.isFIN) else { return nil }
            storage.insert(piece, at: lowerBound(piece.offset, afterEqual: true))
            return nil
        }
        if let last = pieces.last, last.end <= piece.offset, !last.isFIN {
            storage.append(keep(piece, bytes, piece.offset..<piece.end))
            return nil
        }
        var difference: Range<Int64>?
        var offset = piece.offset
        var index = lowerBound(piece.offset, afterEqual: false)
        if index > start, storage[index - 1].end > offset { index -= 1 }
        while offset < piece.end {
            if index < storage.count, storage[index].offset <= offset {
                let there = storage[index]
                if !there.isCaptured, !there.isFIN, bytes.byteCount > 0, there.end > offset {
                    replaceCut(at: index, from: offset, with: piece, bytes)
                    offset = min(there.end, piece.end)
                } else if let other = compare(there, with: piece, bytes, overlap) {
                    difference = (difference?.lowerBound ?? other.lowerBound)..<other.upperBound
                }
                offset = max(offset, storage[index].end)
                index += 1
                continue
            }
            let end = index < storage.count ? min(piece.end, storage[index].offset) : piece.end
            storage.insert(keep(piece, bytes, offset..<end), at: index)
            offset = end
            index += 1
        }
        return difference
    }

    /// Stores the bytes of a part of a piece that comes in, if it has any.
    /// - Returns: that part.
    private mutating func keep(_ piece: Piece, _ bytes: RawSpan, _ range: Range<Int64>) -> Piece {
        var part = Piece(offset: range.lowerBound, length: range.upperBound - range.lowerBound, mark: piece.mark)
        guard bytes.byteCount > 0 else { return part }
        part.isCaptured = true
        // Whoever holds the holds has given enough room.
        if blocks.isEmpty { blocks.append([]) }
        let last = blocks.count - 1
        part.block = Int32(truncatingIfNeeded: last)
        part.place = Int32(truncatingIfNeeded: blocks[last].count)
        let from = Int(range.lowerBound - piece.offset)
        bytes.extracting(from..<from + part.byteCount).withUnsafeBytes { blocks[last].append(contentsOf: $0) }
        byteCount += part.byteCount
        storedCount += part.byteCount
        room = max(room - part.byteCount, 0)
        return part
    }

    /// Compares a piece with one that is held; where they differ, the later copy replaces the earlier one if it counts.
    private mutating func compare(
        _ there: Piece,
        with piece: Piece,
        _ bytes: RawSpan,
        _ overlap: OverlapPolicy
    ) -> Range<Int64>? {
        let start = max(there.offset, piece.offset)
        let end = min(there.end, piece.end)
        guard start < end, there.isCaptured, bytes.byteCount > 0 else { return nil }
        let block = Int(there.block)
        let old = Int(there.place) + Int(start - there.offset)
        let count = Int(end - start)
        let new = bytes.extracting(Int(start - piece.offset)..<Int(start - piece.offset) + count)
        func differs(_ index: Int) -> Bool {
            blocks[block][old + index] != new.unsafeLoad(fromByteOffset: index, as: UInt8.self)
        }
        guard let first = (0..<count).first(where: { differs($0) }),
            let last = (first..<count).last(where: { differs($0) })
        else { return nil }
        if overlap == .last { new.withUnsafeBytes { blocks[block].replaceSubrange(old..<old + count, with: $0) } }
        return start + Int64(first)..<start + Int64(last) + 1
    }

    /// Puts captured bytes in the place of bytes that were cut off.
    private mutating func replaceCut(at index: Int, from offset: Int64, with piece: Piece, _ bytes: RawSpan) {
        let cut = storage[index]
        let end = min(cut.end, piece.end)
        var parts: [Piece] = []
        if cut.offset < offset {
            parts.append(Piece(offset: cut.offset, length: offset - cut.offset, mark: cut.mark))
        }
        parts.append(keep(piece, bytes, offset..<end))
        if end < cut.end { parts.append(Piece(offset: end, length: cut.end - end, mark: cut.mark)) }
        storage.replaceSubrange(index...index, with: parts)
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
    /// The first piece; there is one.
    public var first: Piece { storage[start] }
    /// The packet that brought the first piece.
    public var firstMark: PacketMark? { pieceCount == 0 ? nil : storage[start].mark }

    /// Where in their block the captured bytes of a piece that is held stand, from one of them on.
    @usableFromInline
    func range(of piece: Piece, from first: Int) -> Range<Int> {
        Int(piece.place) + first..<Int(piece.place) + piece.byteCount
    }

    /// Takes a block for the bytes of what comes next, all of which go into it.
    fileprivate mutating func use(_ block: consuming [UInt8], room: Int) {
        blocks.append(block)
        self.room = room
    }

    /// Forgets what is held.
    /// - Returns: the blocks with its bytes.
    fileprivate mutating func removeAll() -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        swap(&blocks, &self.blocks)
        room = 0
        storedCount = 0
        storage = []
        start = 0
        byteCount = 0
        update()
        return blocks
    }

    /// Takes the first piece away; there is one.
    public mutating func removeFirst() {
        byteCount -= storage[start].byteCount
        start += 1
        if start == storage.count {
            storage.removeAll(keepingCapacity: true)
            start = 0
        } else {
            // What was taken is cut off only now and then: thousands of pieces may be taken one by one.
            if start >= 64, start > storage.count / 2 {
                storage.removeFirst(start)
                start = 0
            }
            if storedCount > 128 << 10, storedCount / 2 > byteCount { compact() }
        }
        update()
    }

    /// Puts the bytes of the pieces that are held one behind the other, in one block.
    private mutating func compact() {
        var compacted: [UInt8] = []
        compacted.reserveCapacity(byteCount)
        for index in start..<storage.count where storage[index].isCaptured {
            let place = compacted.count
            compacted += blocks[Int(storage[index].block)][range(of: storage[index], from: 0)]
            storage[index].block = 0
            storage[index].place = Int32(truncatingIfNeeded: place)
        }
        blocks = [compacted]
        storedCount = byteCount
        room = 0
    }

    public mutating func noteGap(_ range: Range<Int64>) {
        if gaps.count >= 256 { gaps.removeFirst(128) }
        gaps.append(range)
    }

    /// The packet of the piece that came first.
    public var earliestPacket: UInt64? { pieces.lazy.filter(\.isCaptured).map(\.mark.packet).min() }
}
