import ESProtocol
import TestSupport
import Testing

@testable import BodyDescription

/// Neither a broken description nor any bytes crash the reader, make it hang, or make it lose a byte.
@Suite struct HostileInputTests {
    private static let descriptions = [
        """
        meta: {id: t, endian: le, encoding: UTF-8}
        -esdump-message-type: _
        seq:
          - {id: n, type: u1}
          - {id: flags, type: b3}
          - {id: more, type: b13}
          - {id: name, type: strz, eos-error: false}
          - {id: items, type: item(_index), repeat: expr, repeat-expr: n}
          - {id: kind, type: u1, enum: k}
          - {id: body, size: n % 16, type: {switch-on: kind, cases: {'k::one': room, _: item(n)}}, if: n != 3}
          - {id: packed, size: 4, process: xor(n)}
        instances:
          early: {pos: n, type: u2, if: n < _io.size}
          sum: {value: n * 257 + flags - more}
          again: {pos: 2, size-eos: true, type: room}
        types:
          item: {params: [{id: i, type: u4}], seq: [{id: v, type: s2}, {id: s, type: str, size: i % 5, pad-right: 0}]}
          room: {seq: [{id: x, type: u1, repeat: until, repeat-until: _ == 0 or _io.eof}], instances: {up: {value: _root.n / (x.size - 3)}}}
        enums: {k: {0: zero, 1: one}}
        """,
        """
        meta: {id: t, endian: be, encoding: UTF-16LE}
        -esdump-message-type: _
        seq:
          - {id: len, type: u2}
          - {id: a, type: t, size: len, if: len < _io.size}
          - {id: text, type: strz}
          - {id: rest, size-eos: true, process: zlib}
        instances:
          next: {pos: len % 7, type: t, if: len > 1}
          twice: {value: text + text}
          list: {value: '[text.length, len, 300]'}
          least: {value: 'list.min + list[len % 4]'}
        """,
    ]
    private static let tokens = [
        "type: ", "size: ", "repeat: eos", "0", "-1", "0xffffffffffffffff", "_parent", "_root", "_io", ".", "(", ")",
        "n", "t",
        "u1", "pos: 0", "if: ", " * ", " + ", " << ", "[0]", ".first", ".as<t>", "\"x\"", ", ", "{", "}", "\n",
    ]

    private func limits() -> DescriptionLimits {
        var limits = DescriptionLimits()
        limits.steps = 20_000
        limits.values = 2_000
        limits.emptyElements = 100
        limits.copiedBytes = 1 << 20
        return limits
    }

    @Test(arguments: UInt64(0)..<8) func brokenDescriptions(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            var text = Array((Self.descriptions.randomElement(using: &generator) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let at = Int.random(in: 0...text.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text.removeSubrange(at..<min(at + Int.random(in: 1...6, using: &generator), text.count))
                case 1: text.insert(contentsOf: (Self.tokens.randomElement(using: &generator) ?? "").utf8, at: at)
                default: if at < text.count { text[at] = .random(in: 0...255, using: &generator) }
                }
            }
            guard let file = try? DescriptionFile(text, name: "t.ksy") else { continue }
            _ = file.tree(of: bytes(&generator), limits: limits())
        }
    }

    @Test(arguments: UInt64(0)..<8) func anyBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed &+ 100)
        for description in Self.descriptions {
            let file = try DescriptionFile(description, name: "t.ksy")
            let describer = BodyDescriber(application: try DescribedBodies(file))
            for _ in 0..<60 {
                let bytes = bytes(&generator)
                _ = file.tree(of: bytes, limits: limits())
                let declared = max(bytes.count, Int.random(in: 0...60, using: &generator))
                let found = describer.describe(
                    body: bytes.span.bytes,
                    bodyOffset: 36,
                    header: testHeader(type: 1000, bodyLength: declared),
                    isRequest: true
                )
                var position = 36
                for field in found?.fields ?? [] {
                    #expect(field.offset == position, "seed \(seed): \(field.name) of \(bytes)")
                    position = field.offset + field.length
                }
                #expect(found == nil || position == 36 + bytes.count, "seed \(seed): \(bytes)")
            }
        }
    }

    private func bytes(_ generator: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 0...50, using: &generator)).map { _ in
            Bool.random(using: &generator)
                ? .random(in: 0...4, using: &generator) : .random(in: 0...255, using: &generator)
        }
    }
}
