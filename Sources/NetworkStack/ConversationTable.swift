import PacketCapture

/// The two endpoints of a conversation in a fixed order, so that both directions have one key.
public struct ConversationKey: Equatable {
    public let low: Endpoint
    public let high: Endpoint

    @inlinable
    public init(_ a: Endpoint, _ b: Endpoint) {
        let aFirst =
            a.high != b.high ? a.high < b.high : a.low != b.low ? a.low < b.low : a.port <= b.port
        low = aFirst ? a : b
        high = aFirst ? b : a
    }

    /// A keyed hash: who makes the capture cannot choose the collisions.
    @inlinable
    public func hash(seed: UInt64) -> UInt64 {
        func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
            let product = a.multipliedFullWidth(by: b)
            return product.high ^ product.low
        }
        var state = mix(low.high ^ seed, low.low ^ 0x9E37_79B9_7F4A_7C15)
        state = mix(high.high ^ state, high.low ^ seed ^ 0xD6E8_FEB8_6659_FD93)
        return mix(state ^ UInt64(low.port) << 16 ^ UInt64(high.port), seed | 1)
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
    public var entries: DenseStore<Entry>
    public var free: [Int] = []
    public let seed: UInt64
    /// Conversations that are open.
    public var count: Int { conversations.count - free.count }

    public init() {
        entries = DenseStore(repeating: Entry(), count: 1024)
        var random = SystemRandomNumberGenerator()
        seed = random.next()
    }

    @inlinable
    public func find(_ a: Endpoint, _ b: Endpoint) -> Int? {
        let key = ConversationKey(a, b)
        let hash = key.hash(seed: seed)
        let mask = entries.count - 1
        let bits = UInt32(truncatingIfNeeded: hash >> 32)
        var index = Int(truncatingIfNeeded: hash) & mask
        while entries[index].place != 0 {
            if entries[index].hashBits == bits {
                let place = Int(entries[index].place) - 1
                if matches(place, a, b) { return place }
            }
            index = (index + 1) & mask
        }
        return nil
    }

    @inlinable
    public func matches(_ place: Int, _ a: Endpoint, _ b: Endpoint) -> Bool {
        let first = conversations[place].first
        let second = conversations[place].second
        return (first == a && second == b) || (first == b && second == a)
    }

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

    private mutating func enter(_ place: Int) {
        let hash = ConversationKey(conversations[place].first, conversations[place].second).hash(seed: seed)
        let mask = entries.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while entries[index].place != 0 { index = (index + 1) & mask }
        entries[index].place = UInt32(place + 1)
        entries[index].hashBits = UInt32(truncatingIfNeeded: hash >> 32)
    }

    private mutating func grow() {
        entries = DenseStore(repeating: Entry(), count: entries.count * 2)
        for place in conversations.indices where conversations[place].isOpen { enter(place) }
    }

    /// Removes a conversation; its place may be used again.
    public mutating func remove(_ place: Int) {
        let hash = ConversationKey(conversations[place].first, conversations[place].second).hash(seed: seed)
        let mask = entries.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while Int(entries[index].place) != place + 1 { index = (index + 1) & mask }
        conversations[place].isOpen = false
        free.append(place)
        // Entries behind it that were displaced move up, so that no tombstones are needed.
        var hole = index
        var next = (hole + 1) & mask
        while entries[next].place != 0 {
            let other = conversations[Int(entries[next].place) - 1]
            let home = Int(truncatingIfNeeded: ConversationKey(other.first, other.second).hash(seed: seed)) & mask
            if (next &- home) & mask >= (next &- hole) & mask {
                entries[hole] = entries[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        entries[hole] = Entry()
    }
}
