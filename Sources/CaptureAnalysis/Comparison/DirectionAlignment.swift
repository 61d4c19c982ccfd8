import ESProtocol
import MessageFormat

/// What became of one message, or of one of A and one of B.
package struct ComparedMessages: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        case same, changed, onlyInA, onlyInB
        /// The same message at another place among those of its direction.
        case reordered
    }

    package var kind: Kind
    /// Places in ``CapturedMessages/messages``; -1 if there is none.
    package var a: Int
    package var b: Int
    /// Their ids differ, and no renumbering explains it.
    package var hasOtherID = false

    package init(kind: Kind, a: Int, b: Int) {
        self.kind = kind
        self.a = a
        self.b = b
    }
}

/// Aligns the messages of one direction of a conversation.
struct DirectionAlignment {
    private let a: [Int]
    private let b: [Int]
    private let context: AlignmentContext
    private var tokensA: [UInt64]
    private var tokensB: [UInt64]
    /// Of each element of `a` the one of `b` that it is aligned with, or -1; and the reverse.
    private(set) var partnerA: [Int]
    private(set) var partnerB: [Int]
    /// Of each element of `a` and `b`, whether it is somewhere else in the other.
    private var isMovedA: [Bool]
    private var isMovedB: [Bool]

    /// - Parameters:
    ///   - a: Places of the messages, in order.
    ///   - context: What they hold, and how they are compared.
    init(_ a: [Int], _ b: [Int], _ context: AlignmentContext) {
        self.a = a
        self.b = b
        self.context = context
        tokensA = a.map(context.tokenA)
        tokensB = b.map(context.tokenB)
        partnerA = [Int](repeating: -1, count: a.count)
        partnerB = [Int](repeating: -1, count: b.count)
        isMovedA = [Bool](repeating: false, count: a.count)
        isMovedB = [Bool](repeating: false, count: b.count)
    }

    /// Aligns what is the same, then what was moved, then what was changed.
    mutating func run() {
        for match in SequenceAlignment.matches(tokensA, tokensB) {
            partnerA[match.a] = match.b
            partnerB[match.b] = match.a
        }
        settleRuns()
        findMoved()
        pairChanged()
    }

    /// The pairs that were found by content, and those that are only of the same type.
    func pairs(_ body: (_ a: Int, _ b: Int, _ isSure: Bool) -> Void) {
        for i in a.indices where partnerA[i] >= 0 {
            body(a[i], b[partnerA[i]], tokensA[i] == tokensB[partnerA[i]])
        }
    }

    /// In the order of both; a moved message where it is in A.
    var entries: [ComparedMessages] {
        var result: [ComparedMessages] = []
        result.reserveCapacity(max(a.count, b.count))
        var j = 0
        func takeB(upTo end: Int) {
            while j < end {
                if partnerB[j] < 0 { result.append(ComparedMessages(kind: .onlyInB, a: -1, b: b[j])) }
                j += 1
            }
        }
        for i in a.indices {
            let partner = partnerA[i]
            if partner < 0 {
                result.append(ComparedMessages(kind: .onlyInA, a: a[i], b: -1))
            } else if isMovedA[i] {
                result.append(ComparedMessages(kind: .reordered, a: a[i], b: b[partner]))
            } else {
                takeB(upTo: partner)
                j = max(j, partner + 1)
                let kind: ComparedMessages.Kind = tokensA[i] == tokensB[partner] ? .same : .changed
                result.append(ComparedMessages(kind: kind, a: a[i], b: b[partner]))
            }
        }
        takeB(upTo: b.count)
        return result
    }

    // MARK: - Messages without a difference but their ids

    private static let longestRun = 64

    /// Of messages one behind the other that differ in nothing but their ids, aligns those with the same id.
    ///
    /// Where one of several acknowledgements is missing, the search above cannot know which.
    private mutating func settleRuns() {
        var i = 0
        while i < a.count {
            let j = partnerA[i]
            guard j >= 0 else {
                i += 1
                continue
            }
            let token = tokensA[i]
            var (firstA, lastA, firstB, lastB) = (i, i, j, j)
            while firstA > 0, tokensA[firstA - 1] == token, i - firstA < Self.longestRun { firstA -= 1 }
            while lastA + 1 < a.count, tokensA[lastA + 1] == token, lastA - i < Self.longestRun { lastA += 1 }
            while firstB > 0, tokensB[firstB - 1] == token, j - firstB < Self.longestRun { firstB -= 1 }
            while lastB + 1 < b.count, tokensB[lastB + 1] == token, lastB - j < Self.longestRun { lastB += 1 }
            if lastA - firstA != lastB - firstB { settle(firstA...lastA, firstB...lastB) }
            i = lastA + 1
        }
    }

    private mutating func settle(_ runA: ClosedRange<Int>, _ runB: ClosedRange<Int>) {
        guard runA.count <= Self.longestRun, runB.count <= Self.longestRun,
            runA.allSatisfy({ partnerA[$0] < 0 || runB.contains(partnerA[$0]) }),
            runB.allSatisfy({ partnerB[$0] < 0 || runA.contains(partnerB[$0]) })
        else { return }
        let idsA = runA.map { Int64(context.messagesA[a[$0]].header.messageID) }
        let idsB = runB.map { Int64(context.messagesB[b[$0]].header.messageID) }
        var best: (agreeing: Int, pairs: [(Int, Int)]) = (-1, [])
        for offset in offsets(around: runA) {
            let found = Self.alignment(of: idsA.map { $0 + offset }, idsB)
            if found.agreeing > best.agreeing { best = found }
        }
        if best.agreeing <= 0 { best.pairs = besideOthers(runA, runB) }
        for i in runA { partnerA[i] = -1 }
        for j in runB { partnerB[j] = -1 }
        for (x, y) in best.pairs {
            partnerA[runA.lowerBound + x] = runB.lowerBound + y
            partnerB[runB.lowerBound + y] = runA.lowerBound + x
        }
    }

    /// Where no id tells which of them is missing: that one beside which the other side has something of its own, since one
    /// may have become the other.
    private func besideOthers(_ runA: ClosedRange<Int>, _ runB: ClosedRange<Int>) -> [(Int, Int)] {
        let isAShorter = runA.count < runB.count
        let shorter = isAShorter ? runA : runB
        let partner = isAShorter ? partnerA : partnerB
        let isFreeBefore = shorter.lowerBound > 0 && partner[shorter.lowerBound - 1] < 0
        let skipped = isFreeBefore ? abs(runA.count - runB.count) : 0
        return (0..<shorter.count).map { isAShorter ? ($0, $0 + skipped) : ($0 + skipped, $0) }
    }

    /// By how much the ids differ before and behind.
    private func offsets(around run: ClosedRange<Int>) -> [Int64] {
        func offset(_ i: Int) -> Int64? {
            guard a.indices.contains(i), partnerA[i] >= 0 else { return nil }
            let (idA, idB) = (
                context.messagesA[a[i]].header.messageID, context.messagesB[b[partnerA[i]]].header.messageID
            )
            return idA == 0 || idB == 0 ? nil : Int64(idB) - Int64(idA)
        }
        return [offset(run.lowerBound - 1), 0, offset(run.upperBound + 1)].compactMap { $0 }
    }

    /// All of the shorter one in order, as many as possible with the same id.
    private static func alignment(of a: [Int64], _ b: [Int64]) -> (agreeing: Int, pairs: [(Int, Int)]) {
        if a.count > b.count {
            let turned = alignment(of: b, a)
            return (turned.agreeing, turned.pairs.map { ($1, $0) })
        }
        // best[i][j]: of the first i of `a` within the first j of `b`.
        let width = b.count + 1
        var best = [Int](repeating: Int.min / 2, count: (a.count + 1) * width)
        for j in 0...b.count { best[j] = 0 }
        for i in stride(from: 1, through: a.count, by: 1) {
            for j in i...b.count {
                let taken = best[(i - 1) * width + j - 1] + (a[i - 1] == b[j - 1] && b[j - 1] != 0 ? 1 : 0)
                best[i * width + j] = max(taken, j > i ? best[i * width + j - 1] : Int.min / 2)
            }
        }
        var pairs: [(Int, Int)] = []
        var (i, j) = (a.count, b.count)
        while i > 0 {
            if j > i, best[i * width + j - 1] == best[i * width + j] {
                j -= 1
                continue
            }
            i -= 1
            j -= 1
            pairs.append((i, j))
        }
        return (best[a.count * width + b.count], pairs.reversed())
    }

    // MARK: - What was moved

    private mutating func findMoved() {
        var places: [UInt64: [Int]] = [:]
        for j in b.indices.reversed() where partnerB[j] < 0 { places[tokensB[j], default: []].append(j) }
        guard !places.isEmpty else { return }
        for i in a.indices where partnerA[i] < 0 {
            guard let j = places[tokensA[i]]?.last, context.tellsApart(a[i], b[j]) else { continue }
            places[tokensA[i]]?.removeLast()
            partnerA[i] = j
            partnerB[j] = i
            isMovedA[i] = true
            isMovedB[j] = true
        }
    }

    // MARK: - What was changed

    /// So many comparisons are made between two places where the captures agree.
    private static let maximumComparisons = 4096

    /// Between two places where the captures agree, pairs what is most alike.
    private mutating func pairChanged() {
        var (i, j) = (0, 0)
        while i < a.count || j < b.count {
            var (left, right): ([Int], [Int]) = ([], [])
            while i < a.count, partnerA[i] < 0 || isMovedA[i] {
                if partnerA[i] < 0 { left.append(i) }
                i += 1
            }
            while j < b.count, partnerB[j] < 0 || isMovedB[j] {
                if partnerB[j] < 0 { right.append(j) }
                j += 1
            }
            if !left.isEmpty, !right.isEmpty { pairChanged(left, right) }
            if i < a.count { i += 1 }
            if j < b.count { j += 1 }
        }
    }

    private mutating func pairChanged(_ left: [Int], _ right: [Int]) {
        if left.count * right.count > Self.maximumComparisons {
            let kindsA = left.map { context.signatures.a[a[$0]].kind }
            let kindsB = right.map { context.signatures.b[b[$0]].kind }
            for match in SequenceAlignment.matches(kindsA, kindsB) { pair(left[match.a], right[match.b]) }
            return
        }
        let width = right.count + 1
        var best = [Int](repeating: 0, count: (left.count + 1) * width)
        var likeness = [Int](repeating: 0, count: left.count * right.count)
        for x in left.indices {
            for y in right.indices {
                let value = context.likeness(a[left[x]], b[right[y]])
                likeness[x * right.count + y] = value
                let skipped = max(best[x * width + y + 1], best[(x + 1) * width + y])
                best[(x + 1) * width + y + 1] = value > 0 ? max(skipped, best[x * width + y] + value) : skipped
            }
        }
        var (x, y) = (left.count, right.count)
        while x > 0, y > 0 {
            let value = best[x * width + y]
            if value == best[(x - 1) * width + y] {
                x -= 1
            } else if value == best[x * width + y - 1] {
                y -= 1
            } else {
                x -= 1
                y -= 1
                pair(left[x], right[y])
            }
        }
    }

    private mutating func pair(_ i: Int, _ j: Int) {
        partnerA[i] = j
        partnerB[j] = i
    }
}
