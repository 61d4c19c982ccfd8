import ESProtocol
import MessageFormat

/// What the report of nearly every message says, in 72 bytes and without a reference.
///
/// One thread writes it, another reads it, and what is written costs most: the other's processor has the memory. The report is
/// made again where it is formatted.
struct MessageRecord {
    let packet: UInt64
    let time: Int64
    private let streamOffset: Int64
    private let header: MessageHeader
    /// Number of the conversation, or the place of the whole report.
    private let number: UInt32
    /// Where the bytes of the message stand, and how many there are.
    private let start: UInt32
    private let count: UInt32
    private let senderAddress: UInt32
    private let receiverAddress: UInt32
    private let senderPort: UInt16
    private let receiverPort: UInt16
    private let storedInput: UInt16
    private let versions: UInt8
    private let facts: Facts

    private struct Facts: OptionSet {
        let rawValue: UInt8
        /// The report stands elsewhere, as it has more than a record.
        static let isWhole = Facts(rawValue: 1)
        static let hasInput = Facts(rawValue: 2)
        static let isUDP = Facts(rawValue: 4)
        static let isToServer = Facts(rawValue: 8)
    }

    /// - Parameter input: which of several inputs its packet came from.
    /// - Returns: `nil` if the report has more: holes, ends that are no IPv4 addresses, names from a user's file.
    @inline(__always)
    init?(_ report: borrowing MessageReport, start: Int, count: Int, input: Int?) {
        guard case .ipv4(let sender, let senderPort) = report.sender,
            case .ipv4(let receiver, let receiverPort) = report.receiver,
            case .complete = report.status,
            !report.profile.hasAdditions,
            let number = UInt32(exactly: report.conversation),
            let start = UInt32(exactly: start),
            let count = UInt32(exactly: count)
        else { return nil }
        packet = report.packet
        time = report.time
        streamOffset = report.streamOffset
        header = report.header
        self.number = number
        self.start = start
        self.count = count
        senderAddress = sender
        receiverAddress = receiver
        self.senderPort = senderPort
        self.receiverPort = receiverPort
        storedInput = UInt16(truncatingIfNeeded: input ?? 0)
        versions = report.profile.versions.rawValue
        var facts: Facts = input == nil ? [] : .hasInput
        if report.isUDP { facts.insert(.isUDP) }
        if case .clientToServer = report.direction { facts.insert(.isToServer) }
        self.facts = facts
    }

    /// Says where the whole report stands.
    init(_ report: MessageReport, at place: Int, start: Int, count: Int, input: Int?) {
        packet = report.packet
        time = report.time
        streamOffset = 0
        header = report.header
        number = UInt32(truncatingIfNeeded: place)
        self.start = UInt32(truncatingIfNeeded: start)
        self.count = UInt32(truncatingIfNeeded: count)
        senderAddress = 0
        receiverAddress = 0
        senderPort = 0
        receiverPort = 0
        storedInput = UInt16(truncatingIfNeeded: input ?? 0)
        versions = 0
        facts = input == nil ? .isWhole : [.isWhole, .hasInput]
    }

    /// Where the whole report stands, if this is not all of it.
    var wholeReport: Int? { facts.contains(.isWhole) ? Int(number) : nil }
    var input: Int? { facts.contains(.hasInput) ? Int(storedInput) : nil }
    var byteCount: Int { Int(count) }
    var byteRange: Range<Int> { Int(start)..<Int(start) + Int(count) }

    /// The report, unless it stands elsewhere.
    var report: MessageReport {
        MessageReport(
            time: time,
            packet: packet,
            conversation: Int(number),
            isUDP: facts.contains(.isUDP),
            direction: facts.contains(.isToServer) ? .clientToServer : .serverToClient,
            sender: .ipv4(senderAddress, port: senderPort),
            receiver: .ipv4(receiverAddress, port: receiverPort),
            streamOffset: streamOffset,
            status: .complete,
            header: header,
            gaps: [],
            profile: Profile(versions: ProtocolVersions(rawValue: versions))
        )
    }
}
