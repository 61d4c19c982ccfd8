/// Bytes that are read one after the other: the body, or a part of it, or what a process made of a part.
struct ByteStream {
    let bytes: [UInt8]
    /// Index of its first byte.
    let start: Int
    /// Behind its last byte, of which not all need be there.
    let end: Int
    /// Behind the last byte that is there.
    let available: Int
    /// Index of the next byte.
    private(set) var index: Int
    /// What of the byte before ``index`` was not used by a field of bits.
    private var bits = BitReader()
    /// Offset within the body of index 0; `nil` if the bytes are not the body's own.
    let bodyOffset: Int?
    /// Where in the body they come from, if they are not its own.
    let anchor: Int

    /// - Parameter declared: how many bytes there should be, if they were cut.
    init(_ bytes: [UInt8], declared: Int) {
        self.bytes = bytes
        start = 0
        end = max(declared, bytes.count)
        available = bytes.count
        index = 0
        bodyOffset = 0
        anchor = 0
    }

    /// A part of a stream, which begins where the part begins.
    init(part: Range<Int>, of stream: ByteStream) {
        bytes = stream.bytes
        start = part.lowerBound
        end = part.upperBound
        available = min(part.upperBound, stream.available)
        index = part.lowerBound
        bodyOffset = stream.bodyOffset
        anchor = stream.anchor
    }

    /// Bytes that a process made; `anchor` is where in the body the next byte behind their origin stands.
    init(made bytes: ArraySlice<UInt8>, anchor: Int) {
        self.bytes = Array(bytes)
        start = 0
        end = self.bytes.count
        available = end
        index = 0
        bodyOffset = nil
        self.anchor = anchor
    }

    var size: Int { end - start }
    var position: Int { index - start }
    var isAtEnd: Bool { index >= end && bitCount == 0 }
    var left: Int { max(end - index, 0) }

    /// Bits of the byte before ``index`` that were not used.
    var bitCount: Int { bits.count }

    mutating func align() { bits.align() }

    /// Goes to a position; one behind the end is an error only when something is read there.
    mutating func seek(_ position: Int) throws(DataError) {
        guard position >= 0 else { throw DataError(.expression, "the position \(position) is before the beginning") }
        guard position <= size else {
            throw DataError(.endOfStream, "the position \(position) is behind the end, at \(size)")
        }
        align()
        index = start + position
    }

    /// Takes whole bytes.
    /// - Returns: their indices.
    mutating func take(_ count: Int) throws(DataError) -> Range<Int> {
        align()
        guard count >= 0 else { throw DataError(.expression, "\(count) bytes cannot be read") }
        guard count <= left else { throw Self.missing(count, left: left) }
        guard count <= available - index else {
            throw DataError(
                .cut,
                "needs \(count) bytes, and the message is cut behind \(max(available - index, 0)) of them"
            )
        }
        defer { index += count }
        return index..<index + count
    }

    static func missing(_ count: Int, left: Int) -> DataError {
        DataError(.endOfStream, "needs \(count) byte\(count == 1 ? "" : "s"), \(left) \(left == 1 ? "is" : "are") left")
    }

    mutating func integer(_ width: Int, isLittle: Bool) throws(DataError) -> UInt64 {
        let range = try take(width)
        var value: UInt64 = 0
        if isLittle {
            for index in range.reversed() { value = value << 8 | UInt64(bytes[index]) }
        } else {
            for index in range { value = value << 8 | UInt64(bytes[index]) }
        }
        return value
    }

    /// Takes 1 to 64 bits; of a byte the most significant come first, or with `isLittle` the least significant.
    /// - Returns: the value, and the indices of the bytes in which it stands.
    mutating func takeBits(_ count: Int, isLittle: Bool) throws(DataError) -> (value: UInt64, bytes: Range<Int>) {
        let needed = bits.prepare(count, isLittle: isLittle)
        let first = bitCount > 0 ? index - 1 : index
        if needed > 0 {
            guard needed <= left else { throw Self.missing(needed, left: left) }
            guard needed <= available - index else {
                throw DataError(.cut, "needs \(needed) bytes, and the message is cut before")
            }
        }
        let value = bits.take(count, of: bytes, at: &index)
        return (value, first..<index)
    }
}
