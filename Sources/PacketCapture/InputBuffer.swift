#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The bytes of a `ByteSource`, such that each record lies contiguous in memory.
///
/// It is one buffer that is filled again and again. Chunks of 256 KiB stay in the second-level cache, which makes this faster
/// than mapping the file. The buffer grows only when a record that has passed the checks of its format is longer, and a
/// format's longest record is bounded. Where a thread of its own reads ahead, the chunks that it filled are the
/// buffer, one after the other.
@usableFromInline final class InputBuffer {
    /// What one attempt to get more bytes gave.
    @usableFromInline enum Refill {
        case more, idle, stopped, end
    }

    static let chunk = 256 << 10

    /// The unread bytes are `base + start ..< base + end`.
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var start = 0
    @usableFromInline var end = 0
    /// The offset in the input of `base`; it wraps around where a chunk begins before its input.
    private var offsetOfBase: UInt64 = 0
    private(set) var source: any ByteSource
    /// The same, if it fills chunks.
    private var ahead: ReadAheadSource?
    /// The chunk that `base` points into; otherwise it is `own`.
    private var chunkInUse: InputChunk?
    private var own: UnsafeMutableRawPointer
    private var capacity: Int
    /// The name that messages call the input by.
    let name: String

    private let chunk: Int

    init(source: any ByteSource, name: String, chunk: Int = InputBuffer.chunk) {
        self.source = source
        self.name = name
        self.chunk = chunk
        capacity = 2 * chunk
        own = .allocate(byteCount: capacity, alignment: 4096)
        base = own
    }

    deinit { own.deallocate() }

    /// Reads from another source from now on.
    func use(_ source: any ByteSource) {
        self.source = source
        ahead = source as? ReadAheadSource
    }

    /// The offset in the (decompressed) input of the first unread byte.
    var offset: UInt64 { offsetOfBase &+ UInt64(start) }

    var unread: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + start, count: end - start) }

    /// Reads once. Afterwards there is room for at least `needed` unread bytes; the caller asks again until they are there.
    @usableFromInline func more(needed: Int) throws(CaptureError) -> Refill {
        if let ahead, end - start <= InputChunk.headroom { return try takeChunk(of: ahead) }
        moveToFront(room: needed)
        let room = UnsafeMutableRawBufferPointer(start: base + end, count: min(chunk, capacity - end))
        switch try source.read(into: room) {
        case .bytes(let count):
            end += count
            return .more
        case .idle: return .idle
        case .stopped: return .stopped
        case .end: return .end
        }
    }

    /// Goes on in the next chunk, with the unread bytes in front of it.
    private func takeChunk(of ahead: ReadAheadSource) throws(CaptureError) -> Refill {
        switch try ahead.nextChunk() {
        case .idle: return .idle
        case .stopped: return .stopped
        case .end: return .end
        case .chunk(let next):
            let offset = offset
            next.prepend(unread)
            if let chunkInUse { ahead.giveBack(chunkInUse) }
            chunkInUse = next
            base = next.base
            start = next.start
            end = next.end
            offsetOfBase = offset &- UInt64(start)
            return .more
        }
    }

    /// Moves the unread bytes to the beginning of the own memory, behind which there is room for `needed` in all.
    private func moveToFront(room needed: Int) {
        let count = end - start
        if needed > capacity {
            let larger = UnsafeMutableRawPointer.allocate(byteCount: needed + chunk, alignment: 4096)
            larger.copyMemory(from: base + start, byteCount: count)
            own.deallocate()
            own = larger
            capacity = needed + chunk
        } else if start > 0 || base != own {
            memmove(own, base + start, count)
        }
        base = own
        if let chunkInUse { ahead?.giveBack(chunkInUse) }
        chunkInUse = nil
        offsetOfBase &+= UInt64(start)
        start = 0
        end = count
    }

    /// Hands the unread bytes over to somebody who stands between this buffer and its source (a decompressor).
    func takeUnread() -> [UInt8] {
        let bytes = Array(unread)
        start = 0
        end = 0
        offsetOfBase = 0
        return bytes
    }
}
