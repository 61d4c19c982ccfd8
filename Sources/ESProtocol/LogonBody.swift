/// Finds the fields of a body.
public struct BodyDescriber: Sendable {
    public init() {}

    /// The fields of a body that is known.
    ///
    /// They cover the body from its first byte on, in order, as far as it can be followed; what lies behind belongs to no
    /// field. A body that was cut is followed to where it ends.
    /// - Parameters:
    ///   - body: The bytes of the body from its start that are there without a gap; may be fewer than declared.
    ///   - bodyOffset: Where the body starts in the message.
    ///   - header: The message's header.
    ///   - isRequest: From client to server.
    /// - Returns: `nil` if nothing is known of such a body.
    public func fields(
        body: RawSpan,
        bodyOffset: Int,
        header: MessageHeader,
        isRequest: Bool
    ) -> (title: String, fields: [Field])? {
        let is40 = header.layout.startToken == .ffff
        guard header.messageType == (is40 ? 116 : 112), header.bodyLength > 0 else { return nil }
        var reader = ObjectReader(bodyOffset: bodyOffset, declaredLength: Int(header.bodyLength))
        reader.objectLength(body)
        if isRequest {
            if !is40 { reader.string("authorized_user", "AuthorizedUser", body) }
            reader.string("password", "Password", body, isSecret: true)
            reader.string("system_token", "SystemToken", body)
            return ("Logon request", reader.fields)
        }
        reader.string("failure_cause", "FailureCause", body)
        reader.boolean("group_relation_enabled", "GroupRelationEnabled", body)
        let results = ["succeeded", "failed", "had logged on", "version mismatched", "client type mismatched"]
        reader.int32("logon_result", "LogonResult", body) { results.indices.contains(Int($0)) ? results[Int($0)] : nil }
        reader.boolean("p2p_enabled", "P2PEnabled", body)
        reader.boolean("use_as_p2p_server", "UseAsP2PServer", body)
        return ("Logon reply", reader.fields)
    }
}

/// Reads the fields of one object, one after the other, and stops where they cannot be followed.
private struct ObjectReader {
    var fields: [Field] = []
    private var position = 0
    private var isStuck = false
    private let bodyOffset: Int
    private let end: Int

    init(bodyOffset: Int, declaredLength: Int) {
        self.bodyOffset = bodyOffset
        end = declaredLength
    }

    /// Takes the next `count` bytes if all of them are there.
    private mutating func take(_ count: Int, _ body: RawSpan) -> Int? {
        guard !isStuck, position + count <= body.byteCount else {
            isStuck = true
            return nil
        }
        defer { position += count }
        return position
    }

    private mutating func takeInt32(_ body: RawSpan) -> (offset: Int, value: Int32)? {
        guard let offset = take(4, body) else { return nil }
        return (offset, Int32(littleEndian: body.unsafeLoadUnaligned(fromByteOffset: offset, as: Int32.self)))
    }

    private mutating func add(
        _ name: String,
        _ label: String,
        _ offset: Int,
        _ length: Int,
        _ value: FieldValue,
        _ meaning: String,
        isSecret: Bool = false
    ) {
        fields.append(
            Field(
                name: "es.body." + name,
                label: label,
                offset: bodyOffset + offset,
                length: length,
                value: value,
                meaning: meaning,
                isSecret: isSecret,
                depth: 1
            )
        )
    }

    mutating func objectLength(_ body: RawSpan) {
        guard let (offset, value) = takeInt32(body) else { return }
        let rest = end - 4
        let fits = Int(value) == rest
        add(
            "length",
            "Length",
            offset,
            4,
            .integer(Int64(value)),
            fits ? "\(value) = bytes of the object that follow" : "\(value), but \(rest) bytes of body follow"
        )
        if !fits { isStuck = true }
    }

    mutating func string(_ name: String, _ label: String, _ body: RawSpan, isSecret: Bool = false) {
        guard let (offset, value) = takeInt32(body) else { return }
        let count = Int(value)
        guard count >= -1, count <= end - position else {
            add(
                name + ".length",
                label,
                offset,
                4,
                .integer(Int64(value)),
                "\(value) bytes, but \(end - position) bytes of body are left"
            )
            isStuck = true
            return
        }
        let meaning = count < 0 ? "-1 = null" : count == 0 ? "0 bytes: \"\"" : "\(count) byte\(count == 1 ? "" : "s")"
        add(name + ".length", label, offset, 4, .integer(Int64(value)), meaning)
        let there = min(max(count, 0), body.byteCount - position)
        if there < count { isStuck = true }
        if there > 0 || count <= 0 {
            add(
                name,
                "",
                position,
                there,
                count < 0 ? .none : .text(String(utf8In: body, position..<position + there)),
                there < count ? "the first \(there) of \(count) bytes" : "",
                isSecret: isSecret
            )
        }
        position += there
    }

    mutating func boolean(_ name: String, _ label: String, _ body: RawSpan) {
        guard let offset = take(1, body) else { return }
        let value = body.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        add(
            name,
            label,
            offset,
            1,
            .boolean(value != 0),
            value > 1 ? "\(value) = true" : value == 1 ? "true" : "false"
        )
    }

    mutating func int32(_ name: String, _ label: String, _ body: RawSpan, _ meaning: (Int32) -> String?) {
        guard let (offset, value) = takeInt32(body) else { return }
        add(
            name,
            label,
            offset,
            4,
            .integer(Int64(value)),
            meaning(value).map { "\(value) = \($0)" } ?? String(value)
        )
    }
}
