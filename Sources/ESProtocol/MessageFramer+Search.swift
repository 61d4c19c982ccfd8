/// The search for a header, and what is skipped on the way.
extension MessageFramer {
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

    mutating func reportOverLimit<Sink: FramerSink>(
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

    mutating func beginSearch(_ reason: UnframedBytes.Reason) {
        mode = .searching
        skipReason = reason
    }

    /// Reports the bytes before `held` that belong to no message.
    mutating func reportSkipped<Sink: FramerSink>(_ sink: inout Sink) {
        guard !kept.isEmpty else { return }
        reportSkipped(before: offset - Int64(kept[0].held.length), into: &sink)
    }

    mutating func reportSkipped<Sink: FramerSink>(before end: Int64, into sink: inout Sink) {
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

    func makeSearch(options: FramerOptions, hasEnded: Bool) -> LayoutSearch {
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
    mutating func search<Sink: FramerSink>(options: FramerOptions, hasEnded: Bool, into sink: inout Sink) {
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

    mutating func enterSync<Sink: FramerSink>(
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

    mutating func skip(_ count: Int, mark: StreamMark) {
        guard count > 0 else { return }
        if mode == .atSYN { beginSearch(.noBelievableHeader) }
        skippedLength += Int64(count)
        skippedMark = mark
    }

    /// Counts what is held before `position` as skipped. A hole ends a run of skipped bytes.
    mutating func skipHeld<Sink: FramerSink>(
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
    mutating func replay<Sink: FramerSink>(
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
