import DumpText
import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture

/// From bytes that were found in a text to messages, with the same statuses as in a capture.
///
/// If every piece is a packet (a dump of tcpdump or Wireshark has the headers of the network too), the packets are analysed
/// as those of a capture. Otherwise the pieces are what was sent: one after the other, and what the text says went the other
/// way by itself. A piece that begins with a message begins a stream; any other goes on with what came before.
package struct DumpAnalyzer {
    package enum Content: Equatable, Sendable {
        case bytes
        /// Packets of this link type.
        case packets(linkType: UInt16)
    }

    private let options: AnalysisOptions
    private let limits: ReassemblyLimits
    /// Which way all went, if that is known from elsewhere.
    private let direction: Direction?

    package init(options: AnalysisOptions, limits: ReassemblyLimits, direction: Direction?) {
        self.options = options
        self.limits = limits
        self.direction = direction
    }

    /// What the pieces are.
    package static func content(of dump: Dump) -> Content {
        guard dump.form == .rows || dump.form == .hex || dump.form == .list else { return .bytes }
        for linkType in [1, 101] as [UInt16] where dump.pieces.allSatisfy({ isPacket($0, linkType: linkType) }) {
            return .packets(linkType: linkType)
        }
        return .bytes
    }

    /// Analyses all pieces.
    /// - Returns: the totals.
    package func run(_ dump: Dump, output: any AnalysisOutput) -> AnalysisTotals {
        switch Self.content(of: dump) {
        case .packets(let linkType):
            var analyzer = CaptureAnalyzer(output: output, options: options, limits: limits)
            for (index, piece) in dump.pieces.enumerated() {
                let bytes = piece.bytes
                let packet = Packet(
                    number: UInt64(index + 1),
                    time: 0,
                    linkType: linkType,
                    originalLength: piece.length
                )
                guard analyzer.packet(packet, bytes: bytes.span.bytes) else { break }
            }
            analyzer.finish()
            return analyzer.totals
        case .bytes:
            return frame(dump, output: DumpOutput(output, pieces: dump.pieces, direction: direction))
        }
    }

    private func frame(_ dump: Dump, output: DumpOutput) -> AnalysisTotals {
        var stage = FramingStage(output: output, options: options)
        let client = Endpoint(v4: 0, port: 1)
        let server = Endpoint(v4: 0, port: 0)
        let conversation = Conversation(number: 1, first: client, second: server, time: 0)
        stage.conversationOpened(0, conversation)
        stage.reporter.givenNames = (.text("client"), .text("server"))
        var offsets: [Int64] = [0, 0]
        var isOpen = [false, false]
        for (index, piece) in dump.pieces.enumerated() {
            guard output.isOpen else { break }
            let side = piece.direction.map { $0 == .clientToServer ? 0 : 1 } ?? piece.side
            let stream = StreamID(conversation: 0, side: side)
            let mark = PacketMark(packet: UInt64(index + 1), time: 0)
            stage.reporter.now = mark
            if !isOpen[side] || beginsWithMessage(piece) {
                // What the piece before left open ends with it.
                if isOpen[side] { stage.streamEnded(stream, mark: PacketMark(packet: UInt64(index), time: 0)) }
                stage.streamBegins(stream)
                offsets[side] = 0
                isOpen[side] = true
            }
            output.begin(piece: index, side: side, at: offsets[side])
            for chunk in piece.chunks {
                switch chunk {
                case .bytes(let bytes):
                    stage.streamBytes(stream, bytes.span.bytes, offset: offsets[side], mark: mark)
                case .missing(let count, let reason):
                    stage.streamGap(
                        stream,
                        offset: offsets[side],
                        length: Int64(count),
                        reason: reason == .hidden ? .hiddenInText : .notInText,
                        mark: mark
                    )
                }
                offsets[side] += Int64(chunk.length)
            }
        }
        let last = PacketMark(packet: UInt64(dump.pieces.count), time: 0)
        stage.reporter.now = last
        for side in 0...1 where isOpen[side] {
            stage.streamEnded(StreamID(conversation: 0, side: side), mark: last)
        }
        stage.conversationClosed(0, conversation)
        return stage.reporter.allTotals
    }

    /// Whether a message stands at the very beginning of a piece, looked at by itself.
    private func beginsWithMessage(_ piece: Dump.Piece) -> Bool {
        guard case .bytes(let bytes)? = piece.chunks.first else { return false }
        var framer = MessageFramer(startsAtSYN: true, options: options.framer)
        var probe = FirstMessage()
        let mark = StreamMark(packet: 1, time: 0)
        framer.push(bytes.span.bytes, mark: mark, options: options.framer, into: &probe)
        framer.end(mark: mark, options: options.framer, into: &probe)
        return probe.offset == 0
    }

    // MARK: - Packets

    /// Whether a piece is a packet: one whose IP header is right to its checksum, and holds TCP or UDP.
    private static func isPacket(_ piece: Dump.Piece, linkType: UInt16) -> Bool {
        guard case .bytes(let bytes)? = piece.chunks.first, piece.firstOffset == 0 else { return false }
        var start = 0
        if linkType == 1 {
            guard bytes.count > 14 else { return false }
            start = 14
            let type = UInt16(bytes[12]) << 8 | UInt16(bytes[13])
            guard type == 0x0800 || type == 0x86DD else { return false }
        }
        guard bytes.count >= start + 40 else { return false }
        if bytes[start] >> 4 == 6 { return bytes[start + 6] == 6 || bytes[start + 6] == 17 }
        let length = Int(bytes[start] & 15) * 4
        guard bytes[start] >> 4 == 4, length >= 20, bytes.count >= start + length,
            bytes[start + 9] == 6 || bytes[start + 9] == 17
        else { return false }
        return InternetChecksum.isRight(bytes.span.bytes, start..<start + length)
    }
}

/// Notes where the first message begins.
private struct FirstMessage: FramerSink {
    var offset: Int64?

    mutating func message(_ message: FramedMessage, bytes: RawSpan) {
        if offset == nil { offset = message.streamOffset }
    }
    mutating func unframed(_ unframed: UnframedBytes, bytes: RawSpan) {
        // Bytes before the first message.
        if offset == nil { offset = -1 }
    }
    mutating func layoutFound(_ layout: HeaderLayout, evidence: LayoutEvidence, mark: StreamMark) {}
}

/// Says what is said of a capture in words that fit a text, and which way each message went.
private final class DumpOutput: AnalysisOutput {
    private let next: any AnalysisOutput
    private let pieces: [Dump.Piece]
    private let given: Direction?
    /// Where each piece begins in the stream of its side.
    private var starts: [[(piece: Int, offset: Int64)]] = [[], []]

    init(_ next: any AnalysisOutput, pieces: [Dump.Piece], direction: Direction?) {
        self.next = next
        self.pieces = pieces
        given = direction
    }

    var isOpen: Bool { next.isOpen }

    func begin(piece: Int, side: Int, at offset: Int64) { starts[side].append((piece, offset)) }

    func message(_ report: MessageReport, bytes: RawSpan) {
        var report = report
        report.direction = direction(of: report, bytes)
        let names = report.direction == .clientToServer ? ("client", "server") : ("server", "client")
        (report.source, report.destination) = names
        next.message(report, bytes: bytes)
    }

    /// By what was given, by what the text says, by the ids; otherwise towards the server.
    private func direction(of report: MessageReport, _ bytes: RawSpan) -> Direction {
        if let given { return given }
        switch piece(report.packet)?.direction {
        case .clientToServer?: return .clientToServer
        case .serverToClient?: return .serverToClient
        case nil: break
        }
        func isServer(_ range: Range<Int>) -> Bool {
            range.count == 2 && bytes.byteCount >= range.upperBound
                && bytes.unsafeLoad(fromByteOffset: range.lowerBound, as: UInt8.self) == 0x5F
                && bytes.unsafeLoad(fromByteOffset: range.lowerBound + 1, as: UInt8.self) == 0x30
        }
        if isServer(report.header.destUserIDRange) { return .clientToServer }
        if isServer(report.header.userIDRange) { return .serverToClient }
        if report.header.layout.startToken == .zeroF, report.header.clientType == 0 { return .serverToClient }
        return pieces.contains { $0.side == 1 } ? report.direction : .clientToServer
    }

    private func piece(_ packet: UInt64) -> Dump.Piece? {
        packet >= 1 && packet <= UInt64(pieces.count) ? pieces[Int(packet) - 1] : nil
    }

    func event(_ report: EventReport) {
        var report = report
        let side = report.source == "server" ? 1 : 0
        let piece = piece(report.packet)
        report.direction = given ?? piece?.direction.map { $0 == .clientToServer ? .clientToServer : .serverToClient }
        if report.direction == nil {
            // Nothing says which way these went.
            report.source = ""
            report.destination = ""
        }
        report.reason = Self.words[report.reason] ?? report.reason
        if report.kind == .layout {
            for (word, other) in Self.evidence { report.reason = report.reason.replacing(word, with: other) }
        }
        if let offset = report.streamOffset, let length = report.length, report.kind != .gap {
            if report.kind != .notES { report.bytes = bytes(side: side, offset: offset, length: length) }
            if let place = place(side: side, offset: offset) {
                let text = "line \(place.line) of the text"
                report.reason = report.reason.isEmpty ? text : "\(report.reason) (\(text))"
            }
        }
        next.event(report)
    }

    private static let words = [
        UnframedBytes.Reason.startInMidMessage.rawValue: "what comes before the first message"
    ]
    private static let evidence = [
        (LayoutEvidence.firstHeader.rawValue, "the first header"),
        (LayoutEvidence.sameServer.rawValue, "messages before it"),
    ]

    /// The piece that a byte of a stream stands in, and its offset there.
    private func find(side: Int, offset: Int64) -> (piece: Dump.Piece, offset: Int)? {
        guard let start = starts[side].last(where: { $0.offset <= offset }) else { return nil }
        return (pieces[start.piece], Int(offset - start.offset))
    }

    private func place(side: Int, offset: Int64) -> Dump.Place? {
        guard let found = find(side: side, offset: offset), found.piece.places.count > 1 || pieces.count > 1 else {
            return nil
        }
        return found.piece.place(of: found.offset)
    }

    private func bytes(side: Int, offset: Int64, length: Int64) -> [UInt8] {
        guard let (piece, first) = find(side: side, offset: offset) else { return [] }
        var start = first
        var bytes: [UInt8] = []
        let wanted = Int(min(length, 4096))
        for chunk in piece.chunks where bytes.count < wanted {
            if case .bytes(let all) = chunk, start < all.count {
                bytes += all[max(start, 0)...].prefix(wanted - bytes.count)
            }
            start -= chunk.length
        }
        return bytes
    }
}
