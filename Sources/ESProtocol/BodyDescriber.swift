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

    public init(title: String, fields: [Field], isExact: Bool, isGuess: Bool, versions: ProtocolVersions) {
        self.title = title
        self.fields = fields
        self.isExact = isExact
        self.isGuess = isGuess
        self.versions = versions
    }
}

/// Finds the fields of a body.
public struct BodyDescriber: Sendable {
    /// What is known beyond the start token: the version, or a user's own profile.
    public var profile: Profile?
    /// What is known of an application's own bodies.
    public var application: (any ApplicationBodies)?
    /// How many fields a body may have; what lies behind is one field more.
    public var maximumFields = 20_000

    public init(profile: Profile? = nil, application: (any ApplicationBodies)? = nil) {
        self.profile = profile
        self.application = application
    }

    public init(version: ProtocolVersion?) { profile = version.map { Profile($0) } }

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

        guard let application else { return describeOwn(body, bodyOffset, declared: declared, header, isRequest) }
        let versions = profile?.versions ?? ProtocolVersions(startToken: header.layout.startToken)
        if let described = application.describe(
            body: body,
            bodyOffset: bodyOffset,
            header: header,
            isRequest: isRequest,
            versions: versions,
            maximumFields: maximumFields
        ) {
            return described
        }
        let own = describeOwn(body, bodyOffset, declared: declared, header, isRequest)
        return own?.explained(
            by: application,
            body: body,
            bodyOffset: bodyOffset,
            header: header,
            isRequest: isRequest,
            versions: versions,
            maximumFields: maximumFields
        )
    }

    /// What is known of the framework's bodies, or guessed.
    private func describeOwn(
        _ body: RawSpan,
        _ bodyOffset: Int,
        declared: Int,
        _ header: MessageHeader,
        _ isRequest: Bool
    ) -> BodyDescription? {
        let there = body.byteCount
        let token = ProtocolVersions(startToken: header.layout.startToken)
        // What a version leaves out may still come from it: through a server, from a client of another version.
        let allowed = profile?.custom == nil ? token : profile?.versions ?? token
        let likely = profile?.versions.intersection(allowed) ?? allowed
        let opposite: BodyDirection = isRequest ? .reply : .request
        var first: BodyDescription?
        if let type = profile?.bodyType(of: header.messageType) ?? (profile == nil ? header.messageType : nil) {
            let entries = BodyPlanTable.shared.entries(of: type)
            // In the direction that the message went; then, as directions can be mistaken, in the other.
            for (isExpected, isLikely) in [(true, true), (true, false), (false, true), (false, false)] {
                for entry in entries
                where (entry.direction != opposite) == isExpected && !entry.versions.isDisjoint(with: allowed)
                    && entry.versions.isDisjoint(with: likely) != isLikely
                {
                    var breakdown = BodyBreakdown(
                        entry.plan,
                        bodyOffset: bodyOffset,
                        there: there,
                        maximumFields: maximumFields
                    )
                    breakdown.run(declared: declared, body)
                    let isFirst = isExpected && first == nil && entry.isMeasured
                    guard breakdown.isExact || isFirst else { continue }
                    var title = entry.title
                    if !isLikely { title += " of \(entry.versions.intersection(allowed).name)" }
                    if !isExpected { title += ", by its form" }
                    let description = BodyDescription(
                        title: title,
                        fields: breakdown.fields,
                        isExact: breakdown.isExact,
                        isGuess: false,
                        versions: entry.versions.intersection(allowed)
                    )
                    if breakdown.isExact, isExpected || there == declared { return description }
                    if isFirst { first = description }
                }
            }
        }
        if let first { return first }
        guard there == declared, let guess = BodyGuess(body, maximumFields: maximumFields) else { return nil }
        return BodyDescription(
            title: guess.title,
            fields: guess.fields(body, bodyOffset: bodyOffset),
            isExact: false,
            isGuess: true,
            versions: allowed
        )
    }
}
