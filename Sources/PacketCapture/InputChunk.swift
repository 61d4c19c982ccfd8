/// A piece of memory that one thread fills and another reads in place; one of them has it at a time.
///
/// There is room in front of its bytes: what was left of the chunk before is put there, so that each record lies contiguous
/// and nothing else is copied.
final class InputChunk {
    /// Bytes of room in front: more than the longest packet that is common.
    static let headroom = 128 << 10

    let base: UnsafeMutableRawPointer
    private let capacity: Int
    /// The bytes that are there, and not used up, as offsets from `base`.
    private(set) var start = headroom
    private(set) var end = headroom

    /// - Parameter size: bytes that it takes, beside the room in front.
    init(size: Int) {
        capacity = InputChunk.headroom + size
        base = .allocate(byteCount: capacity, alignment: 4096)
    }

    deinit { base.deallocate() }

    var isUsedUp: Bool { start == end }
    var isFull: Bool { end == capacity }
    /// Where more bytes can be put.
    var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base + end, count: capacity - end) }

    func clear() { (start, end) = (InputChunk.headroom, InputChunk.headroom) }

    /// Says that so many bytes were put into `room`.
    func filled(_ count: Int) { end += count }

    /// Copies bytes out of it, which are used up by that.
    func take(into room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, end - start)
        room.copyMemory(from: UnsafeRawBufferPointer(start: base + start, count: count))
        start += count
        return count
    }

    /// Puts bytes right in front of those that are there.
    /// - Parameter bytes: at most `headroom`.
    func prepend(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= start)
        start -= bytes.count
        UnsafeMutableRawBufferPointer(start: base + start, count: bytes.count).copyMemory(from: bytes)
    }
}
