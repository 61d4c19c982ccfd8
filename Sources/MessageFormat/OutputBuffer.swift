/// Bytes on their way out: one growing piece of memory that is filled and emptied again and again.
///
/// All formatting goes through it, so that a message costs no allocation. The caller hands the bytes to write(2) and calls
/// ``removeAll()``.
package struct OutputBuffer: ~Copyable {
    /// The bytes that are in it.
    package private(set) var count = 0
    private var capacity: Int
    private var base: UnsafeMutablePointer<UInt8>

    package init(capacity: Int = 4096) {
        self.capacity = max(capacity, 64)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    package var isEmpty: Bool { count == 0 }

    /// Forgets the contents and keeps the memory.
    package mutating func removeAll() { count = 0 }

    /// Forgets what was appended behind so many bytes.
    mutating func removeAll(from end: Int) {
        precondition(end >= 0 && end <= count)
        count = end
    }

    /// The contents.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The contents as a string, for tests and rare messages.
    package func string() -> String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// Room for `extra` more bytes, and where they go; ``advance(_:)`` says how many were written.
    @inline(__always)
    mutating func room(_ extra: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity - count < extra { grow(extra) }
        return base + count
    }

    @inline(__always)
    mutating func advance(_ written: Int) { count += written }

    @inline(never)
    private mutating func grow(_ extra: Int) {
        let larger = max(count + extra, capacity * 2)
        let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        new.update(from: base, count: count)
        base.deallocate()
        base = new
        capacity = larger
    }

    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        room(1)[0] = byte
        count += 1
    }

    /// Appends eight bytes, the one at the low end first.
    @inline(__always)
    mutating func append(eight bytes: UInt64) {
        UnsafeMutableRawPointer(room(8)).storeBytes(of: bytes.littleEndian, as: UInt64.self)
        count += 8
    }

    /// Appends the first of sixteen bytes.
    @inline(__always)
    mutating func append(sixteen bytes: SIMD16<UInt8>, _ length: Int) {
        precondition(length >= 0 && length <= 16)
        UnsafeMutableRawPointer(room(16)).storeBytes(of: bytes, as: SIMD16<UInt8>.self)
        count += length
    }

    /// Eight bytes of the contents, the first at the low end.
    func eight(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && count - offset >= 8)
        return UInt64(littleEndian: UnsafeRawPointer(base).loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Appends text as it stands: only for text of our own.
    @inline(__always)
    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends a literal: a copy of its bytes and nothing else.
    @inline(__always)
    package mutating func append(literal: StaticString) {
        if literal.hasPointerRepresentation {
            append(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
        } else {
            append(literal.description)
        }
    }

    @inline(__always)
    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return }
        room(bytes.count).update(from: start, count: bytes.count)
        count += bytes.count
    }

    package mutating func append(_ other: borrowing OutputBuffer) {
        append(UnsafeBufferPointer(start: other.base, count: other.count))
    }

    /// Appends `range` of another buffer.
    mutating func append(_ other: borrowing OutputBuffer, _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= other.count)
        append(UnsafeBufferPointer(start: other.base + range.lowerBound, count: range.count))
    }

    package mutating func append(repeating byte: UInt8, count times: Int) {
        guard times > 0 else { return }
        room(times).update(repeating: byte, count: times)
        count += times
    }

    @inline(__always)
    mutating func appendSpaces(_ times: Int) {
        guard times > 0 else { return }
        guard times <= 32 else { return append(repeating: 0x20, count: times) }
        // One store of more than is needed is quicker than a call.
        UnsafeMutableRawPointer(room(32)).storeBytes(of: SIMD32<UInt8>(repeating: 0x20), as: SIMD32<UInt8>.self)
        count += times
    }

    /// Takes blanks at the end away.
    mutating func trimBlanks() {
        while count > 0, base[count - 1] == 0x20 { count -= 1 }
    }

    /// The columns that what was appended since `start` takes on a terminal.
    func width(from start: Int) -> Int {
        DisplayWidth.columns(of: UnsafeRawBufferPointer(start: base + start, count: count - start))
    }
}
