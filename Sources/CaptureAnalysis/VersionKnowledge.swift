import ESProtocol
import MessageFormat
import NetworkStack

/// What messages have shown of the version behind a layout that several versions share.
///
/// It is part of each conversation's record, and takes six bytes.
struct VersionKnowledge {
    /// What told the version; put into words when it is shown.
    enum Source: Equatable {
        case nothing
        case datagrams
        /// A message of a type; and the versions that its layout left open, whose names are meant.
        case message(type: UInt16, among: ProtocolVersions)

        /// In words: `the form of P2PLogon (401)`.
        var text: String {
            switch self {
            case .nothing: return ""
            case .datagrams: return "the form of the datagrams"
            case .message(let type, let versions):
                return "the form of \(Profile(versions: versions).messageTypeName(type) ?? "type") (\(type))"
            }
        }
    }

    /// Those that are left open.
    private(set) var versions = ProtocolVersions.all
    /// Messages contradict each other: nothing is believed any more.
    private(set) var isContradictory = false
    private(set) var source = Source.nothing

    /// Takes what one more message leaves open.
    mutating func learn(_ found: ProtocolVersions, from source: Source) {
        guard !isContradictory else { return }
        let left = versions.intersection(found)
        if left.isEmpty {
            isContradictory = true
            versions = .all
        } else if left != versions {
            versions = left
            self.source = source
        }
    }

    /// What it leaves open of the versions of a start token; `nil` if it says nothing about them.
    func versions(of token: ProtocolVersions) -> ProtocolVersions? {
        let left = versions.intersection(token)
        return left.isEmpty || left == token ? nil : left
    }
}

/// What is known of the versions of servers: for each address one knowledge, for all conversations with it.
struct ServerVersions {
    /// Where what is known of one server stands.
    struct Place: Equatable {
        /// An index; negative for none.
        fileprivate var raw: Int16

        /// It was not asked for yet.
        static let unasked = Place(raw: -2)
        /// That of servers that are not remembered: their conversations are each on their own.
        fileprivate static let nowhere = Place(raw: -1)
    }

    private var places: [Endpoint: Place] = [:]
    private var knowledge: [VersionKnowledge] = []
    private let maximum = 4096

    /// Where what is known of a server stands; nowhere once there are too many.
    mutating func place(of endpoint: Endpoint) -> Place {
        if let place = places[endpoint] { return place }
        guard knowledge.count < maximum else { return .nowhere }
        let place = Place(raw: Int16(knowledge.count))
        places[endpoint] = place
        knowledge.append(VersionKnowledge())
        return place
    }

    /// The place of a server, if it has one.
    func knownPlace(of endpoint: Endpoint) -> Place? { places[endpoint] }

    mutating func learn(_ found: ProtocolVersions, at place: Place) {
        if place.raw >= 0 { knowledge[Int(place.raw)].learn(found, from: .nothing) }
    }

    func versions(of token: ProtocolVersions, at place: Place) -> ProtocolVersions? {
        place.raw >= 0 ? knowledge[Int(place.raw)].versions(of: token) : nil
    }
}

/// The profiles of all sets of versions, made once.
struct VersionProfiles {
    private let profiles: [Profile]

    /// - Parameter make: what a profile of some versions is.
    init(_ make: (ProtocolVersions) -> Profile) {
        profiles = (0...ProtocolVersions.all.rawValue).map { make(ProtocolVersions(rawValue: $0)) }
    }

    subscript(_ versions: ProtocolVersions) -> Profile {
        @inline(__always) get { profiles[Int(versions.rawValue & ProtocolVersions.all.rawValue)] }
    }
}

extension StreamReporter {
    /// The names and bodies that hold for a message. Learns from it, and says so, if it tells the version.
    mutating func profile(
        of header: MessageHeader,
        isComplete: Bool,
        bytes: RawSpan,
        slot: Int,
        side: Int,
        direction: Direction
    ) -> Profile {
        if let givenProfile { return givenProfile }
        let token = ProtocolVersions(startToken: header.layout.startToken)
        if token.isSingle { return profiles[token] }
        if records[slot].server == .unasked { notePlaceOfServer(slot) }
        if options.infersVersions, isComplete, VersionClues.mayTell(header),
            records[slot].version.versions(of: token) == nil
        {
            learnVersion(header, bytes, slot, side, direction, token)
        }
        return profiles[knownVersions(slot, token) ?? token]
    }

    private mutating func notePlaceOfServer(_ slot: Int) {
        records[slot].server = serverVersions.place(of: server(slot))
    }

    /// What is known of the version in a conversation; `nil` if nothing is. Its own messages count more than those of others.
    /// It changes nothing, and is mutating all the same: a call of what is not copies the whole struct, for each message.
    private mutating func knownVersions(_ slot: Int, _ token: ProtocolVersions) -> ProtocolVersions? {
        if let versions = records[slot].version.versions(of: token) { return versions }
        guard !records[slot].version.isContradictory else { return nil }
        let known = records[slot].server
        if known != .unasked { return serverVersions.versions(of: token, at: known) }
        guard let place = serverVersions.knownPlace(of: server(slot)) else { return nil }
        return serverVersions.versions(of: token, at: place)
    }

    /// The same, and where it is known from.
    mutating func versionAndSource(
        _ slot: Int,
        _ token: ProtocolVersions
    ) -> (versions: ProtocolVersions, source: String)? {
        guard let versions = knownVersions(slot, token) else { return nil }
        let isOwn = records[slot].version.versions(of: token) != nil
        return (versions, isOwn ? records[slot].version.source.text : LayoutEvidence.sameServer.rawValue)
    }

    private mutating func learnVersion(
        _ header: MessageHeader,
        _ bytes: RawSpan,
        _ slot: Int,
        _ side: Int,
        _ direction: Direction,
        _ token: ProtocolVersions
    ) {
        let start = header.layout.headerLength
        guard bytes.byteCount >= start else { return }
        let found = VersionClues.versions(
            body: bytes.extracting(start..<bytes.byteCount),
            header: header,
            isRequest: direction == .clientToServer
        )
        guard found != token else { return }
        let before = knownVersions(slot, token)
        learnVersion(found, from: .message(type: header.messageType, among: token), slot: slot)
        serverVersions.learn(found, at: records[slot].server)
        if knownVersions(slot, token) != before { reportVersion(slot, side: side, token) }
    }

    /// Takes what something else than a message shows of the version, before the layout is told.
    mutating func learnVersion(_ found: ProtocolVersions, from source: VersionKnowledge.Source, slot: Int) {
        records[slot].version.learn(found, from: source)
    }
}
