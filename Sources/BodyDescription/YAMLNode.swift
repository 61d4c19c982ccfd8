/// A value of a YAML document, and where it stands.
struct YAMLNode: Sendable {
    struct Entry: Sendable {
        var key: String
        var keyPlace: DescriptionPlace
        /// The key stood in quotes.
        var isQuoted: Bool
        var value: YAMLNode
    }

    enum Content: Sendable {
        /// Text as it was written. A quoted one is never a number, a boolean or null.
        case scalar(String, isQuoted: Bool)
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    var content: Content
    var place: DescriptionPlace
    /// The scalar stands on one line without escapes, so that its characters are where they seem to be.
    var isVerbatim = false

    /// The text of a scalar.
    var text: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }

    var isNull: Bool {
        guard case .scalar(let text, isQuoted: false) = content else { return false }
        return text.isEmpty || text == "~" || text == "null"
    }

    var boolean: Bool? {
        guard case .scalar(let text, isQuoted: false) = content else { return nil }
        return switch text {
        case "true", "True", "TRUE", "yes", "on": true
        case "false", "False", "FALSE", "no", "off": false
        default: nil
        }
    }

    /// A whole number, as YAML 1.1 and 1.2 write it: decimal, 0x, 0o, 0b, with underscores.
    var integer: WideInteger? {
        guard case .scalar(let text, isQuoted: false) = content else { return nil }
        return WideInteger(yaml: text)
    }

    /// What it is, for messages.
    var kind: String {
        switch content {
        case .scalar: "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    subscript(key: String) -> YAMLNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// Where a character of the scalar stands.
    func place(ofCharacter index: Int) -> DescriptionPlace {
        guard isVerbatim, case .scalar(_, let isQuoted) = content else { return place }
        return DescriptionPlace(line: place.line, column: place.column + index + (isQuoted ? 1 : 0))
    }
}
