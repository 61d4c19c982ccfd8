@testable import BodyDescription
import Testing

/// Neither a description nor bytes make the interpreter work, or take memory, without bound.
@Suite struct LimitTests {
    private func errors(
        _ description: String,
        _ bytes: [UInt8] = [],
        _ change: (inout DescriptionLimits) -> Void = { _ in }
    ) throws -> [String] {
        var limits = DescriptionLimits()
        change(&limits)
        return try DescriptionFile(description, name: "t.ksy").tree(of: bytes, limits: limits).errors.map(\.description)
    }

    @Test func elementsThatTakeNoByte() throws {
        let seen = try errors("{meta: {id: t}, seq: [{id: a, size: 0, repeat: eos}]}", [1])
        #expect(seen == ["a at offset 0: more than 10000 elements take no byte"])
        let counted = try errors(
            "{meta: {id: t}, seq: [{id: a, size: 0, repeat: expr, repeat-expr: 0xffffffffffffffff}]}"
        )
        #expect(counted == seen)
        let until = try errors("{meta: {id: t}, seq: [{id: a, size: 0, repeat: until, repeat-until: false}]}")
        #expect(until == seen)
    }

    @Test func typesThatContainThemselvesAndTakeNoByte() throws {
        #expect(try errors("{meta: {id: t}, seq: [{id: a, type: t}]}").count == 1)
        let seen = try errors("{meta: {id: t}, seq: [{id: a, type: t(n + 1)}], params: [{id: n, type: u1}]}")
        #expect(seen.count == 1)
        // Instances go on as deep as they may, and no further.
        let deep = try errors(
            "{meta: {id: t}, seq: [{id: a, type: x(0)}], types: {x: {params: [{id: n, type: u4}], instances: {b: {pos: 0, type: x(n + 1)}}}}}"
        )
        #expect(deep.count == 1)
        #expect(deep.first?.hasSuffix("deep") == true)
    }

    @Test func treesThatGrowExponentially() throws {
        let seen = try errors(
            "{meta: {id: t}, seq: [{id: a, type: x}], types: {x: {seq: [{id: b, type: x}, {id: c, type: x}]}}}"
        )
        #expect(seen.count == 1)
        let shared = try errors(
            "meta: {id: t}\ninstances:\n  i0: {value: '[1000, 1]'}\n"
                + (1..<60).map { "  i\($0): {value: '[i\($0 - 1), i\($0 - 1)]'}\n" }.joined()
        ) { $0.values = 10_000 }
        #expect(shared.contains { $0.hasSuffix("values to show") })
    }

    @Test func textThatDoubles() throws {
        let seen = try errors(
            "meta: {id: t}\ninstances:\n  i0: {value: '\"abcdefgh\"'}\n"
                + (1..<60).map { "  i\($0): {value: i\($0 - 1) + i\($0 - 1)}\n" }.joined()
        ) { $0.copiedBytes = 1 << 20 }
        #expect(seen.allSatisfy { $0.hasSuffix("more than 1048576 bytes are made of these") })
        #expect(seen.count > 30)
    }

    @Test func sizesThatLie() throws {
        #expect(
            try errors(
                "{meta: {id: t}, seq: [{id: n, type: u8le}, {id: a, size: n}]}",
                [UInt8](repeating: 255, count: 9)
            )
            .first?.hasPrefix("a at offset 8: needs ") == true
        )
        #expect(
            try errors(
                "{meta: {id: t}, seq: [{id: n, type: s8le}, {id: a, size: n}]}",
                [UInt8](repeating: 255, count: 9)
            )
                == ["a at offset 8: the size is -1"]
        )
    }

    @Test func steps() throws {
        let seen = try errors(
            "{meta: {id: t}, seq: [{id: a, type: u1, repeat: eos, valid: {expr: _ + 1 - 1 == _}}]}",
            [UInt8](repeating: 0, count: 1000)
        ) { $0.steps = 1000 }
        #expect(seen.first?.hasSuffix("more than 1000 steps are needed") == true)
    }

    @Test func whatZlibMakes() throws {
        // 2000 zero bytes.
        let made = hexBytes("789c63601805a360148c8251300a46c150070007d00001")
        let seen = try errors("{meta: {id: t}, seq: [{id: a, size-eos: true, process: zlib}]}", made) {
            $0.inflatedBytes = 1000
        }
        #expect(seen.first?.hasPrefix("a at offset 0: zlib makes more than 1000 bytes") == true, "\(seen)")
    }

    /// Names are collected before any body is seen: they are bounded as well.
    @Test func manyBodiesWithAGreatTypeInEach() throws {
        let big = (0..<40).map { "{id: f\($0), type: u1}" }.joined(separator: ", ")
        let inner = (0..<20).map { "{id: g\($0), type: big}" }.joined(separator: ", ")
        let bodies = (0..<26).map { "  t\($0): {-esdump-message-type: \($0), seq: [\(inner)]}" }.joined(
            separator: "\n"
        )
        let file = try DescriptionFile("meta: {id: t}\ntypes:\n  big: {seq: [\(big)]}\n\(bodies)", name: "t.ksy")
        let described = try DescribedBodies(file, usesPlans: false)
        #expect(described.knownFields.count <= 20_000)
        #expect(described.knownFields.contains { $0.name == "es.body.g19.f39" })
    }
}
