import TestSupport
import Testing

@testable import CaptureAnalysis

@Suite struct SequenceAlignmentTests {
    private func check(_ a: [UInt64], _ b: [UInt64], sourceLocation: SourceLocation = #_sourceLocation) -> Int {
        let matches = SequenceAlignment.matches(a, b)
        for (index, match) in matches.enumerated() {
            #expect(a[match.a] == b[match.b], sourceLocation: sourceLocation)
            guard index > 0 else { continue }
            #expect(
                match.a > matches[index - 1].a && match.b > matches[index - 1].b,
                sourceLocation: sourceLocation
            )
        }
        return matches.count
    }

    /// The length of a longest common subsequence, by the book.
    private func longest(_ a: [UInt64], _ b: [UInt64]) -> Int {
        var row = [Int](repeating: 0, count: b.count + 1)
        for x in a {
            var diagonal = 0
            for j in b.indices {
                let above = row[j + 1]
                row[j + 1] = x == b[j] ? diagonal + 1 : max(above, row[j])
                diagonal = above
            }
        }
        return row[b.count]
    }

    @Test func theSameIsMatchedThroughout() {
        #expect(check([1, 2, 2, 3], [1, 2, 2, 3]) == 4)
        #expect(check([], []) == 0)
        #expect(check([], [1]) == 0)
        #expect(check([1], [2]) == 0)
    }

    @Test func whatWasPutInOrTakenOutIsTheRest() {
        #expect(check([1, 2, 3, 4], [1, 3, 4]) == 3)
        #expect(check([1, 1, 1], [1, 1, 1, 1, 1]) == 3)
        #expect(check([1, 2, 3], [9, 1, 9, 2, 9, 3, 9]) == 3)
    }

    /// Unique elements may cost a little of the length, never much; without any the script is a shortest one.
    @Test func nearlyAsMuchIsFoundAsThereIs() {
        var random = SeededGenerator(seed: 7)
        var (found, possible) = (0, 0)
        for _ in 0..<800 {
            let kinds = UInt64.random(in: 1...6, using: &random)
            let a = (0..<Int.random(in: 0...16, using: &random)).map { _ in UInt64.random(in: 0..<kinds, using: &random)
            }
            let b = (0..<Int.random(in: 0...16, using: &random)).map { _ in UInt64.random(in: 0..<kinds, using: &random)
            }
            let count = check(a, b)
            let best = longest(a, b)
            #expect(count <= best)
            found += count
            possible += best
        }
        #expect(found * 100 >= possible * 96)
    }

    @Test func withoutUniqueElementsNothingIsMissed() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<300 {
            // Every element twice on each side, so that none is unique at first.
            let a = (0..<8).flatMap { _ in
                [UInt64](repeating: UInt64.random(in: 0..<3, using: &random), count: 2)
            }
            let b = (0..<8).flatMap { _ in
                [UInt64](repeating: UInt64.random(in: 0..<3, using: &random), count: 2)
            }
            #expect(check(a, b) * 10 >= longest(a, b) * 8)
        }
    }

    /// A hundred thousand messages on each side must not take a square of that, however they are.
    @Test func muchDifferenceTakesNoSquareOfTime() {
        let count: UInt64 = 10_000
        var random = SeededGenerator(seed: 3)
        let few = (0..<count).map { _ in UInt64.random(in: 0..<4, using: &random) }
        let others = (0..<count).map { _ in UInt64.random(in: 0..<4, using: &random) }
        let start = ContinuousClock.now
        #expect(check(few, others) > Int(count) / 2)
        #expect(check(Array(0..<count), Array(count..<2 * count)) == 0)
        #expect(check(Array(0..<count), Array((0..<count).reversed())) == 1)
        #expect(check((0..<count).map { $0 % 7 }, (0..<count).map { $0 % 5 }) > Int(count) / 2)
        // A square would be 100 million steps each; this is for a debug build on a busy machine.
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
