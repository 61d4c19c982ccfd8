import MessageFormat
import NetworkStack

/// What the messages of a capture are once they are redacted, by their place: for writing its packets anew.
///
/// All of them are kept in memory.
package final class RedactedMessages: AnalysisOutput {
    /// Bytes that follow one another.
    struct Run {
        /// Offset in the stream.
        var start: Int64
        var bytes: [UInt8]
    }

    /// One direction of a conversation.
    private struct StreamKey: Hashable {
        var conversation: Int
        var source: String
    }

    package private(set) var redactor: Redactor
    private var streams: [StreamKey: [Run]] = [:]
    /// Messages in datagrams, by packet; with the bytes that they had, since a message may have come in several.
    private var datagrams: [UInt64: [(run: Run, original: [UInt8])]] = [:]
    private var isSorted = false
    private var byteCount = 0
    /// Whether there are more bytes than may be kept.
    package private(set) var isTooMuch = false

    private static let maximumBytes = 1 << 30

    package init(redactor: Redactor = Redactor()) { self.redactor = redactor }

    package var isOpen: Bool { !isTooMuch }

    package func message(_ report: MessageReport, bytes: RawSpan) {
        let original = bytes.withUnsafeBytes { Array($0) }
        let redacted = redactor.redact(report, original).bytes
        byteCount += original.count
        isTooMuch = byteCount > Self.maximumBytes
        if report.isUDP {
            let run = Run(start: report.streamOffset, bytes: redacted)
            datagrams[report.packet, default: []].append((run, original))
            return
        }
        let key = StreamKey(conversation: report.conversation, source: report.source)
        var index = 0
        var offset = 0
        for gap in report.gaps + [.init(offset: .max, length: 0)] {
            let end = min(index + (gap.offset == .max ? original.count : gap.offset - offset), original.count)
            if end > index {
                streams[key, default: []].append(
                    Run(start: report.streamOffset + Int64(offset), bytes: Array(redacted[index..<end]))
                )
            }
            guard gap.offset != .max else { break }
            offset = gap.offset + gap.length
            index = max(end, index)
        }
        isSorted = false
    }

    package func event(_ report: EventReport) { _ = redactor.redact(report) }

    func replacement(ofIPv4 octets: [UInt8]) -> [UInt8] { redactor.replacement(ofIPv4: octets) }
    func replacement(ofIPv6 bytes: [UInt8]) -> [UInt8] { redactor.replacement(ofIPv6: bytes) }

    /// The redacted bytes of a piece of a stream; what belongs to no message is blank.
    func bytes(conversation: Int, source: String, offset: Int64, count: Int) -> [UInt8] {
        if !isSorted {
            for key in streams.keys { streams[key]?.sort { $0.start < $1.start } }
            isSorted = true
        }
        var result = [UInt8](repeating: Redactor.blank, count: count)
        guard let runs = streams[StreamKey(conversation: conversation, source: source)] else { return result }
        // The first run that ends behind the offset.
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].start + Int64(runs[middle].bytes.count) <= offset {
                low = middle + 1
            } else {
                high = middle
            }
        }
        while low < runs.count, runs[low].start < offset + Int64(count) {
            let run = runs[low]
            let from = max(run.start, offset)
            let to = min(run.start + Int64(run.bytes.count), offset + Int64(count))
            let source = Int(from - run.start)..<Int(to - run.start)
            result.replaceSubrange(Int(from - offset)..<Int(to - offset), with: run.bytes[source])
            low += 1
        }
        return result
    }

    /// The same for a datagram.
    func bytes(packet: UInt64, payload: RawSpan) -> [UInt8] {
        var result = [UInt8](repeating: Redactor.blank, count: payload.byteCount)
        for (run, original) in datagrams[packet] ?? [] {
            guard run.start >= 0, run.start <= Int64(payload.byteCount),
                original.count <= payload.byteCount - Int(run.start)
            else { continue }
            let range = Int(run.start)..<Int(run.start) + original.count
            // Only what is surely this message.
            guard payload.extracting(range).withUnsafeBytes({ $0.elementsEqual(original) }) else { continue }
            result.replaceSubrange(range, with: run.bytes)
        }
        return result
    }
}
