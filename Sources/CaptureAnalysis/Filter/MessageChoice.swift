import ESProtocol
import NetworkStack

/// Which messages of an analysis are wanted, and which of them is the last.
struct MessageChoice {
    /// Nothing but messages that match.
    private let filter: MessageFilter?
    /// The first message that matches is the last.
    private let until: MessageFilter?
    /// Whether both need no more than the numbers of a message, and whether those of its conversation are among them.
    let asksNumbersOnly: Bool
    let asksForConversation: Bool
    /// Whether it is known with the header that most messages are not wanted.
    let refusesByHeader: Bool
    private(set) var state = FilterState()
    /// The packet that brought the last one.
    private(set) var end: PacketMark?

    /// - Returns: `nil` if every message is wanted.
    init?(_ options: AnalysisOptions) {
        guard options.filter != nil || options.until != nil else { return nil }
        filter = options.filter
        until = options.until
        let both = [options.filter, options.until].compactMap(\.self)
        asksNumbersOnly = both.allSatisfy(\.asksNumbersOnly)
        refusesByHeader = options.filter != nil && both.allSatisfy(\.asksHeadersOnly)
        asksForConversation = both.contains(where: \.asksForConversation)
    }

    /// Where no more is asked for than numbers.
    mutating func isWanted(_ numbers: FilterNumbers) -> Bool {
        if let until, end == nil, until.matches(numbers) {
            end = PacketMark(packet: numbers.packet, time: numbers.time)
        }
        return filter?.matches(numbers) ?? true
    }

    /// Whether it is known with the header that a message is not wanted; see ``refusesByHeader``.
    /// (It is mutating so that nothing is copied for the call.)
    @inline(__always)
    mutating func refuses(_ numbers: FilterNumbers) -> Bool {
        guard let filter, !filter.matches(numbers) else { return false }
        return until.map { !$0.matches(numbers) } ?? true
    }

    /// Whether no message of this type is wanted, nor the last one.
    mutating func refusesType(of header: MessageHeader) -> Bool {
        guard let filter, !filter.mayMatch(typeOf: header) else { return false }
        return until.map { !$0.mayMatch(typeOf: header) } ?? true
    }

    mutating func isWanted(_ subject: FilterSubject, bytes: RawSpan) -> Bool {
        if let until, end == nil, until.matches(subject, bytes: bytes, state: &state) {
            end = PacketMark(packet: subject.packet, time: subject.time)
        }
        return filter?.matches(subject, bytes: bytes, state: &state) ?? true
    }
}
