/// What a framer keeps of its stream.
@usableFromInline
struct KeptBytes {
    @usableFromInline var held = HeldBytes()
    /// Searching: bytes before the held ones that belong to no message and were not reported yet.
    @usableFromInline var skippedLength: Int64 = 0
    @usableFromInline var skippedMark = StreamMark(packet: 0, time: 0)

    init() {}
}

/// Memory in which framers have kept the beginning of a message, and that they do not need any more.
///
/// Where only headers are kept, each message in pieces needs some for the time of a packet or two. What was given back last is
/// taken first: it is still in the cache.
public struct FramerMemory {
    @usableFromInline var spare: [[KeptBytes]] = []

    /// More is given back to the system. A piece is no larger than 5 KB or so (``HeldBytes/clear()``).
    @inlinable static var maximum: Int { 64 }

    @inlinable public init() {}

    @inlinable
    mutating func take(into kept: inout [KeptBytes]) {
        if let last = spare.popLast() { kept = last }
    }

    /// - Parameter kept: memory with nothing in it; none is left.
    @inlinable
    mutating func giveBack(_ kept: inout [KeptBytes]) {
        guard spare.count < Self.maximum else {
            kept = []
            return
        }
        spare.append([])
        swap(&kept, &spare[spare.count - 1])
    }
}

/// Bytes of a stream that are kept until it is clear what they are, with the holes between them and the packets that
/// brought them. Offsets are *positions*: bytes and holes counted alike, from the first byte that is kept.
@usableFromInline
struct HeldBytes {
    /// The bytes, without the holes; those before `start` are used up.
    @usableFromInline var storage: [UInt8] = []
    @usableFromInline var start = 0
    /// How many there are in `storage`: to ask an array for it counts a reference, and looks at its memory.
    @usableFromInline private(set) var byteCount = 0
    /// Holes, in order, as positions.
    @usableFromInline var gaps: [MessageGap] = []
    /// For each push the position behind its last byte, and its packet.
    @usableFromInline var marks: [(end: Int, mark: StreamMark)] = []
    /// Positions that are held: bytes and holes.
    @usableFromInline var length = 0

    @usableFromInline init() {}

    @inlinable var isEmpty: Bool { length == 0 }

    @usableFromInline
    mutating func append(_ bytes: RawSpan, mark: StreamMark) {
        guard bytes.byteCount > 0 else { return }
        appendUnmarked(bytes)
        if let last = marks.last, last.mark == mark {
            marks[marks.count - 1].end = length
        } else {
            if marks.count >= HeldBytes.maximumMarks { mergeMarks() }
            marks.append((length, mark))
        }
    }

    /// A stream of one-byte segments must not cost more in marks than in bytes: every second mark is given up.
    private mutating func mergeMarks() {
        var kept = 0
        for i in stride(from: 1, to: marks.count, by: 2) {
            marks[kept] = (marks[i].end, marks[i].mark.later(marks[i - 1].mark))
            kept += 1
        }
        if marks.count % 2 == 1 {
            marks[kept] = marks[marks.count - 1]
            kept += 1
        }
        marks.removeLast(marks.count - kept)
    }

    static var maximumMarks: Int { 4096 }
    static var maximumGaps: Int { 1024 }

    /// Appends bytes without noting their packet, for a message whose packets are counted elsewhere.
    @usableFromInline
    mutating func appendUnmarked(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { storage.append(contentsOf: $0) }
        byteCount += bytes.byteCount
        length += bytes.byteCount
    }

    /// Forgets everything; a small store is kept for the next message.
    @usableFromInline
    mutating func clear() {
        if storage.capacity > 4096 { storage = [] } else { storage.removeAll(keepingCapacity: true) }
        start = 0
        byteCount = 0
        length = 0
        if !gaps.isEmpty { gaps = [] }
        if !marks.isEmpty { marks = [] }
    }

    mutating func appendGap(_ count: Int) {
        if let last = gaps.last, last.offset + last.length == length {
            gaps[gaps.count - 1].length += count
        } else {
            gaps.append(MessageGap(offset: length, length: count))
        }
        length += count
    }

    /// Forgets the first `count` positions.
    mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        guard count < length else {
            self = HeldBytes()
            return
        }
        var bytes = count
        var kept = 0
        for gap in gaps {
            let before = min(max(count - gap.offset, 0), gap.length)
            bytes -= before
            if before < gap.length {
                gaps[kept] = MessageGap(offset: max(gap.offset - count, 0), length: gap.length - before)
                kept += 1
            }
        }
        gaps.removeLast(gaps.count - kept)
        let used = marks.firstIndex { $0.end > count } ?? marks.count
        if used > 0 { marks.removeFirst(used) }
        for i in marks.indices { marks[i].end -= count }
        length -= count
        start += bytes
        // The front is cut off only now and then, so that a long hold that moves on byte by byte costs no copy each time.
        if start > 4096, start > storage.count / 2 {
            storage.removeFirst(start)
            byteCount -= start
            start = 0
        }
    }

    /// What it looks like to the search.
    var shape: WindowShape { WindowShape(gaps: gaps, length: length) }
}

/// Where in what can be seen of a stream there are bytes, and where holes.
struct WindowShape {
    /// Holes, in order, as positions.
    let gaps: [MessageGap]
    /// Positions in all.
    let length: Int

    /// A contiguous run of bytes.
    struct Run {
        /// The index of the position among the bytes.
        var index: Int
        /// How many bytes there are from it on.
        var count: Int
        /// Whether a hole follows (otherwise what can be seen ends).
        var endsAtGap: Bool
    }

    /// The run that goes on at a position, or `nil` if the position lies in a hole.
    func run(at position: Int) -> Run? {
        var index = position
        for gap in gaps {
            if gap.offset > position { return Run(index: index, count: gap.offset - position, endsAtGap: true) }
            if position < gap.offset + gap.length { return nil }
            index -= gap.length
        }
        return Run(index: index, count: length - position, endsAtGap: false)
    }

    /// The position behind the hole that holds `position`.
    func endOfGap(at position: Int) -> Int {
        for gap in gaps where gap.offset <= position && position < gap.offset + gap.length {
            return gap.offset + gap.length
        }
        return position
    }
}
