import ESProtocol
import MessageFormat
import NetworkStack

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
    private var low: [Int] = []
    private var high: [UInt16: (toServer: Int, toClient: Int)] = [:]
    /// The layout in which a type was seen first; it decides the name.
    private var layouts: [UInt16: HeaderLayout] = [:]

    fileprivate static var lowTypes: Int { 1024 }

    package init() {}

    /// The counts by type, in order of the number.
    package var byType: [(type: UInt16, layout: HeaderLayout?, toServer: Int, toClient: Int)] {
        var all: [(type: UInt16, layout: HeaderLayout?, toServer: Int, toClient: Int)] = []
        for type in 0..<low.count / 2 where low[2 * type] + low[2 * type + 1] > 0 {
            all.append((UInt16(type), layouts[UInt16(type)], low[2 * type], low[2 * type + 1]))
        }
        for (type, counts) in high.sorted(by: { $0.key < $1.key }) {
            all.append((type, layouts[type], counts.toServer, counts.toClient))
        }
        return all
    }
}

/// Counts messages as they are found.
struct MessageCounter {
    private var complete = 0
    private var damaged = 0
    /// Two for each low type: counted in place, without the look at an array whether it is shared. Half as wide as the
    /// totals, they take half of the first-level cache; what they cannot hold is in `carried`.
    private let low = DenseStore(repeating: UInt32(0), count: 2 * AnalysisTotals.lowTypes)
    private var carried: [Int: Int] = [:]
    private let most: UInt32
    private var rest = AnalysisTotals()

    /// - Parameter most: the most that a counter holds.
    init(most: UInt32 = .max) { self.most = most }

    @inline(__always)
    mutating func count(_ header: MessageHeader, isComplete: Bool, isToServer: Bool) {
        if isComplete { complete &+= 1 } else { damaged &+= 1 }
        let index = 2 &* Int(header.messageType) &+ (isToServer ? 0 : 1)
        // What was seen before has a name already.
        if index < low.count, low[index] &- 1 < most &- 1 {
            low[index] &+= 1
        } else {
            countSlowly(header, isToServer)
        }
    }

    /// Counts what is new, of a high type, or the most that its counter can hold.
    private mutating func countSlowly(_ header: MessageHeader, _ isToServer: Bool) {
        guard rest.noteNew(header, isToServer) else { return }
        let index = 2 * Int(header.messageType) + (isToServer ? 0 : 1)
        if low[index] == most {
            carried[index, default: 0] += Int(low[index])
            low[index] = 0
        }
        low[index] += 1
    }

    /// Enters what was counted into `totals`.
    func enter(into totals: inout AnalysisTotals) {
        totals.completeMessages = complete
        totals.damagedMessages = damaged
        totals.takeTypes(of: rest, low: low.indices.map { Int(low[$0]) + carried[$0, default: 0] })
    }
}

extension AnalysisTotals {
    /// - Returns: whether the type is a low one, which is not counted here.
    fileprivate mutating func noteNew(_ header: MessageHeader, _ isToServer: Bool) -> Bool {
        let type = header.messageType
        if layouts[type] == nil { layouts[type] = header.layout }
        if type < Self.lowTypes { return true }
        if isToServer { high[type, default: (0, 0)].toServer += 1 } else { high[type, default: (0, 0)].toClient += 1 }
        return false
    }

    fileprivate mutating func takeTypes(of other: AnalysisTotals, low: [Int]) {
        self.low = low
        high = other.high
        layouts = other.layouts
    }
}
