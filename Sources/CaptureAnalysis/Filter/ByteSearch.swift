/// Looks for bytes within others, in time that grows with their length only (Knuth, Morris and Pratt).
struct ByteSearch: Sendable {
    private let needle: [UInt8]
    /// For each length that matched: the longest beginning of the needle that the matched bytes end with.
    private let shorter: [Int]

    init(_ needle: [UInt8]) {
        self.needle = needle
        var shorter = [Int](repeating: 0, count: needle.count)
        var length = 0
        for index in needle.indices.dropFirst() {
            while length > 0, needle[index] != needle[length] { length = shorter[length - 1] }
            if needle[index] == needle[length] { length += 1 }
            shorter[index] = length
        }
        self.shorter = shorter
    }

    func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = needle.first else { return true }
        guard needle.count <= bytes.count else { return false }
        var matched = 0
        var index = 0
        while index < bytes.count {
            if matched == 0 {
                while index < bytes.count, bytes[index] != first { index += 1 }
                guard index < bytes.count else { return false }
                matched = 1
            } else if bytes[index] == needle[matched] {
                matched += 1
            } else {
                // The same byte once more, with less matched before it.
                matched = shorter[matched - 1]
                continue
            }
            index += 1
            if matched == needle.count { return true }
        }
        return false
    }
}
