#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One buffer that is filled again and again from a `ByteSource`, such that each record lies contiguous in it.
///
/// Chunks of 256 KiB stay in the second-level cache, which makes this faster than mapping the file. The buffer grows
/// only when a record that has passed the checks of its format is longer, and a format's longest record is bounded.
@usableFromInline final class InputBuffer {
    /// What one attempt to get more bytes gave.
    @usableFromInline enum Refill {
        case more, idle, stopped, end
    }

    static let chunk = 256 << 10

    @usableFromInline var base: UnsafeMutableRawPointer
    private var capacity: Int
    /// The unread bytes are `base + start ..< base + end`.
    @usableFromInline var start = 0
    @usableFromInline var end = 0
    /// The offset in the input of `base`.
    private var offsetOfBase: UInt64 = 0
    var source: any ByteSource
    /// The name that messages call the input by.
    let name: String

    private let chunk: Int

    init(source: any ByteSource, name: String, chunk: Int = InputBuffer.chunk) {
        self.source = source
        self.name = name
        self.chunk = chunk
        capacity = 2 * chunk
        base = .allocate(byteCount: capacity, alignment: 4096)
    }

    deinit { base.deallocate() }

    /// The offset in the (decompressed) input of the first unread byte.
    var offset: UInt64 { offsetOfBase &+ UInt64(start) }

    var unread: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + start, count: end - start) }

    /// Reads once. Afterwards there is room for at least `needed` unread bytes; the caller asks again until they are there.
    @usableFromInline func more(needed: Int) throws(CaptureError) -> Refill {
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

    private func moveToFront(room needed: Int) {
        let count = end - start
        if needed > capacity {
            let larger = UnsafeMutableRawPointer.allocate(byteCount: needed + chunk, alignment: 4096)
            larger.copyMemory(from: base + start, byteCount: count)
            base.deallocate()
            base = larger
            capacity = needed + chunk
        } else if start > 0 {
            memmove(base, base + start, count)
        }
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
