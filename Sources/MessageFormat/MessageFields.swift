import ESProtocol

/// One line of a message's breakdown, or one entry of JSON's `fields`.
struct MessageItem {
    enum Content {
        /// A field of the header or of a body that is known.
        case field(Field)
        /// Bytes that no field covers.
        case plain
        /// Bytes that were never captured.
        case gap
    }
    var content: Content
    var offset: Int
    var length: Int
    /// Where it stands in the bytes that were there; `nil` for a gap.
    var index: Int?
}

/// A message's body taken apart so that each of its bytes, there or missing, is in exactly one item. Fields of no length
/// (empty text) are in between. The header's fields are always the same: ``HeaderField``.
struct MessageFields {
    /// The header is there. If it should not be, its bytes are among the body's.
    var hasHeader = false
    /// What is known of the body: `Logon request`.
    var bodyTitle: String?
    /// The body if nothing is known of it and all of it is there. It is no item: most bodies of an application are such, and
    /// need no list.
    private(set) var opaqueBody: Range<Int>?
    /// Items of any other body.
    private(set) var items: [MessageItem] = []
    /// Items of the body.
    var body: [MessageItem] {
        guard let opaqueBody else { return items }
        return [Self.plain(opaqueBody)]
    }

    /// - Parameter describer: Gets the profile of the message; it is not copied for that, as references would be counted.
    init(_ message: MessageReport, _ bytes: RawSpan, describer: inout BodyDescriber) {
        let headerLength = message.header.layout.headerLength
        let pieces = message.gaps.isEmpty ? [] : MessagePieces(message, byteCount: bytes.byteCount).pieces
        let first = pieces.first ?? MessagePiece(offset: 0, length: bytes.byteCount, index: 0)
        guard first.index == 0, first.length >= headerLength else {
            items = (pieces.isEmpty ? [first] : pieces).map(Self.item)
            return
        }
        hasHeader = true
        guard first.length > headerLength || pieces.count > 1 else { return }
        var covered = headerLength
        describer.profile = message.profile
        let described = describer.describe(
            body: bytes.extracting(headerLength..<first.length),
            bodyOffset: headerLength,
            header: message.header,
            isRequest: SecretMask.mayBeLogon(message)
                ? SecretMask.isLogonRequest(message, bytes) : message.direction == .clientToServer
        )
        if let described {
            bodyTitle = described.title
            items.reserveCapacity(described.fields.count)
            for field in described.fields { Self.add(field, to: &items, first, &covered) }
        } else if pieces.isEmpty {
            opaqueBody = headerLength..<first.length
            return
        }
        Self.addPlain(upTo: first.length, to: &items, first, &covered)
        for piece in pieces.dropFirst() { items.append(Self.item(piece)) }
    }

    /// The first bytes of a body of which nothing is known, if they are there.
    var opaqueBeginning: Range<Int>? {
        if let opaqueBody { return opaqueBody }
        guard hasHeader, bodyTitle == nil, let first = items.first, case .plain = first.content,
            let index = first.index
        else { return nil }
        return index..<index + first.length
    }

    private static func plain(_ range: Range<Int>) -> MessageItem {
        MessageItem(content: .plain, offset: range.lowerBound, length: range.count, index: range.lowerBound)
    }

    private static func item(_ piece: MessagePiece) -> MessageItem {
        MessageItem(
            content: piece.index == nil ? .gap : .plain,
            offset: piece.offset,
            length: piece.length,
            index: piece.index
        )
    }

    /// Adds a field, and what lies between it and the one before. A field that overlaps or is not all there is left out.
    private static func add(
        _ field: Field,
        to items: inout [MessageItem],
        _ first: MessagePiece,
        _ covered: inout Int
    ) {
        guard field.offset >= covered, field.length >= 0, field.offset <= first.length,
            field.length <= first.length - field.offset
        else { return }
        addPlain(upTo: field.offset, to: &items, first, &covered)
        items.append(
            MessageItem(content: .field(field), offset: field.offset, length: field.length, index: field.offset)
        )
        covered = field.offset + field.length
    }

    private static func addPlain(
        upTo end: Int,
        to items: inout [MessageItem],
        _ first: MessagePiece,
        _ covered: inout Int
    ) {
        guard end > covered else { return }
        items.append(plain(covered..<end))
        covered = end
    }
}

extension MessageItem {
    /// The field, if it is the contents behind a length and stands for nothing but its bytes.
    var contents: Field? {
        guard case .field(let field) = content, field.value == .bytes, field.label.isEmpty, field.meaning.isEmpty,
            field.length > 0
        else { return nil }
        return field
    }
}

extension OutputBuffer {
    /// What a field of a body holds, to be read by people; one line, nothing in it that a terminal obeys.
    /// - Parameters:
    ///   - isHidden: Its bytes are a secret.
    ///   - limit: Of longer text only so many bytes are shown.
    mutating func append(
        valueOf field: Field,
        _ bytes: RawSpan,
        isHidden: Bool,
        limit: Int,
        decodeText: ((UnsafeRawBufferPointer) -> String?)?
    ) {
        if isHidden {
            append(0x28)
            append(byteCount: field.length)
            append(literal: ", hidden; --show-secrets)")
            return
        }
        let range = (field.offset..<field.offset + field.length).clamped(to: 0..<bytes.byteCount)
        switch field.value {
        case .text(let value) where field.isTextDecoded:
            append(
                text: value.unicodeScalars.count > limit ? String(value.unicodeScalars.prefix(limit)) : value,
                quote: true
            )
            if value.unicodeScalars.count > limit { append("…") }
        case .text: append(shortened: bytes, range, limit: limit, isID: false, decodeText)
        case .bytes where field.meaning.isEmpty && Self.isReadable(bytes, range, decodeText):
            append(shortened: bytes, range, limit: limit, isID: false, decodeText)
        default:
            append(text: field.meaning)
            return
        }
        // A meaning that repeats the text says nothing more, and is not escaped the same way.
        if !field.meaning.isEmpty, field.meaning.utf8.first != 0x22 {
            append(field.meaning.utf8.first == 0x2B || field.meaning.utf8.first == 0x3D ? " " : ", ")
            append(text: field.meaning)
        }
    }

    /// Text in quotes, with `…` behind if there is more than `limit` bytes of it.
    mutating func append(
        shortened bytes: RawSpan,
        _ range: Range<Int>,
        limit: Int,
        isID: Bool,
        _ decodeText: ((UnsafeRawBufferPointer) -> String?)?
    ) {
        let range = range.clamped(to: 0..<bytes.byteCount)
        let shown = range.count <= limit ? range : range.lowerBound..<cut(bytes, range, limit, decodeText)
        bytes.extracting(shown).withUnsafeBytes { _ = append(decoded: $0, isID: isID, quote: true, decodeText) }
        if shown.count < range.count { append("…") }
    }

    /// A place at most `limit` bytes into `range` that does not cut a character.
    private func cut(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        _ limit: Int,
        _ decodeText: ((UnsafeRawBufferPointer) -> String?)?
    ) -> Int {
        let most = range.lowerBound + limit
        if let decodeText {
            for end in stride(from: most, to: max(most - 4, range.lowerBound), by: -1)
            where bytes.extracting(range.lowerBound..<end).withUnsafeBytes({ decodeText($0) }) != nil {
                return end
            }
        }
        var end = most
        while end > most - 4, end > range.lowerBound, bytes.byte(end) & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    /// Whether bytes can be text in the reader's encoding: no control characters but tabs and ends of lines.
    static func isReadable(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        _ decodeText: ((UnsafeRawBufferPointer) -> String?)?
    ) -> Bool {
        bytes.extracting(range).withUnsafeBytes { bytes in
            for byte in bytes where byte < 0x20 && byte != 9 && byte != 10 && byte != 13 || byte == 0x7F {
                return false
            }
            if let decodeText { return decodeText(bytes) != nil }
            return UTF8Reader.isValid(bytes)
        }
    }

    /// What bytes look like, behind a comma; nothing if they are text or look like nothing in particular.
    mutating func append(
        lookOf bytes: RawSpan,
        _ range: Range<Int>,
        decodeText: ((UnsafeRawBufferPointer) -> String?)?
    ) {
        guard range.count >= 8, range.lowerBound >= 0, range.upperBound <= bytes.byteCount,
            let look = bytes.extracting(range).withUnsafeBytes({ ByteLook.of($0) }),
            !Self.isReadable(bytes, range, decodeText)
        else { return }
        append(literal: ", ")
        append(literal: look)
    }
}
