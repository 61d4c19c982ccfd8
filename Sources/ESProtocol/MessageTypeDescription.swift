/// One type of message of the framework: its number, its name and its bodies. Declared once, in one of the files `Bodies….swift`.
public struct MessageTypeDescription: Hashable, Sendable {
    /// Who sends it.
    public enum Flow: Hashable, Sendable {
        /// The client asks, and the server answers with the same number.
        case exchange
        case fromClient
        case fromServer
        /// Both, or one client another, through the server or without it.
        case any
    }

    /// A body, and where it is used.
    public struct Body: Hashable, Sendable {
        public let direction: BodyDirection
        public let versions: ProtocolVersions
        public let schema: BodySchema
        /// Seen on the wire, or as the output of the framework's serializer (PROTOCOL.md). Otherwise it is known from a
        /// description only.
        public let isMeasured: Bool

        static func request(_ schema: BodySchema, in versions: ProtocolVersions = .measured) -> Body {
            Body(direction: .request, versions: versions, schema: schema, isMeasured: true)
        }
        static func reply(
            _ schema: BodySchema,
            in versions: ProtocolVersions = .measured,
            isMeasured: Bool = true
        ) -> Body {
            Body(direction: .reply, versions: versions, schema: schema, isMeasured: isMeasured)
        }
        static func both(_ schema: BodySchema, in versions: ProtocolVersions = .measured) -> Body {
            Body(direction: .both, versions: versions, schema: schema, isMeasured: true)
        }
    }

    public let number: UInt16
    public let name: String
    public let flow: Flow
    /// The versions that have it.
    public let versions: ProtocolVersions
    /// A direction that has none here has an empty body, if ``hasKnownBodies``.
    public let bodies: [Body]
    /// Whether it is known what stands in its bodies, if anything.
    public let hasKnownBodies: Bool

    init(
        _ number: UInt16,
        _ name: String,
        _ flow: Flow,
        in versions: ProtocolVersions = .measured,
        _ bodies: [Body] = [],
        hasKnownBodies: Bool = true
    ) {
        self.number = number
        self.name = name
        self.flow = flow
        self.versions = versions
        self.bodies = bodies.map {
            Body(
                direction: $0.direction,
                versions: $0.versions.intersection(versions),
                schema: $0.schema,
                isMeasured: $0.isMeasured
            )
        }
        self.hasKnownBodies = hasKnownBodies
    }

    /// Request and reply share the number.
    public var isExchange: Bool { flow == .exchange }

    /// The name of a body: `Logon request`, or `KickOut` where there is no reply.
    public func title(_ direction: BodyDirection) -> String {
        guard isExchange else { return name }
        return switch direction {
        case .request: name + " request"
        case .reply: name + " reply"
        case .both: name
        }
    }

    /// Every type that is known, in order of its number.
    public static let all: [MessageTypeDescription] =
        BodiesBasic.all + BodiesCustomizeInfo.all + BodiesFileTransfer.all + BodiesPeerToPeer.all + BodiesGroups.all

    /// What a version means by a number.
    public static func find(_ number: UInt16, version: ProtocolVersion) -> MessageTypeDescription? {
        all.first { $0.number == number && $0.versions.contains(ProtocolVersions(version)) }
    }

    /// The same under another number and name, as an application may have it.
    func renumbered(_ number: UInt16, _ name: String) -> MessageTypeDescription {
        MessageTypeDescription(number, name, flow, in: versions, bodies, hasKnownBodies: hasKnownBodies)
    }

    /// Only what some versions have of it; `nil` if that is nothing.
    public func restricted(to versions: ProtocolVersions) -> MessageTypeDescription? {
        let shared = self.versions.intersection(versions)
        guard !shared.isEmpty else { return nil }
        let bodies = bodies.filter { !$0.versions.isDisjoint(with: shared) }
        return MessageTypeDescription(number, name, flow, in: shared, bodies, hasKnownBodies: hasKnownBodies)
    }

    /// The form of its body in a version; `nil` if it has none.
    public func schema(version: ProtocolVersion, isRequest: Bool) -> BodySchema? {
        bodies.first {
            $0.versions.contains(ProtocolVersions(version)) && $0.direction != (isRequest ? .reply : .request)
        }?.schema
    }
}

extension BodyProperty {
    static func string(_ name: String) -> BodyProperty { BodyProperty(name, .string) }
    static func secret(_ name: String) -> BodyProperty { BodyProperty(name, .string, isSecret: true) }
    static func strings(_ name: String) -> BodyProperty { BodyProperty(name, .list(.string)) }
    static func bytes(_ name: String) -> BodyProperty { BodyProperty(name, .bytes) }
    static func bool(_ name: String) -> BodyProperty { BodyProperty(name, .boolean) }
    static func byte(_ name: String) -> BodyProperty { BodyProperty(name, .byte) }
    static func int32(_ name: String) -> BodyProperty { BodyProperty(name, .int32) }
    static func uint64(_ name: String) -> BodyProperty { BodyProperty(name, .uint64) }
    static func enumeration(_ name: String, _ names: BodyEnumeration) -> BodyProperty {
        BodyProperty(name, .enumeration(names))
    }
}
