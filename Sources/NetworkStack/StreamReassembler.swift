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
/// The methods that lead to the sink are generic, and few call each other: the compiler (Swift 6.3) optimises no more than ten
/// specialised functions one inside the other, and leaves the innermost, which is the hottest, as it is.
///
/// In-order payload is handed on without a copy. What is out of order is held, within limits, until its hole is
/// filled or given up.
public struct StreamReassembler {
    public var limits: ReassemblyLimits
    public var table = ConversationTable()
    @usableFromInline var holds = StreamHolds()
    @usableFromInline var expected = ExpectedConversations()
    @usableFromInline var finished = FinishedConversations()
    @usableFromInline var forgotten = ForgottenConversations()
    /// Conversations opened so far.
    public var conversationCount = 0
    /// Bytes held out of order in all streams.
    public var heldBytes = 0
    /// Conversations with a hole or a reset to watch.
    public var watched: [Int] = []
    /// What was the earliest packet with held bytes when that was asked for last.
    private var earliestHeld: (stream: StreamID, packet: UInt64)?
    public var watchCursor = 0
    public var lastWatchTime: Int64 = 0
    public var idleCursor = 0
    /// No packet of any conversation is older.
    @usableFromInline var earliestTime = Int64.max

    public init(limits: ReassemblyLimits = ReassemblyLimits()) {
        self.limits = limits
    }

    /// The conversations that are open.
    public var openConversations: Int { table.count }

    public func conversation(_ slot: Int) -> Conversation { table.conversations[slot] }

    /// What a stream holds out of order, if it ever held anything.
    public func hold(of stream: StreamState) -> StreamHold? { stream.hold == .none ? nil : holds[stream.hold] }

    /// The number of a conversation, from 1.
    @inlinable public func number(_ slot: Int) -> Int { table.conversations[slot].number }

    /// The earliest packet that brought bytes which are still held, in any stream.
    public mutating func earliestHeldPacket() -> UInt64? {
        // What comes later is held with later packets: as long as the earliest is still there, nothing else need be looked at.
        if let last = earliestHeld, table.conversations[last.stream.conversation].isOpen {
            let place = table.streams[last.stream.index].hold
            if place != .none, holds[place].earliestPacket == last.packet { return last.packet }
        }
        earliestHeld = nil
        var earliest: UInt64?
        for slot in watched where table.conversations[slot].isOpen {
            for side in 0...1 {
                let place = table.streams[slot * 2 + side].hold
                if place != .none, let packet = holds[place].earliestPacket, packet < earliest ?? .max {
                    earliest = packet
                    earliestHeld = (StreamID(conversation: slot, side: side), packet)
                }
            }
        }
        return earliest
    }

    /// Inlined into the decoder: most of a segment's numbers are looked at once.
    @inlinable @inline(__always)
    public mutating func segment<Sink: StreamSink>(
        _ segment: TransportSegment,
        payload: RawSpan,
        mark: PacketMark,
        into sink: inout Sink
    ) {
        approachConversation(mark.packet &+ LookAhead.steps, into: &sink)
        guard let stream = stream(of: segment, packet: mark.packet) else {
            if comesAgain(segment, time: mark.time) { return }
            let slot = open(segment, mark: mark, into: &sink)
            return slowSegment(segment, payload: payload, slot: slot, side: 0, mark: mark, into: &sink)
        }
        let index = stream.index
        // Nearly every packet: an acknowledgement, and the bytes that come next.
        guard segment.flags & (TCPFlags.syn | TCPFlags.fin | TCPFlags.rst) == 0,
            payload.byteCount == segment.payloadLength,
            payload.byteCount == 0 || isNext(segment.sequence, index),
            !table.conversations[stream.conversation].isResetPending || payload.byteCount == 0
        else {
            return slowSegment(
                segment,
                payload: payload,
                slot: stream.conversation,
                side: stream.side,
                mark: mark,
                into: &sink
            )
        }
        table.conversations[stream.conversation].notePacket(mark)
        if segment.flags & TCPFlags.ack != 0 { table.streams[index].acknowledge(segment.acknowledgement) }
        if payload.byteCount > 0 {
            let offset = table.streams[index].advance(by: payload.byteCount)
            sink.streamBytes(stream, payload, offset: offset, mark: mark)
        }
        watch(slot: stream.conversation, mark: mark, into: &sink)
    }

    /// Whether a stream goes on with this byte and has nothing out of order.
    @inlinable @inline(__always)
    func isNext(_ sequence: UInt32, _ index: Int) -> Bool {
        guard table.streams[index].nextSequence == sequence, table.streams[index].hasBase,
            !table.streams[index].hasEnded
        else { return false }
        let hold = table.streams[index].hold
        return hold == .none || holds[hold].pieceCount == 0
    }

    /// 0 if a segment comes from the first endpoint of its conversation, otherwise 1.
    public func sideOfSource(_ slot: Int, _ segment: TransportSegment) -> Int {
        table.conversations[slot].first == segment.source ? 0 : 1
    }

    @inlinable
    public mutating func open<Sink: StreamSink>(
        _ segment: TransportSegment,
        mark: PacketMark,
        into sink: inout Sink
    ) -> Int {
        closeFinished(mark: mark, into: &sink)
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
