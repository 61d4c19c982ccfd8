import TestSupport
import Testing

@testable import ESProtocol

/// Collects what the framer finds as one line each.
struct Findings: FramerSink {
    var lines: [String] = []
    var messages = 0
    var covered: Int64 = 0

    mutating func message(_ message: FramedMessage, bytes: RawSpan) {
        messages += 1
        let missing = message.gaps.reduce(0) { $0 + $1.length }
        covered += Int64(message.header.messageLength - missing)
        var line = "message \(message.streamOffset) \(message.header.messageLength) \(message.status.rawValue)"
        for gap in message.gaps { line += " [\(gap.offset),\(gap.length)]" }
        #expect(bytes.byteCount == message.header.messageLength - missing)
        lines.append(line)
    }
    mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan) {
        covered += unframed.length
        let kind: String =
            switch unframed.reason {
            case .headerCutShort: "truncated"
            case .overLimit: "limit"
            default: "skipped"
            }
        lines.append("\(kind) \(unframed.streamOffset) \(unframed.length)")
    }
    mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark) {}
}

func messageBytes(
    type: UInt16 = 202,
    id: Int32 = 1,
    user: String = "aa01",
    dest: String = "bb02",
    body: [UInt8],
    slot: Int = 12,
    token: [UInt8] = [0xFF, 0]
) -> [UInt8] {
    var bytes = token
    func append<T: FixedWidthInteger>(_ value: T) {
        for i in 0..<T.bitWidth / 8 { bytes.append(UInt8(truncatingIfNeeded: value >> T(8 * i))) }
    }
    append(type)
    append(id)
    append(Int32(body.count))
    for text in [user, dest] {
        let utf8 = Array(text.utf8)
        bytes.append(UInt8(utf8.count))
        bytes += utf8 + [UInt8](repeating: 0, count: slot - 1 - utf8.count)
    }
    return bytes + body
}

/// A body that does not look like anything: no byte in it is FF or 0F.
func plainBody(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(0x20 + $0 % 64) } }

enum Piece {
    case bytes([UInt8])
    case gap(Int)
}

func frame(_ pieces: [Piece], startsAtSYN: Bool = true, splitAt size: Int? = nil, maximum: Int = 10 << 20) -> Findings {
    var options = FramerOptions()
    options.maximumMessage = maximum
    var framer = MessageFramer(startsAtSYN: startsAtSYN, options: options)
    var sink = Findings()
    var packet: UInt64 = 0
    for piece in pieces {
        packet += 1
        let mark = StreamMark(packet: packet, time: 0)
        switch piece {
        case .bytes(let bytes):
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + (size ?? bytes.count))
                framer.push(bytes.span.bytes.extracting(start..<end), mark: mark, options: options, into: &sink)
                start = end
            }
        case .gap(let length):
            framer.gap(Int64(length), mark: mark, options: options, into: &sink)
        }
    }
    framer.end(mark: StreamMark(packet: packet, time: 0), options: options, into: &sink)
    return sink
}

/// The worked cases of OUTPUT.md: messages of 136 bytes (body 100).
@Suite struct WorkedCases {
    let one = messageBytes(body: plainBody(100))
    var two: [UInt8] { one + messageBytes(id: 2, body: plainBody(64)) + one }

    /// The same input with one of its pieces cut in two, at each of its bytes.
    private func cuts(_ pieces: [Piece]) -> [[Piece]] {
        var result: [[Piece]] = []
        for (index, piece) in pieces.enumerated() {
            guard case .bytes(let bytes) = piece else { continue }
            for at in 1..<max(bytes.count, 1) {
                var cut = pieces
                cut.replaceSubrange(index...index, with: [.bytes(Array(bytes[..<at])), .bytes(Array(bytes[at...]))])
                result.append(cut)
            }
        }
        return result
    }

    /// Every way to cut must give the same.
    func expect(_ pieces: [Piece], _ lines: [String], startsAtSYN: Bool = true) {
        for size in [nil, 1, 7, 36, 100] as [Int?] {
            #expect(frame(pieces, startsAtSYN: startsAtSYN, splitAt: size).lines == lines, "split \(size ?? 0)")
        }
        for cut in cuts(pieces) { #expect(frame(cut, startsAtSYN: startsAtSYN).lines == lines) }
    }

    @Test func holeInBody() {
        expect(
            [.bytes(Array(one[..<60])), .gap(20), .bytes(Array(one[80...]) + one)],
            ["message 0 136 gap [60,20]", "message 136 136 complete"]
        )
    }

    @Test func holeInHeader() {
        let stream = two
        expect(
            [.bytes(Array(stream[..<140])), .gap(20), .bytes(Array(stream[160...]))],
            ["message 0 136 complete", "skipped 136 4", "skipped 160 76", "message 236 136 complete"]
        )
    }

    @Test func holeSwallowsWholeMessages() {
        expect(
            [.bytes(one), .gap(136), .bytes(one)],
            ["message 0 136 complete", "message 272 136 complete"]
        )
    }

    @Test func holeFromOneMessageIntoAnother() {
        let stream = two
        expect(
            [.bytes(Array(stream[..<100])), .gap(80), .bytes(Array(stream[180...]))],
            ["message 0 136 gap [100,36]", "skipped 180 56", "message 236 136 complete"]
        )
    }

    @Test func endInsideBodyAndHeader() {
        expect([.bytes(Array(one[..<90]))], ["message 0 136 truncated [90,46]"])
        expect([.bytes(one + one[..<20])], ["message 0 136 complete", "truncated 136 20"])
    }

    @Test func startInMidMessage() {
        expect(
            [.bytes(plainBody(1000) + one + one)],
            ["skipped 0 1000", "message 1000 136 complete", "message 1136 136 complete"],
            startsAtSYN: false
        )
    }

    @Test func overLongLength() {
        var huge = messageBytes(id: 2, body: [])
        huge.replaceSubrange(8..<12, with: [0, 0, 0, 16])
        expect(
            [.bytes(one + huge + one + one)],
            ["message 0 136 complete", "limit 136 36", "message 172 136 complete", "message 308 136 complete"]
        )
    }

    @Test func wrongTokenInSync() {
        var wrong = one
        wrong[0] = 0xFE
        expect(
            [.bytes(one + wrong + one + one)],
            [
                "message 0 136 complete", "skipped 136 136", "message 272 136 complete", "message 408 136 complete",
            ]
        )
    }
}

@Suite struct FramerProperties {
    /// Whatever is lost, every byte that was pushed is in exactly one finding.
    @Test func everyByteIsAccountedFor() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var pieces: [Piece] = []
            var pushed: Int64 = 0
            for index in 0..<Int.random(in: 1...8, using: &random) {
                var bytes = messageBytes(
                    id: Int32(index),
                    body: plainBody(Int.random(in: 0...300, using: &random)),
                    slot: [12, 14, 22].randomElement(using: &random)!,
                    token: [[0xFF, 0], [0x0F, 1], [0xFF, 0xFF]].randomElement(using: &random)!
                )
                switch Int.random(in: 0...5, using: &random) {
                case 0:
                    let at = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1:
                    let cut = Int.random(in: 0..<bytes.count, using: &random)
                    pieces.append(.bytes(Array(bytes[..<cut])))
                    pushed += Int64(cut)
                    pieces.append(.gap(Int.random(in: 1...200, using: &random)))
                    continue
                default: break
                }
                pieces.append(.bytes(bytes))
                pushed += Int64(bytes.count)
            }
            let syn = Bool.random(using: &random)
            let whole = frame(pieces, startsAtSYN: syn)
            #expect(whole.covered == pushed, "seed \(seed)")
            for size in [1, 3, 50] {
                #expect(frame(pieces, startsAtSYN: syn, splitAt: size).lines == whole.lines, "seed \(seed)")
            }
        }
    }
}

@Suite struct FramerRegressions {
    /// Headers that are found and lost again and again in one piece once nested one call in the other.
    @Test func headersFoundAndLostInOnePieceDoNotNest() {
        var one = messageBytes(body: [])
        one += messageBytes(id: 2, body: []) + [0xFE]
        var stream: [UInt8] = []
        for _ in 0..<40_000 { stream += one }
        let findings = frame([.bytes(stream)], startsAtSYN: false)
        #expect(findings.covered == Int64(stream.count))
        #expect(findings.messages > 40_000)
    }
}

/// Keeps how many bytes came with each message.
private struct ByteCounts: FramerSink {
    var counts: [Int] = []
    mutating func message(_ message: FramedMessage, bytes: RawSpan) { counts.append(bytes.byteCount) }
    mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan) {}
    mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark) {}
}

@Test func withoutBodiesOnlyHeadersComeHoweverTheStreamIsSplit() {
    var options = FramerOptions()
    options.keepsBodies = false
    let message = messageBytes(body: plainBody(20))
    let stream = message + message
    for size in [stream.count, 1, 7] {
        var framer = MessageFramer(startsAtSYN: true, options: options)
        var sink = ByteCounts()
        let mark = StreamMark(packet: 1, time: 0)
        for start in stride(from: 0, to: stream.count, by: size) {
            let piece = stream.span.bytes.extracting(start..<min(start + size, stream.count))
            framer.push(piece, mark: mark, options: options, into: &sink)
        }
        #expect(sink.counts == [36, 36], "split \(size)")
    }
}

/// Counting needs no bytes of a message that comes in pieces; it finds the same messages.
@Test func withoutHeadersTheSameMessagesAreFoundHoweverTheStreamIsSplit() {
    /// Keeps what is said of each message.
    struct Headers: FramerSink {
        var lines: [String] = []
        mutating func message(_ message: FramedMessage, bytes: RawSpan) {
            #expect(bytes.byteCount == 0 || bytes.byteCount == 36)
            lines.append(
                "\(message.streamOffset) \(message.header.messageType) \(message.header.messageID) "
                    + "\(message.header.messageLength) \(message.status.rawValue) \(message.gaps.map(\.length))"
            )
        }
        mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan) {
            lines.append("\(unframed.streamOffset) \(unframed.length) skipped")
        }
        mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark) {}
    }
    var stream: [UInt8] = []
    for id in 1...6 { stream += messageBytes(id: Int32(id), body: plainBody(5 * id)) }
    func found(pieces size: Int, _ options: FramerOptions) -> [String] {
        var framer = MessageFramer(startsAtSYN: true, options: options)
        var sink = Headers()
        let mark = StreamMark(packet: 1, time: 0)
        // A hole in the fourth message, and an end within the last.
        let hole = 180..<190
        var start = 0
        while start < stream.count - 3 {
            if start == hole.lowerBound {
                framer.gap(Int64(hole.count), mark: mark, options: options, into: &sink)
                start = hole.upperBound
            }
            let limit = start < hole.lowerBound ? hole.lowerBound : stream.count - 3
            let end = min(start + size, limit)
            framer.push(stream.span.bytes.extracting(start..<end), mark: mark, options: options, into: &sink)
            start = end
        }
        framer.end(mark: mark, options: options, into: &sink)
        #expect(framer.heldByteCount == 0)
        return sink.lines
    }
    var whole = FramerOptions()
    whole.keepsBodies = false
    var lean = whole
    lean.keepsHeaders = false
    let expected = found(pieces: stream.count, whole)
    #expect(expected.count >= 6)
    for size in [1, 7, 36, 50, stream.count] {
        #expect(found(pieces: size, lean) == expected, "split \(size)")
        #expect(found(pieces: size, whole) == expected, "split \(size)")
    }
}

/// What a framer says that it holds, at each point of a message in pieces.
@Test func aFramerSaysHowManyBytesItHolds() {
    /// Wants the bytes of messages of one type only.
    struct OneType: FramerSink {
        var counts: [Int] = []
        var gaps: [Int] = []
        mutating func message(_ message: FramedMessage, bytes: RawSpan) {
            counts.append(bytes.byteCount)
            gaps.append(message.gaps.count)
        }
        mutating func wantsBytes(_ header: MessageHeader, streamOffset: Int64) -> Bool { header.messageType == 202 }
        mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan) {}
        mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark) {}
    }
    let options = FramerOptions()
    let mark = StreamMark(packet: 1, time: 0)
    var framer = MessageFramer(startsAtSYN: true, options: options)
    var sink = OneType()
    var held = 0
    func push(_ bytes: ArraySlice<UInt8>) {
        held += framer.push(Array(bytes).span.bytes, mark: mark, options: options, into: &sink).heldBytes
    }
    let wanted = messageBytes(type: 202, body: plainBody(20))
    let other = messageBytes(type: 203, body: plainBody(20))
    push(wanted[...])
    #expect(framer.heldByteCount == 0)
    // Within the header, behind it, and at the end.
    for end in [10, 40, 56] {
        push(wanted[(end == 10 ? 0 : end == 40 ? 10 : 40)..<end])
        #expect(framer.heldByteCount == (end == 56 ? 0 : end))
        #expect(held == framer.heldByteCount)
    }
    // Nothing of a message that nobody wants, once its header is there.
    push(other[..<10])
    #expect(framer.heldByteCount == 10)
    push(other[10..<40])
    #expect(framer.heldByteCount == 0)
    #expect(held == 0)
    push(other[40...])
    push(other[..<40])
    framer.gap(6, mark: mark, options: options, into: &sink)
    push(other[46...])
    push(wanted[..<40])
    framer.gap(6, mark: mark, options: options, into: &sink)
    #expect(framer.heldByteCount == 40)
    push(wanted[46...])
    #expect(framer.heldByteCount == 0)
    #expect(held == 0)
    #expect(sink.counts == [56, 56, 0, 0, 50])
    #expect(sink.gaps == [0, 0, 0, 1, 1])
}

/// Framers that share a sink pass their memory on, and nothing of what was in it.
@Test func memoryThatIsPassedOnIsEmpty() {
    struct Sharing: FramerSink {
        var spareMemory = FramerMemory()
        var headers: [[UInt8]] = []
        mutating func message(_ message: FramedMessage, bytes: RawSpan) {
            headers.append(bytes.withUnsafeBytes { Array($0) })
        }
        mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan) {}
        mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark) {}
    }
    var options = FramerOptions()
    options.keepsBodies = false
    let mark = StreamMark(packet: 1, time: 0)
    var sink = Sharing()
    var framers = (0..<100).map { _ in MessageFramer(startsAtSYN: true, options: options) }
    var expected: [[UInt8]] = []
    for round in 0..<3 {
        let messages = framers.indices.map { messageBytes(id: Int32(100 * round + $0), body: plainBody(20 + $0)) }
        for index in framers.indices {
            let first = Array(messages[index][..<45])
            framers[index].push(first.span.bytes, mark: mark, options: options, into: &sink)
        }
        for index in framers.indices.reversed() {
            let rest = Array(messages[index][45...])
            framers[index].push(rest.span.bytes, mark: mark, options: options, into: &sink)
            #expect(framers[index].kept.isEmpty)
            expected.append(Array(messages[index][..<36]))
        }
        #expect(sink.spareMemory.spare.count == FramerMemory.maximum)
    }
    #expect(sink.headers == expected)
}

@Test func optionsKeepWhatTheyAreGiven() {
    var options = FramerOptions()
    #expect(options.keepsBodies && options.keepsHeaders && options.startToken == nil && options.idSlot == nil)
    for token in HeaderLayout.StartToken.allCases {
        for slot: UInt8 in [0, 2, 12, 255] {
            options.startToken = token
            options.idSlot = slot
            #expect(options.givenLayout == HeaderLayout(startToken: token, idSlot: slot))
        }
    }
    options.keepsBodies = false
    #expect(!options.keepsBodies && options.keepsHeaders && options.idSlot == 255)
    options.keepsHeaders = false
    options.startToken = nil
    #expect(!options.keepsHeaders && options.startToken == nil && options.givenLayout == nil)
}
