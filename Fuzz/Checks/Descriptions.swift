import BodyDescription
import ESProtocol

/// The first byte chooses. 255: the rest is a description, which compiles or is refused with a place in it, and is then
/// followed over a few bytes. Another: one of ``fuzzedDescriptions``, and the rest is a body, whose fields must cover each
/// byte once; the quick way must find the same as the interpreter.
@Sendable func checkDescriptions(_ bytes: [UInt8]) throws(Finding) {
    var input = Input(bytes)
    let choice = input.byte()
    guard choice < 255 else { return try checkDescriptionText(input.rest()) }
    let index = Int(choice) % fuzzedDescriptions.count
    let settings = input.byte()
    let missing = settings & 1 == 0 ? 0 : Int(input.byte())
    let body = input.rest()
    try checkDescribed(fuzzedDescriptions[index], body, missing: missing, settings: settings, "description \(index)")
}

private func checkDescriptionText(_ text: [UInt8]) throws(Finding) {
    let file: DescriptionFile
    do throws(DescriptionError) { file = try DescriptionFile(text, name: "f.ksy") } catch {
        try require(!error.message.isEmpty, "refused without a reason")
        let lines = text.reduce(1) { $0 + ($1 == 0x0A || $1 == 0x0D ? 1 : 0) }
        if let place = error.place {
            // YAML has further ends of lines: U+0085, U+2028 and U+2029.
            let more = text.count { $0 == 0x85 || $0 == 0xA8 || $0 == 0xA9 }
            try require((1...lines + more).contains(place.line), "refused in line \(place.line) of \(lines)")
            try require(place.column >= 1, "refused in column \(place.column)")
        }
        return
    }
    var limits = DescriptionLimits()
    limits.steps = 20_000
    limits.values = 2_000
    limits.inflatedBytes = 1 << 20
    limits.copiedBytes = 4 << 20
    for data in [[], sampleBody] { _ = file.tree(of: data, limits: limits) }
    guard let slow = try? DescribedBodies(file, usesPlans: false), let quick = try? DescribedBodies(file) else {
        return
    }
    for data in [[1], sampleBody] {
        try checkDescribed((slow, quick), data, missing: 0, settings: 0, "a description")
    }
}

private let sampleBody: [UInt8] =
    [3, 0, 0, 0, 0x61, 0x62, 0, 1, 2] + (0..<40).map { UInt8(truncatingIfNeeded: $0 &* 37) } + [0, 0, 0, 0xFF]

private func checkDescribed(
    _ bodies: (slow: DescribedBodies, quick: DescribedBodies),
    _ body: [UInt8],
    missing: Int,
    settings: UInt8,
    _ what: String
) throws(Finding) {
    let layout = HeaderLayout(startToken: .ff, idSlot: 12)
    let start = layout.headerLength
    let maximumFields = settings & 2 == 0 ? 500 : 7
    for (type, isRequest) in [(1000, settings & 4 == 0), (202, true)] as [(UInt16, Bool)] {
        let headerBytes = headerBytes(
            layout,
            clientType: 3,
            type: type,
            id: 9,
            bodyLength: Int32(body.count + missing),
            user: [97],
            dest: [95, 48]
        )
        let header = withExactCopy(headerBytes) { MessageHeader(reading: $0, layout: layout) }
        var found: [BodyDescription?] = []
        for application in [bodies.slow, bodies.quick] {
            var describer = BodyDescriber(profile: Profile(.v65), application: application)
            describer.maximumFields = maximumFields
            found.append(
                withExactCopy(body) {
                    describer.describe(body: $0, bodyOffset: start, header: header, isRequest: isRequest)
                }
            )
        }
        if let slow = found[0], let quick = found[1], !isSame(slow, quick) {
            let places = zip(slow.fields, quick.fields).first { !isSame($0, $1) }
            throw Finding("\(what): the quick way finds \(places.map { "\($1), not \($0)" } ?? quick.title)")
        }
        try require((found[0] == nil) == (found[1] == nil), "\(what): only one way finds something")
        guard let description = found[0] else { continue }
        var position = start
        for field in description.fields {
            try require(field.offset == position, "\(what): \(field.name) at \(field.offset), not \(position)")
            try require(field.length >= 0, "\(what): \(field.name) of \(field.length) bytes")
            try require(field.name.hasPrefix("es.body"), "\(what): a field named \(field.name)")
            position += field.length
        }
        try require(position == start + body.count, "\(what): the fields end at \(position) of \(start + body.count)")
    }
}

private func isSame(_ a: BodyDescription, _ b: BodyDescription) -> Bool {
    a.title == b.title && a.isExact == b.isExact && a.fields.count == b.fields.count
        && zip(a.fields, b.fields).allSatisfy { isSame($0, $1) }
}

/// Real numbers need not be equal to themselves.
private func isSame(_ a: Field, _ b: Field) -> Bool {
    guard case .real(let first) = a.value, case .real(let second) = b.value else { return a == b }
    var (a, b) = (a, b)
    a.value = .none
    b.value = .none
    return first.bitPattern == second.bitPattern && a == b
}

/// Descriptions with every feature, each read in both ways.
private let fuzzedDescriptions: [(slow: DescribedBodies, quick: DescribedBodies)] = fuzzedTexts.map { text in
    guard let file = try? DescriptionFile("meta: {id: f, endian: le, encoding: UTF-8}\n" + text, name: "f.ksy"),
        let slow = try? DescribedBodies(file, usesPlans: false), let quick = try? DescribedBodies(file)
    else { fatalError("a fuzzed description does not compile: \(text)") }
    return (slow, quick)
}

/// For message type 1000, or for what 202 carries.
package let fuzzedTexts = [
    """
    -esdump-message-type: 1000
    seq:
      - {id: kind, type: u1, enum: kind, valid: {in-enum: true}}
      - {id: len, type: u2be}
      - {id: name, type: str, size: len}
      - {id: flags, type: b3}
      - {id: level, type: b5}
      - {id: wide, type: b12le}
      - {id: mark, type: b4le}
      - {id: rate, type: f4}
      - {id: when, type: s8, -esdump-date: ticks}
      - {id: password, type: strz}
      - {id: items, type: item, repeat: expr, repeat-expr: level % 5}
      - {id: tail, size-eos: true}
    enums: {kind: {0: {id: zero, -orig-id: Zero}, 1: one, 97: letter}}
    instances:
      total: {value: len * 3 - level, valid: {min: -100}}
      is_high: {value: 'level > 9 and kind != kind::one'}
    types: {item: {seq: [{id: id, type: u1}, {id: text, type: string, if: id > 100}]}, string: {seq: [{id: n, type: u1, -esdump-name: length}, {id: s, type: str, size: n, -esdump-name: ''}]}}
    """,
    """
    -esdump-message-type: 1000
    params: [{id: message_id, type: s4}, {id: is_request, type: bool}]
    seq:
      - {id: tag, type: u1}
      - {id: body, type: {switch-on: tag, cases: {1: one, 2: two, 3: u4, 97: three}}, size: 'tag % 16'}
      - {id: padded, type: str, size: 6, pad-right: 0x20, terminator: 0}
      - {id: list, type: s2, repeat: until, repeat-until: '_ < 0 or _index == 3'}
      - {id: more, type: u1, if: 'is_request and message_id == 9'}
      - {id: line, terminator: 10, include: true, eos-error: false}
      - {id: rest, type: two, size-eos: true, process: xor(0x55)}
    types:
      one: {seq: [{id: x, type: u1}, {id: y, type: b4}, {id: z, type: b4, if: x != 3}]}
      two: {seq: [{id: a, type: u1, repeat: eos}]}
      three: {seq: [{id: up, type: u1, valid: {expr: _ < 200}}, {id: data, size: _parent.tag / 20}]}
    instances:
      first: {pos: 0, type: u2be}
      last: {pos: _io.size - 1, type: u1, if: _io.size > 4}
      sum: {value: first + tag}
    """,
    """
    -esdump-message-type: _
    seq:
      - {id: blob, size: 8, process: zlib}
      - {id: nodes, type: node, repeat: eos}
    types:
      node:
        seq:
          - {id: n, type: vlq}
          - {id: text, type: str, size: 'n.value < 6 ? n.value : 1', encoding: UTF-16LE}
          - {id: child, type: node, if: n.value == 7}
        instances: {r: {value: text.reverse + n.value.to_s}, half: {value: 'n.value / 2.0'}}
      vlq:
        seq: [{id: groups, type: group, repeat: until, repeat-until: not _.more}]
        instances: {value: {value: 'groups[0].v + (groups.size > 1 ? groups[1].v << 7 : 0)'}}
      group: {seq: [{id: more, type: b1}, {id: v, type: b7}]}
    """,
    """
    types:
      content:
        -esdump-information-type: _
        seq:
          - {id: size, type: u1}
          - {id: inside, type: inner, size: size}
          - {id: words, type: strz, repeat: eos}
      inner: {seq: [{id: magic, contents: [0x61]}, {id: pairs, type: pair, repeat: eos}], instances: {n: {value: pairs.size}}}
      pair: {seq: [{id: key, type: u1}, {id: value, type: s1, valid: {max: key}}]}
    """,
]

/// The beginnings of the fuzzer's corpus.
package let descriptionSeeds: [[UInt8]] =
    fuzzedTexts.map { [255] + Array("meta: {id: f, endian: le, encoding: UTF-8}\n\($0)".utf8) }
    + fuzzedTexts.indices.map { [UInt8($0), 0] + sampleBody }
