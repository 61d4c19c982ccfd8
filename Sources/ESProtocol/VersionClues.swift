/// Tells versions that share a layout from each other by what a message is and holds.
public enum VersionClues {
    /// Whether messages like this one can tell; most cannot, and this costs no more than a look into a table.
    public static func mayTell(_ header: MessageHeader) -> Bool {
        guard !ProtocolVersions(startToken: header.layout.startToken).isSingle else { return false }
        if let clientType = header.clientType, clientType > lastClientTypeOf47, clientType <= lastClientTypeOf65 {
            return true
        }
        let type = Int(header.messageType)
        return type < tellingTypes.count && tellingTypes[type]
    }

    /// Below this no client type tells, whatever the message is.
    package static var firstTellingClientType: UInt8 { lastClientTypeOf47 + 1 }

    /// The versions that a whole message leaves open, of those that its start token does; all of these if it does not tell.
    ///
    /// A type that only one of them has tells if its body has the form to the last byte. Without a body it tells only below
    /// 500: beyond that, an application of an older version may have types of its own.
    /// - Parameters:
    ///   - body: All bytes of the body; with fewer than declared, nothing is told.
    ///   - isRequest: From client to server.
    public static func versions(body: RawSpan, header: MessageHeader, isRequest: Bool) -> ProtocolVersions {
        let token = ProtocolVersions(startToken: header.layout.startToken)
        guard !token.isSingle, body.byteCount == max(Int(header.bodyLength), 0) else { return token }
        if let clientType = header.clientType, clientType > lastClientTypeOf47, clientType <= lastClientTypeOf65,
            token.contains(.v65)
        {
            return .v65
        }
        if body.byteCount == 0 {
            guard header.messageType < 500 else { return token }
            return MessageTypeTable.versions(of: header.messageType, in: token) ?? token
        }
        var fitting: ProtocolVersions = []
        let opposite: BodyDirection = isRequest ? .reply : .request
        for entry in BodyPlanTable.shared.entries(of: header.messageType)
        where entry.direction != opposite && entry.isMeasured && !entry.versions.isDisjoint(with: token) {
            var breakdown = BodyBreakdown(
                entry.plan,
                bodyOffset: 0,
                there: body.byteCount,
                maximumFields: 1000
            )
            breakdown.run(declared: body.byteCount, body)
            if breakdown.isExact { fitting.formUnion(entry.versions.intersection(token)) }
        }
        return fitting.isEmpty ? token : fitting
    }

    /// 7 and 8 came with 6.5.
    private static let lastClientTypeOf47 = UInt8(ClientTypeTable.names(.v47).count - 1)
    private static let lastClientTypeOf65 = UInt8(ClientTypeTable.names(.v65).count - 1)

    /// By number: whether 4.7 and 6.5 have the type, and its bodies, in common.
    private static let tellingTypes: [Bool] = {
        let shared = ProtocolVersions.upTo65
        let types = MessageTypeDescription.all.filter { !$0.versions.isDisjoint(with: shared) }
        var telling = [Bool](repeating: false, count: 1 + Int(types.map(\.number).max() ?? 0))
        for type in types {
            let isShared = type.versions.isSuperset(of: shared)
            let bodies = type.bodies.filter { !$0.versions.isDisjoint(with: shared) }
            if !isShared || bodies.contains(where: { !$0.versions.isSuperset(of: shared) }) {
                telling[Int(type.number)] = true
            }
        }
        return telling
    }()
}
