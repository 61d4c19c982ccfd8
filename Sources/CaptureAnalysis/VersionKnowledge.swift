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

/// What is known of the version at one server's address: one for all conversations with it.
final class ServerVersion {
    var knowledge = VersionKnowledge()
}

/// The servers whose version is known, or may become so.
struct ServerVersions {
    private var servers: [Endpoint: ServerVersion] = [:]
    private let maximum = 4096

    /// What is known of a server; one that is not remembered is on its own once there are too many.
    mutating func server(_ endpoint: Endpoint) -> ServerVersion {
        if let server = servers[endpoint] { return server }
        let server = ServerVersion()
        if servers.count < maximum { servers[endpoint] = server }
        return server
    }

    /// What is known of a server, if anything is.
    func known(_ endpoint: Endpoint) -> ServerVersion? { servers[endpoint] }
}

extension StreamReporter {
    /// The names and bodies that hold for a message. Learns from it, and says so, if it tells the version.
    mutating func profile(
        of message: FramedMessage,
        bytes: RawSpan,
        slot: Int,
        side: Int,
        direction: Direction
    ) -> Profile {
        if let given = options.profile { return given }
        let token = ProtocolVersions(startToken: message.header.layout.startToken)
        if token.isSingle { return Profile(versions: token) }
        if records[slot].server == nil { records[slot].server = serverVersions.server(server(slot)) }
        if options.infersVersions, message.status == .complete, VersionClues.mayTell(message.header),
            records[slot].version.versions(of: token) == nil
        {
            learnVersion(message, bytes, slot, side, direction, token)
        }
        return Profile(versions: knownVersions(slot, token) ?? token)
    }

    /// What is known of the version in a conversation; `nil` if nothing is. Its own messages count more than those of others.
    private func knownVersions(_ slot: Int, _ token: ProtocolVersions) -> ProtocolVersions? {
        if let versions = records[slot].version.versions(of: token) { return versions }
        guard !records[slot].version.isContradictory else { return nil }
        let known = records[slot].server ?? serverVersions.known(server(slot))
        return known?.knowledge.versions(of: token)
    }

    /// The same, and where it is known from.
    func versionAndSource(_ slot: Int, _ token: ProtocolVersions) -> (versions: ProtocolVersions, source: String)? {
        guard let versions = knownVersions(slot, token) else { return nil }
        let isOwn = records[slot].version.versions(of: token) != nil
        return (versions, isOwn ? records[slot].version.source : LayoutEvidence.sameServer.rawValue)
    }

    private mutating func learnVersion(
        _ message: FramedMessage,
        _ bytes: RawSpan,
        _ slot: Int,
        _ side: Int,
        _ direction: Direction,
        _ token: ProtocolVersions
    ) {
        let header = message.header
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
        records[slot].server?.knowledge.learn(found, from: "")
        if knownVersions(slot, token) != before { reportVersion(slot, side: side, token) }
    }

    /// Takes what something else than a message shows of the version, before the layout is told.
    mutating func learnVersion(_ found: ProtocolVersions, from source: String, slot: Int) {
        records[slot].version.learn(found, from: source)
    }
}
