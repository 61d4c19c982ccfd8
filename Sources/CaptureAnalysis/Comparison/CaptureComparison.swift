import ESProtocol
import MessageFormat

/// What became of one conversation.
package struct ConversationComparison {
    /// Numbers of the conversation; `nil` if one of the captures does not have it. Both are `nil` if all messages are
    /// compared as one conversation.
    package var a: Int?
    package var b: Int?
    /// The messages, in the order of both captures.
    package var entries: [ComparedMessages] = []
    package var renumberings: [Renumbering] = []
    /// The layouts of its messages, where they differ.
    package var layouts: (a: HeaderLayout, b: HeaderLayout)?

    package var isDifferent: Bool { entries.contains { $0.kind != .same } }
}

/// Two captures compared.
///
/// Conversations are paired, their messages aligned by direction, type and content, and what is not the same is compared
/// field by field. The messages stay where they are; what is made here is a few words for each of them.
package struct CaptureComparison {
    package let a: CapturedMessages
    package let b: CapturedMessages
    package let options: ComparisonOptions
    package private(set) var conversations: [ConversationComparison] = []
    /// Names that are others in B, and were met.
    package private(set) var renamings: [Renaming] = []
    /// Fields that differ although nothing else does, and how often: they may.
    package private(set) var allowed: [String: Int] = [:]
    /// Names to be ignored that no message has.
    package private(set) var unmetIgnored: [String] = []
    /// Users of ``ComparisonOptions/users`` that A or B does not have.
    package private(set) var unmetUsers: [String] = []
    /// How many messages are in each state.
    package private(set) var counts: [ComparedMessages.Kind: Int] = [:]
    /// Of an excerpt: messages of the other that have no counterpart in it, and need none.
    package private(set) var leftOut = 0

    private var fields: FieldComparison
    /// For ``ComparisonOptions/allowsOtherIDs``.
    private var repliesA: ReplyDelays?

    package var isDifferent: Bool { counts.contains { $0.key != .same && $0.value > 0 } }

    /// The earliest difference, by the number of the message in A (or what is before it in its conversation).
    package private(set) var first: (conversation: Int, entry: Int)?

    package init(
        _ a: CapturedMessages,
        _ b: CapturedMessages,
        options: ComparisonOptions = ComparisonOptions(),
        describer: BodyDescriber = BodyDescriber()
    ) {
        self.a = a
        self.b = b
        self.options = options
        let layoutsDiffer = Self.tokens(a) != Self.tokens(b) && !a.messages.isEmpty && !b.messages.isEmpty
        var signatures = MessageSignatures(
            a,
            b,
            options: options,
            describer: describer,
            layoutsDiffer: layoutsDiffer
        )
        unmetIgnored = signatures.unmetIgnored
        func isCompared(_ message: CapturedMessage) -> Bool {
            !options.ignoresHeartbeats
                || MessageTypeNames.name(of: message.header.messageType, layout: message.header.layout) != "HeartBeat"
        }
        var sidesA = ConversationMessages.list(a, where: isCompared)
        var sidesB = ConversationMessages.list(b, where: isCompared)
        if options.isExcerpt {
            // Nobody knows which conversation each message of an excerpt is from.
            sidesA = ConversationMessages.joined(sidesA)
            sidesB = ConversationMessages.joined(sidesB)
        }
        let pairs = ConversationPairing.pairs(sidesA, sidesB, signatures)

        var map = IdentityMap()
        for user in options.users {
            for name in [user.a, user.b]
            where signatures.knownNumber(of: Identity(kind: .user, text: name)) == nil {
                unmetUsers.append(name)
            }
            map.rename(
                signatures.number(of: Identity(kind: .user, text: user.a)),
                to: signatures.number(of: Identity(kind: .user, text: user.b))
            )
        }
        var search = RenamingSearch()
        let byContent = AlignmentContext(a: a, b: b, signatures: signatures, map: map, withNames: false)
        for pair in pairs {
            for direction in [Direction.clientToServer, .serverToClient] {
                var alignment = DirectionAlignment(sidesA[pair.a][direction], sidesB[pair.b][direction], byContent)
                alignment.run()
                alignment.pairs { first, second, isSure in
                    search.note(
                        signatures.names(of: signatures.a[first]),
                        signatures.names(of: signatures.b[second]),
                        isSure: isSure
                    )
                }
            }
        }
        let given = Dictionary(options.users.map { ($0.a, $0.b) }) { first, _ in first }
        let endpoints = Self.endpoints(sidesA, sidesB, pairs)
        for found in search.result(signatures.identities, expected: { endpoints.contains(EndpointPair(a: $0, b: $1)) })
        {
            let (from, to) = (signatures.identities[Int(found.a)], signatures.identities[Int(found.b)])
            let isGiven = from.kind == .user && given[from.text ?? ""] == to.text
            guard isGiven || !options.isExact && map.targets[found.a] == nil else { continue }
            if !isGiven { map.rename(found.a, to: found.b) }
            renamings.append(
                Renaming(
                    kind: from.kind,
                    a: from.text ?? "",
                    b: to.text ?? "",
                    messages: found.count,
                    isGiven: isGiven || endpoints.contains(EndpointPair(a: from, b: to))
                )
            )
        }
        let context = AlignmentContext(a: a, b: b, signatures: signatures, map: map, withNames: true)
        fields = FieldComparison(context, options, describer)
        repliesA = options.allowsOtherIDs ? ReplyDelays(a) : nil
        for pair in pairs { compare(sidesA[pair.a], sidesB[pair.b], context) }
        addUnpaired(sidesA, sidesB, pairs)
        count()
    }

    private static func tokens(_ messages: CapturedMessages) -> Set<HeaderLayout.StartToken> {
        Set(messages.messages.lazy.map(\.header.layout.startToken))
    }

    private struct EndpointPair: Hashable {
        var a: Identity
        var b: Identity
    }

    /// What the addresses and ports of paired conversations say of each other.
    private static func endpoints(
        _ a: [ConversationMessages],
        _ b: [ConversationMessages],
        _ pairs: [(a: Int, b: Int)]
    ) -> Set<EndpointPair> {
        var result: Set<EndpointPair> = []
        for pair in pairs {
            let (first, second) = (a[pair.a].conversation, b[pair.b].conversation)
            func add(_ kind: IdentityKind, _ left: Substring, _ right: Substring) {
                result.insert(
                    EndpointPair(
                        a: Identity(kind: kind, text: String(left)),
                        b: Identity(kind: kind, text: String(right))
                    )
                )
            }
            add(.port, first.clientPort, second.clientPort)
            add(.port, first.serverPort, second.serverPort)
            add(.address, first.clientAddress, second.clientAddress)
            add(.address, first.serverAddress, second.serverAddress)
        }
        return result
    }

    // MARK: - One conversation

    private mutating func compare(
        _ first: ConversationMessages,
        _ second: ConversationMessages,
        _ context: AlignmentContext
    ) {
        var result = ConversationComparison(a: first.conversation.number, b: second.conversation.number)
        if options.isExcerpt { (result.a, result.b) = (nil, nil) }
        var directions: [[ComparedMessages]] = []
        for direction in [Direction.clientToServer, .serverToClient] {
            var alignment = DirectionAlignment(first[direction], second[direction], context)
            alignment.run()
            directions.append(alignment.entries)
        }
        result.entries = Self.merged(directions[0], directions[1])
        if options.comparesTwoMessages, let left = first.all.first, let right = second.all.first {
            result.entries = [ComparedMessages(kind: .changed, a: left, b: right)]
        }
        var numbering = MessageNumbering(result.entries, context)
        numbering.run()
        if !options.isExact, !options.comparesTwoMessages, !options.allowsOtherIDs {
            result.renumberings = numbering.renumberings
        }
        for index in result.entries.indices where result.entries[index].a >= 0 && result.entries[index].b >= 0 {
            let entry = result.entries[index]
            let idsDiffer = a.messages[entry.a].header.messageID != b.messages[entry.b].header.messageID
            result.entries[index].hasOtherID =
                idsDiffer
                && (options.isExact || !options.comparesTwoMessages && numbering.isUnexplained[index])
            // An answer has the id of what was asked.
            if let repliesA, repliesA.reply(entry.a) == nil { result.entries[index].hasOtherID = false }
            let found = fields.compare(entry.a, entry.b, isIDUnexplained: result.entries[index].hasOtherID)
            for name in found.allowed { allowed[name, default: 0] += 1 }
            if entry.kind != .reordered {
                result.entries[index].kind = found.changes.isEmpty ? .same : .changed
            }
            let (left, right) = (a.messages[entry.a].header.layout, b.messages[entry.b].header.layout)
            if left != right, result.layouts == nil { result.layouts = (left, right) }
        }
        if options.allowsMoreInA { leaveOut(.onlyInA, &result) }
        if options.allowsMoreInB { leaveOut(.onlyInB, &result) }
        conversations.append(result)
    }

    private mutating func leaveOut(_ kind: ComparedMessages.Kind, _ result: inout ConversationComparison) {
        let before = result.entries.count
        result.entries.removeAll { $0.kind == kind }
        leftOut += before - result.entries.count
    }

    /// Both directions in one order, which is that of A; what is only in B stands where it is in B, as far as that can be.
    private static func merged(_ left: [ComparedMessages], _ right: [ComparedMessages]) -> [ComparedMessages] {
        func precedes(_ x: ComparedMessages, _ y: ComparedMessages) -> Bool {
            if x.a >= 0, y.a >= 0 { return x.a < y.a }
            if x.b >= 0, y.b >= 0, x.kind != .reordered, y.kind != .reordered { return x.b < y.b }
            return x.a >= 0
        }
        var result: [ComparedMessages] = []
        result.reserveCapacity(left.count + right.count)
        var (i, j) = (0, 0)
        while i < left.count, j < right.count {
            if precedes(right[j], left[i]) {
                result.append(right[j])
                j += 1
            } else {
                result.append(left[i])
                i += 1
            }
        }
        result += left[i...]
        result += right[j...]
        return result
    }

    private mutating func addUnpaired(
        _ a: [ConversationMessages],
        _ b: [ConversationMessages],
        _ pairs: [(a: Int, b: Int)]
    ) {
        let (pairedA, pairedB) = (Set(pairs.map(\.a)), Set(pairs.map(\.b)))
        for index in a.indices where !pairedA.contains(index) {
            let entries = a[index].all.sorted().map { ComparedMessages(kind: .onlyInA, a: $0, b: -1) }
            add(ConversationComparison(a: a[index].conversation.number, entries: entries), options.allowsMoreInA)
        }
        for index in b.indices where !pairedB.contains(index) {
            let entries = b[index].all.sorted().map { ComparedMessages(kind: .onlyInB, a: -1, b: $0) }
            add(ConversationComparison(b: b[index].conversation.number, entries: entries), options.allowsMoreInB)
        }
    }

    private mutating func add(_ conversation: ConversationComparison, _ isAllowed: Bool) {
        if isAllowed { leftOut += conversation.entries.count } else { conversations.append(conversation) }
    }

    private mutating func count() {
        var earliest = Int.max
        for (place, conversation) in conversations.enumerated() {
            var position = -1
            var isFound = false
            for (index, entry) in conversation.entries.enumerated() {
                counts[entry.kind, default: 0] += 1
                if entry.a >= 0 { position = entry.a }
                guard entry.kind != .same, !isFound else { continue }
                isFound = true
                // A conversation that A does not have comes behind everything.
                let rank = conversation.a == nil && conversation.b != nil ? Int.max - 1 : position
                if rank < earliest {
                    earliest = rank
                    first = (place, index)
                }
            }
        }
    }

    /// The fields that differ in two messages that correspond.
    package mutating func changes(of entry: ComparedMessages) -> [FieldChange] {
        guard entry.a >= 0, entry.b >= 0 else { return [] }
        return fields.compare(entry.a, entry.b, isIDUnexplained: entry.hasOtherID).changes
    }
}
