import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture

/// What takes the list of conversations, and the bytes of their streams in order.
package protocol StreamListOutput: AnyObject {
    /// Bytes of one direction. Gaps have been left out.
    func streamBytes(_ stream: ListedStream, _ bytes: UnsafeRawBufferPointer, offset: Int64)
    /// A conversation has ended. The output adds to the summary what it knows.
    func ended(_ summary: inout StreamSummary, isFirstSideClient: Bool)
    /// False to end the reading.
    var isOpen: Bool { get }
    /// Whether ``streamBytes(_:_:offset:)`` is of any use.
    var wantsBytes: Bool { get }
}

/// One direction of a conversation that is being listed.
package struct ListedStream: Sendable {
    package var conversation: Int
    /// 0: from who sent the conversation's first packet.
    package var side: Int
    package var source: Endpoint
    package var destination: Endpoint
    /// Time of the conversation's first packet, nanoseconds since 1970-01-01 UTC.
    package var start: Int64
}

/// From packets to the list of their conversations.
package struct StreamLister: PacketSink {
    package var decoder = PacketDecoder()
    private var stage: ListingStage
    package private(set) var packets: UInt64 = 0
    private let output: any StreamListOutput

    package init(
        output: any StreamListOutput,
        options: AnalysisOptions,
        limits: ReassemblyLimits,
        hashes: Bool
    ) {
        self.output = output
        stage = ListingStage(
            reassembler: StreamReassembler(limits: limits),
            sink: ListingSink(output: output, options: options, hashes: hashes),
            datagrams: DatagramStage(options: options, limits: limits),
            datagramList: DatagramList(hashes: hashes, idleTime: limits.idleTime)
        )
    }

    package mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        packets &+= 1
        decoder.decode(packet, bytes: bytes, into: &stage)
        return output.isOpen
    }

    package mutating func timePassed(_ time: Int64) -> Bool { output.isOpen }

    /// The input has ended: what is still open is listed.
    package mutating func finish() {
        stage.reassembler.finish(into: &stage.sink)
        stage.finishDatagrams()
    }
}

struct ListingStage: SegmentSink {
    var reassembler: StreamReassembler
    var sink: ListingSink
    var datagrams: DatagramStage
    var datagramList: DatagramList

    mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64) {
        let mark = PacketMark(packet: packet, time: time)
        guard segment.transport == .tcp else { return datagram(segment, payload: payload, mark: mark) }
        sink.framing.reporter.now = mark
        reassembler.segment(segment, payload: payload, mark: mark, into: &sink)
        if let slot = sink.framing.conversationOverLimit {
            sink.framing.conversationOverLimit = nil
            reassembler.close(slot, reason: .bufferLimit, closing: .limit, mark: mark, into: &sink)
        }
    }
}

extension ListingStage {
    private mutating func datagram(_ segment: TransportSegment, payload: RawSpan, mark: PacketMark) {
        let found = datagrams.datagram(
            segment,
            payload: payload,
            mark: mark,
            count: &reassembler.conversationCount,
            reporter: &sink.datagramReporter
        )
        guard let found else { return }
        payload.withUnsafeBytes { bytes in
            let (stream, offset) = datagramList.add(
                bytes,
                missing: max(0, segment.payloadLength - bytes.count),
                side: found.side,
                of: datagrams.record(found.conversation),
                isFirstSideClient: datagrams.isFirstSideClient(found.conversation),
                time: mark.time
            )
            sink.listedBytes(stream, bytes, offset: offset)
        }
    }

    mutating func finishDatagrams() {
        datagrams.finish(mark: sink.framing.reporter.now, reporter: &sink.datagramReporter)
        for entry in datagramList.takeAll() {
            sink.ended(entry.summary, sides: entry.sides, isFirstSideClient: entry.isFirstSideClient)
        }
    }
}

/// Feeds the framers, and beside them follows the bytes.
struct ListingSink: StreamSink {
    var framing: FramingStage
    /// For UDP conversations.
    var datagramReporter: StreamReporter
    private let tally = MessageTally()
    private let output: any StreamListOutput
    private let wantsBytes: Bool
    private let hashes: Bool
    private let chosen: Int?
    private var starts: ContiguousArray<Int64> = []
    private var records: ContiguousArray<PayloadRecord> = []
    /// Of streams that were captured from their middle on, by the stream's index.
    private var streamStarts: [Int: StreamStart] = [:]
    private var streamStartBytes = 0

    /// Bytes that the beginnings of all streams together may keep.
    private static let maximumStreamStartBytes = 32 << 20

    init(output: any StreamListOutput, options: AnalysisOptions, hashes: Bool) {
        self.output = output
        self.hashes = hashes
        wantsBytes = output.wantsBytes
        chosen = options.conversation
        framing = FramingStage(output: tally, options: options)
        datagramReporter = StreamReporter(output: tally, options: options)
    }

    mutating func conversationOpened(_ slot: Int, _ conversation: borrowing Conversation) {
        framing.conversationOpened(slot, conversation)
        while starts.count <= slot {
            starts.append(0)
            records.append(PayloadRecord(hashes: hashes))
            records.append(PayloadRecord(hashes: hashes))
        }
        starts[slot] = conversation.lastTime
        for side in 0...1 { records[slot * 2 + side] = PayloadRecord(hashes: hashes) }
    }

    mutating func streamSynchronized(_ stream: StreamID, clientSide: Int?) {
        records[stream.index].summary.hasSYN = true
        framing.streamSynchronized(stream, clientSide: clientSide)
    }

    mutating func streamBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        bytes.withUnsafeBytes { bytes in
            if offset == 0, !records[stream.index].summary.hasSYN { streamStarts[stream.index] = StreamStart() }
            if streamStarts.isEmpty || !keep(stream, bytes, offset: offset) { take(stream, bytes, offset: offset) }
        }
        framing.streamBytes(stream, bytes, offset: offset, mark: mark)
    }

    /// Keeps the first bytes of a stream that was captured from its middle on.
    /// - Returns: false if there is nothing to wait for any more.
    private mutating func keep(_ stream: StreamID, _ bytes: UnsafeRawBufferPointer, offset: Int64) -> Bool {
        guard let kept = streamStarts[stream.index]?.byteCount else { return false }
        guard kept + bytes.count <= StreamStart.maximumBytes,
            streamStartBytes + bytes.count <= Self.maximumStreamStartBytes
        else {
            endStart(stream)
            return false
        }
        streamStarts[stream.index]?.append(bytes, offset: offset)
        streamStartBytes += bytes.count
        return true
    }

    /// Bytes that lie before the first one that was captured are payload of the stream, and part of no message.
    mutating func repeatedBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        guard offset < 0, var start = streamStarts[stream.index],
            streamStartBytes + bytes.byteCount <= Self.maximumStreamStartBytes
        else { return }
        // Nothing else refers to what it keeps while it changes.
        streamStarts[stream.index] = nil
        let before = start.byteCount
        if bytes.withUnsafeBytes({ start.insertEarlier($0, offset: offset) }) {
            streamStartBytes += start.byteCount - before
            records[stream.index].summary.lateBytes -= min(0, offset + Int64(bytes.byteCount)) - offset
        }
        streamStarts[stream.index] = start
    }

    /// Nothing that lies before the first bytes is expected any more.
    private mutating func endStart(_ stream: StreamID) {
        guard var start = streamStarts.removeValue(forKey: stream.index) else { return }
        streamStartBytes -= start.byteCount
        start.drain { bytes, offset in
            let end = records[stream.index].end
            // Before the first piece there is no gap, wherever it lies.
            if records[stream.index].summary.bytes > 0, offset > end {
                records[stream.index].gap(offset: end, length: offset - end)
            }
            take(stream, bytes, offset: offset)
        }
    }

    /// They are payload of the stream, and part of no message.
    mutating func bytesAfterEnd(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        endStart(stream)
        let end = records[stream.index].end
        if offset > end { records[stream.index].gap(offset: end, length: offset - end) }
        records[stream.index].summary.lateBytes -= Int64(bytes.byteCount)
        bytes.withUnsafeBytes { take(stream, $0, offset: offset) }
    }

    private mutating func take(_ stream: StreamID, _ bytes: UnsafeRawBufferPointer, offset: Int64) {
        records[stream.index].bytes(bytes, offset: offset)
        guard wantsBytes else { return }
        let record = framing.reporter.records[stream.conversation]
        let (first, second) = record.endpoints
        let listed = ListedStream(
            conversation: record.number,
            side: stream.side,
            source: stream.side == 0 ? first : second,
            destination: stream.side == 0 ? second : first,
            start: starts[stream.conversation]
        )
        listedBytes(listed, bytes, offset: offset)
    }

    func listedBytes(_ stream: ListedStream, _ bytes: UnsafeRawBufferPointer, offset: Int64) {
        guard wantsBytes, chosen == nil || chosen == stream.conversation else { return }
        output.streamBytes(stream, bytes, offset: offset)
    }

    mutating func streamGap(_ stream: StreamID, offset: Int64, length: Int64, reason: GapReason, mark: PacketMark) {
        endStart(stream)
        records[stream.index].gap(offset: offset, length: length)
        framing.streamGap(stream, offset: offset, length: length, reason: reason, mark: mark)
    }

    mutating func lateSegment(_ stream: StreamID, offset: Int64, length: Int64, reason: String, mark: PacketMark) {
        records[stream.index].summary.lateBytes &+= length
        framing.lateSegment(stream, offset: offset, length: length, reason: reason, mark: mark)
    }

    mutating func streamEnded(_ stream: StreamID, mark: PacketMark) {
        framing.streamEnded(stream, mark: mark)
    }

    mutating func conversationClosed(_ slot: Int, _ conversation: borrowing Conversation) {
        for side in 0...1 { endStart(StreamID(conversation: slot, side: side)) }
        let record = framing.reporter.records[slot]
        let isFirstSideClient = framing.reporter.statuses[slot].client == 0
        let summary = StreamSummary(
            number: conversation.number,
            client: record.name(side: isFirstSideClient ? 0 : 1),
            server: record.name(side: isFirstSideClient ? 1 : 0),
            start: starts[slot],
            end: conversation.lastTime,
            packets: Int(conversation.packets),
            toServer: DirectionSummary(),
            toClient: DirectionSummary(),
            retransmissions: Int(conversation.repeatedSegments),
            ending: Self.ending(conversation)
        )
        let sides = [records[slot * 2].finished(), records[slot * 2 + 1].finished()]
        framing.conversationClosed(slot, conversation)
        ended(summary, sides: sides, isFirstSideClient: isFirstSideClient)
    }

    /// Lists a conversation, with what its messages have shown.
    func ended(_ summary: StreamSummary, sides: [DirectionSummary], isFirstSideClient: Bool) {
        var summary = summary
        let found = tally.take(summary.number)
        guard chosen == nil || chosen == summary.number else { return }
        summary.toServer = sides[isFirstSideClient ? 0 : 1]
        summary.toClient = sides[isFirstSideClient ? 1 : 0]
        summary.toServer.messages = found.messages.toServer
        summary.toClient.messages = found.messages.toClient
        summary.toServer.damagedMessages = found.damaged.toServer
        summary.toClient.damagedMessages = found.damaged.toClient
        summary.users = found.users
        summary.moreUsers = found.moreUsers
        summary.versions = found.versions
        output.ended(&summary, isFirstSideClient: isFirstSideClient)
    }

    private static func ending(_ conversation: borrowing Conversation) -> StreamSummary.Ending {
        if conversation.wasReset { return .reset }
        if conversation.finSides == 3 { return .fin }
        switch conversation.closing {
        case .inputEnded, .finished: return conversation.finSides == 0 ? .open : .halfClosed
        case .idle: return conversation.finSides == 0 ? .idle : .halfClosed
        case .portReused: return .portReused
        case .limit: return .limit
        }
    }
}

/// Counts messages and users by conversation.
final class MessageTally: AnalysisOutput, @unchecked Sendable {
    struct Entry {
        var messages = (toServer: 0, toClient: 0)
        var damaged = (toServer: 0, toClient: 0)
        /// Users who asked to log on, and whether the server's answer refused it.
        var logons: [(user: String, id: Int32, isRefused: Bool)] = []
        var moreUsers = 0
        /// What the last message leaves open: all before it have been counted by then.
        var versions: ProtocolVersions?

        var users: [String] {
            var users: [String] = []
            for logon in logons where !logon.isRefused && !users.contains(logon.user) { users.append(logon.user) }
            return users
        }
    }

    private var entries: [Int: Entry] = [:]
    var isOpen: Bool { true }

    /// Logons of one conversation that are looked at one by one.
    static let maximumLogons = 256

    func take(_ number: Int) -> Entry { entries.removeValue(forKey: number) ?? Entry() }

    func event(_ report: EventReport) {}

    func message(_ report: MessageReport, bytes: RawSpan) {
        let isDamaged = report.status != .complete
        let isToServer = report.direction == .clientToServer
        if isToServer {
            entries[report.conversation, default: Entry()].messages.toServer += 1
            if isDamaged { entries[report.conversation]?.damaged.toServer += 1 }
        } else {
            entries[report.conversation, default: Entry()].messages.toClient += 1
            if isDamaged { entries[report.conversation]?.damaged.toClient += 1 }
        }
        let header = report.header
        entries[report.conversation]?.versions = report.profile.versions
        guard report.profile.isLogon(header.messageType) else { return }
        if isToServer { logon(report, bytes) } else { answer(report, bytes) }
    }

    private func logon(_ report: MessageReport, _ bytes: RawSpan) {
        let range = report.header.userIDRange
        guard bytes.byteCount >= range.upperBound else { return }
        let user = bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard !user.isEmpty else { return }
        if entries[report.conversation]!.logons.count < Self.maximumLogons {
            entries[report.conversation]?.logons.append((user, report.header.messageID, false))
        } else {
            entries[report.conversation]?.moreUsers += 1
        }
    }

    /// The answer says whether the logon succeeded; an answer that cannot be read refuses nothing.
    private func answer(_ report: MessageReport, _ bytes: RawSpan) {
        let start = report.header.layout.headerLength
        guard report.status == .complete, bytes.byteCount > start,
            let body = BodyDescriber(profile: report.profile).describe(
                body: bytes.extracting(start..<bytes.byteCount),
                bodyOffset: start,
                header: report.header,
                isRequest: false
            ), let result = body.fields.first(where: { $0.label == "LogonResult" })
        else { return }
        let isRefused: Bool
        switch result.value {
        case .integer(let value): isRefused = value != 0
        case .unsigned(let value): isRefused = value != 0
        default: return
        }
        guard isRefused else { return }
        let logons = entries[report.conversation]?.logons ?? []
        if let index = logons.lastIndex(where: { $0.id == report.header.messageID }) {
            entries[report.conversation]?.logons[index].isRefused = true
        }
    }
}
