import MessageFormat

/// Puts the messages of a capture in the order of their packets and numbers them, as the formats that are shown do.
package final class MessageCollector: AnalysisOutput {
    private struct Held {
        var report: MessageReport
        var bytes: [UInt8]
        var isWanted: Bool
    }

    private var held: [Held] = []
    private var releaseAt = minimum
    private var count = 0
    private let take: (_ number: Int, _ report: MessageReport, _ bytes: [UInt8]) -> Bool
    /// Whether a message is wanted; the others are only counted. Asked before anything is changed.
    package var isWanted: ((MessageReport, RawSpan) -> Bool)?
    /// Looks at, or changes, what comes, in the order in which it is found.
    package var onMessage: ((inout MessageReport, inout [UInt8]) -> Void)?
    package var onEvent: ((EventReport) -> Void)?
    package private(set) var isOpen = true

    private static let minimum = 256

    /// Messages so far.
    package var messageCount: Int { count }

    /// - Parameter take: Takes the next message; false ends the analysis.
    package init(_ take: @escaping (_ number: Int, _ report: MessageReport, _ bytes: [UInt8]) -> Bool) {
        self.take = take
    }

    package func message(_ report: MessageReport, bytes: RawSpan) {
        let isWanted = isWanted?(report, bytes) ?? true
        var new = Held(report: report, bytes: bytes.withUnsafeBytes { Array($0) }, isWanted: isWanted)
        onMessage?(&new.report, &new.bytes)
        if !isWanted { new.bytes = [] }
        held.append(new)
    }

    package func event(_ report: EventReport) { onEvent?(report) }

    /// Whether so many wait that it is worth a look at which of them can go.
    package var isDue: Bool { held.count >= releaseAt }

    /// Hands on the messages of packets before `packet`; all, if it is `nil`.
    package func release(before packet: UInt64?) {
        guard !held.isEmpty else { return }
        // Stable: messages of one packet stay in their order.
        let order = held.indices.sorted { (held[$0].report.packet, $0) < (held[$1].report.packet, $1) }
        let limit = packet ?? .max
        var going = order.count
        if packet != nil { going = order.firstIndex { held[$0].report.packet >= limit } ?? order.count }
        for index in order[..<going] where isOpen {
            count += 1
            guard held[index].isWanted else { continue }
            isOpen = take(count, held[index].report, held[index].bytes)
        }
        held = order[going...].map { held[$0] }
        releaseAt = max(Self.minimum, 2 * held.count)
    }
}
