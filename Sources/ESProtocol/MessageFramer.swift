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
    public private(set) var layout: HeaderLayout?
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
    private var held: HeldBytes {
        get { kept.first?.held ?? HeldBytes() }
        _modify {
            if kept.isEmpty { kept.append(KeptBytes()) }
            yield &kept[0].held
        }
    }

    /// Searching: bytes before the held ones that belong to no message and were not reported yet.
    private var skippedLength: Int64 {
        get { kept.first?.skippedLength ?? 0 }
        _modify {
            if kept.isEmpty { kept.append(KeptBytes()) }
            yield &kept[0].skippedLength
        }
    }

    private var skippedMark: StreamMark {
        get { kept.first?.skippedMark ?? StreamMark(packet: 0, time: 0) }
        _modify {
            if kept.isEmpty { kept.append(KeptBytes()) }
            yield &kept[0].skippedMark
        }
    }

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

    // MARK: - In sync

    private var isEmptyHanded: Bool { kept.isEmpty || kept[0].held.isEmpty }

    @usableFromInline
    mutating func beginHeader(_ bytes: RawSpan, mark: StreamMark) {
        held.appendUnmarked(bytes)
        heldMark = mark
        heldMessageTaken = bytes.byteCount
        offset += Int64(bytes.byteCount)
    }

    /// Begins a message whose header is there, and more of it than that or not.
    @inlinable
    mutating func beginMessage<Sink: FramerSink>(
        _ header: MessageHeader,
        _ bytes: RawSpan,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) {
        let start = offset
        heldHeader = header
        heldFacts = [.header, .withoutBytes]
        heldMark = mark
        heldMessageTaken = bytes.byteCount
        offset &+= Int64(bytes.byteCount)
        guard options.keepsBodies || options.keepsHeaders, sink.wantsBytes(header, streamOffset: start) else { return }
        heldFacts = .header
        if kept.isEmpty { sink.spareMemory.take(into: &kept) }
        if options.keepsBodies {
            keep(bytes, of: header.messageLength)
        } else {
            keep(bytes.extracting(0..<header.layout.headerLength), of: header.layout.headerLength)
        }
    }

    /// Keeps bytes of a message that has `length` bytes.
    @usableFromInline
    mutating func keep(_ bytes: RawSpan, of length: Int) {
        // What a header declares is believed as far as it costs nothing.
        if kept.isEmpty || kept[0].held.isEmpty { held.storage.reserveCapacity(min(length, 4096)) }
        held.appendUnmarked(bytes)
    }

    @usableFromInline
    mutating func forgetMessage() {
        heldFacts = []
        heldMessageTaken = 0
        if !kept.isEmpty { kept[0].held.clear() }
    }

    /// Gives back the memory of what is no longer kept.
    @usableFromInline
    mutating func release() {
        if keepsNothing { kept = [] }
    }

    /// Whether there is memory, and nothing in it.
    @inlinable var keepsNothing: Bool { !kept.isEmpty && kept[0].held.isEmpty && kept[0].skippedLength == 0 }

    /// Takes bytes for the message that is held.
    /// - Returns: where they end.
    @inlinable @inline(__always)
    mutating func continueMessage<Sink: FramerSink>(
        _ bytes: RawSpan,
        from start: Int,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) -> Int {
        // Where no bytes are kept, this is arithmetic only.
        guard isHeldWithoutBytes ? hasNoGaps : kept.isEmpty && !options.keepsBodies && hasHeldHeader else {
            return continueKept(bytes, from: start, mark: mark, options: options, into: &sink)
        }
        heldMark = heldMark.later(mark)
        let header = heldHeader
        let length = header.messageLength
        let wanted = min(length &- heldMessageTaken, bytes.byteCount &- start)
        offset &+= Int64(wanted)
        heldMessageTaken &+= wanted
        guard heldMessageTaken == length else { return start &+ wanted }
        if accepted < 255 { accepted &+= 1 }
        heldFacts = []
        heldMessageTaken = 0
        sink.completeMessage(
            header,
            streamOffset: offset &- Int64(length),
            mark: heldMark,
            bytes: bytes.extracting(start..<start)
        )
        return start &+ wanted
    }

    /// The same where bytes are kept, or the header is not whole.
    @inlinable @inline(never)
    mutating func continueKept<Sink: FramerSink>(
        _ bytes: RawSpan,
        from start: Int,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) -> Int {
        heldMark = heldMark.later(mark)
        var taken = start
        if !hasHeldHeader {
            taken += completeHeader(bytes.extracting(start..<bytes.byteCount), options: options)
            if heldFacts == .refusedHeader {
                heldFacts = []
                leaveSyncWithHeldHeader(options: options, into: &sink)
                return taken
            }
        }
        guard hasHeldHeader else { return taken }
        let header = heldHeader
        if taken > start, options.keepsBodies || options.keepsHeaders,
            !sink.wantsBytes(header, streamOffset: offset - Int64(heldMessageTaken))
        {
            heldFacts = [.header, .withoutBytes]
            if !kept.isEmpty { kept[0].held.clear() }
        }
        let length = header.messageLength
        let wanted = min(length - heldMessageTaken, bytes.byteCount - taken)
        if options.keepsBodies, !isHeldWithoutBytes { keep(bytes.extracting(taken..<taken + wanted), of: length) }
        heldMessageTaken += wanted
        offset += Int64(wanted)
        if heldMessageTaken == length {
            finishMessage(header, status: hasNoGaps ? .complete : .gap, options: options, into: &sink)
        }
        return taken + wanted
    }

    /// Takes what the held header lacks; sets `heldHeader` if that makes it whole and it is one; `heldFacts` says what it is.
    @usableFromInline
    mutating func completeHeader(_ bytes: RawSpan, options: FramerOptions) -> Int {
        guard let expected = layout else { return bytes.byteCount }
        let taken = min(expected.headerLength - heldMessageTaken, bytes.byteCount)
        held.appendUnmarked(bytes.extracting(0..<taken))
        heldMessageTaken += taken
        offset += Int64(taken)
        guard heldMessageTaken == expected.headerLength else { return taken }
        let stored = kept[0].held.storage
        let layout = settleToken(stored.span.bytes, at: 0, expected)
        let verdict = HeaderCheck.inSync(
            stored.span.bytes,
            at: 0,
            layout: layout,
            maximumMessage: options.maximumMessage
        )
        guard verdict == .header else {
            heldFacts = .refusedHeader
            return taken
        }
        heldHeader = MessageHeader(reading: stored.span.bytes, layout: layout)
        heldFacts = .header
        if !options.keepsBodies, !options.keepsHeaders { kept = [] }
        return taken
    }

    /// Hands on the message that is held; its bytes and holes are those before `offset`.
    @inlinable
    mutating func finishMessage<Sink: FramerSink>(
        _ header: MessageHeader,
        status: MessageStatus,
        options: FramerOptions,
        into sink: inout Sink
    ) {
        if accepted < 255 { accepted &+= 1 }
        let start = offset &- Int64(heldMessageTaken)
        // Taken out and put back: a copy would make the next message need memory of its own.
        var bytes: [UInt8] = []
        if !kept.isEmpty { swap(&bytes, &kept[0].held.storage) }
        if status == .complete {
            sink.completeMessage(header, streamOffset: start, mark: heldMark, bytes: bytes.span.bytes)
        } else {
            let gaps = kept.isEmpty ? [] : kept[0].held.gaps
            sink.message(
                FramedMessage(streamOffset: start, header: header, status: status, gaps: gaps, mark: heldMark),
                bytes: bytes.span.bytes
            )
        }
        if !kept.isEmpty { swap(&bytes, &kept[0].held.storage) }
        forgetMessage()
        if !options.keepsBodies, keepsNothing { sink.spareMemory.giveBack(&kept) }
    }

    private mutating func gapInSync<Sink: FramerSink>(
        _ length: Int64,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) {
        if heldMessageTaken == 0 {
            offset += length
            beginSearch(.headerBrokenByGap)
        } else if hasHeldHeader {
            let header = heldHeader
            let left = Int64(header.messageLength - heldMessageTaken)
            noteGap(Int(min(left, length)))
            offset += min(left, length)
            if length >= left {
                heldMark = heldMark.later(mark)
                finishMessage(header, status: .gap, options: options, into: &sink)
                offset += length - left
                if length > left { beginSearch(.headerBrokenByGap) }
            }
        } else {
            cutHeader(.headerBrokenByGap, into: &sink)
            beginSearch(.headerBrokenByGap)
            offset += length
        }
    }

    /// Reports the held beginning of a header as bytes of no message.
    private mutating func cutHeader<Sink: FramerSink>(_ reason: UnframedBytes.Reason, into sink: inout Sink) {
        let held = held
        let cut = UnframedBytes(
            streamOffset: offset - Int64(held.length),
            length: Int64(held.length),
            reason: reason,
            mark: heldMark
        )
        sink.unframed(cut, bytes: held.storage.span.bytes)
        forgetMessage()
    }

    /// Notes a hole in the held message. The offsets of its holes are those of the message, also if bodies are not kept.
    private mutating func noteGap(_ length: Int) {
        if let last = held.gaps.last, last.offset + last.length == heldMessageTaken {
            held.gaps[held.gaps.count - 1].length += length
        } else {
            held.gaps.append(MessageGap(offset: heldMessageTaken, length: length))
        }
        heldMessageTaken += length
        heldFacts.insert(.gaps)
    }

    private mutating func endInSync<Sink: FramerSink>(mark: StreamMark, options: FramerOptions, into sink: inout Sink) {
        guard heldMessageTaken > 0 else { return }
        if hasHeldHeader {
            let header = heldHeader
            let missing = header.messageLength - heldMessageTaken
            noteGap(missing)
            offset += Int64(missing)
            finishMessage(header, status: .truncated, options: options, into: &sink)
            offset -= Int64(missing)
        } else {
            let isToken = held.storage.first == layout?.startToken.firstByte
            cutHeader(isToken ? .headerCutShort : .noBelievableHeader, into: &sink)
        }
    }

    // MARK: - Out of sync

    /// What stands where a header must be is none: it is skipped, and the search begins.
    /// - Returns: bytes used up.
    @usableFromInline
    mutating func leaveSync<Sink: FramerSink>(
        _ bytes: RawSpan,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) -> Int {
        guard let layout else { return 0 }
        if HeaderCheck.inSync(bytes, at: 0, layout: layout, maximumMessage: options.maximumMessage) == .overLimit {
            reportOverLimit(bytes.extracting(0..<layout.headerLength), start: offset, mark: mark, into: &sink)
            offset += Int64(layout.headerLength)
            return layout.headerLength
        }
        // The first byte was judged already, by the weaker test.
        beginSearch(.noBelievableHeader)
        skippedLength = 1
        skippedMark = mark
        offset += 1
        return 1
    }

    private mutating func reportOverLimit<Sink: FramerSink>(
        _ header: RawSpan,
        start: Int64,
        mark: StreamMark,
        into sink: inout Sink
    ) {
        beginSearch(.noBelievableHeader)
        sink.unframed(
            UnframedBytes(streamOffset: start, length: Int64(header.byteCount), reason: .overLimit, mark: mark),
            bytes: header
        )
    }

    /// The header that came in pieces is none: its bytes are looked at again.
    @usableFromInline
    mutating func leaveSyncWithHeldHeader<Sink: FramerSink>(options: FramerOptions, into sink: inout Sink) {
        guard let layout else { return }
        let old = held.storage
        let mark = heldMark
        let bytes = old.span.bytes
        forgetMessage()
        if HeaderCheck.inSync(bytes, at: 0, layout: layout, maximumMessage: options.maximumMessage) == .overLimit {
            reportOverLimit(bytes, start: offset - Int64(bytes.byteCount), mark: mark, into: &sink)
            return
        }
        beginSearch(.noBelievableHeader)
        skippedLength = 1
        skippedMark = mark
        held.append(bytes.extracting(1..<bytes.byteCount), mark: mark)
        search(options: options, hasEnded: false, into: &sink)
    }

    private mutating func beginSearch(_ reason: UnframedBytes.Reason) {
        mode = .searching
        skipReason = reason
    }

    /// Reports the bytes before `held` that belong to no message.
    private mutating func reportSkipped<Sink: FramerSink>(_ sink: inout Sink) {
        guard !kept.isEmpty else { return }
        reportSkipped(before: offset - Int64(kept[0].held.length), into: &sink)
    }

    private mutating func reportSkipped<Sink: FramerSink>(before end: Int64, into sink: inout Sink) {
        guard skippedLength > 0 else { return }
        let skipped = UnframedBytes(
            streamOffset: end - skippedLength,
            length: skippedLength,
            reason: skipReason,
            mark: skippedMark
        )
        skippedLength = 0
        sink.unframed(skipped, bytes: [UInt8]().span.bytes)
    }

    private func makeSearch(options: FramerOptions, hasEnded: Bool) -> LayoutSearch {
        LayoutSearch(
            maximumMessage: options.maximumMessage,
            known: layout,
            hint: hint,
            hintEvidence: hintEvidence,
            otherSlot: otherSlot,
            givenToken: options.startToken,
            givenSlot: options.idSlot,
            isAtSYN: mode == .atSYN,
            hasEnded: hasEnded
        )
    }

    /// Searches new bytes. What is skipped is not copied; only from a pending candidate on bytes are held.
    /// - Returns: how many were used up; the rest is in sync. (It does not push them itself: bytes that make it find and
    ///   lose one header after another would nest as deep.)
    @usableFromInline
    mutating func pushSearching<Sink: FramerSink>(
        _ bytes: RawSpan,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) -> Int {
        guard isEmptyHanded else {
            held.append(bytes, mark: mark)
            offset += Int64(bytes.byteCount)
            search(options: options, hasEnded: false, into: &sink)
            return bytes.byteCount
        }
        let outcome = makeSearch(options: options, hasEnded: false).run(
            bytes,
            WindowShape(gaps: [], length: bytes.byteCount)
        )
        skip(outcome.position, mark: mark)
        offset += Int64(outcome.position)
        if case .found(_, let layout, let evidence) = outcome {
            reportSkipped(&sink)
            enterSync(layout, evidence: evidence, mark: mark, into: &sink)
            release()
            return outcome.position
        }
        let rest = bytes.extracting(outcome.position..<bytes.byteCount)
        held.append(rest, mark: mark)
        offset += Int64(rest.byteCount)
        return bytes.byteCount
    }

    /// Searches what is held.
    private mutating func search<Sink: FramerSink>(options: FramerOptions, hasEnded: Bool, into sink: inout Sink) {
        var old = held
        held = HeldBytes()
        let outcome = makeSearch(options: options, hasEnded: hasEnded).run(
            old.storage.span.bytes.extracting(old.start..<old.storage.count),
            old.shape
        )
        // What is pending when the stream ends was refused.
        let position = hasEnded && outcome.isUndecided ? old.length : outcome.position
        let end = offset
        skipHeld(old, upTo: position, start: end - Int64(old.length), into: &sink)
        old.removeFirst(position)
        guard case .found(_, let layout, let evidence) = outcome else {
            held = old
            return
        }
        offset = end - Int64(old.length)
        reportSkipped(&sink)
        enterSync(layout, evidence: evidence, mark: old.marks.first?.mark ?? skippedMark, into: &sink)
        replay(old, options: options, into: &sink)
        release()
    }

    private mutating func enterSync<Sink: FramerSink>(
        _ layout: HeaderLayout,
        evidence: LayoutEvidence,
        mark: StreamMark,
        into sink: inout Sink
    ) {
        if acceptedHeaders == 0 {
            sink.layoutFound(layout, evidence: self.layout == nil ? evidence : .given, mark: mark)
        }
        self.layout = layout
        mode = .inSync
    }

    private mutating func skip(_ count: Int, mark: StreamMark) {
        guard count > 0 else { return }
        if mode == .atSYN { beginSearch(.noBelievableHeader) }
        skippedLength += Int64(count)
        skippedMark = mark
    }

    /// Counts what is held before `position` as skipped. A hole ends a run of skipped bytes.
    private mutating func skipHeld<Sink: FramerSink>(
        _ old: HeldBytes,
        upTo position: Int,
        start: Int64,
        into sink: inout Sink
    ) {
        func mark(before end: Int) -> StreamMark {
            (old.marks.first { $0.end >= end } ?? old.marks.last)?.mark ?? skippedMark
        }
        var at = 0
        for gap in old.gaps where gap.offset < position {
            skip(gap.offset - at, mark: mark(before: gap.offset))
            reportSkipped(before: start + Int64(gap.offset), into: &sink)
            beginSearch(acceptedHeaders == 0 ? .startInMidMessage : .headerBrokenByGap)
            at = gap.offset + gap.length
        }
        skip(position - at, mark: mark(before: position))
    }

    /// Pushes what was held once more, now in sync.
    private mutating func replay<Sink: FramerSink>(
        _ old: HeldBytes,
        options: FramerOptions,
        into sink: inout Sink
    ) {
        let bytes = old.storage.span.bytes
        var index = old.start
        var at = 0
        var gaps = old.gaps[...]
        var mark = skippedMark
        for (end, itsMark) in old.marks {
            mark = itsMark
            while at < end {
                if let hole = gaps.first, hole.offset == at {
                    gap(Int64(hole.length), mark: mark, options: options, into: &sink)
                    at += hole.length
                    gaps.removeFirst()
                } else {
                    let next = min(end, gaps.first?.offset ?? end)
                    push(bytes.extracting(index..<index + next - at), mark: mark, options: options, into: &sink)
                    index += next - at
                    at = next
                }
            }
        }
        for hole in gaps { gap(Int64(hole.length), mark: mark, options: options, into: &sink) }
    }
}
