@testable import BodyDescription
import Testing

/// Descriptions made of several files.
@Suite struct ImportTests {
    private let files = [
        "formats/pair.ksy":
            "{meta: {id: pair}, seq: [{id: x, type: u1}, {id: y, type: sub}], types: {sub: {seq: [{id: z, type: u1}]}}, enums: {k: {1: one}}, instances: {r: {value: _root.x}}}",
        "formats/deep/other.ksy":
            "{meta: {id: other, imports: [../pair, /deep/last, other]}, seq: [{id: p, type: pair}]}",
        "formats/deep/last.ksy": "{meta: {id: last, imports: [other]}, seq: [{id: x, type: u1}]}",
    ]

    private func load(_ path: String) -> [UInt8]? { files[path].map { Array($0.utf8) } }

    @Test func areFoundBesideTheFileOrFromTheFirstOne() throws {
        let file = try DescriptionFile(
            """
            meta: {id: t, imports: [pair, deep/other]}
            seq:
              - {id: a, type: pair}
              - {id: b, type: other}
              - {id: c, type: last}
              - {id: d, type: 'pair::sub'}
            instances: {e: {value: 'pair::k::one'}}
            """,
            name: "formats/t.ksy",
            load: load
        )
        #expect(
            json(file.tree(of: [1, 2, 3, 4, 5, 6]).value)
                == #"{"a":{"x":1,"y":{"z":2},"r":1},"b":{"p":{"x":3,"y":{"z":4},"r":3}},"c":{"x":5},"d":{"z":6},"e":{"name":"one","value":1}}"#
        )
    }

    @Test func errorsNameTheFileTheyAreIn() {
        do {
            _ = try DescriptionFile("meta: {id: t, imports: bad}", name: "t.ksy") { _ in
                Array("meta: {id: bad}\nsek: 1".utf8)
            }
            Issue.record("not refused")
        } catch {
            #expect(error.description.hasPrefix("bad.ksy:2:1: "))
        }
    }

    @Test func areNotReadWithoutEnd() {
        #expect(throws: DescriptionError.self) {
            try DescriptionFile("meta: {id: t0, imports: [t1]}", name: "t0.ksy") { path in
                let number = Int(path.dropFirst().dropLast(4)) ?? 0
                return Array("meta: {id: t\(number), imports: [t\(number + 1)]}".utf8)
            }
        }
    }
}
