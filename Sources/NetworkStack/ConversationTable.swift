import PacketCapture

extension Endpoint {
    /// A keyed hash: who makes the capture cannot choose the collisions.
    @inlinable @inline(__always)
    func hash(_ keys: HashKeys) -> UInt64 {
        func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
            let product = a.multipliedFullWidth(by: b)
            return product.high ^ product.low
        }
        return mix(mix(high ^ keys.first, low ^ keys.second) ^ UInt64(port), keys.third)
    }
}

/// What hashes are keyed by, drawn anew for each table.
@usableFromInline struct HashKeys {
    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64
    @usableFromInline let third: UInt64

    init() {
        var random = SystemRandomNumberGenerator()
        first = random.next()
        second = random.next()
        third = random.next() | 1
    }
}

/// Finds the conversation of two endpoints: open addressing over a dense store of conversations.
public struct ConversationTable {
    /// Place in `conversations` plus 1 and some bits of the hash; 0 is empty.
    public struct Entry {
        public var place: UInt32 = 0
        public var hashBits: UInt32 = 0
        public init() {}
    }

    public var conversations = DenseStore<Conversation>()
    /// The two streams of each conversation: from its first endpoint, from its second.
    public var streams = DenseStore<StreamState>()
    public var entries = ContiguousArray(repeating: Entry(), count: 1024)
    public var free: [Int] = []
    @usableFromInline let keys = HashKeys()
    /// Conversations that are open.
    public var count: Int { conversations.count - free.count }

    public init() {}

    /// The same for both directions.
    @inlinable @inline(__always)
    func hash(_ a: Endpoint, _ b: Endpoint) -> UInt64 { a.hash(keys) &+ b.hash(keys) }

    /// The stream from one endpoint to another, if their conversation is open.
    @inlinable @inline(__always)
    public func stream(from source: Endpoint, to destination: Endpoint) -> StreamID? {
        let hash = hash(source, destination)
        let mask = entries.count &- 1
        let bits = UInt32(truncatingIfNeeded: hash &>> 32)
        var index = Int(truncatingIfNeeded: hash) & mask
        while true {
            let entry = entries[index]
            if entry.place == 0 { return nil }
            if entry.hashBits == bits {
                let place = Int(entry.place) &- 1
                if let side = conversations[place].side(from: source, to: destination) {
                    return StreamID(conversation: place, side: side)
                }
            }
            index = (index &+ 1) & mask
        }
    }

    /// Asks for the entry at which the search for a hash begins.
    @inlinable @inline(__always)
    func fetchEntry(_ hash: UInt64) {
        let index = Int(truncatingIfNeeded: hash) & (entries.count &- 1)
        entries.withUnsafeBytes {
            guard let base = $0.baseAddress else { return }
            LookAhead.fetch(base + index &* MemoryLayout<Entry>.stride)
        }
    }

    /// The place where the conversation with a hash most likely is; it is not looked at.
    @inlinable @inline(__always)
    func likelyPlace(_ hash: UInt64) -> Int? {
        let mask = entries.count &- 1
        let bits = UInt32(truncatingIfNeeded: hash &>> 32)
        var index = Int(truncatingIfNeeded: hash) & mask
        while true {
            let entry = entries[index]
            if entry.place == 0 { return nil }
            if entry.hashBits == bits { return Int(entry.place) &- 1 }
            index = (index &+ 1) & mask
        }
    }

    /// The place of the conversation of two endpoints, if it is open.
    public func find(_ a: Endpoint, _ b: Endpoint) -> Int? { stream(from: a, to: b)?.conversation }

    public mutating func insert(_ conversation: Conversation) -> Int {
        if (count + 1) * 2 > entries.count { grow() }
        let place: Int
        if let reused = free.popLast() {
            place = reused
            let isWatched = conversations[place].isWatched
            conversations[place] = conversation
            conversations[place].isWatched = isWatched
            streams[place * 2] = StreamState()
            streams[place * 2 + 1] = StreamState()
        } else {
            place = conversations.count
            conversations.append(conversation)
            streams.append(StreamState())
            streams.append(StreamState())
        }
        enter(place)
        return place
    }

    private func hash(ofPlace place: Int) -> UInt64 { hash(conversations[place].first, conversations[place].second) }

    private mutating func enter(_ place: Int) {
        let hash = hash(ofPlace: place)
        let mask = entries.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while entries[index].place != 0 { index = (index + 1) & mask }
        entries[index].place = UInt32(place + 1)
        entries[index].hashBits = UInt32(truncatingIfNeeded: hash >> 32)
    }

    private mutating func grow() {
        entries = ContiguousArray(repeating: Entry(), count: entries.count * 2)
        for place in conversations.indices where conversations[place].isOpen { enter(place) }
    }

    /// Removes a conversation; its place may be used again.
    public mutating func remove(_ place: Int) {
        let mask = entries.count - 1
        var index = Int(truncatingIfNeeded: hash(ofPlace: place)) & mask
        while Int(entries[index].place) != place + 1 { index = (index + 1) & mask }
        conversations[place].isOpen = false
        free.append(place)
        // Entries behind it that were displaced move up, so that no tombstones are needed.
        var hole = index
        var next = (hole + 1) & mask
        while entries[next].place != 0 {
            let home = Int(truncatingIfNeeded: hash(ofPlace: Int(entries[next].place) - 1)) & mask
            if (next &- home) & mask >= (next &- hole) & mask {
                entries[hole] = entries[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        entries[hole] = Entry()
    }
}
