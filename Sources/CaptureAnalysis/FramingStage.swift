import ESProtocol
import MessageFormat
import NetworkStack

/// Holds a framer for each stream, and passes on what one stream shows of the layout to the others.
struct FramingStage: StreamSink {
    var reporter: StreamReporter
    var framers = DenseStore<MessageFramer>()
    let options: FramerOptions
    /// The same for conversations in which nothing is asked of a message but its numbers.
    private let leanOptions: FramerOptions
    /// Layouts that were confirmed at a server's address.
    private var serverLayouts: [Endpoint: HeaderLayout] = [:]
    private let maximumServerLayouts = 4096
    /// Streams with bytes that are not decided yet.
    private var undecided: Set<Int> = []
    /// Bytes that all framers hold, and the conversation that must go because there are too many.
    private(set) var heldBytes = 0
    var conversationOverLimit: Int?
    /// Why the conversation that is being closed must go, if that is not the number of conversations.
    var limitReason: String?
    private let totalBytes: Int
    private let isLive: Bool
    /// The bytes that were handed on last, to compare what comes again with. Counting does without.
    private var recent: RecentBytes?

    init(output: (any AnalysisOutput)?, options: AnalysisOptions) {
        reporter = StreamReporter(output: output, options: options)
        self.options = options.framer
        var lean = options.framer
        if output == nil, !reporter.choosesMessages || reporter.choosesByNumbers { lean.keepsHeaders = false }
        leanOptions = lean
        totalBytes = options.totalBytes
        isLive = options.isLive
        if output != nil, options.tellsEvents {
            recent = RecentBytes()
            reporter.looksAtBytes = true
        }
    }

    var isUndecided: Bool { !undecided.isEmpty }

    /// The earliest packet whose bytes are not decided yet.
    func earliestUndecidedPacket() -> UInt64? {
        undecided.compactMap { framers[$0].undecidedSince?.packet }.min()
    }

    mutating func conversationOpened(_ slot: Int, _ conversation: borrowing Conversation) {
        while framers.count <= slot * 2 + 1 {
            framers.append(MessageFramer(startsAtSYN: false, options: options))
        }
        let first = conversation.first
        let second = conversation.second
        let hint = serverLayouts[second] ?? serverLayouts[first]
        for side in 0...1 {
            framers[slot * 2 + side] = MessageFramer(startsAtSYN: false, options: options)
            framers[slot * 2 + side].hint = hint
            framers[slot * 2 + side].hintEvidence = .sameServer
        }
        let record = ConversationRecord(number: conversation.number, endpoints: (first, second))
        reporter.begin(record, at: slot)
        reporter.totals.conversations = max(reporter.totals.conversations, conversation.number)
    }

    mutating func streamSynchronized(_ stream: StreamID, clientSide: Int?) {
        if let clientSide { reporter.statuses[stream.conversation].setClient(clientSide) }
        framers[stream.index].startsAtSYN()
    }

    /// A stream of a conversation begins anew with what comes next, which is the beginning of a message.
    mutating func streamBegins(_ stream: StreamID) {
        let layout = framers[stream.index].layout
        framers[stream.index] = MessageFramer(startsAtSYN: true, options: options)
        framers[stream.index].hint = layout
        framers[stream.index].hintEvidence = .sameServer
    }

    @inline(__always)
    mutating func approach(_ slot: Int) {
        framers.fetchPair(slot &* 2)
        if reporter.looksAtRecords { reporter.records.fetch(slot) }
    }

    /// Not inlined: it is called from several places, and has the loop over the messages of a segment inlined itself.
    @inline(never)
    mutating func streamBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        reporter.stream = stream
        if offset < StreamReporter.firstByteCount { reporter.noteFirstBytes(bytes, offset: offset) }
        if recent != nil { noteRecent(stream, bytes, offset: offset) }
        let effect = framers[stream.index].push(
            bytes,
            mark: StreamMark(packet: mark.packet, time: mark.time),
            options: reporter.statuses[stream.conversation].isClientKnown ? leanOptions : options,
            into: &reporter
        )
        if effect.heldBytes != 0 { noteHeld(effect.heldBytes, stream) }
        if !effect.isRoutine {
            noteUndecided(stream.index)
            if effect.isFinding { shareLayout(stream) }
        }
    }

    private mutating func noteHeld(_ change: Int, _ stream: StreamID) {
        heldBytes += change
        if heldBytes > totalBytes { conversationOverLimit = stream.conversation }
    }

    private mutating func noteUndecided(_ index: Int) {
        if framers[index].undecidedSince != nil {
            undecided.insert(index)
        } else {
            undecided.remove(index)
        }
    }

    /// Passes on what this stream shows of the layout; names a live stream that holds no message.
    private mutating func shareLayout(_ stream: StreamID) {
        let index = stream.index
        let slot = stream.conversation
        if isLive, !reporter.statuses[slot].isES, framers[index].streamOffset > Int64(options.maximumMessage) {
            framers[index].reportSkippedSoFar(into: &reporter)
            reporter.reportNotES(slot)
        }
        guard let layout = framers[index].layout, reporter.layoutChanged || framers[index].acceptedHeaders >= 2 else {
            return
        }
        reporter.layoutChanged = false
        let other = StreamID(conversation: slot, side: 1 - stream.side).index
        framers[other].otherSlot = layout.idSlot
        let isConfirmed = framers[index].acceptedHeaders >= 2 || framers[other].layout == layout
        guard isConfirmed else { return }
        framers[other].hint = layout
        framers[other].hintEvidence = .otherDirection
        let server = reporter.server(slot)
        if serverLayouts.count < maximumServerLayouts || serverLayouts[server] != nil { serverLayouts[server] = layout }
    }

    mutating func streamGap(_ stream: StreamID, offset: Int64, length: Int64, reason: GapReason, mark: PacketMark) {
        let index = stream.index
        reporter.stream = stream
        reporter.gap(offset: offset, length: length, reason: reason)
        let before = framers[index].heldByteCount
        framers[index].gap(
            length,
            mark: StreamMark(packet: mark.packet, time: mark.time),
            options: options,
            into: &reporter
        )
        heldBytes += framers[index].heldByteCount - before
        noteUndecided(index)
        shareLayout(stream)
    }

    mutating func lateSegment(
        _ stream: StreamID,
        offset: Int64,
        length: Int64,
        reason: String,
        mark: PacketMark
    ) {
        reporter.stream = stream
        reporter.late(offset: offset, length: length, reason: reason)
    }

    private mutating func noteRecent(_ stream: StreamID, _ bytes: RawSpan, offset: Int64) {
        let key = recentKey(stream)
        recent?.note(key, bytes, offset: offset)
    }

    private func recentKey(_ stream: StreamID) -> RecentBytes.Key {
        RecentBytes.Key(conversation: reporter.records[stream.conversation].number, side: stream.side)
    }

    mutating func repeatedBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        guard let difference = recent?.difference(recentKey(stream), bytes, offset: offset) else { return }
        overlapDiffers(
            stream,
            offset: difference.lowerBound,
            length: difference.upperBound - difference.lowerBound,
            kept: .first,
            mark: mark
        )
    }

    mutating func overlapDiffers(
        _ stream: StreamID,
        offset: Int64,
        length: Int64,
        kept: OverlapPolicy,
        mark: PacketMark
    ) {
        reporter.stream = stream
        reporter.overlapDiffers(offset: offset, length: length, kept: kept)
    }

    mutating func streamEnded(_ stream: StreamID, mark: PacketMark) {
        let index = stream.index
        reporter.stream = stream
        let before = framers[index].heldByteCount
        framers[index].end(
            mark: StreamMark(packet: mark.packet, time: mark.time),
            options: options,
            into: &reporter
        )
        heldBytes += framers[index].heldByteCount - before
        undecided.remove(index)
        shareLayout(stream)
    }

    mutating func conversationClosed(_ slot: Int, _ conversation: borrowing Conversation) {
        reporter.stream = StreamID(conversation: slot, side: 0)
        if conversation.closing == .limit { reporter.limit(limitReason ?? StreamReporter.tooManyConversations) }
        limitReason = nil
        reporter.closed(slot)
    }
}
