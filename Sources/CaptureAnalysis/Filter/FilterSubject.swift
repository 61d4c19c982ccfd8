import ESProtocol
import MessageFormat
import NetworkStack

/// The numbers of a message that a filter can ask for without a look at its bytes.
struct FilterNumbers {
    var header: MessageHeader
    var time: Int64
    var packet: UInt64
    var conversation: Int
    var isUDP: Bool
    var direction: Direction
    var streamOffset: Int64
    var status: MessageStatus
    /// Holes in it, and how many bytes are missing.
    var gaps = 0
    var missing = 0
    var source: Endpoint
    var destination: Endpoint

    /// - Returns: `nil` if the message has no such number.
    @inline(__always)
    func number(_ source: FilterNumberSource) -> Int64? {
        switch source {
        case .messageType: Int64(header.messageType)
        case .startToken: Int64(header.layout.startToken.value)
        case .clientType: header.clientType.map { Int64($0) }
        case .messageID: Int64(header.messageID)
        case .bodyLength: Int64(header.bodyLength)
        case .userIDLength: Int64(header.userIDLength)
        case .destUserIDLength: Int64(header.destUserIDLength)
        case .time: time
        case .packet: Int64(clamping: packet)
        case .conversation: Int64(conversation)
        case .transport: isUDP ? 1 : 0
        case .direction: Int64(direction.rawValue)
        case .streamOffset: streamOffset
        case .length: Int64(header.messageLength)
        case .status: status == .complete ? 0 : status == .gap ? 1 : 2
        case .missing: gaps == 0 ? nil : Int64(missing)
        case .gaps: gaps == 0 ? nil : Int64(gaps)
        case .sourcePort: Int64(self.source.port)
        case .destinationPort: Int64(destination.port)
        }
    }
}

/// The message that a filter is asked about.
struct FilterSubject {
    let numbers: FilterNumbers
    let gaps: [MessageGap]
    /// Whose names its numbers have, and whose bodies.
    let profile: Profile
    /// What a user's description says of bodies.
    let application: (any ApplicationBodies)?

    init(
        _ numbers: FilterNumbers,
        gaps: [MessageGap],
        profile: Profile,
        application: (any ApplicationBodies)?
    ) {
        var numbers = numbers
        numbers.gaps = gaps.count
        numbers.missing = gaps.reduce(0) { $0 + $1.length }
        self.numbers = numbers
        self.gaps = gaps
        self.profile = profile
        self.application = application
    }

    var header: MessageHeader { numbers.header }
    var time: Int64 { numbers.time }
    var packet: UInt64 { numbers.packet }
    var conversation: Int { numbers.conversation }
    var isUDP: Bool { numbers.isUDP }
    var direction: Direction { numbers.direction }
    var streamOffset: Int64 { numbers.streamOffset }
    var status: MessageStatus { numbers.status }
    var source: Endpoint { numbers.source }
    var destination: Endpoint { numbers.destination }

    /// - Returns: `nil` if the message has no such number.
    @inline(__always) func number(_ source: FilterNumberSource) -> Int64? { numbers.number(source) }

    /// The same for those who describe messages; without names of the endpoints.
    var report: MessageReport {
        MessageReport(
            time: time,
            packet: packet,
            conversation: conversation,
            isUDP: isUDP,
            direction: direction,
            source: "",
            destination: "",
            streamOffset: streamOffset,
            status: status,
            header: header,
            gaps: gaps,
            profile: profile
        )
    }
}

extension FilterSubject {
    /// Where bytes stand in those of the message that are there.
    func range(of source: FilterByteSource, byteCount: Int) -> Range<Int> {
        let headerLength = header.layout.headerLength
        let range: Range<Int> =
            switch source {
            case .userID: header.userIDRange
            case .destUserID: header.destUserIDRange
            case .headerBytes: 0..<headerLength
            case .bodyBytes: headerLength..<max(headerLength, byteCount)
            case .typeName: 0..<0
            }
        return range.clamped(to: 0..<byteCount)
    }
}

extension FilterSubject {
    /// The message of a report, whose endpoints are text.
    init(_ report: MessageReport, application: (any ApplicationBodies)?) {
        let nowhere = Endpoint(high: 0, low: 0, port: 0)
        self.init(
            FilterNumbers(
                header: report.header,
                time: report.time,
                packet: report.packet,
                conversation: report.conversation,
                isUDP: report.isUDP,
                direction: report.direction,
                streamOffset: report.streamOffset,
                status: report.status,
                source: FilterAddress.endpoint(report.source) ?? nowhere,
                destination: FilterAddress.endpoint(report.destination) ?? nowhere
            ),
            gaps: report.gaps,
            profile: report.profile,
            application: application
        )
    }
}
