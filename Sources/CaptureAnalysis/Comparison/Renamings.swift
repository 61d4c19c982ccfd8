/// A name that is another one in B, wherever it stands.
package struct Renaming: Equatable, Sendable {
    package var kind: IdentityKind
    package var a: String
    package var b: String
    /// In how many pairs of messages.
    package var messages: Int
    /// It was asked for, or follows from the addresses of the connections.
    package var isGiven: Bool
}

/// Which names of A are which of B.
struct IdentityMap {
    /// By the number of the name in A; others stay what they are.
    private(set) var targets: [Int32: Int32] = [:]
    /// The names of B that one of A became: they are not the same as themselves in A.
    private var taken: Set<Int32> = []

    mutating func rename(_ a: Int32, to b: Int32) {
        targets[a] = b
        taken.insert(b)
    }

    func matches(_ a: Int32, _ b: Int32) -> Bool { (targets[a] ?? a) == b }

    /// The number to compare with that of B.
    func mapped(_ a: Int32) -> Int32 {
        if let target = targets[a] { return target }
        return taken.contains(a) ? -1 - a : a
    }
}

/// Counts which names stand at the same place in messages that correspond, and finds those that are always another one.
struct RenamingSearch {
    private struct Pair: Hashable {
        var a: Int32
        var b: Int32
    }

    /// In how many pairs of messages the two stand at the same place: with the same content otherwise, or only of the same
    /// type.
    private var sure: [Pair: Int] = [:]
    private var likely: [Pair: Int] = [:]

    private static let maximumNames = 64

    mutating func note(_ a: ArraySlice<Int32>, _ b: ArraySlice<Int32>, isSure: Bool) {
        guard a.count == b.count else { return }
        // Of a long list the first ones tell.
        let (a, b) = (a.prefix(Self.maximumNames), b.prefix(Self.maximumNames))
        var (i, j) = (a.startIndex, b.startIndex)
        while i < a.endIndex {
            let pair = Pair(a: a[i], b: b[j])
            // Once for each message.
            if !zip(a[..<i], b[..<j]).contains(where: { $0 == pair.a && $1 == pair.b }) {
                if isSure { sure[pair, default: 0] += 1 } else { likely[pair, default: 0] += 1 }
            }
            i += 1
            j += 1
        }
    }

    /// Names that are always another one, in at least two messages, and nothing else is that other one.
    /// - Parameter expected: Pairs for which one message is enough.
    func result(_ identities: [Identity], expected: (Identity, Identity) -> Bool) -> [(a: Int32, b: Int32, count: Int)]
    {
        var found = Self.consistent(sure, identities)
        let settledA = Set(sure.keys.map(\.a))
        let settledB = Set(sure.keys.map(\.b))
        for pair in Self.consistent(likely, identities) where !settledA.contains(pair.a) && !settledB.contains(pair.b) {
            found.append(pair)
        }
        // What the less sure pairs add to the count.
        return found.compactMap { pair in
            let count = (sure[Pair(a: pair.a, b: pair.b)] ?? 0) + (likely[Pair(a: pair.a, b: pair.b)] ?? 0)
            guard count >= 2 || expected(identities[Int(pair.a)], identities[Int(pair.b)]) else { return nil }
            return (pair.a, pair.b, count)
        }.sorted { $0.0 < $1.0 }
    }

    private static func consistent(_ counts: [Pair: Int], _ identities: [Identity]) -> [(a: Int32, b: Int32)] {
        var targets: [Int32: Int] = [:]
        var sources: [Int32: Int] = [:]
        for pair in counts.keys {
            targets[pair.a, default: 0] += 1
            sources[pair.b, default: 0] += 1
        }
        return counts.keys.filter { pair in
            let (a, b) = (identities[Int(pair.a)], identities[Int(pair.b)])
            return pair.a != pair.b && targets[pair.a] == 1 && sources[pair.b] == 1 && a.kind == b.kind
                && a.text != nil && b.text != nil && a.text != "_0" && b.text != "_0"
        }.map { ($0.a, $0.b) }
    }
}
