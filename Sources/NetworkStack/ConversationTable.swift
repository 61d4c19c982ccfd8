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
    /// The place plus 1 that was freed last; each of them says where the next one is, so that a list of them takes no memory.
    private var firstFree: UInt32 = 0
    private var freeCount = 0
    @usableFromInline let keys = HashKeys()
    /// Conversations that are open.
    public var count: Int { conversations.count - freeCount }

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
        if firstFree > 0 {
            place = Int(firstFree) - 1
            firstFree = conversations[place].nextFree
            freeCount -= 1
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
        let count = entries.count * 2
        // The old ones are made anew from the conversations: they need not be there at the same time.
        entries = []
        entries = ContiguousArray(repeating: Entry(), count: count)
        for place in conversations.indices where conversations[place].isOpen { enter(place) }
    }

    /// The places of the conversations that are open, in the order of their numbers: in four bytes each, since there may be hundreds of
    /// thousands.
    @usableFromInline func openPlaces() -> [UInt32] {
        var places: [UInt32] = []
        places.reserveCapacity(count)
        for place in conversations.indices where conversations[place].isOpen {
            places.append(UInt32(truncatingIfNeeded: place))
        }
        places.sort { conversations[Int($0)].number < conversations[Int($1)].number }
        return places
    }

    /// Removes a conversation; its place may be used again.
    public mutating func remove(_ place: Int) {
        let mask = entries.count - 1
        var index = Int(truncatingIfNeeded: hash(ofPlace: place)) & mask
        while Int(entries[index].place) != place + 1 { index = (index + 1) & mask }
        conversations[place].isOpen = false
        conversations[place].nextFree = firstFree
        firstFree = UInt32(truncatingIfNeeded: place + 1)
        freeCount += 1
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
