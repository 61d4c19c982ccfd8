import TestSupport
import Foundation
import Testing

@testable import ESProtocol

/// The seed of this run; `ESDUMP_TEST_SEED` sets it.
let bodyTestSeed: UInt64 = {
    let seed =
        ProcessInfo.processInfo.environment["ESDUMP_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...99_999)
    print("ESDUMP_TEST_SEED=\(seed)")
    return seed
}()

/// Bytes of a hexadecimal string; blanks are left out.
func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8.filter { $0 != 32 })
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16) ?? 0
    }
}

/// A header as a stream would have it, of a body that is declared to have so many bytes.
func header(_ type: UInt16, _ version: ProtocolVersion, bodyLength: Int) -> MessageHeader {
    let layout = Profile(version).layout() ?? HeaderLayout(startToken: version.startToken, idSlot: 12)
    var bytes = [UInt8](repeating: 0, count: layout.headerLength)
    bytes[2] = UInt8(type & 255)
    bytes[3] = UInt8(type >> 8)
    for index in 0..<4 { bytes[8 + index] = UInt8(truncatingIfNeeded: bodyLength >> (8 * index)) }
    return MessageHeader(reading: bytes.span.bytes, layout: layout)
}

func describe(
    _ body: [UInt8],
    _ type: UInt16,
    _ version: ProtocolVersion,
    isRequest: Bool,
    declared: Int? = nil
) -> BodyDescription? {
    let header = header(type, version, bodyLength: declared ?? body.count)
    return BodyDescriber().describe(
        body: body.span.bytes,
        bodyOffset: header.layout.headerLength,
        header: header,
        isRequest: isRequest
    )
}

/// Whether fields cover each byte once, in order.
func coverEveryByte(_ fields: [Field], from start: Int, count: Int) -> Bool {
    var position = start
    for field in fields {
        guard field.offset == position, field.length >= 0 else { return false }
        position += field.length
    }
    return position == start + count
}

/// Every body of the table, with a version that has it.
let everyBody: [(type: MessageTypeDescription, body: MessageTypeDescription.Body, version: ProtocolVersion)] =
    MessageTypeDescription.all.flatMap { type in
        type.bodies.flatMap { body in body.versions.newestFirst.map { (type, body, $0) } }
    }

/// A value of a form.
func randomValue(_ schema: BodySchema, _ generator: inout SeededGenerator) -> BodyValue {
    let texts = ["", "a", "aa01", "中文", "e\u{301}", "\u{FEFF}x", "a longer text, more than a few bytes", "\0"]
    switch schema {
    case .boolean: return .boolean(.random(using: &generator))
    case .byte, .uint16, .uint32, .uint64, .character:
        let bits = UInt64((schema.fixedSize ?? 8) * 8)
        return .unsigned(generator.next() >> (64 - bits))
    case .int16, .int32, .int64, .enumeration:
        let bits = Int64((schema.fixedSize ?? 8) * 8)
        return .integer(Int64(bitPattern: generator.next()) >> (64 - bits))
    case .float: return .float(Float(Int16.random(in: .min ... .max, using: &generator)) / 8)
    case .double: return .double(Double(Int32.random(in: .min ... .max, using: &generator)) / 8)
    case .date(let encoding):
        let milliseconds = Int64.random(in: 0...4_000_000_000_000, using: &generator)
        let kind = Int64(bitPattern: UInt64.random(in: 0...2, using: &generator) << 62)
        return .date(
            encoding == .milliseconds
                ? BodyDate(raw: milliseconds, encoding: encoding)
                : BodyDate(raw: (milliseconds * 10_000 + 621_355_968_000_000_000) | kind, encoding: encoding)
        )
    case .string:
        return Int.random(in: 0..<6, using: &generator) == 0
            ? .null : .string(texts.randomElement(using: &generator) ?? "")
    case .bytes, .content:
        guard Int.random(in: 0..<6, using: &generator) > 0 else { return .null }
        return .bytes(
            (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        )
    case .list(let element):
        guard Int.random(in: 0..<6, using: &generator) > 0 else { return .null }
        return .list((0..<Int.random(in: 0...5, using: &generator)).map { _ in randomValue(element, &generator) })
    case .dictionary(let key, let value):
        guard Int.random(in: 0..<6, using: &generator) > 0 else { return .null }
        return .dictionary(
            (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                BodyValue.Entry(key: randomValue(key, &generator), value: randomValue(value, &generator))
            }
        )
    case .object(let properties):
        return .object(properties.map { BodyValue.Property($0.name, randomValue($0.schema, &generator)) })
    case .rest(let isText): return isText ? .string("x") : .bytes([1, 2, 255])
    }
}
