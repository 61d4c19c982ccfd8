/// Takes numbers of bits out of bytes, the next one where the last one ended.
struct BitReader {
    /// What of the last byte was not taken.
    private var bits: UInt64 = 0
    /// How many bits that is, 0 to 7.
    private(set) var count = 0
    private var isLittle = false

    /// Leaves the rest of the byte alone.
    mutating func align() {
        bits = 0
        count = 0
    }

    /// Prepares for the next bits: if they come in another order than the last ones, the rest of the byte is left alone.
    /// - Returns: How many more bytes it takes to have `wanted` bits.
    mutating func prepare(_ wanted: Int, isLittle: Bool) -> Int {
        if count > 0, self.isLittle != isLittle { align() }
        self.isLittle = isLittle
        return max((wanted - count + 7) / 8, 0)
    }

    /// Takes 1 to 64 bits that were prepared; of a byte the most significant come first, or with `isLittle` the least significant.
    /// - Parameter index: Of the next byte; the bytes that are needed are there.
    mutating func take<Bytes: RandomAccessCollection>(_ wanted: Int, of bytes: Bytes, at index: inout Int) -> UInt64
    where Bytes.Element == UInt8, Bytes.Index == Int {
        var value: UInt64 = 0
        var done = 0
        while done < wanted {
            if count == 0 {
                bits = UInt64(bytes[index])
                count = 8
                index += 1
            }
            let part = min(count, wanted - done)
            let mask: UInt64 = (1 << UInt64(part)) - 1
            if isLittle {
                value |= (bits & mask) << UInt64(done)
                bits >>= UInt64(part)
            } else {
                value = value << UInt64(part) | (bits >> UInt64(count - part)) & mask
            }
            count -= part
            done += part
        }
        return value
    }
}
