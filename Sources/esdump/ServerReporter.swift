import ESProtocol
import ESServer
import MessageFormat
import PacketCapture
import Sockets

/// Writes what a server does as the program writes what is in a capture. The server calls it once at a time.
final class ServerReporter<Formatter: ReportFormatter>: @unchecked Sendable {
    private var formatter: Formatter
    private let writer: OutputWriter
    /// Names of message types from a user's description.
    private let describedNames: [UInt16: String]
    private var out = OutputBuffer()
    private var messageCount = 0
    /// In the place of a packet's number: what was told before.
    private var eventCount: UInt64 = 0
    private let lock = Lock()

    init(_ formatter: Formatter, _ writer: OutputWriter, describedNames: [UInt16: String]) {
        self.formatter = formatter
        self.describedNames = describedNames
        self.writer = writer
    }

    /// Whether what is written still arrives.
    var isOpen: Bool { lock.withLock { writer.isOpen } }

    func take(_ event: ServerEvent) { lock.withLock { write(event) } }

    /// Writes what closes the output.
    /// - Returns: the exit status.
    func finish() -> Int32 {
        lock.withLock {
            formatter.appendEnd(to: &out)
            flush()
            return writer.finish()
        }
    }

    private func flush() {
        out.withUnsafeBytes { writer.write($0) }
        out.removeAll()
    }

    private func write(_ event: ServerEvent) {
        eventCount += 1
        let time = wallClockNanoseconds()
        switch event.kind {
        case .received(let message, let bytes, let offset):
            write(message.layout, bytes, event, time, offset, .clientToServer)
        case .sent(let message, let bytes, let offset):
            write(message.layout, bytes, event, time, offset, .serverToClient)
        case .cutShort(let bytes, let layout?, let offset) where bytes.count >= layout.headerLength:
            write(layout, bytes, event, time, offset, .clientToServer)
        case .cutShort(let bytes, _, let offset):
            write(.truncated, event, time, bytes: bytes, offset: offset)
        case .refused(let bytes, let offset, let reason):
            write(bytes.isEmpty ? .limit : .skipped, event, time, reason, bytes: bytes, offset: offset)
        case .notice(let text): write(.notice, event, time, text)
        }
        flush()
    }

    /// - Parameter bytes: of the message, its header whole; fewer than it declares if the connection ended.
    private func write(
        _ layout: HeaderLayout,
        _ bytes: [UInt8],
        _ event: ServerEvent,
        _ time: Int64,
        _ offset: Int64,
        _ direction: Direction
    ) {
        guard let connection = event.connection, bytes.count >= layout.headerLength else { return }
        let header = MessageHeader(reading: bytes.span.bytes, layout: layout)
        let missing = header.messageLength - bytes.count
        let isFromClient = direction == .clientToServer
        messageCount += 1
        var report = MessageReport(
            time: time,
            packet: eventCount,
            conversation: connection.number,
            direction: direction,
            source: isFromClient ? connection.client : connection.server,
            destination: isFromClient ? connection.server : connection.client,
            streamOffset: offset,
            status: missing > 0 ? .truncated : .complete,
            header: header,
            gaps: missing > 0 ? [MessageGap(offset: bytes.count, length: missing)] : []
        )
        report.profile.describedNames = describedNames
        formatter.appendLead(number: messageCount, time: time, to: &out)
        formatter.appendMessage(report, bytes: bytes.span.bytes, to: &out)
    }

    private func write(
        _ kind: EventReport.Kind,
        _ event: ServerEvent,
        _ time: Int64,
        _ reason: String = "",
        bytes: [UInt8] = [],
        offset: Int64? = nil
    ) {
        let report = EventReport(
            kind: kind,
            time: time,
            packet: eventCount,
            conversation: event.connection?.number ?? 0,
            source: event.connection?.client ?? "",
            destination: event.connection?.server ?? "",
            streamOffset: offset,
            length: bytes.isEmpty ? nil : Int64(bytes.count),
            reason: reason,
            bytes: bytes,
            direction: .clientToServer
        )
        formatter.appendLead(number: nil, time: time, to: &out)
        formatter.appendEvent(report, to: &out)
    }
}
