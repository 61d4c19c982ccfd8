/// The bytes that streams handed on last, of all streams together: what comes again is compared with them.
///
/// Its size is fixed. A segment that comes again long after the first one finds it gone, and is not compared.
struct RecentBytes {
    /// A direction of a conversation, by the conversation's number, which is not used again.
    struct Key: Equatable {
        private let number: UInt64

        init(conversation: Int, side: Int) {
            number = UInt64(truncatingIfNeeded: conversation) << 1 | UInt64(truncatingIfNeeded: side & 1)
        }
    }

    /// Some bytes of a stream that stand in `ring`.
    private struct Entry {
        var offset: Int64
        var count: Int
        /// Where they begin, counted over all bytes that were ever written.
        var position: Int
    }

    private let capacity: Int
    private let maximumEntries: Int
    private var ring: [UInt8] = []
    private var written = 0
    private var entries: [Entry] = []
    /// Whose entries these are: apart, as all are looked through for each segment that comes again.
    private var keys: [Key] = []
    private var nextEntry = 0

    /// - Parameters:
    ///   - capacity: bytes that are kept.
    ///   - maximumEntries: pieces that are kept, and looked through for each segment that comes again.
    init(capacity: Int = 4 << 20, maximumEntries: Int = 4096) {
        self.capacity = capacity
        self.maximumEntries = maximumEntries
    }

    mutating func note(_ key: Key, _ bytes: RawSpan, offset: Int64) {
        let count = bytes.byteCount
        guard count > 0, count <= capacity else { return }
        let start = written % capacity
        let first = min(count, capacity - start)
        bytes.withUnsafeBytes { source in
            let beginning = UnsafeRawBufferPointer(rebasing: source[..<first])
            // Memory that is not written to takes none: a small capture does not fill it.
            if ring.isEmpty { ring.reserveCapacity(capacity) }
            let isFull = ring.count == capacity
            if !isFull { ring.append(contentsOf: beginning) }
            ring.withUnsafeMutableBytes { ring in
                if isFull {
                    UnsafeMutableRawBufferPointer(rebasing: ring[start..<start + first]).copyMemory(from: beginning)
                }
                guard first < count else { return }
                ring.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[first...]))
            }
        }
        let entry = Entry(offset: offset, count: count, position: written)
        written += count
        if entries.count < maximumEntries {
            entries.append(entry)
            keys.append(key)
        } else {
            entries[nextEntry] = entry
            keys[nextEntry] = key
            nextEntry = (nextEntry + 1) % maximumEntries
        }
    }

    /// Where bytes that come again differ from the first copy, as far as that is kept: from the first byte that differs up to
    /// the last one. In stream offsets.
    func difference(_ key: Key, _ bytes: RawSpan, offset: Int64) -> Range<Int64>? {
        let end = offset + Int64(bytes.byteCount)
        var difference: Range<Int64>?
        for (index, other) in keys.enumerated() where other == key {
            let entry = entries[index]
            guard written - entry.position <= capacity else { continue }
            let from = max(offset, entry.offset)
            let to = min(end, entry.offset + Int64(entry.count))
            guard from < to else { continue }
            let place = (entry.position + Int(from - entry.offset)) % capacity
            for index in 0..<Int(to - from) {
                let again = bytes.unsafeLoadUnaligned(fromByteOffset: Int(from - offset) + index, as: UInt8.self)
                // At its end the ring begins anew.
                let first = ring[place + index < capacity ? place + index : place + index - capacity]
                guard first != again else { continue }
                let byte = from + Int64(index)
                difference = min(difference?.lowerBound ?? byte, byte)..<max(difference?.upperBound ?? 0, byte + 1)
            }
        }
        return difference
    }
}
