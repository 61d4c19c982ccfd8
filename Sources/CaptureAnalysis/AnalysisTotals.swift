import ESProtocol
import MessageFormat

/// What was found in all, as `--count` prints it.
package struct AnalysisTotals: Sendable {
    package var packets: UInt64 = 0
    package var conversations = 0
    /// Those of them that go over UDP.
    package var udpConversations = 0
    package var completeMessages = 0
    package var damagedMessages = 0
    package var gaps = 0
    package var missingBytes: Int64 = 0
    package var skippedBytes: Int64 = 0
    package var notESConversations = 0
    /// Messages that the filter does not want; they are not among the others.
    package var unmatchedMessages = 0
    /// Messages by type and direction (to the server, to the client); the low types, which are nearly all, without a
    /// look-up.
    private var low = ContiguousArray(repeating: 0, count: 2 * lowTypes)
    private var high: [UInt16: (toServer: Int, toClient: Int)] = [:]
    /// The layout in which a type was seen first; it decides the name.
    private var layouts: [UInt16: HeaderLayout] = [:]

    private static var lowTypes: Int { 1024 }

    package init() {}

    package mutating func count(_ header: MessageHeader, status: MessageStatus, direction: Direction) {
        switch status {
        case .complete: completeMessages += 1
        case .gap, .truncated: damagedMessages += 1
        }
        let type = Int(header.messageType)
        guard type < Self.lowTypes else {
            countHigh(header, direction: direction)
            return
        }
        let index = 2 * type + Int(direction.rawValue)
        if low[index] == 0, layouts[header.messageType] == nil { layouts[header.messageType] = header.layout }
        low[index] += 1
    }

    private mutating func countHigh(_ header: MessageHeader, direction: Direction) {
        let type = header.messageType
        if high[type] == nil { layouts[type] = header.layout }
        switch direction {
        case .clientToServer: high[type, default: (0, 0)].toServer += 1
        case .serverToClient: high[type, default: (0, 0)].toClient += 1
        }
    }

    /// The counts by type, in order of the number.
    package var byType: [(type: UInt16, layout: HeaderLayout?, toServer: Int, toClient: Int)] {
        var all: [(type: UInt16, layout: HeaderLayout?, toServer: Int, toClient: Int)] = []
        for type in 0..<Self.lowTypes where low[2 * type] + low[2 * type + 1] > 0 {
            all.append((UInt16(type), layouts[UInt16(type)], low[2 * type], low[2 * type + 1]))
        }
        for (type, counts) in high.sorted(by: { $0.key < $1.key }) {
            all.append((type, layouts[type], counts.toServer, counts.toClient))
        }
        return all
    }
}
