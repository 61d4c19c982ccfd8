import ESProtocol
import MessageFormat
import NetworkStack

/// What messages have shown of the version behind a layout that several versions share.
struct VersionKnowledge {
    /// Those that are left open.
    private(set) var versions = ProtocolVersions.all
    /// What told the version, in words: `the form of P2PLogon (401)`.
    private(set) var source = ""
    /// Messages contradict each other: nothing is believed any more.
    private(set) var isContradictory = false

    /// Takes what one more message leaves open.
    mutating func learn(_ found: ProtocolVersions, from source: String) {
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
    typealias Place = Int32

    private var places: [Endpoint: Place] = [:]
    private var knowledge: [VersionKnowledge] = []
    private let maximum = 4096
    /// Of servers that are not remembered: their conversations are each on their own.
    private static let nowhere: Place = -1

    /// Where what is known of a server stands; nowhere once there are too many.
    mutating func place(of endpoint: Endpoint) -> Place {
        if let place = places[endpoint] { return place }
        guard knowledge.count < maximum else { return Self.nowhere }
        let place = Place(knowledge.count)
        places[endpoint] = place
        knowledge.append(VersionKnowledge())
        return place
    }

    /// The place of a server, if it has one.
    func knownPlace(of endpoint: Endpoint) -> Place? { places[endpoint] }

    mutating func learn(_ found: ProtocolVersions, at place: Place) {
        if place >= 0 { knowledge[Int(place)].learn(found, from: "") }
    }

    func versions(of token: ProtocolVersions, at place: Place) -> ProtocolVersions? {
        place >= 0 ? knowledge[Int(place)].versions(of: token) : nil
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
        if records[slot].server == nil { notePlaceOfServer(slot) }
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
        if let place = records[slot].server { return serverVersions.versions(of: token, at: place) }
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
        return (versions, isOwn ? records[slot].version.source : LayoutEvidence.sameServer.rawValue)
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
        let name = Profile(versions: token).messageTypeName(header.messageType) ?? "type"
        learnVersion(found, from: "the form of \(name) (\(header.messageType))", slot: slot)
        if let place = records[slot].server { serverVersions.learn(found, at: place) }
        if knownVersions(slot, token) != before { reportVersion(slot, side: side, token) }
    }

    /// Takes what something else than a message shows of the version, before the layout is told.
    mutating func learnVersion(_ found: ProtocolVersions, from source: String, slot: Int) {
        records[slot].version.learn(found, from: source)
    }
}
