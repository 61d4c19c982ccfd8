import PacketCapture

/// TCP flags (RFC 9293 section 3.1).
public enum TCPFlags {
    @inlinable public static var fin: UInt8 { 0x01 }
    @inlinable public static var syn: UInt8 { 0x02 }
    @inlinable public static var rst: UInt8 { 0x04 }
    @inlinable public static var psh: UInt8 { 0x08 }
    @inlinable public static var ack: UInt8 { 0x10 }
}

/// Puts the segments of TCP conversations in order and hands on bytes and gaps.
///
/// In-order payload is handed on without a copy. What is out of order is held, within limits, until its hole is
/// filled or given up.
public struct StreamReassembler {
    public var limits: ReassemblyLimits
    public var table = ConversationTable()
    /// Conversations opened so far.
    public var conversationCount = 0
    /// Bytes held out of order in all streams.
    public var heldBytes = 0
    /// Conversations with a hole or a reset to watch.
    public var watched: [Int] = []
    public var watchCursor = 0
    public var lastWatchTime: Int64 = 0
    public var idleCursor = 0

    public init(limits: ReassemblyLimits = ReassemblyLimits()) {
        self.limits = limits
    }

    /// The conversations that are open.
    public var openConversations: Int { table.count }

    public func conversation(_ slot: Int) -> Conversation { table.conversations[slot] }

    /// The number of a conversation, from 1.
    @inlinable public func number(_ slot: Int) -> Int { table.conversations[slot].number }

    /// The earliest packet that brought bytes which are still held, in any stream.
    public func earliestHeldPacket() -> UInt64? {
        var earliest: UInt64?
        for slot in watched where table.conversations[slot].isOpen {
            for side in 0...1 {
                if let packet = table.streams[slot * 2 + side].hold?.earliestPacket, packet < earliest ?? .max {
                    earliest = packet
                }
            }
        }
        return earliest
    }

    @inlinable
    public mutating func segment<Sink: StreamSink>(
        _ segment: TransportSegment,
        payload: RawSpan,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        let slot: Int
        if let found = table.find(segment.source, segment.destination) {
            slot = found
        } else {
            slot = open(segment, mark: mark, into: &sink)
        }
        var stream = StreamID(conversation: slot, side: sideOfSource(slot, segment))
        let otherFlags = TCPFlags.syn | TCPFlags.fin | TCPFlags.rst
        // Nearly every packet: an acknowledgement, and the bytes that come next.
        if segment.flags & otherFlags == 0,
            isInOrder(stream, segment, captured: payload.byteCount)
        {
            let offset = advance(slot, side: stream.side, by: payload.byteCount, mark: mark)
            if payload.byteCount > 0 { sink.streamBytes(stream, payload, offset: offset, mark: mark) }
        } else {
            stream = slowSegment(segment, payload: payload, stream: stream, mark: mark, into: &sink)
        }
        if segment.flags & TCPFlags.ack != 0 {
            acknowledge(stream.conversation, side: stream.side, segment.acknowledgement)
        }
        watch(time: mark.time, slot: stream.conversation, mark: mark, into: &sink)
    }

    @inlinable
    public func sideOfSource(_ slot: Int, _ segment: TransportSegment) -> Int {
        table.conversations[slot].first == segment.source ? 0 : 1
    }

    /// Whether a segment without SYN, FIN or RST continues a stream that has nothing out of order.
    @inlinable
    public func isInOrder(_ stream: StreamID, _ segment: TransportSegment, captured: Int) -> Bool {
        if captured == 0 { return segment.payloadLength == 0 }
        let place = stream.conversation
        guard table.streams[place * 2 + stream.side].nextSequence == segment.sequence,
            table.streams[place * 2 + stream.side].hasBase,
            !table.streams[place * 2 + stream.side].hasEnded, captured == segment.payloadLength,
            table.conversations[place].resetTime == nil
        else { return false }
        guard let hold = table.streams[place * 2 + stream.side].hold else { return true }
        return hold.first == nil
    }

    /// - Returns: the offset of the bytes in the stream.
    @inlinable
    public mutating func advance(_ slot: Int, side: Int, by count: Int, mark: PacketMark) -> Int64 {
        table.conversations[slot].packets &+= 1
        table.conversations[slot].lastTime = mark.time
        table.conversations[slot].lastPacket = mark.packet
        if count == 0 { return 0 }
        let offset = table.streams[slot * 2 + side].nextOffset
        table.streams[slot * 2 + side].nextOffset &+= Int64(count)
        table.streams[slot * 2 + side].nextSequence &+= UInt32(truncatingIfNeeded: count)
        return offset
    }

    @inlinable
    public mutating func acknowledge(_ slot: Int, side: Int, _ number: UInt32) {
        let state = table.streams[slot * 2 + side]
        if !state.hasAcknowledged {
            table.streams[slot * 2 + side].hasAcknowledged = true
            table.streams[slot * 2 + side].acknowledged = number
        } else if Int32(bitPattern: number &- state.acknowledged) > 0 {
            table.streams[slot * 2 + side].acknowledged = number
        }
    }

    @inlinable
    public mutating func open<Sink: StreamSink>(
        _ segment: TransportSegment,
        mark: PacketMark,
        into sink: inout Sink
    ) -> Int {
        if table.count >= limits.conversations { closeAnOldOne(mark: mark, into: &sink) }
        conversationCount += 1
        let slot = table.insert(
            Conversation(
                number: conversationCount,
                first: segment.source,
                second: segment.destination,
                time: mark.time
            )
        )
        if segment.flags & TCPFlags.syn != 0 {
            table.conversations[slot].clientSide = segment.flags & TCPFlags.ack == 0 ? 0 : 1
        }
        sink.conversationOpened(slot, table.conversations[slot])
        return slot
    }

    @inlinable
    public mutating func closeAnOldOne<Sink: StreamSink>(mark: PacketMark, into sink: inout Sink) {
        var oldest: Int?
        var looked = 0
        while looked < 16 || oldest == nil, looked < table.conversations.count {
            idleCursor = (idleCursor + 1) % table.conversations.count
            looked += 1
            let candidate = table.conversations[idleCursor]
            guard candidate.isOpen else { continue }
            if oldest == nil || candidate.lastTime < table.conversations[oldest!].lastTime { oldest = idleCursor }
        }
        if let oldest { close(oldest, reason: .end, closing: .limit, mark: mark, into: &sink) }
    }
}
