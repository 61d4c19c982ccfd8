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
    /// Messages by type and direction; the low types, which are nearly all, without a look-up.
    private var low: [(toServer: Int, toClient: Int)] = Array(repeating: (0, 0), count: 1024)
    private var high: [UInt16: (toServer: Int, toClient: Int)] = [:]
    /// The layout in which a type was seen first; it decides the name.
    private var layouts: [UInt16: HeaderLayout] = [:]

    package init() {}

    package mutating func count(_ header: MessageHeader, status: MessageStatus, direction: Direction) {
        if status == .complete { completeMessages += 1 } else { damagedMessages += 1 }
        let type = header.messageType
        if type < 1024 {
            if low[Int(type)] == (0, 0) { layouts[type] = header.layout }
            if direction == .clientToServer {
                low[Int(type)].toServer += 1
            } else {
                low[Int(type)].toClient += 1
            }
        } else {
            if high[type] == nil, high.count < 65536 { layouts[type] = header.layout }
            if direction == .clientToServer {
                high[type, default: (0, 0)].toServer += 1
            } else {
                high[type, default: (0, 0)].toClient += 1
            }
        }
    }

    /// The counts by type, in order of the number.
    package var byType: [(type: UInt16, layout: HeaderLayout?, toServer: Int, toClient: Int)] {
        let all =
            low.enumerated().filter { $0.element != (0, 0) }.map { (UInt16($0.offset), $0.element) }
            + high.map { ($0.key, $0.value) }
        return all.sorted { $0.0 < $1.0 }.map { ($0.0, layouts[$0.0], $0.1.toServer, $0.1.toClient) }
    }
}
