import FuzzChecks
import PacketCapture
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A short run of each fuzz target without libFuzzer: parts of the captures, changed by chance. `FUZZ_SEED` and `FUZZ_ROUNDS` make
/// it another or a longer one.
@Suite struct ShortRunTests {
    private static func setting(_ name: String, otherwise: UInt64) -> UInt64 {
        getenv(name).flatMap { UInt64(String(cString: $0)) } ?? otherwise
    }

    private static func seeds() throws -> [String: [[UInt8]]] {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        var seeds: [String: [[UInt8]]] = [:]
        for name in try fileNames(in: "\(root)/Captures") where name.hasSuffix(".pcap") {
            let path = "\(root)/Captures/\(name)"
            seeds["reader", default: []].append(Array(try fileContents(path).prefix(4096)))
            var maker = SeedMaker { seeds[$0, default: []].append($1) }
            do throws(CaptureError) {
                var capture = try CaptureFile(path: path)
                _ = try capture.read(into: &maker)
            } catch {}
            maker.finish()
        }
        return seeds
    }

    @Test(arguments: FuzzTarget.all.map(\.name)) func changedCapturesBreakNothing(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seed = Self.setting("FUZZ_SEED", otherwise: 1)
        var random = SeededGenerator(seed: seed)
        let seeds = try #require(try Self.seeds()[name])
        for round in 0..<Self.setting("FUZZ_ROUNDS", otherwise: 60) {
            var input = seeds.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 0...6, using: &random) { change(&input, &random) }
            #expect(throws: Never.self, "FUZZ_SEED=\(seed), round \(round): \(input)") { try target.check(input) }
        }
    }

    private func change(_ input: inout [UInt8], _ random: inout SeededGenerator) {
        guard !input.isEmpty else { return }
        let place = Int.random(in: 0..<input.count, using: &random)
        let count = Int.random(in: 1...min(16, input.count - place), using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: input[place] = UInt8.random(in: 0...255, using: &random)
        case 1: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: input.removeSubrange(place..<place + count)
        case 3: input.insert(contentsOf: input[place..<place + count], at: Int.random(in: 0...place, using: &random))
        default:
            for index in place..<place + count { input[index] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &random)! }
        }
    }
}
