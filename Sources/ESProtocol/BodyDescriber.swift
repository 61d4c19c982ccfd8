/// What is known of a body.
public struct BodyDescription: Equatable, Sendable {
    /// `Logon request`
    public var title: String
    /// In the order of the bytes; each byte that is there in exactly one.
    public var fields: [Field]
    /// The bytes have this form, to the last one; or as far as they are there.
    public var isExact: Bool
    /// Nothing is known of such a body; it looks as if the framework's serializer had made it.
    public var isGuess: Bool
    /// The versions with this form.
    public var versions: ProtocolVersions
}

/// Finds the fields of a body.
public struct BodyDescriber: Sendable {
    /// The version of the framework, if it is known better than the start token tells.
    public var version: ProtocolVersion?
    /// How many fields a body may have; what lies behind is one field more.
    public var maximumFields = 20_000

    public init(version: ProtocolVersion? = nil) { self.version = version }

    /// The fields of a body that is known, or looks as if the framework's serializer had made it.
    ///
    /// They cover each byte that is there exactly once, in order. What does not fit is said in their meaning, and what
    /// cannot be explained for it is `es.body.rest`. A body that was cut is followed to where it ends.
    /// - Parameters:
    ///   - body: The bytes of the body from its start that are there without a gap; may be fewer than declared.
    ///   - bodyOffset: Where the body starts in the message.
    ///   - header: The message's header.
    ///   - isRequest: From client to server.
    /// - Returns: `nil` if nothing is known of such a body, or it is empty.
    public func fields(
        body: RawSpan,
        bodyOffset: Int,
        header: MessageHeader,
        isRequest: Bool
    ) -> (title: String, fields: [Field])? {
        describe(body: body, bodyOffset: bodyOffset, header: header, isRequest: isRequest).map { ($0.title, $0.fields) }
    }

    /// The same, with what else is known.
    public func describe(
        body: RawSpan,
        bodyOffset: Int,
        header: MessageHeader,
        isRequest: Bool
    ) -> BodyDescription? {
        let declared = max(Int(header.bodyLength), 0)
        let there = min(body.byteCount, declared)
        guard declared > 0 else { return nil }
        let body = body.extracting(0..<there)

        let entries = BodyPlanTable.shared.entries(of: header.messageType)
        let token = ProtocolVersions(startToken: header.layout.startToken)
        let versions = version.map { token.intersection(ProtocolVersions($0)) } ?? token
        let opposite: BodyDirection = isRequest ? .reply : .request
        var first: BodyDescription?
        // In the direction that the message went; then, as directions can be mistaken, in the other.
        for isExpected in [true, false] {
            for entry in entries
            where (entry.direction != opposite) == isExpected && !entry.versions.isDisjoint(with: versions) {
                var breakdown = BodyBreakdown(
                    entry.plan,
                    bodyOffset: bodyOffset,
                    there: there,
                    maximumFields: maximumFields
                )
                breakdown.run(declared: declared, body)
                guard breakdown.isExact || isExpected && first == nil else { continue }
                let description = BodyDescription(
                    title: isExpected ? entry.title : entry.title + ", by its form",
                    fields: breakdown.fields,
                    isExact: breakdown.isExact,
                    isGuess: false,
                    versions: entry.versions.intersection(token)
                )
                if breakdown.isExact, isExpected || there == declared { return description }
                if isExpected { first = description }
            }
        }
        if let first { return first }
        guard there == declared, let guess = BodyGuess(body, maximumFields: maximumFields) else { return nil }
        return BodyDescription(
            title: guess.title,
            fields: guess.fields(body, bodyOffset: bodyOffset),
            isExact: false,
            isGuess: true,
            versions: token
        )
    }

    /// The versions that a whole body fits, of those that the start token leaves open. For finding out the version from
    /// what a conversation holds: all of them where the body does not tell.
    public func versions(body: RawSpan, header: MessageHeader, isRequest: Bool) -> ProtocolVersions {
        let token = ProtocolVersions(startToken: header.layout.startToken)
        guard body.byteCount > 0, body.byteCount == Int(header.bodyLength) else { return token }
        var fitting: ProtocolVersions = []
        let opposite: BodyDirection = isRequest ? .reply : .request
        for entry in BodyPlanTable.shared.entries(of: header.messageType)
        where entry.direction != opposite && !entry.versions.isDisjoint(with: token) {
            var breakdown = BodyBreakdown(
                entry.plan,
                bodyOffset: 0,
                there: body.byteCount,
                maximumFields: maximumFields
            )
            breakdown.run(declared: body.byteCount, body)
            if breakdown.isExact { fitting.formUnion(entry.versions.intersection(token)) }
        }
        return fitting.isEmpty ? token : fitting
    }
}
