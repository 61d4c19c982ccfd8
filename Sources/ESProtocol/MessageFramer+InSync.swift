/// Messages that follow one another, as far as they do not lie in one piece.
extension MessageFramer {
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

    mutating func gapInSync<Sink: FramerSink>(
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
    mutating func cutHeader<Sink: FramerSink>(_ reason: UnframedBytes.Reason, into sink: inout Sink) {
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
    mutating func noteGap(_ length: Int) {
        if let last = held.gaps.last, last.offset + last.length == heldMessageTaken {
            held.gaps[held.gaps.count - 1].length += length
        } else {
            held.gaps.append(MessageGap(offset: heldMessageTaken, length: length))
        }
        heldMessageTaken += length
        heldFacts.insert(.gaps)
    }

    mutating func endInSync<Sink: FramerSink>(mark: StreamMark, options: FramerOptions, into sink: inout Sink) {
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
}
