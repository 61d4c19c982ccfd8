import ESProtocol

/// One finding of the framer, with nothing that depends on how the stream was split.
private enum Framed: Equatable {
    case message(offset: Int64, header: MessageHeader, status: MessageStatus, gaps: [MessageGap], bytes: [UInt8])
    case unframed(offset: Int64, length: Int64, reason: UnframedBytes.Reason)
    case layout(HeaderLayout, LayoutEvidence)
}

private struct FramerRecorder: FramerSink {
    var findings: [Framed] = []
    /// The bytes that came with those that belong to no message.
    var shown: [(offset: Int64, length: Int64, bytes: [UInt8])] = []

    mutating func message(_ message: FramedMessage, bytes: RawSpan) {
        findings.append(
            .message(
                offset: message.streamOffset,
                header: message.header,
                status: message.status,
                gaps: message.gaps,
                bytes: bytes.array
            )
        )
    }

    mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan) {
        findings.append(.unframed(offset: unframed.streamOffset, length: unframed.length, reason: unframed.reason))
        shown.append((unframed.streamOffset, unframed.length, bytes.array))
    }

    mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark) {
        findings.append(.layout(layout, evidence))
    }
}

/// A stream: its bytes, with holes between some of them.
private struct HoledStream {
    /// Place among the bytes, and length of the hole before that byte.
    var holes: [(index: Int, length: Int)] = []
    var bytes: [UInt8] = []

    /// The stretches of bytes with their offsets in the stream.
    var runs: [(offset: Int64, bytes: ArraySlice<UInt8>)] {
        var runs: [(Int64, ArraySlice<UInt8>)] = []
        var offset: Int64 = 0
        var start = 0
        for hole in holes {
            if hole.index > start { runs.append((offset, bytes[start..<hole.index])) }
            offset += Int64(hole.index - start + hole.length)
            start = hole.index
        }
        if start < bytes.count { runs.append((offset, bytes[start...])) }
        return runs
    }

    var length: Int64 { Int64(bytes.count) + holes.reduce(0) { $0 + Int64($1.length) } }
}

private struct FramerSettings {
    var startsAtSYN = false
    var options = FramerOptions()
    var hint: HeaderLayout?
    var otherSlot: UInt8?
}

/// Settings, holes, and the bytes of a stream.
///
/// Each byte is in exactly one finding, messages have the bytes of their place, and the stream may be split in any way.
@Sendable func checkFramer(_ bytes: [UInt8]) throws(Finding) {
    var input = Input(bytes)
    var settings = FramerSettings()
    let flags = input.byte()
    settings.startsAtSYN = flags & 1 != 0
    settings.options.keepsBodies = flags & 2 == 0
    let slot = max(input.byte(), 2)
    let token = HeaderLayout.StartToken(rawValue: (flags >> 2 & 3) % 3) ?? .ff
    switch flags >> 4 & 3 {
    case 1: settings.options.startToken = token
    case 2: settings.options.idSlot = slot
    case 3: (settings.options.startToken, settings.options.idSlot) = (token, slot)
    default: break
    }
    if flags & 0x40 != 0 { settings.hint = HeaderLayout(startToken: token, idSlot: slot) }
    if flags & 0x80 != 0 { settings.otherSlot = slot }
    let most = input.byte()
    if most & 0x3F != 0 { settings.options.maximumMessage = Int(most & 0x3F) * 64 }
    // How the third way splits.
    let seed = input.byte()
    var stream = HoledStream()
    for _ in 0..<input.byte() % 16 {
        stream.holes.append((Int(input.uint16()), Int(input.uint16()) + 1))
    }
    stream.bytes = input.rest()
    stream.holes = stream.holes.filter { $0.index <= stream.bytes.count }.sorted { $0.index < $1.index }

    let whole = try frame(stream, settings) { _ in Int.max }
    try account(whole, stream, settings.options)
    try compare(frame(stream, settings) { _ in 1 }, whole, "byte by byte")
    var state = UInt32(seed) &* 0x9E37_79B1 | 1
    try compare(
        frame(stream, settings) { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return 1 + Int(state >> 24) % (Int(seed & 0x7F) + 1)
        },
        whole,
        "in pieces of 1 to \(Int(seed & 0x7F) + 1)"
    )
}

private func compare(_ other: FramerRecorder, _ whole: FramerRecorder, _ how: String) throws(Finding) {
    guard other.findings != whole.findings else { return }
    let index = zip(other.findings, whole.findings).enumerated().first { $1.0 != $1.1 }?.offset
    let place = index ?? min(other.findings.count, whole.findings.count)
    func text(_ recorder: FramerRecorder) -> String {
        place < recorder.findings.count ? "\(recorder.findings[place])" : "nothing"
    }
    throw Finding("split \(how), finding \(place) is \(text(other)); in whole \(text(whole))")
}

private func frame(
    _ stream: HoledStream,
    _ settings: FramerSettings,
    size: (Int) -> Int
) throws(Finding) -> FramerRecorder {
    var recorder = FramerRecorder()
    let options = settings.options
    var framer = MessageFramer(startsAtSYN: settings.startsAtSYN, options: options)
    framer.hint = settings.hint
    framer.otherSlot = settings.otherSlot
    var packet: UInt64 = 0
    var offset: Int64 = 0
    var longest = 0
    for run in stream.runs {
        if run.offset > offset {
            packet += 1
            framer.gap(
                run.offset - offset,
                mark: StreamMark(packet: packet, time: 0),
                options: options,
                into: &recorder
            )
            longest += Int(run.offset - offset)
        }
        var start = run.bytes.startIndex
        while start < run.bytes.endIndex {
            packet += 1
            let end = start + min(size(start), run.bytes.endIndex - start)
            withExactCopy(run.bytes[start..<end]) { span in
                _ = framer.push(span, mark: StreamMark(packet: packet, time: 0), options: options, into: &recorder)
            }
            longest = max(longest, end - start)
            start = end
            // What is used up stays for a while, and a search looks one header ahead.
            try require(
                framer.heldByteCount <= 2 * (options.maximumMessage + longest) + 16_384,
                "\(framer.heldByteCount) bytes are held"
            )
        }
        offset = run.offset + Int64(run.bytes.count)
        try require(framer.streamOffset == offset, "the framer is at \(framer.streamOffset), not \(offset)")
    }
    if stream.length > offset {
        framer.gap(stream.length - offset, mark: StreamMark(packet: packet, time: 0), options: options, into: &recorder)
    }
    framer.end(mark: StreamMark(packet: packet, time: 0), options: options, into: &recorder)
    try require(framer.heldByteCount == 0, "bytes are held behind the end")
    return recorder
}

/// Each byte of the stream is in one finding, and in order.
private func account(_ found: FramerRecorder, _ stream: HoledStream, _ options: FramerOptions) throws(Finding) {
    let runs = stream.runs
    /// The bytes of the stream in a range of offsets, and where there are none.
    func lookUp(_ range: Range<Int64>) -> (bytes: [UInt8], missing: Int64) {
        var bytes: [UInt8] = []
        for run in runs {
            let part = range.clamped(to: run.offset..<run.offset + Int64(run.bytes.count))
            guard !part.isEmpty else { continue }
            let start = run.bytes.startIndex + Int(part.lowerBound - run.offset)
            bytes += run.bytes[start..<start + part.count]
        }
        return (bytes, Int64(range.count - bytes.count))
    }
    var position: Int64 = 0
    var covered = 0
    for finding in found.findings {
        switch finding {
        case .layout: continue
        case .message(let offset, let header, let status, let gaps, let bytes):
            try require(offset >= position, "a message at \(offset), behind what was told up to \(position)")
            let end = offset + Int64(header.messageLength)
            try require(header.bodyLength >= 0, "a body of \(header.bodyLength) bytes")
            try require(header.messageLength <= options.maximumMessage, "a message of \(header.messageLength) bytes")
            let there = lookUp(offset..<end)
            covered += there.bytes.count
            let missing = gaps.reduce(0) { $0 + $1.length }
            try require(
                Int64(missing) == there.missing,
                "the message at \(offset) lacks \(there.missing), not \(missing)"
            )
            for gap in gaps {
                let range = offset + Int64(gap.offset)..<offset + Int64(gap.offset + gap.length)
                try require(gap.length > 0 && lookUp(range).bytes.isEmpty, "a gap where bytes are: \(gap)")
            }
            let isMissing = missing > 0
            try require((status == .complete) != isMissing, "\(status) with \(missing) missing bytes")
            let expected =
                options.keepsBodies ? there.bytes : Array(there.bytes.prefix(header.layout.headerLength))
            try require(bytes == expected, "the message at \(offset) has other bytes than the stream")
            position = end
        case .unframed(let offset, let length, _):
            try require(offset >= position && length > 0, "\(length) bytes at \(offset), told up to \(position)")
            let there = lookUp(offset..<offset + length)
            try require(there.missing == 0, "\(length) bytes at \(offset) of which \(there.missing) are missing")
            covered += there.bytes.count
            position = offset + length
        }
    }
    try require(covered == stream.bytes.count, "\(covered) of \(stream.bytes.count) bytes are in findings")
    for (offset, length, bytes) in found.shown {
        let expected = lookUp(offset..<offset + length).bytes.prefix(bytes.count)
        try require(bytes.elementsEqual(expected), "shown for \(offset): other bytes than the stream's")
    }
}
