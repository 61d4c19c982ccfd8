import NetworkStack

/// What is listed of the UDP conversations that hold messages of the framework, or datagrams of its peer-to-peer channel.
///
/// An offset is the number of payload bytes before it in its direction; bytes that the snap length cut off are gaps.
struct DatagramList {
    struct Entry {
        /// The numbers are complete, but for what its messages show.
        var summary: StreamSummary
        var isFirstSideClient: Bool
        /// Of side 0, which sent the first datagram, and of side 1.
        fileprivate var payloads: [PayloadRecord]

        /// What there is to say of each side.
        var sides: [DirectionSummary] { payloads.map { $0.finished() } }
    }

    private let hashes: Bool
    private let idleTime: Int64
    /// By the number of the conversation.
    private var entries: [Int: Entry] = [:]
    private var lastTime: Int64 = 0

    init(hashes: Bool, idleTime: Int64) {
        self.hashes = hashes
        self.idleTime = idleTime
    }

    /// - Parameters:
    ///   - missing: bytes of the payload that were not captured.
    ///   - time: nanoseconds since 1970-01-01 UTC.
    /// - Returns: which bytes they are.
    mutating func add(
        _ payload: UnsafeRawBufferPointer,
        missing: Int,
        side: Int,
        of record: ConversationRecord,
        isFirstSideClient: Bool,
        time: Int64
    ) -> (stream: ListedStream, offset: Int64) {
        lastTime = time
        var entry = entries.removeValue(forKey: record.number) ?? begin(record, time: time)
        entry.isFirstSideClient = isFirstSideClient
        entry.summary.end = time
        entry.summary.packets += 1
        let offset = entry.payloads[side].end
        if !payload.isEmpty { entry.payloads[side].bytes(payload, offset: offset) }
        if missing > 0 { entry.payloads[side].gap(offset: offset + Int64(payload.count), length: Int64(missing)) }
        let stream = ListedStream(
            conversation: record.number,
            side: side,
            source: record.endpoint(side: side),
            destination: record.endpoint(side: 1 - side),
            start: entry.summary.start
        )
        entries[record.number] = entry
        return (stream, offset)
    }

    private func begin(_ record: ConversationRecord, time: Int64) -> Entry {
        let summary = StreamSummary(
            number: record.number,
            transport: .udp,
            client: record.name(side: 0),
            server: record.name(side: 1),
            start: time,
            end: time,
            packets: 0,
            toServer: DirectionSummary(),
            toClient: DirectionSummary(),
            retransmissions: 0,
            ending: .open
        )
        let empty = PayloadRecord(hashes: hashes)
        return Entry(summary: summary, isFirstSideClient: true, payloads: [empty, empty])
    }

    /// All conversations, in the order of their numbers; none is kept.
    mutating func takeAll() -> [Entry] {
        let all = entries.values.sorted { $0.summary.number < $1.summary.number }.map { entry in
            var entry = entry
            if lastTime &- entry.summary.end > idleTime { entry.summary.ending = .idle }
            if !entry.isFirstSideClient { swapNames(&entry.summary) }
            return entry
        }
        entries = [:]
        return all
    }

    private func swapNames(_ summary: inout StreamSummary) {
        (summary.client, summary.server) = (summary.server, summary.client)
    }
}
