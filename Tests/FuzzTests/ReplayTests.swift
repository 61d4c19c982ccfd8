import FuzzChecks
import TestSupport
import Testing

/// What the fuzzers found once (Fuzz/Inputs), and inputs that are easy to make: through the same checks, without libFuzzer.
@Suite struct ReplayTests {
    @Test(arguments: FuzzTarget.all.map(\.name)) func whatWasFoundOnceIsFoundNoMore(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let folder = "/\(root)/Fuzz/Inputs/\(name)"
        for file in try fileNames(in: folder) {
            #expect(throws: Never.self, "\(name)/\(file)") { try target.check(fileContents("\(folder)/\(file)")) }
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name)) func bytesByChanceBreakNothing(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        var state: UInt64 = 1
        for length in 0..<300 {
            let bytes = (0..<length).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
            #expect(throws: Never.self, "\(name), \(length) bytes") { try target.check(bytes) }
        }
    }
}
