import MessageFormat

/// The messages of one conversation, by direction.
struct ConversationMessages {
    var conversation: CapturedConversation
    /// Places in ``CapturedMessages/messages``.
    var toServer: [Int] = []
    var toClient: [Int] = []

    var all: [Int] { toServer + toClient }
    var count: Int { toServer.count + toClient.count }

    subscript(_ direction: Direction) -> [Int] { direction == .clientToServer ? toServer : toClient }

    static func list(_ messages: CapturedMessages, where isCompared: (CapturedMessage) -> Bool) -> [Self] {
        var places: [Int: Int] = [:]
        var result: [Self] = messages.conversations.map { Self(conversation: $0) }
        for (place, one) in result.enumerated() { places[one.conversation.number] = place }
        for (index, message) in messages.messages.enumerated() where isCompared(message) {
            guard let place = places[message.conversation] else { continue }
            if message.direction == .clientToServer {
                result[place].toServer.append(index)
            } else {
                result[place].toClient.append(index)
            }
        }
        for place in result.indices where !result[place].conversation.isUDP {
            result[place].toServer = inStreamOrder(result[place].toServer, messages)
            result[place].toClient = inStreamOrder(result[place].toClient, messages)
        }
        return result.filter { $0.count > 0 }
    }

    /// A message with a hole is known only when the hole is given up; where it stands in the stream does not depend on that.
    private static func inStreamOrder(_ places: [Int], _ messages: CapturedMessages) -> [Int] {
        func offset(_ place: Int) -> Int64 { messages.messages[place].streamOffset }
        let isInOrder = zip(places, places.dropFirst()).allSatisfy { offset($0) <= offset($1) }
        return isInOrder ? places : places.sorted { (offset($0), $0) < (offset($1), $1) }
    }

    /// All of them as one, in the order of the capture.
    static func joined(_ list: [Self]) -> [Self] {
        guard let first = list.first, list.count > 1 else { return list }
        return [
            Self(
                conversation: first.conversation,
                toServer: list.flatMap(\.toServer).sorted(),
                toClient: list.flatMap(\.toClient).sorted()
            )
        ]
    }
}

/// Finds which conversation of B is which of A: to the same port of the server, and as similar as there is; otherwise in
/// their order.
struct ConversationPairing {
    private let a: [ConversationMessages]
    private let b: [ConversationMessages]
    private let signatures: MessageSignatures
    private(set) var pairs: [(a: Int, b: Int)] = []
    private var freeA: Set<Int>
    private var freeB: Set<Int>

    /// So many messages of a conversation tell what it is like.
    private static let sampleSize = 256
    /// So many pairs are looked at one by one.
    private static let maximumPairs = 20_000

    init(_ a: [ConversationMessages], _ b: [ConversationMessages], _ signatures: MessageSignatures) {
        self.a = a
        self.b = b
        self.signatures = signatures
        freeA = Set(a.indices)
        freeB = Set(b.indices)
    }

    /// Pairs in the order of A.
    static func pairs(
        _ a: [ConversationMessages],
        _ b: [ConversationMessages],
        _ signatures: MessageSignatures
    ) -> [(a: Int, b: Int)] {
        var pairing = Self(a, b, signatures)
        pairing.run()
        return pairing.pairs.sorted { $0.a < $1.a }
    }

    private mutating func run() {
        // There is no choice.
        if a.count == 1, b.count == 1 { return take(0, 0) }
        var groups: [String: (a: [Int], b: [Int])] = [:]
        for index in a.indices { groups[Self.place(a[index]), default: ([], [])].a.append(index) }
        for index in b.indices { groups[Self.place(b[index]), default: ([], [])].b.append(index) }
        for key in groups.keys.sorted() { pair(groups[key]!.a, groups[key]!.b, isSameServer: true) }
        // The server may listen elsewhere in B.
        pair(freeA.sorted(), freeB.sorted(), isSameServer: false)
    }

    private static func place(_ conversation: ConversationMessages) -> String {
        (conversation.conversation.isUDP ? "u" : "t") + conversation.conversation.serverPort
    }

    private mutating func pair(_ left: [Int], _ right: [Int], isSameServer: Bool) {
        guard !left.isEmpty, !right.isEmpty else { return }
        pairSame(left, right)
        let left = left.filter(freeA.contains)
        let right = right.filter(freeB.contains)
        guard !left.isEmpty, !right.isEmpty else { return }
        if left.count * right.count <= Self.maximumPairs {
            pairSimilar(left, right, needsSimilarity: !isSameServer)
        }
        guard isSameServer else { return }
        for (i, j) in zip(left.filter(freeA.contains), right.filter(freeB.contains)) { take(i, j) }
    }

    /// Those whose messages are the same throughout.
    private mutating func pairSame(_ left: [Int], _ right: [Int]) {
        var places: [UInt64: [Int]] = [:]
        for j in right.reversed() { places[whole(b[j], signatures.b, signatures), default: []].append(j) }
        for i in left {
            let key = whole(a[i], signatures.a, signatures)
            if let j = places[key]?.popLast() { take(i, j) }
        }
    }

    private func whole(
        _ conversation: ConversationMessages,
        _ list: [MessageSignature],
        _ signatures: MessageSignatures
    ) -> UInt64 {
        var hasher = Hasher()
        for direction in [conversation.toServer, conversation.toClient] {
            hasher.combine(direction.count)
            for index in direction {
                hasher.combine(list[index].content)
                for name in signatures.names(of: list[index]) { hasher.combine(name) }
            }
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// The most similar first; of those that are equally similar, those that stand at the same place.
    private mutating func pairSimilar(_ left: [Int], _ right: [Int], needsSimilarity: Bool) {
        let samplesA = left.map { Sample(a[$0], signatures.a, signatures, Self.sampleSize) }
        let samplesB = right.map { Sample(b[$0], signatures.b, signatures, Self.sampleSize) }
        var candidates: [(similarity: Double, distance: Int, i: Int, j: Int)] = []
        for (placeA, i) in left.enumerated() {
            for (placeB, j) in right.enumerated() {
                let similarity = samplesA[placeA].similarity(to: samplesB[placeB])
                if needsSimilarity, similarity < 0.2 { continue }
                candidates.append((similarity, abs(placeA - placeB), i, j))
            }
        }
        candidates.sort {
            ($1.similarity, $0.distance, $0.i, $0.j) < ($0.similarity, $1.distance, $1.i, $1.j)
        }
        for candidate in candidates where freeA.contains(candidate.i) && freeB.contains(candidate.j) {
            take(candidate.i, candidate.j)
        }
    }

    private mutating func take(_ i: Int, _ j: Int) {
        pairs.append((i, j))
        freeA.remove(i)
        freeB.remove(j)
    }
}

/// What a conversation is like.
private struct Sample {
    private var whole: [UInt64] = []
    private var contents: [UInt64] = []
    private var kinds: [UInt64] = []

    init(
        _ conversation: ConversationMessages,
        _ list: [MessageSignature],
        _ signatures: MessageSignatures,
        _ size: Int
    ) {
        for (direction, indices) in [conversation.toServer, conversation.toClient].enumerated() {
            for index in indices.prefix(size / 2) {
                let signature = list[index]
                var hasher = Hasher()
                hasher.combine(direction)
                hasher.combine(signature.content)
                contents.append(UInt64(bitPattern: Int64(hasher.finalize())))
                for name in signatures.names(of: signature) { hasher.combine(name) }
                whole.append(UInt64(bitPattern: Int64(hasher.finalize())))
                kinds.append(signature.kind << 1 | UInt64(direction))
            }
        }
        whole.sort()
        contents.sort()
        kinds.sort()
    }

    /// From 0 to 1. The same messages count most, then the same without their names, then the same types.
    func similarity(to other: Self) -> Double {
        let total = max(kinds.count, other.kinds.count, 1)
        let common =
            4 * Self.common(whole, other.whole) + 2 * Self.common(contents, other.contents)
            + Self.common(kinds, other.kinds)
        return Double(common) / Double(7 * total)
    }

    private static func common(_ a: [UInt64], _ b: [UInt64]) -> Int {
        var (i, j, count) = (0, 0, 0)
        while i < a.count, j < b.count {
            if a[i] == b[j] {
                count += 1
                i += 1
                j += 1
            } else if a[i] < b[j] {
                i += 1
            } else {
                j += 1
            }
        }
        return count
    }
}
