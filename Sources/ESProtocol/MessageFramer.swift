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

    /// Offset in the stream of the next byte to be pushed.
    @inlinable public var streamOffset: Int64 { offset }
    @usableFromInline var offset: Int64
    /// The layout of this direction, once it is known.
    public private(set) var layout: HeaderLayout?
    /// Headers accepted so far; stops counting at 255.
    public private(set) var acceptedHeaders: UInt8 = 0
    /// A layout that was confirmed elsewhere: in the other direction, or at the same server.
    public var hint: HeaderLayout?
    /// Where the hint is from.
    public var hintEvidence = LayoutEvidence.otherDirection
    /// A slot that the other direction shows, even if nothing confirms it yet.
    public var otherSlot: UInt8?

    @usableFromInline var mode: Mode
    /// Searching: why.
    @usableFromInline var skipReason: UnframedBytes.Reason = .startInMidMessage
    /// What is held: in sync the message that is not complete yet, otherwise all from the pending candidate on.
    @usableFromInline var held = HeldBytes()
    /// In sync: length of the held message, once its header is known; 0 before.
    @usableFromInline var heldMessageLength = 0
    /// In sync: bytes and holes of the held message that were pushed; more than are held if bodies are not kept.
    @usableFromInline var heldMessageTaken = 0
    /// In sync: what is held is as long as a header, and none.
    @usableFromInline var heldHeaderIsRefused = false
    /// In sync: the latest packet that brought a byte of the held message.
    @usableFromInline var heldMark = StreamMark(packet: 0, time: 0)
    /// Searching: bytes before the held ones that belong to no message and were not reported yet.
    @usableFromInline var skippedLength: Int64 = 0
    @usableFromInline var skippedMark = StreamMark(packet: 0, time: 0)

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
    @inlinable public var heldByteCount: Int { held.storage.count }

    /// Packet of the first byte that is not decided yet, if there is such a byte.
    public var undecidedSince: StreamMark? {
        mode == .inSync ? nil : held.marks.first?.mark
    }

    // MARK: - Pushing

    /// Takes the next bytes of the stream.
    @inlinable
    public mutating func push<Sink: FramerSink>(
        _ bytes: RawSpan,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) {
        var taken = 0
        let count = bytes.byteCount
        while taken < count {
            if mode != .inSync {
                taken += pushSearching(
                    bytes.extracting(taken..<count),
                    mark: mark,
                    options: options,
                    into: &sink
                )
                continue
            }
            if heldMessageTaken > 0 {
                taken += continueMessage(
                    bytes.extracting(taken..<count),
                    mark: mark,
                    options: options,
                    into: &sink
                )
                continue
            }
            guard let layout, count - taken >= layout.headerLength else {
                beginMessage(bytes.extracting(taken..<count), mark: mark, messageLength: 0)
                return
            }
            let header = readHeader(bytes, at: taken, layout: layout)
            switch HeaderCheck.inSync(bytes, at: taken, layout: header.layout, maximumMessage: options.maximumMessage) {
            case .header:
                let length = header.messageLength
                guard count - taken >= length else {
                    let kept = options.keepsBodies ? count - taken : header.layout.headerLength
                    beginMessage(bytes.extracting(taken..<taken + kept), mark: mark, messageLength: length)
                    skipBody(count - taken - kept)
                    return
                }
                if acceptedHeaders < 255 { countHeader() }
                let message = FramedMessage(
                    streamOffset: offset,
                    header: header,
                    status: .complete,
                    gaps: [],
                    mark: mark
                )
                offset += Int64(length)
                let kept = options.keepsBodies ? length : header.layout.headerLength
                sink.message(message, bytes: bytes.extracting(taken..<taken + kept))
                taken += length
            case .overLimit, .notAHeader:
                taken += leaveSync(bytes.extracting(taken..<count), mark: mark, options: options, into: &sink)
            }
        }
    }

    /// Reads a header in sync. `FF FF` was taken for the token of 4.0; another second byte shows that it was `FF` and a client type.
    @inlinable
    mutating func readHeader(_ bytes: RawSpan, at start: Int, layout: HeaderLayout) -> MessageHeader {
        if layout.startToken == .ffff,
            bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start + 1, as: UInt8.self) != 0xFF
        {
            setToken(.ff)
        }
        return MessageHeader(
            reading: bytes.extracting(start..<start + layout.headerLength),
            layout: self.layout ?? layout
        )
    }

    @usableFromInline mutating func skipBody(_ count: Int) {
        offset += Int64(count)
        heldMessageTaken += count
    }

    @usableFromInline mutating func setToken(_ token: HeaderLayout.StartToken) { layout?.startToken = token }
    @usableFromInline mutating func countHeader() { acceptedHeaders += 1 }

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
            gapInSync(length, mark: mark, into: &sink)
        case .atSYN, .searching:
            if held.isEmpty {
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
        while mode != .inSync, !held.isEmpty { search(options: options, hasEnded: true, into: &sink) }
        if mode == .inSync { endInSync(mark: mark, into: &sink) }
        reportSkipped(&sink)
    }

    // MARK: - In sync

    @usableFromInline
    mutating func beginMessage(_ bytes: RawSpan, mark: StreamMark, messageLength: Int) {
        held.appendUnmarked(bytes)
        heldMark = mark
        heldMessageTaken = bytes.byteCount
        heldMessageLength = messageLength
        offset += Int64(bytes.byteCount)
    }

    private mutating func forgetMessage() {
        held.clear()
        heldMessageTaken = 0
        heldMessageLength = 0
    }

    /// Takes bytes for the message that is held.
    /// - Returns: how many were taken.
    @inlinable
    mutating func continueMessage<Sink: FramerSink>(
        _ bytes: RawSpan,
        mark: StreamMark,
        options: FramerOptions,
        into sink: inout Sink
    ) -> Int {
        heldMark = heldMark.later(mark)
        var taken = 0
        if heldMessageLength == 0 {
            taken = completeHeader(bytes, options: options)
            if heldMessageLength == 0 {
                if !heldHeaderIsRefused { return taken }
                heldHeaderIsRefused = false
                leaveSyncWithHeldHeader(options: options, into: &sink)
                return taken
            }
        }
        let wanted = min(heldMessageLength - heldMessageTaken, bytes.byteCount - taken)
        if options.keepsBodies { held.appendUnmarked(bytes.extracting(taken..<taken + wanted)) }
        heldMessageTaken += wanted
        offset += Int64(wanted)
        if heldMessageTaken == heldMessageLength {
            finishMessage(
                start: offset - Int64(heldMessageTaken),
                status: held.gaps.isEmpty ? .complete : .gap,
                into: &sink
            )
        }
        return taken + wanted
    }

    /// Takes what the held header lacks; sets `heldMessageLength` if that makes it whole and it is one, otherwise
    /// `heldHeaderIsRefused`.
    @usableFromInline
    mutating func completeHeader(_ bytes: RawSpan, options: FramerOptions) -> Int {
        guard let layout else { return bytes.byteCount }
        let taken = min(layout.headerLength - heldMessageTaken, bytes.byteCount)
        held.appendUnmarked(bytes.extracting(0..<taken))
        heldMessageTaken += taken
        offset += Int64(taken)
        guard heldMessageTaken == layout.headerLength else { return taken }
        let stored = held.storage
        let header = readHeader(stored.span.bytes, at: 0, layout: layout)
        let verdict = HeaderCheck.inSync(
            stored.span.bytes,
            at: 0,
            layout: header.layout,
            maximumMessage: options.maximumMessage
        )
        if verdict == .header { heldMessageLength = header.messageLength } else { heldHeaderIsRefused = true }
        return taken
    }

    /// Hands on the message that is held.
    @inlinable
    mutating func finishMessage<Sink: FramerSink>(start: Int64, status: MessageStatus, into sink: inout Sink) {
        guard let layout else { return }
        if acceptedHeaders < 255 { countHeader() }
        sink.message(
            FramedMessage(
                streamOffset: start,
                header: MessageHeader(reading: held.storage.span.bytes, layout: layout),
                status: status,
                gaps: held.gaps,
                mark: heldMark
            ),
            bytes: held.storage.span.bytes
        )
        forgetFinishedMessage()
    }

    @usableFromInline mutating func forgetFinishedMessage() { forgetMessage() }

    private mutating func gapInSync<Sink: FramerSink>(_ length: Int64, mark: StreamMark, into sink: inout Sink) {
        if heldMessageTaken == 0 {
            offset += length
            beginSearch(.headerBrokenByGap)
        } else if heldMessageLength == 0 {
            let cut = UnframedBytes(
                streamOffset: offset - Int64(held.length),
                length: Int64(held.length),
                reason: .headerBrokenByGap,
                mark: heldMark
            )
            sink.unframed(cut, bytes: held.storage.span.bytes)
            forgetMessage()
            beginSearch(.headerBrokenByGap)
            offset += length
        } else {
            let left = Int64(heldMessageLength - heldMessageTaken)
            noteGap(Int(min(left, length)))
            offset += length
            if length >= left {
                heldMark = heldMark.later(mark)
                finishMessage(
                    start: offset - (length - left) - Int64(heldMessageTaken),
                    status: .gap,
                    into: &sink
                )
                if length > left { beginSearch(.headerBrokenByGap) }
            }
        }
    }

    /// Notes a hole in the held message. The offsets of its holes are those of the message, also if bodies are not kept.
    private mutating func noteGap(_ length: Int) {
        if let last = held.gaps.last, last.offset + last.length == heldMessageTaken {
            held.gaps[held.gaps.count - 1].length += length
        } else {
            held.gaps.append(MessageGap(offset: heldMessageTaken, length: length))
        }
        heldMessageTaken += length
    }

    private mutating func endInSync<Sink: FramerSink>(mark: StreamMark, into sink: inout Sink) {
        guard heldMessageTaken > 0 else { return }
        if heldMessageLength > 0 {
            let start = offset - Int64(heldMessageTaken)
            noteGap(heldMessageLength - heldMessageTaken)
            finishMessage(start: start, status: .truncated, into: &sink)
        } else {
            let isToken = held.storage.first == layout?.startToken.firstByte
            let cut = UnframedBytes(
                streamOffset: offset - Int64(held.length),
                length: Int64(held.length),
                reason: isToken ? .headerCutShort : .noBelievableHeader,
                mark: heldMark
            )
            sink.unframed(cut, bytes: held.storage.span.bytes)
            forgetMessage()
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
        reportSkipped(before: offset - Int64(held.length), into: &sink)
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
        guard held.isEmpty else {
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
