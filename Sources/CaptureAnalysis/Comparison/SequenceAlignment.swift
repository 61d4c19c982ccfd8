/// Finds a long common subsequence of two sequences of tokens.
///
/// What is unique in both and in the same order is matched first; between these, a shortest edit script is looked for in
/// linear space. Where there is very much difference, the search ends early with a script that need not be the shortest, so
/// that the work stays in proportion to the length.
package struct SequenceAlignment {
    /// Elements with these indices are the same; both ascend.
    package struct Match: Equatable, Sendable {
        package var a: Int
        package var b: Int
    }

    private struct Part {
        var a: Range<Int>
        var b: Range<Int>
        var depth: Int
    }

    /// How many differences are searched through before the best way so far is taken.
    private static let maximumCost = 128
    /// How often unique elements split a part; their search reads all of it.
    private static let maximumDepth = 24

    private let a: [UInt64]
    private let b: [UInt64]
    private var matches: [Match] = []
    /// The furthest index in `a` that was reached on each diagonal, from the beginning and from the end.
    private var forward: [Int] = []
    private var backward: [Int] = []

    package static func matches(_ a: [UInt64], _ b: [UInt64]) -> [Match] {
        // What the other sequence does not have only makes the search long.
        let (inA, inB) = (Set(a), Set(b))
        let placesA = a.indices.filter { inB.contains(a[$0]) }
        let placesB = b.indices.filter { inA.contains(b[$0]) }
        var alignment = SequenceAlignment(placesA.map { a[$0] }, placesB.map { b[$0] })
        alignment.run()
        return alignment.matches.map { Match(a: placesA[$0.a], b: placesB[$0.b]) }
    }

    private init(_ a: [UInt64], _ b: [UInt64]) {
        self.a = a
        self.b = b
    }

    private mutating func run() {
        var parts = [Part(a: a.indices, b: b.indices, depth: 0)]
        while let part = parts.popLast() {
            let (ra, rb) = trim(part)
            if ra.isEmpty || rb.isEmpty { continue }
            if part.depth < Self.maximumDepth {
                let anchors = uniqueAnchors(ra, rb)
                if !anchors.isEmpty {
                    split(ra, rb, at: anchors, depth: part.depth + 1, into: &parts)
                    continue
                }
            }
            guard ra.count > 1 || rb.count > 1 else { continue }
            let middle = middle(ra, rb)
            let first = Part(a: ra.lowerBound..<middle.a, b: rb.lowerBound..<middle.b, depth: Self.maximumDepth)
            let second = Part(a: middle.a..<ra.upperBound, b: middle.b..<rb.upperBound, depth: Self.maximumDepth)
            // Without progress the two have nothing in common that can be found.
            if first.a.isEmpty && first.b.isEmpty || second.a.isEmpty && second.b.isEmpty { continue }
            parts.append(second)
            parts.append(first)
        }
        matches.sort { $0.a < $1.a }
    }

    /// Matches what is the same at both ends.
    private mutating func trim(_ part: Part) -> (Range<Int>, Range<Int>) {
        var (aStart, aEnd, bStart, bEnd) = (
            part.a.lowerBound, part.a.upperBound, part.b.lowerBound, part.b.upperBound
        )
        while aStart < aEnd, bStart < bEnd, a[aStart] == b[bStart] {
            matches.append(Match(a: aStart, b: bStart))
            aStart += 1
            bStart += 1
        }
        while aStart < aEnd, bStart < bEnd, a[aEnd - 1] == b[bEnd - 1] {
            aEnd -= 1
            bEnd -= 1
            matches.append(Match(a: aEnd, b: bEnd))
        }
        return (aStart..<aEnd, bStart..<bEnd)
    }

    // MARK: - Unique elements

    /// The longest ascending sequence of elements that are unique in both parts.
    private func uniqueAnchors(_ ra: Range<Int>, _ rb: Range<Int>) -> [Match] {
        struct Place {
            var countA = 0
            var countB = 0
            var a = 0
            var b = 0
        }
        var places: [UInt64: Place] = [:]
        places.reserveCapacity(ra.count)
        for index in ra {
            places[a[index], default: Place()].countA += 1
            places[a[index]]!.a = index
        }
        for index in rb {
            guard let slot = places.index(forKey: b[index]) else { continue }
            places.values[slot].countB += 1
            places.values[slot].b = index
        }
        var candidates: [Match] = []
        for index in ra {
            if let place = places[a[index]], place.countA == 1, place.countB == 1 {
                candidates.append(Match(a: index, b: place.b))
            }
        }
        return Self.longestAscending(candidates)
    }

    /// - Parameter candidates: ascending in `a`.
    private static func longestAscending(_ candidates: [Match]) -> [Match] {
        /// Of each length, the candidate with the smallest `b` that ends such a sequence.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: candidates.count)
        for (index, candidate) in candidates.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if candidates[ends[middle]].b < candidate.b { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var result: [Match] = []
        var index = ends.last ?? -1
        while index >= 0 {
            result.append(candidates[index])
            index = previous[index]
        }
        return result.reversed()
    }

    private mutating func split(
        _ ra: Range<Int>,
        _ rb: Range<Int>,
        at anchors: [Match],
        depth: Int,
        into parts: inout [Part]
    ) {
        var (aStart, bStart) = (ra.lowerBound, rb.lowerBound)
        for anchor in anchors {
            matches.append(anchor)
            parts.append(Part(a: aStart..<anchor.a, b: bStart..<anchor.b, depth: depth))
            aStart = anchor.a + 1
            bStart = anchor.b + 1
        }
        parts.append(Part(a: aStart..<ra.upperBound, b: bStart..<rb.upperBound, depth: depth))
    }

    // MARK: - The shortest edit script

    /// A point that a shortest edit script goes through (Myers' search from both ends), or a good one if that takes long.
    private mutating func middle(_ ra: Range<Int>, _ rb: Range<Int>) -> Match {
        let (n, m) = (ra.count, rb.count)
        let (a0, b0) = (ra.lowerBound, rb.lowerBound)
        // Diagonal k holds the points with x - y = k, from -m to n, and has its place in the arrays at k + shift.
        let shift = m + 1
        let delta = n - m
        let isOdd = delta & 1 != 0
        if forward.count < n + m + 3 {
            forward = [Int](repeating: 0, count: n + m + 3)
            backward = forward
        }
        var (firstForward, lastForward) = (0, 0)
        var (firstBackward, lastBackward) = (delta, delta)
        forward[shift] = 0
        backward[shift + delta] = n
        var cost = 0
        var work = 0
        let maximumWork = 4 * (Self.maximumCost * Self.maximumCost + n + m)
        while cost < Self.maximumCost, work < maximumWork {
            cost += 1
            // From the beginning. What lies beside the diagonals in use must lose; at the border their range narrows.
            if firstForward > -m {
                firstForward -= 1
                forward[shift + firstForward - 1] = -1
            } else {
                firstForward += 1
            }
            if lastForward < n {
                lastForward += 1
                forward[shift + lastForward + 1] = -1
            } else {
                lastForward -= 1
            }
            for k in stride(from: lastForward, through: firstForward, by: -2) {
                let (left, right) = (forward[shift + k - 1], forward[shift + k + 1])
                let start = left < right ? right : left + 1
                var x = start
                while x < n, x - k < m, a[a0 + x] == b[b0 + x - k] { x += 1 }
                work += 1 + x - start
                forward[shift + k] = x
                if isOdd, k >= firstBackward, k <= lastBackward, backward[shift + k] <= x {
                    return Match(a: a0 + x, b: b0 + x - k)
                }
            }
            // From the end.
            if firstBackward > -m {
                firstBackward -= 1
                backward[shift + firstBackward - 1] = .max
            } else {
                firstBackward += 1
            }
            if lastBackward < n {
                lastBackward += 1
                backward[shift + lastBackward + 1] = .max
            } else {
                lastBackward -= 1
            }
            for k in stride(from: lastBackward, through: firstBackward, by: -2) {
                let (left, right) = (backward[shift + k - 1], backward[shift + k + 1])
                let start = left < right ? left : right - 1
                var x = start
                while x > 0, x - k > 0, a[a0 + x - 1] == b[b0 + x - k - 1] { x -= 1 }
                work += 1 + start - x
                backward[shift + k] = x
                if !isOdd, k >= firstForward, k <= lastForward, x <= forward[shift + k] {
                    return Match(a: a0 + x, b: b0 + x - k)
                }
            }
        }
        // The furthest point from either end.
        var best = Match(a: 0, b: 0)
        for k in stride(from: lastForward, through: firstForward, by: -2) {
            let x = min(forward[shift + k], n, m + k)
            if x + x - k > best.a + best.b { best = Match(a: x, b: x - k) }
        }
        var far = Match(a: n, b: m)
        for k in stride(from: lastBackward, through: firstBackward, by: -2) {
            let x = max(backward[shift + k], 0, k)
            if x + x - k < far.a + far.b { far = Match(a: x, b: x - k) }
        }
        if n + m - far.a - far.b > best.a + best.b { best = far }
        return Match(a: a0 + best.a, b: b0 + best.b)
    }
}
