import ESProtocol

/// The header of a message whose body is given.
func headerBytes(
    _ layout: HeaderLayout,
    clientType: UInt8,
    type: UInt16,
    id: Int32,
    bodyLength: Int32,
    user: [UInt8],
    dest: [UInt8]
) -> [UInt8] {
    var bytes = [layout.startToken.firstByte, layout.startToken == .ffff ? 0xFF : clientType]
    bytes += [UInt8(truncatingIfNeeded: type), UInt8(type >> 8)]
    for value in [UInt32(bitPattern: id), UInt32(bitPattern: bodyLength)] {
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    for name in [user, dest] {
        let room = Int(layout.idSlot) - 1
        let shown = name.prefix(room)
        // The length may be wrong.
        bytes.append(UInt8(truncatingIfNeeded: name.count))
        bytes += shown + [UInt8](repeating: 0, count: room - shown.count)
    }
    return bytes
}

/// A message type, settings and a body: the fields cover each byte once, and what a reader of the form accepts is written back as
/// it was.
@Sendable func checkBodies(_ bytes: [UInt8]) throws(Finding) {
    var input = Input(bytes)
    let type = input.uint16()
    let flags = input.byte()
    let more = Int(Int8(bitPattern: input.byte()))
    let body = input.rest()
    let layout = HeaderLayout(
        startToken: HeaderLayout.StartToken(rawValue: (flags & 3) % 3) ?? .ff,
        idSlot: flags & 4 == 0 ? 12 : 2
    )
    // Cut (positive), or longer than declared (negative).
    let declared = Int32(max(body.count + (flags & 8 == 0 ? 0 : more), 0))
    let headerBytes = headerBytes(
        layout,
        clientType: 0,
        type: type,
        id: 1,
        bodyLength: declared,
        user: [97],
        dest: [95, 48]
    )
    let header = withExactCopy(headerBytes) { MessageHeader(reading: $0, layout: layout) }
    let versions: [ProtocolVersion?] = [nil] + ProtocolVersion.allCases
    var describer = BodyDescriber(version: versions[Int(flags >> 4 & 7) % versions.count])
    if flags & 0x80 != 0 { describer.maximumFields = max(more & 0x1F, 1) }
    let there = min(body.count, Int(declared))
    for isRequest in [true, false] {
        let (description, fitting) = withExactCopy(body) {
            (
                describer.describe(body: $0, bodyOffset: headerBytes.count, header: header, isRequest: isRequest),
                VersionClues.versions(body: $0, header: header, isRequest: isRequest)
            )
        }
        try require(!fitting.isEmpty, "no version fits")
        guard let description else { continue }
        var position = headerBytes.count
        for field in description.fields {
            try require(field.offset == position, "\(field.name) at \(field.offset), not \(position)")
            try require(field.length >= 0, "\(field.name) of \(field.length) bytes")
            try require(field.name.hasPrefix("es."), "a field named \(field.name)")
            try require(!field.name.utf8.contains { $0 < 0x21 || $0 > 0x7E }, "a field named \(field.name)")
            position += field.length
        }
        try require(
            position == headerBytes.count + there,
            "the fields end at \(position) of \(headerBytes.count + there)"
        )
        try require(
            description.fields.count <= describer.maximumFields + 64,
            "\(description.fields.count) fields, where \(describer.maximumFields) are allowed"
        )
    }
    for profile in ProtocolVersion.allCases {
        guard let known = MessageTypeDescription.find(type, version: profile) else { continue }
        for form in known.bodies {
            guard let value = try? withExactCopy(body, form.schema.value(parsing:)) else { continue }
            try require((try? form.schema.bytes(of: value)) == body, "\(known.name) is written back otherwise")
        }
    }
    let message = headerBytes + body
    if let parsed = try? Message(parsing: message, layout: layout) {
        try require((try? parsed.bytes()) == message, "a message is written back otherwise")
    }
}
