import ESProtocol

/// What a comparison says of one message. All text is escaped: nothing in it that a terminal obeys.
package struct MessageCell: Equatable, Sendable {
    package var number: Int
    package var direction: Direction
    /// `Logon (112)`
    package var type: String
    package var id: Int32
    /// `aa01 → _0`
    package var users: String
    /// Header and declared body in bytes.
    package var length: Int
    /// `gap: 20 bytes missing`; empty if it is complete.
    package var damage: String

    /// - Parameter bytes: of the message, those that were there.
    package init(
        _ message: MessageReport,
        _ bytes: RawSpan,
        number: Int,
        decodeText: ((UnsafeRawBufferPointer) -> String?)? = nil
    ) {
        self.number = number
        direction = message.direction
        var out = OutputBuffer(capacity: 64)
        out.append(type: message.header.messageType, message.profile)
        type = out.string()
        id = message.header.messageID
        out.removeAll()
        out.append(idsOf: message.header, bytes, decodeText: decodeText)
        users = out.string()
        length = message.length
        out.removeAll()
        out.append(damageOf: message)
        damage = out.string()
    }

    /// `→` to the server, `←` to the client.
    package var arrow: String { direction == .clientToServer ? "→" : "←" }
}

/// What a comparison says of one of two fields that differ. All text is escaped.
package struct FieldCell: Equatable, Sendable {
    /// Offset within the message of the first byte that differs.
    package var offset: Int
    /// The bytes that differ, the first of them if they are many; empty if there are none.
    package var hex: String
    /// What the field holds; of long text what is around the difference.
    package var value: String
    /// It is a secret that is not to be shown: the rest of this is empty.
    package var isHidden = false

    /// Of bytes that differ so many are shown, and of text so many beside them.
    private static let longestHex = 12
    private static let longestText = 48
    private static let textBefore = 12

    /// - Parameters:
    ///   - bytes: of the message, those that were there.
    ///   - range: where the field stands in `bytes`.
    ///   - differing: which bytes differ: offsets within the message.
    package init(
        _ field: Field,
        _ message: MessageReport,
        _ bytes: RawSpan,
        range: Range<Int>,
        differing: Range<Int>,
        showSecrets: Bool,
        decodeText: ((UnsafeRawBufferPointer) -> String?)? = nil
    ) {
        offset = differing.lowerBound
        if !showSecrets, field.isSecret || SecretMask.ranges(message, bytes).overlaps(range) {
            isHidden = true
            hex = ""
            value = ""
            return
        }
        let range = range.clamped(to: 0..<bytes.byteCount)
        let start = range.lowerBound + max(differing.lowerBound - field.offset, 0)
        let changed = (start..<start + differing.count).clamped(to: range)
        var out = OutputBuffer(capacity: 64)
        for (place, index) in changed.prefix(Self.longestHex).enumerated() {
            if place > 0 { out.append(0x20) }
            out.append(hexByte: bytes.byte(index))
        }
        if changed.count > Self.longestHex {
            out.append(literal: " … ")
            out.append(byteCount: changed.count)
        }
        hex = out.string()
        out.removeAll()
        switch field.value {
        case .none: out.append(literal: "null")
        case .text where field.offset < message.header.layout.headerLength && field.length > 0:
            // An id, without its padding.
            let id =
                field.name == HeaderField.userID.name ? message.header.userIDRange : message.header.destUserIDRange
            out.append(
                shortened: bytes,
                id.clamped(to: 0..<bytes.byteCount),
                limit: Self.longestText,
                isID: true,
                decodeText
            )
        case .text(let text) where field.isTextDecoded:
            let isLong = text.unicodeScalars.count > Self.longestText
            out.append(text: isLong ? String(text.unicodeScalars.prefix(Self.longestText)) : text, quote: true)
            if isLong { out.append("…") }
        case .text where field.length == 0 && !field.meaning.isEmpty: out.append(text: field.meaning)
        case .text: Self.append(textOf: range, around: changed, bytes, decodeText, to: &out)
        case .bytes where field.meaning.isEmpty && OutputBuffer.isReadable(bytes, range, decodeText):
            Self.append(textOf: range, around: changed, bytes, decodeText, to: &out)
        case .bytes where field.meaning.isEmpty: out.append(byteCount: range.count)
        default: out.append(text: field.meaning)
        }
        value = out.string()
    }

    /// Text in quotes; of a long one what is around the difference.
    private static func append(
        textOf range: Range<Int>,
        around changed: Range<Int>,
        _ bytes: RawSpan,
        _ decodeText: ((UnsafeRawBufferPointer) -> String?)?,
        to out: inout OutputBuffer
    ) {
        var start = range.lowerBound
        if range.count > longestText, changed.lowerBound - start > textBefore {
            start = changed.lowerBound - textBefore
            // Not in the middle of a character.
            while start < changed.lowerBound, bytes.byte(start) & 0xC0 == 0x80 { start += 1 }
            out.append("…")
        }
        out.append(shortened: bytes, start..<range.upperBound, limit: longestText, isID: false, decodeText)
    }
}

/// Text that fits into columns.
package enum ColumnText {
    /// The columns that text takes; it must hold no control characters.
    package static func width(_ text: String) -> Int {
        var text = text
        return text.withUTF8 { DisplayWidth.columns(of: UnsafeRawBufferPointer($0)) }
    }

    /// Text of exactly `width` columns: cut with `…` behind it, or filled up with blanks.
    package static func fit(_ text: String, _ width: Int) -> String {
        let cut = cut(text, width)
        return cut + String(repeating: " ", count: max(width - self.width(cut), 0))
    }

    /// Text of at most `width` columns, with `…` at its end if some of it is missing.
    package static func cut(_ text: String, _ width: Int) -> String {
        guard self.width(text) > width else { return text }
        guard width > 0 else { return "" }
        var result = String.UnicodeScalarView()
        var used = 0
        for scalar in text.unicodeScalars {
            let columns = DisplayWidth.columns(of: scalar.value)
            if used + columns > width - 1 { break }
            result.append(scalar)
            used += columns
        }
        return String(result) + "…"
    }

    /// Text from outside, escaped for a terminal.
    package static func escaped(_ text: String) -> String {
        var out = OutputBuffer(capacity: 64)
        out.append(text: text)
        return out.string()
    }
}
