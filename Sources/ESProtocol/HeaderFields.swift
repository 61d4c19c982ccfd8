extension MessageHeader {
    /// The fields of the header: every byte of it in exactly one, padding with the id that it follows.
    /// - Parameters:
    ///   - bytes: the message; at least its whole header.
    ///   - profile: whose names its numbers have; without one, those of the versions that the start token leaves open.
    ///   - isRequest: from client to server, if it is known.
    public func fields(in bytes: RawSpan, profile: Profile? = nil, isRequest: Bool? = nil) -> [Field] {
        let profile = profile ?? Profile(startToken: layout.startToken)
        var fields: [Field] = []
        fields.reserveCapacity(9)
        func add(_ field: HeaderField, _ value: FieldValue, _ meaning: String) {
            guard let range = field.range(in: layout) else { return }
            fields.append(
                Field(
                    name: field.name,
                    label: field.label,
                    offset: range.lowerBound,
                    length: range.count,
                    value: value,
                    meaning: meaning
                )
            )
        }
        let token = layout.startToken
        add(.startToken, .unsigned(UInt64(token.value)), token == .ffff ? "0xFFFF" : token == .ff ? "0xFF" : "0x0F")
        if let clientType {
            let name = profile.clientTypeName(clientType) ?? "?"
            add(.clientType, .unsigned(UInt64(clientType)), "\(clientType) = \(name)")
        }
        let type = "\(messageType) (0x\(hexadecimal(UInt64(messageType), digits: 4)))"
        let typeName =
            isRequest.map { profile.messageTypeName(messageType, isRequest: $0) }
            ?? profile.messageTypeName(messageType)
        add(
            .messageType,
            .unsigned(UInt64(messageType)),
            typeName.map { "\(type) \($0)" } ?? "\(type) not a type of the framework that is known"
        )
        add(.messageID, .integer(Int64(messageID)), String(messageID))
        add(
            .bodyLength,
            .integer(Int64(bodyLength)),
            bodyLength == 0
                ? "0 = no body"
                : bodyLength == 1 ? "1 = byte of body that follows" : "\(bodyLength) = bytes of body that follow"
        )
        add(.userIDLength, .unsigned(UInt64(userIDLength)), meaning(ofIDLength: userIDLength))
        add(.userID, .text(String(utf8In: bytes, userIDRange)), meaning(ofID: userIDRange, bytes))
        add(.destUserIDLength, .unsigned(UInt64(destUserIDLength)), meaning(ofIDLength: destUserIDLength))
        add(.destUserID, .text(String(utf8In: bytes, destUserIDRange)), meaning(ofID: destUserIDRange, bytes))
        return fields
    }

    private func meaning(ofIDLength length: UInt8) -> String {
        let room = Int(layout.idSlot) - 1
        return Int(length) > room
            ? "\(length), more than the \(room) bytes of the field" : "\(length) = bytes of the id"
    }

    private func meaning(ofID range: Range<Int>, _ bytes: RawSpan) -> String {
        let id = String(utf8In: bytes, range)
        let padding = Int(layout.idSlot) - 1 - range.count
        var meaning = ""
        if id == "_0" { meaning += "= the server" }
        if id == "*" { meaning += "= everybody" }
        if padding > 0 {
            var isZero = true
            for offset in range.upperBound..<range.upperBound + padding where bytes.byte(at: offset) != 0 {
                isZero = false
            }
            meaning += meaning.isEmpty ? "+ " : " + "
            meaning += "\(padding) padding byte\(padding == 1 ? "" : "s")\(isZero ? "" : ", not zero")"
        }
        return meaning
    }
}

/// Upper-case hexadecimal with leading zeros.
func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return text.utf8.count < digits ? String(repeating: "0", count: digits - text.utf8.count) + text : text
}

extension String {
    /// The text of some bytes; what is not UTF-8 becomes U+FFFD.
    init(utf8In bytes: RawSpan, _ range: Range<Int>) {
        self = bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
