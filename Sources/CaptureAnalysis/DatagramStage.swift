import ESProtocol
import MessageFormat
import NetworkStack

/// Finds messages in UDP datagrams: those that hold whole messages from their first byte to their last, and those of
/// the framework's peer-to-peer channel.
///
/// What else goes over UDP is passed over: an exchange becomes a conversation with the first datagram that is
/// one of these beyond doubt.
struct DatagramStage {
    /// What waits for the next part of a message.
    private struct Assembly {
        /// The number of the datagram that must come next.
        var next: UInt64
        var message: FramedMessage
        var bytes: [UInt8]
    }

    private struct Exchange {
        var endpoints: (Endpoint, Endpoint)
        var lastTime: Int64
        var isPeerToPeer = false
        var layout: HeaderLayout?
        var assemblies: (Assembly?, Assembly?) = (nil, nil)
    }

    /// An unordered pair of endpoints.
    private struct Key: Hashable {
        var low: Endpoint
        var high: Endpoint

        init(_ a: Endpoint, _ b: Endpoint) {
            let inOrder = (a.high, a.low, a.port) < (b.high, b.low, b.port)
            low = inOrder ? a : b
            high = inOrder ? b : a
        }
    }

    private var slots: [Key: Int] = [:]
    private var exchanges: ContiguousArray<Exchange> = []
    private var records = DenseStore<ConversationRecord>()
    private var statuses = DenseStore<ConversationStatus>()
    private var heldBytes = 0
    private var oldest = 0
    private let options: FramerOptions
    private let maximumExchanges: Int
    private let maximumHeldBytes: Int
    private let idleTime: Int64

    init(options: AnalysisOptions, limits: ReassemblyLimits) {
        self.options = options.framer
        maximumExchanges = max(limits.conversations, 1)
        maximumHeldBytes = options.totalBytes
        idleTime = limits.idleTime
    }

    /// - Parameter count: conversations opened so far, of both kinds.
    /// - Returns: the conversation that the datagram is of, and the side that sent it; `nil` if it is passed over.
    @discardableResult
    mutating func datagram(
        _ segment: TransportSegment,
        payload: RawSpan,
        mark: PacketMark,
        count: inout Int,
        reporter: inout StreamReporter
    ) -> StreamID? {
        guard payload.byteCount > 0 else { return nil }
        // Nearly every datagram of other protocols ends here, as long as there are no exchanges.
        let first: UInt8 = payload.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt8.self)
        let mayBegin = first == 0xFF || first == 0x0F || first == 0 || first == 2
        guard mayBegin || !slots.isEmpty else { return nil }
        var slot = slots[Key(segment.source, segment.destination)]
        if let known = slot, mark.time &- exchanges[known].lastTime > idleTime {
            withRecords(of: &reporter, mark) { $0.endAssemblies(known, reporter: &$1) }
            slots[Key(segment.source, segment.destination)] = nil
            slot = nil
        }
        guard slot != nil || mayBegin else { return nil }
        guard let found = examine(segment, payload, exchange: slot.map { exchanges[$0] }) else {
            guard let slot else { return nil }
            passOver(slot, segment, payload, mark, &reporter)
            return stream(slot, segment)
        }
        var place = slot ?? 0
        withRecords(of: &reporter, mark) { stage, reporter in
            if slot == nil { place = stage.open(segment, mark: mark, count: &count, reporter: &reporter) }
            stage.take(found, place, segment, payload, mark, &reporter)
        }
        return stream(place, segment)
    }

    private func stream(_ slot: Int, _ segment: TransportSegment) -> StreamID {
        StreamID(conversation: slot, side: exchanges[slot].endpoints.0 == segment.source ? 0 : 1)
    }

    /// What is known of a conversation, by its place.
    func record(_ slot: Int) -> ConversationRecord { records[slot] }
    func isFirstSideClient(_ slot: Int) -> Bool { statuses[slot].client == 0 }

    /// The input has ended.
    mutating func finish(mark: PacketMark, reporter: inout StreamReporter) {
        guard heldBytes > 0 else { return }
        withRecords(of: &reporter, mark) { stage, reporter in
            for slot in stage.exchanges.indices { stage.endAssemblies(slot, reporter: &reporter) }
        }
    }

    /// The reporter speaks of UDP conversations as long as `body` runs.
    private mutating func withRecords(
        of reporter: inout StreamReporter,
        _ mark: PacketMark,
        _ body: (inout DatagramStage, inout StreamReporter) -> Void
    ) {
        let stream = reporter.stream
        let layoutChanged = reporter.layoutChanged
        reporter.now = mark
        reporter.isUDP = true
        swap(&records, &reporter.records)
        swap(&statuses, &reporter.statuses)
        body(&self, &reporter)
        swap(&records, &reporter.records)
        swap(&statuses, &reporter.statuses)
        reporter.isUDP = false
        reporter.stream = stream
        reporter.layoutChanged = layoutChanged
    }

    // MARK: - What a datagram is

    private struct Found {
        var messages: DatagramMessages?
        var peer: PeerDatagram?
        var start = 0
    }

    /// - Parameter exchange: of the same endpoints, if one is known.
    private func examine(_ segment: TransportSegment, _ payload: RawSpan, exchange: Exchange?) -> Found? {
        if let messages = messages(payload, length: segment.payloadLength, layout: exchange?.layout),
            messages.fill(segment.payloadLength) || (exchange?.layout != nil && messages.isWithoutOther)
        {
            return Found(messages: messages)
        }
        guard let peer = PeerDatagram(reading: payload, length: segment.payloadLength) else { return nil }
        guard case .data(_, let part) = peer.content else {
            // Only the SYN says enough to begin with.
            return exchange?.isPeerToPeer == true || peer.content == .syn ? Found(peer: peer) : nil
        }
        let start = PeerDatagram.dataHeaderLength
        let length = segment.payloadLength - start
        let rest = payload.extracting(start..<payload.byteCount)
        let isKnown = exchange?.isPeerToPeer == true
        switch part {
        case .whole:
            guard let messages = messages(rest, length: length, layout: exchange?.layout),
                messages.fill(length) || (isKnown && messages.isWithoutOther)
            else { return isKnown ? Found(peer: peer, start: start) : nil }
            return Found(messages: messages, peer: peer, start: start)
        case .first:
            guard let messages = messages(rest, length: length, layout: exchange?.layout),
                messages.isWithoutOther, messages.found.count == 1, messages.found[0].status == .truncated
            else { return isKnown ? Found(peer: peer, start: start) : nil }
            return Found(messages: messages, peer: peer, start: start)
        case .middle, .last:
            return isKnown ? Found(peer: peer, start: start) : nil
        }
    }

    /// The messages that stand from the first byte on; `nil` if there is none.
    private func messages(_ bytes: RawSpan, length: Int, layout: HeaderLayout?) -> DatagramMessages? {
        guard bytes.byteCount >= 16 else { return nil }
        let first: UInt8 = bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt8.self)
        guard first == 0xFF || first == 0x0F else { return nil }
        var messages = DatagramMessages(captured: bytes.byteCount)
        var framer = MessageFramer(startsAtSYN: true, options: options)
        framer.hint = layout
        let mark = StreamMark(packet: 0, time: 0)
        framer.push(bytes, mark: mark, options: options, into: &messages)
        framer.end(mark: mark, options: options, into: &messages)
        return messages.found.first?.streamOffset == 0 ? messages : nil
    }

    // MARK: - Conversations

    private mutating func open(
        _ segment: TransportSegment,
        mark: PacketMark,
        count: inout Int,
        reporter: inout StreamReporter
    ) -> Int {
        count += 1
        reporter.totals.udpConversations += 1
        reporter.totals.conversations = max(reporter.totals.conversations, count)
        let first = segment.source
        let second = segment.destination
        let record = ConversationRecord(number: count, endpoints: (first, second))
        let exchange = Exchange(endpoints: (first, second), lastTime: mark.time)
        let slot: Int
        if exchanges.count < maximumExchanges {
            slot = exchanges.count
            exchanges.append(exchange)
        } else {
            slot = oldest
            oldest = (oldest + 1) % exchanges.count
            endAssemblies(slot, reporter: &reporter)
            let (a, b) = exchanges[slot].endpoints
            if slots[Key(a, b)] == slot {
                reporter.stream = StreamID(conversation: slot, side: 0)
                reporter.limit(StreamReporter.tooManyConversations)
                slots[Key(a, b)] = nil
            }
            exchanges[slot] = exchange
        }
        reporter.begin(record, at: slot)
        reporter.statuses[slot].isES = true
        slots[Key(first, second)] = slot
        return slot
    }

    private mutating func take(
        _ found: Found,
        _ slot: Int,
        _ segment: TransportSegment,
        _ payload: RawSpan,
        _ mark: PacketMark,
        _ reporter: inout StreamReporter
    ) {
        reporter.stream = stream(slot, segment)
        let side = reporter.stream.side
        exchanges[slot].lastTime = mark.time
        if let peer = found.peer {
            exchanges[slot].isPeerToPeer = true
            reporter.learnVersion(peer.versions, from: .datagrams, slot: slot)
            if peer.content == .syn, !reporter.statuses[slot].isClientKnown {
                reporter.statuses[slot].setClient(side)
            }
        }
        if let messages = found.messages, let layout = messages.found.first?.header.layout {
            if exchanges[slot].layout == nil {
                reporter.layoutFound(
                    layout,
                    evidence: options.givenLayout == nil ? .datagram : .given,
                    mark: StreamMark(packet: mark.packet, time: mark.time)
                )
            }
            exchanges[slot].layout = layout
        }
        if let peer = found.peer {
            reporter.datagramEvent(
                .preface,
                reason: "peer-to-peer \(peer.name)",
                length: Int64(found.start > 0 ? found.start : payload.byteCount)
            )
            if case .data(let id, let part) = peer.content, part != .whole {
                let rest = payload.extracting(found.start..<payload.byteCount)
                takePart(id, part, found.messages?.found.first, rest, slot, side, mark, &reporter)
                reportCut(segment, payload, &reporter)
                return
            }
        }
        if let messages = found.messages {
            for message in messages.found {
                var message = message
                let start = found.start + Int(message.streamOffset)
                let end = min(start + message.header.messageLength, payload.byteCount)
                message.streamOffset += Int64(found.start)
                message.mark = StreamMark(packet: mark.packet, time: mark.time)
                reporter.message(message, bytes: payload.extracting(start..<end))
            }
            if messages.cutHeader > 0 {
                reporter.datagramEvent(
                    .truncated,
                    reason: UnframedBytes.Reason.headerCutShort.rawValue,
                    offset: Int64(payload.byteCount) - messages.cutHeader,
                    length: messages.cutHeader
                )
            }
        } else if found.start > 0 {
            reporter.datagramEvent(
                .skipped,
                reason: UnframedBytes.Reason.noBelievableHeader.rawValue,
                offset: Int64(found.start),
                length: Int64(payload.byteCount - found.start)
            )
        }
        reportCut(segment, payload, &reporter)
    }

    /// A datagram between endpoints that exchange messages, and none itself.
    private mutating func passOver(
        _ slot: Int,
        _ segment: TransportSegment,
        _ payload: RawSpan,
        _ mark: PacketMark,
        _ reporter: inout StreamReporter
    ) {
        withRecords(of: &reporter, mark) { stage, reporter in
            reporter.stream = stage.stream(slot, segment)
            stage.exchanges[slot].lastTime = mark.time
            reporter.datagramEvent(
                .skipped,
                reason: "a datagram that is no message",
                length: Int64(payload.byteCount)
            )
            stage.reportCut(segment, payload, &reporter)
        }
    }

    private func reportCut(_ segment: TransportSegment, _ payload: RawSpan, _ reporter: inout StreamReporter) {
        guard segment.payloadLength > payload.byteCount else { return }
        reporter.gap(
            offset: Int64(payload.byteCount),
            length: Int64(segment.payloadLength - payload.byteCount),
            reason: .snapLength
        )
    }

    // MARK: - Messages in parts

    private mutating func takePart(
        _ id: UInt64,
        _ part: PeerDatagram.Part,
        _ first: FramedMessage?,
        _ bytes: RawSpan,
        _ slot: Int,
        _ side: Int,
        _ mark: PacketMark,
        _ reporter: inout StreamReporter
    ) {
        if part == .first {
            endAssembly(slot, side, reporter: &reporter)
            guard var message = first else { return skipPart(bytes, &reporter) }
            message.streamOffset = Int64(PeerDatagram.dataHeaderLength)
            setAssembly(slot, side, Assembly(next: id &+ 1, message: message, bytes: []))
        }
        guard var assembly = assembly(slot, side), part == .first || assembly.next == id,
            assembly.bytes.count + bytes.byteCount <= assembly.message.header.messageLength
        else {
            endAssembly(slot, side, reporter: &reporter)
            return skipPart(bytes, &reporter)
        }
        // Taken out, so that the bytes are not copied.
        setAssembly(slot, side, nil)
        bytes.withUnsafeBytes { assembly.bytes.append(contentsOf: $0) }
        heldBytes += bytes.byteCount
        assembly.next = id &+ 1
        assembly.message.mark = StreamMark(packet: mark.packet, time: mark.time)
        setAssembly(slot, side, assembly)
        if part == .last || heldBytes > maximumHeldBytes { endAssembly(slot, side, reporter: &reporter) }
    }

    private func skipPart(_ bytes: RawSpan, _ reporter: inout StreamReporter) {
        reporter.datagramEvent(
            .skipped,
            reason: "part of a message whose other parts were not captured",
            offset: Int64(PeerDatagram.dataHeaderLength),
            length: Int64(bytes.byteCount)
        )
    }

    private func assembly(_ slot: Int, _ side: Int) -> Assembly? {
        side == 0 ? exchanges[slot].assemblies.0 : exchanges[slot].assemblies.1
    }

    private mutating func setAssembly(_ slot: Int, _ side: Int, _ assembly: Assembly?) {
        if side == 0 { exchanges[slot].assemblies.0 = assembly } else { exchanges[slot].assemblies.1 = assembly }
    }

    private mutating func endAssemblies(_ slot: Int, reporter: inout StreamReporter) {
        for side in 0...1 { endAssembly(slot, side, reporter: &reporter) }
    }

    /// Reports the message as far as its parts came.
    private mutating func endAssembly(_ slot: Int, _ side: Int, reporter: inout StreamReporter) {
        guard let assembly = assembly(slot, side) else { return }
        setAssembly(slot, side, nil)
        heldBytes -= assembly.bytes.count
        var message = assembly.message
        let there = assembly.bytes.count
        let missing = message.header.messageLength - there
        message.status = missing == 0 ? .complete : .truncated
        message.gaps = missing == 0 ? [] : [MessageGap(offset: there, length: missing)]
        let stream = reporter.stream
        reporter.stream = StreamID(conversation: slot, side: side)
        reporter.message(message, bytes: assembly.bytes.span.bytes)
        reporter.stream = stream
    }
}

/// What a framer finds in one datagram.
private struct DatagramMessages: FramerSink {
    var found: [FramedMessage] = []
    /// Bytes of a header at the end that is not all there.
    var cutHeader: Int64 = 0
    private var hasOther = false
    /// Bytes that were captured.
    let captured: Int

    init(captured: Int) { self.captured = captured }

    mutating func message(_ message: FramedMessage, bytes: RawSpan) { found.append(message) }

    mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan) {
        if unframed.reason == .headerCutShort { cutHeader = unframed.length } else { hasOther = true }
    }

    mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark) {}

    /// Whether messages are all there is, the last one perhaps not whole.
    var isWithoutOther: Bool { !hasOther }

    /// Whether the messages, as they declare their lengths, are the datagram, with nothing behind them.
    func fill(_ length: Int) -> Bool {
        guard !hasOther, let last = found.last else { return false }
        let end = Int(last.streamOffset) + last.header.messageLength
        // Behind the snap length there may be more messages.
        return end == length || (captured < length && end + Int(cutHeader) == captured)
    }
}
