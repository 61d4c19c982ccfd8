import DumpText
import ESProtocol

/// Makes a message's bytes from its JSON.
///
/// If the object has `header_hex` and `body_hex`, they are the message; what else it says must agree with them. Without
/// them it is made from `es` and `fields`, with the lengths that follow from the contents.
package struct MessageFromJSON {
    private let message: MessageJSON
    private let isRequest: Bool

    package init(_ message: MessageJSON, direction: Dump.Direction?) {
        self.message = message
        if let direction = direction ?? message.direction {
            isRequest = direction == .clientToServer
        } else {
            isRequest = message.object["es"]?["user_id"]?.text != "_0"
        }
    }

    private func error(_ reason: String) -> DumpError { DumpError(line: message.line, "JSON: \(reason)") }

    package func bytes() throws(DumpError) -> [UInt8] {
        if case .array(let masked)? = message.object["masked"], !masked.isEmpty {
            throw error("its secrets are masked: print it with --show-secrets, or --redact")
        }
        if let status = message.object["status"]?.text, status != "complete" {
            let missing = message.object["missing"]?.integer.map { "\($0) of its bytes are" } ?? "some of its bytes are"
            throw error("the message is not complete: \(missing) missing")
        }
        guard let header = try message.bytes("header_hex"), let body = try message.bytes("body_hex") else {
            return try made()
        }
        let bytes = header + body
        try checkAgreement(bytes, headerLength: header.count)
        return bytes
    }

    // MARK: - hex beside fields

    /// Someone who changes a field and leaves the hex as it is must hear that it changes nothing.
    private func checkAgreement(_ bytes: [UInt8], headerLength: Int) throws(DumpError) {
        let advice = "take header_hex and body_hex out to encode the fields"
        if let es = message.object["es"], let layout = layout(es, headerLength: headerLength) {
            guard let parsed = try? Message(parsing: bytes, layout: layout) else {
                throw error("header_hex and body_hex are no message of that layout")
            }
            let claims: [(String, Int64)] = [
                ("message_type", Int64(parsed.messageType)), ("message_id", Int64(parsed.messageID)),
                ("body_length", Int64(parsed.body.count)), ("client_type", Int64(parsed.clientType)),
            ]
            for (name, value) in claims {
                if let claimed = es[name]?.integer, claimed != value {
                    throw error("es.\(name) is \(claimed), and the hex has \(value): \(advice)")
                }
            }
            for (name, id) in [("user_id", parsed.userID), ("dest_user_id", parsed.destUserID)] {
                if let claimed = es[name]?.text, claimed != id.text {
                    throw error("es.\(name) is not what the hex has: \(advice)")
                }
            }
        }
        guard message.object["fields"] != nil, let made = try? made(), made != bytes else { return }
        let offset = zip(made, bytes).enumerated().first { $1.0 != $1.1 }?.offset ?? min(made.count, bytes.count)
        throw error("fields and hex differ at offset \(offset): \(advice)")
    }

    private func layout(_ es: JSONValue, headerLength: Int) -> HeaderLayout? {
        guard let token = token(es), headerLength >= 16, (headerLength - 12) % 2 == 0,
            let slot = UInt8(exactly: (headerLength - 12) / 2)
        else { return nil }
        return HeaderLayout(startToken: token, idSlot: slot)
    }

    private func token(_ es: JSONValue) -> HeaderLayout.StartToken? {
        guard let value = es["start_token"]?.integer else { return nil }
        return HeaderLayout.StartToken.allCases.first { Int64($0.value) == value }
    }

    // MARK: - from the fields

    private func made() throws(DumpError) -> [UInt8] {
        let fields = message.object["fields"]?.elements ?? []
        func field(_ name: String) -> JSONValue? { fields.first { $0["name"]?.text == name } }
        func number(_ name: String, from es: JSONValue) throws(DumpError) -> Int64 {
            guard let value = field("es." + name)?["value"]?.integer ?? es[name]?.integer else {
                throw error("es.\(name) is missing")
            }
            return value
        }
        func id(_ name: String, from es: JSONValue) throws(DumpError) -> Message.ID {
            guard let value = field("es." + name)?["value"]?.text ?? es[name]?.text else {
                throw error("es.\(name) is missing")
            }
            return Message.ID(value)
        }
        guard let es = message.object["es"], let token = token(es) else {
            throw error("neither header_hex nor es with a start_token")
        }
        let version = ProtocolVersions(startToken: token).newestFirst.first ?? .v65
        let slot =
            field("es.user_id")?["length"]?.integer.flatMap { UInt8(exactly: $0 + 1) }
            ?? Profile(version).idSlot(maximumUserIDLength: 11) ?? 12
        guard let type = UInt16(exactly: try number("message_type", from: es)),
            let messageID = Int32(exactly: try number("message_id", from: es))
        else { throw error("message_type or message_id is out of range") }
        let clientType = (field("es.client_type")?["value"] ?? es["client_type"])?.integer.flatMap(UInt8.init(exactly:))
        var made = Message(
            layout: HeaderLayout(startToken: token, idSlot: slot),
            clientType: clientType ?? 0,
            messageType: type,
            messageID: messageID,
            userID: try id("user_id", from: es),
            destUserID: try id("dest_user_id", from: es)
        )
        if let body = try message.bytes("body_hex") {
            made.body = body
        } else {
            made.body = try body(fields, type: type, token: token, isEmpty: es["body_length"]?.integer == 0)
        }
        do throws(MessageError) { return try made.bytes() } catch { throw self.error(error.description) }
    }

    private func body(
        _ fields: [JSONValue],
        type: UInt16,
        token: HeaderLayout.StartToken,
        isEmpty: Bool
    ) throws(DumpError) -> [UInt8] {
        let inBody = fields.filter {
            $0["name"]?.text?.hasPrefix("es.body") == true && $0["name"]?.text != "es.body_length"
        }
        if inBody.isEmpty {
            guard isEmpty || message.object["fields"] != nil else {
                throw error("neither body_hex nor fields (esdump -v --format json prints them)")
            }
            return []
        }
        // Bytes of which nothing is known are one field.
        if inBody.count == 1, inBody[0]["name"]?.text == "es.body", let text = inBody[0]["value"]?.text,
            let bytes = BodyFields.hex(text)
        {
            return bytes
        }
        let names = Set(inBody.compactMap { $0["name"]?.text })
        for version in ProtocolVersions(startToken: token).newestFirst {
            guard let description = MessageTypeDescription.find(type, version: version) else { continue }
            for request in [isRequest, !isRequest] {
                guard let schema = description.schema(version: version, isRequest: request),
                    Self.names(of: schema) == names, let value = Self.value(schema, "es.body", inBody)
                else { continue }
                do throws(BodyError) { return try schema.bytes(of: value) } catch {
                    throw self.error(error.description)
                }
            }
        }
        throw error("fields: not those of a body of type \(type) that is known; body_hex is needed")
    }

    /// The names that the fields of a body have, those of lengths included.
    private static func names(of schema: BodySchema) -> Set<String> {
        var names: Set<String> = []
        func add(_ schema: BodySchema, _ name: String) {
            switch schema {
            case .object(let properties):
                names.insert(name + ".length")
                for property in properties { add(property.schema, name + "." + property.fieldName) }
            case .string, .bytes, .content:
                names.insert(name + ".length")
                names.insert(name)
            default: names.insert(name)
            }
        }
        add(schema, "es.body")
        return names
    }

    private static func value(_ schema: BodySchema, _ name: String, _ fields: [JSONValue]) -> BodyValue? {
        if case .object(let properties) = schema {
            var values: [BodyValue.Property] = []
            for property in properties {
                guard let value = value(property.schema, name + "." + property.fieldName, fields) else { return nil }
                values.append(BodyValue.Property(property.name, value))
            }
            return .object(values)
        }
        let found = fields.filter { $0["name"]?.text == name }
        guard found.count == 1, let value = found[0]["value"] else { return nil }
        switch (schema, value) {
        case (.boolean, .boolean(let value)): return .boolean(value)
        case (.byte, _), (.uint16, _), (.uint32, _), (.uint64, _), (.character, _):
            return value.unsigned.map { .unsigned($0) }
        case (.int16, _), (.int32, _), (.int64, _), (.enumeration, _): return value.integer.map { .integer($0) }
        case (.float, .number(let text)): return Float(text).map { .float($0) }
        case (.double, .number(let text)): return Double(text).map { .double($0) }
        case (.date(.milliseconds), _):
            return value.integer.map { .date(BodyDate(raw: $0, encoding: .milliseconds)) }
        case (.string, .string(let text)): return .string(text)
        case (.bytes, .string(let text)), (.content, .string(let text)): return BodyFields.hex(text).map { .bytes($0) }
        case (.string, .null), (.bytes, .null), (.content, .null): return .null
        // Lists, and dates of 4.7 (which do not keep their kind), are encoded from body_hex.
        default: return nil
        }
    }
}
