import PacketCapture

/// What is known of the next packets' conversations before their turn comes.
@usableFromInline struct ExpectedConversations {
    @usableFromInline struct Expected {
        /// The hash of its endpoints.
        @usableFromInline var hash: UInt64 = 0
        /// The place plus 1 where it most likely is; 0 if nothing is known.
        @usableFromInline var place: UInt32 = 0

        init() {}
    }

    private static var count: Int { 16 }

    /// By the number of the packet. What a packet left that was not announced is a wrong guess, no more.
    @usableFromInline let expected = DenseStore(repeating: Expected(), count: ExpectedConversations.count)

    init() {}

    @inlinable @inline(__always)
    subscript(packet: UInt64) -> Expected {
        _read { yield expected[Int(truncatingIfNeeded: packet) & 15] }
        nonmutating _modify { yield &expected[Int(truncatingIfNeeded: packet) & 15] }
    }
}

extension StreamReassembler {
    /// Begins to fetch what a segment will need that comes soon: the entry of its conversation.
    @inlinable @inline(__always)
    public mutating func approach(_ packet: UInt64, source: Endpoint, destination: Endpoint) {
        let hash = table.hash(source, destination)
        expected[packet].hash = hash
        table.fetchEntry(hash)
    }

    /// The entry is there: fetches what it leads to.
    @inlinable @inline(__always)
    mutating func approachConversation<Sink: StreamSink>(_ packet: UInt64, into sink: inout Sink) {
        guard let place = table.likelyPlace(expected[packet].hash) else {
            expected[packet].place = 0
            return
        }
        expected[packet].place = UInt32(truncatingIfNeeded: place &+ 1)
        table.conversations.fetch(place)
        table.streams.fetchPair(place &* 2)
        sink.approach(place)
    }

    /// The stream of a segment, if its conversation is open.
    @inlinable @inline(__always)
    func stream(of segment: TransportSegment, packet: UInt64) -> StreamID? {
        let place = Int(expected[packet].place) &- 1
        if place >= 0, table.conversations[place].isOpen,
            let side = table.conversations[place].side(from: segment.source, to: segment.destination)
        {
            return StreamID(conversation: place, side: side)
        }
        return table.stream(from: segment.source, to: segment.destination)
    }
}
