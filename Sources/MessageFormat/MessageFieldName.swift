import ESProtocol

/// A name that stands for something in a message, looked up: as filters and columns use it.
package enum MessageFieldName: Equatable, Sendable {
    case property(MessageProperty)
    case header(HeaderField)
    /// `es.message_type_name`
    case typeName
    /// `es.header`: the bytes of the header.
    case headerBytes
    /// `es.body`: the bytes of the body that are there.
    case bodyBytes
    /// A field within the body.
    case body(BodyFieldName)

    /// - Returns: `nil` if there is no such name. Every name that begins with `es.body.` is one, since users describe bodies of
    ///   their own; ``MessageNames/known(_:)`` tells whether a body is known that has it.
    package init?(_ name: String) {
        if let property = MessageProperty(rawValue: name) {
            self = .property(property)
        } else if let field = HeaderField.allCases.first(where: { $0.name == name }) {
            self = .header(field)
        } else if let other = Self.others[name] {
            self = other
        } else if let body = BodyFieldName(name) {
            self = .body(body)
        } else {
            return nil
        }
    }

    private static let others: [String: MessageFieldName] = [
        "es.message_type_name": .typeName, "es.header": .headerBytes, "header_hex": .headerBytes,
        "es.body": .bodyBytes, "body_hex": .bodyBytes,
    ]

    /// All names of the framework, those of bodies without the numbers of elements; in order.
    package static let allNames: [String] = {
        let outside = MessageProperty.allCases.map(\.rawValue) + HeaderField.allCases.map(\.name)
        let bodies = KnownBodyField.all.keys.filter { $0 != "es.body" }
        return outside + ["es.message_type_name", "es.header", "es.body"] + bodies.sorted()
    }()
}

/// The name of a field within a body: `es.body.user_list` (every element), `es.body.user_list[0]` (the first).
package struct BodyFieldName: Equatable, Sendable {
    package let text: String
    private let bytes: [UInt8]

    init?(_ text: String) {
        guard text.hasPrefix("es.body.") || text.hasPrefix("es.body["), !text.hasSuffix("."), !text.contains("..")
        else {
            return nil
        }
        self.text = text
        bytes = Array(text.utf8)
    }

    /// Whether bodies that nothing is known of can have it too, since it is guessed (`es.body.guess[0]`).
    package var canBeGuessed: Bool {
        text.hasPrefix("es.body.guess") || text.hasPrefix("es.body[") || text == "es.body.length"
            || text == "es.body.count"
    }

    package static func withoutIndices(_ text: String) -> String {
        guard text.utf8.contains(0x5B) else { return text }
        var result: [UInt8] = []
        var isInside = false
        for byte in text.utf8 {
            if byte == 0x5B { isInside = true }
            if !isInside { result.append(byte) }
            if byte == 0x5D { isInside = false }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Where a field stands to this name.
    package enum Relation: Sendable {
        case same
        /// It is within the object or the list of this name.
        case inside
        case other
    }

    /// Compares a field's name; numbers of elements count only where this name has them.
    package func relation(to fieldName: String) -> Relation {
        var fieldName = fieldName
        return fieldName.withUTF8 { field in
            var index = 0
            var position = 0
            while position < field.count {
                if index < bytes.count, field[position] == bytes[index] {
                    index += 1
                    position += 1
                } else if field[position] == 0x5B {
                    while position < field.count, field[position] != 0x5D { position += 1 }
                    position += 1
                } else {
                    return index == bytes.count && field[position] == 0x2E ? .inside : .other
                }
            }
            return index == bytes.count ? .same : .other
        }
    }
}
