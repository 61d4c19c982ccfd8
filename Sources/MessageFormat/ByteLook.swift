/// What bytes of which nothing is known look like. Never more than a guess.
enum ByteLook {
    /// Fewer bytes say nothing of how they are spread.
    private static let minimumCount = 128

    /// `looks like gzip, a guess`; `nil` if they look like nothing in particular.
    static func of(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        guard bytes.count >= 8 else { return nil }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0x1F, 0x8B, 0x08, _): return "looks like gzip, a guess"
        case (0x28, 0xB5, 0x2F, 0xFD): return "looks like Zstandard, a guess"
        case (0x50, 0x4B, 0x03, 0x04): return "looks like ZIP, a guess"
        case (0x89, 0x50, 0x4E, 0x47): return "looks like a PNG picture, a guess"
        case (0xFF, 0xD8, 0xFF, _): return "looks like a JPEG picture, a guess"
        // The two bytes of zlib are a multiple of 31; the three bits behind them say how the first block is packed.
        case (0x78, let flags, let block, _)
        where (0x7800 + Int(flags)) % 31 == 0 && flags & 0x20 == 0 && block & 6 != 6:
            return "looks like zlib, a guess"
        default: return isSpreadEvenly(bytes) ? "looks encrypted or compressed, a guess" : nil
        }
    }

    /// Whether equal bytes are about as frequent as among random ones: neither more so, as in text and numbers, nor less,
    /// as in counting patterns. Four standard deviations are allowed.
    private static func isSpreadEvenly(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= minimumCount else { return false }
        let count = min(bytes.count, 256)
        let pairs = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { seen in
            seen.initialize(repeating: 0)
            var pairs = 0
            func see(_ byte: Int) {
                pairs &+= Int(seen[byte])
                // Only the last of 256 can be too much for a byte, and is not looked at again.
                seen[byte] &+= 1
            }
            var index = 0
            while index &+ 8 <= count {
                var word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                for _ in 0..<8 {
                    see(Int(word & 0xFF))
                    word &>>= 8
                }
                index &+= 8
            }
            while index < count {
                see(Int(bytes[index]))
                index &+= 1
            }
            return pairs
        }
        let expected = count * (count - 1) / 512
        let difference = pairs - expected
        return difference * difference <= 16 * expected
    }
}
