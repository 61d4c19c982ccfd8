/// Cuts one direction of a stream into messages.
///
/// It is pushed bytes and holes in stream order, in pieces of any size, and hands on what it finds. It needs no start: it finds the
/// header layout from the stream, and the next message after a loss (PROTOCOL.md section 9). In-order messages that
/// lie in one piece are handed on without a copy.
public struct MessageFramer {
    @usableFromInline
    enum Mode: UInt8 {
        /// Nothing was found yet, and the first byte pushed is the one after the SYN.
        case atSYN
        /// A header is expected where the last message ended.
        case inSync
        case searching
    }

    @usableFromInline
    struct HeldFacts: OptionSet {
        @usableFromInline let rawValue: UInt8

        @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Its header is there.
        @inlinable static var header: HeldFacts { HeldFacts(rawValue: 1) }
        /// What is there is as long as a header, and none.
        @inlinable static var refusedHeader: HeldFacts { HeldFacts(rawValue: 2) }
        /// None of its bytes are kept: nobody wants them.
        @inlinable static var withoutBytes: HeldFacts { HeldFacts(rawValue: 4) }
        /// There is a hole in it.
        @inlinable static var gaps: HeldFacts { HeldFacts(rawValue: 8) }
    }

    // There are two for each conversation: all of it stands in 64 bytes, and what is needed rarely in `kept`.

    @usableFromInline var offset: Int64
    /// In sync: the header of the message that is not complete yet; valid if `hasHeldHeader`.
    @usableFromInline var heldHeader = MessageHeader.empty
    /// In sync: the latest packet that brought a byte of the held message.
    @usableFromInline var heldMark = StreamMark(packet: 0, time: 0)
    /// What is kept of the stream; one element or none.
    @usableFromInline var kept: [KeptBytes] = []
    /// In sync: bytes and holes of the held message that were pushed; more than are kept if bodies are not. No message is
    /// longer than the header's largest length.
    @usableFromInline var storedMessageTaken: UInt32 = 0
    @usableFromInline var accepted: UInt8 = 0
    @usableFromInline var mode: Mode
    /// Searching: why.
    @usableFromInline var skipReason: UnframedBytes.Reason = .startInMidMessage
    /// In sync: what is known of the held message.
    @usableFromInline var heldFacts: HeldFacts = []
    /// Where the hint is from.
    public var hintEvidence = LayoutEvidence.otherDirection
    /// The layout of this direction, once it is known.
    public internal(set) var layout: HeaderLayout?
    /// A layout that was confirmed elsewhere: in the other direction, or at the same server.
    public var hint: HeaderLayout?
    /// A slot that the other direction shows, even if nothing confirms it yet.
    public var otherSlot: UInt8?

    /// Offset in the stream of the next byte to be pushed.
    @inlinable public var streamOffset: Int64 { offset }
    /// Headers accepted so far; stops counting at 255.
    @inlinable public var acceptedHeaders: UInt8 { accepted }

    @usableFromInline var hasHeldHeader: Bool {
        @inlinable @inline(__always) get { heldFacts.rawValue & 1 != 0 }
    }

    @usableFromInline var isHeldWithoutBytes: Bool {
        @inlinable @inline(__always) get { heldFacts.rawValue & 4 != 0 }
    }

    /// Whether the held message is whole up to now.
    @usableFromInline var hasNoGaps: Bool {
        @inlinable @inline(__always) get { heldFacts.rawValue & 8 == 0 }
    }

    @usableFromInline var heldMessageTaken: Int {
        @inlinable @inline(__always) get { Int(storedMessageTaken) }
        @inlinable @inline(__always) set { storedMessageTaken = UInt32(truncatingIfNeeded: newValue) }
    }

    /// - Parameters:
    ///   - startsAtSYN: whether the first byte pushed is the first byte of the stream.
    public init(startsAtSYN: Bool, options: FramerOptions) {
        offset = 0
        mode = startsAtSYN ? .atSYN : .searching
        layout = options.givenLayout
    }

    /// Says that the next byte is the first one of the stream; it counts only before the first byte.
    public mutating func startsAtSYN() {
        if offset == 0, mode == .searching, layout == nil || acceptedHeaders == 0 { mode = .atSYN }
    }

    /// Reports what was skipped up to now, without waiting for the next header.
    public mutating func reportSkippedSoFar<Sink: FramerSink>(into sink: inout Sink) {
        reportSkipped(&sink)
    }

    /// Whether the next header is being searched for.
    @inlinable public var isSearching: Bool { mode != .inSync }

    /// Bytes that it keeps in memory.
    public var heldByteCount: Int {
        @inlinable @inline(__always) get {
            // Between two messages, and in one that nobody wants, there are none: asked twice a segment, it does not look at
            // memory that may be far away.
            if mode == .inSync, heldMessageTaken == 0 || isHeldWithoutBytes { return 0 }
            return kept.isEmpty ? 0 : kept[0].held.byteCount
        }
    }

    /// Packet of the first byte that is not decided yet, if there is such a byte.
    public var undecidedSince: StreamMark? {
        mode == .inSync || kept.isEmpty ? nil : kept[0].held.marks.first?.mark
    }

    /// In sync: the message that is not complete yet. Otherwise all from the pending candidate on.
    var held: HeldBytes {
        get { kept.first?.held ?? HeldBytes() }
        _modify {
            if kept.isEmpty { kept.append(KeptBytes()) }
            yield &kept[0].held
        }
    }

    /// Searching: bytes before the held ones that belong to no message and were not reported yet.
    var skippedLength: Int64 {
        get { kept.first?.skippedLength ?? 0 }
        _modify {
            if kept.isEmpty { kept.append(KeptBytes()) }
            yield &kept[0].skippedLength
        }
    }

    var skippedMark: StreamMark {
        get { kept.first?.skippedMark ?? StreamMark(packet: 0, time: 0) }
        _modify {
            if kept.isEmpty { kept.append(KeptBytes()) }
            yield &kept[0].skippedMark
        }
    }

    /// Nothing is held.
    var isEmptyHanded: Bool { kept.isEmpty || kept[0].held.isEmpty }

    // MARK: - Pushing

    /// Takes the next bytes of the stream.
    @inlinable @inline(__always) @discardableResult
    public mutating func push<Sink: FramerSink>(
        _ bytes: RawSpan,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) -> PushEffect {
        let before = heldByteCount
        let wasFinding = accepted < 3 || mode != .inSync
        let isFinding = accepted < 3
        take(bytes, mark: mark, options: options, into: &sink)
        return PushEffect(
            heldBytes: heldByteCount &- before,
            isRoutine: !wasFinding && mode == .inSync,
            isFinding: isFinding
        )
    }

    @inlinable @inline(__always)
    mutating func take<Sink: FramerSink>(
        _ bytes: RawSpan,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) {
        var taken = 0
        while true {
            if mode == .inSync { taken = takeInSync(bytes, from: taken, mark: mark, options: options, into: &sink) }
            if taken >= bytes.byteCount { return }
            taken = takeOutOfSync(bytes, from: taken, mark: mark, options: options, into: &sink)
        }
    }

    /// Takes bytes as long as one message follows the other.
    /// - Returns: where they end, or what stands there is no header.
    @inlinable @inline(__always)
    mutating func takeInSync<Sink: FramerSink>(
        _ bytes: RawSpan,
        from start: Int,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) -> Int {
        var taken = start
        let count = bytes.byteCount
        if heldMessageTaken > 0 {
            taken = continueMessage(bytes, from: taken, mark: mark, options: options, into: &sink)
            if mode != .inSync { return taken }
        }
        guard let known = layout else { return taken }
        var layout = known
        let headerLength = layout.headerLength
        while taken < count {
            guard count &- taken >= headerLength else {
                beginHeader(bytes.extracting(taken..<count), mark: mark)
                return count
            }
            if layout.startToken == .ffff { layout = settleToken(bytes, at: taken, layout) }
            guard
                HeaderCheck.inSync(bytes, at: taken, layout: layout, maximumMessage: options.maximumMessage) == .header
            else { return taken }
            let length = headerLength &+ HeaderCheck.bodyLength(bytes, at: taken)
            guard count &- taken >= length else {
                beginMessage(
                    MessageHeader(reading: bytes, at: taken, layout: layout),
                    bytes.extracting(taken..<count),
                    mark: mark,
                    options: options,
                    into: &sink
                )
                return count
            }
            if accepted < 255 { accepted &+= 1 }
            let start = offset
            offset = start &+ Int64(length)
            let end = taken &+ (options.keepsBodies ? length : headerLength)
            sink.completeMessage(
                MessageHeader(reading: bytes, at: taken, layout: layout),
                streamOffset: start,
                mark: mark,
                bytes: bytes.extracting(taken..<end)
            )
            taken &+= length
        }
        return taken
    }

    /// Searches, or leaves what has turned out to be no header.
    @inlinable @inline(never)
    mutating func takeOutOfSync<Sink: FramerSink>(
        _ bytes: RawSpan,
        from start: Int,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) -> Int {
        let rest = bytes.extracting(start..<bytes.byteCount)
        if mode == .inSync { return start + leaveSync(rest, mark: mark, options: options, into: &sink) }
        return start + pushSearching(rest, mark: mark, options: options, into: &sink)
    }

    /// `FF FF` was taken for the token of 4.0; another second byte shows that it was `FF` and a client type.
    /// - Returns: the layout of the header at `start`.
    @inlinable @inline(__always)
    mutating func settleToken(_ bytes: RawSpan, at start: Int, _ layout: HeaderLayout) -> HeaderLayout {
        guard layout.startToken == .ffff,
            bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 1, as: UInt8.self) != 0xFF
        else { return layout }
        setToken(.ff)
        return HeaderLayout(startToken: .ff, idSlot: layout.idSlot)
    }

    @usableFromInline mutating func setToken(_ token: HeaderLayout.StartToken) { layout?.startToken = token }

    /// Says that the next `length` bytes of the stream were never captured.
    public mutating func gap<Sink: FramerSink>(
        _ length: Int64,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) {
        guard length > 0 else { return }
        switch mode {
        case .inSync:
            gapInSync(length, mark: mark, options: options, into: &sink)
        case .atSYN, .searching:
            if isEmptyHanded {
                reportSkipped(&sink)
                mode = .searching
                skipReason = acceptedHeaders == 0 ? .startInMidMessage : .headerBrokenByGap
                offset += length
            } else {
                held.appendGap(Int(length))
                offset += length
                // Holes are limited in number, too: to look through them takes time for each.
                search(options: options, hasEnded: held.gaps.count >= HeldBytes.maximumGaps, into: &sink)
            }
        }
    }

    /// Says that the stream ends here.
    public mutating func end<Sink: FramerSink>(mark: StreamMark, options: FramerOptions, into sink: inout Sink) {
        // Behind each header that this finds, the search may begin anew.
        while mode != .inSync, !isEmptyHanded { search(options: options, hasEnded: true, into: &sink) }
        if mode == .inSync { endInSync(mark: mark, options: options, into: &sink) }
        reportSkipped(&sink)
        release()
    }
}
