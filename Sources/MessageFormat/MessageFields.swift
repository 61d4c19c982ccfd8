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

/// A message taken apart so that each of its bytes, there or missing, is in exactly one item. Fields of no length (empty text)
/// are in between.
struct MessageFields {
    /// Items of the header.
    var header: [MessageItem] = []
    /// What is known of the body: `Logon request`.
    var bodyTitle: String?
    /// Items of the body.
    var body: [MessageItem] = []

    init(_ message: MessageReport, _ bytes: RawSpan, describer: BodyDescriber) {
        let headerLength = message.header.layout.headerLength
        let pieces = MessagePieces(message, byteCount: bytes.byteCount).pieces
        // A message's header is always whole; if it should not be, nothing is read from it.
        guard let first = pieces.first, first.index == 0, first.length >= headerLength else {
            body = pieces.map(Self.item)
            return
        }
        var covered = 0
        for field in message.header.fields(in: bytes) { Self.add(field, to: &header, first, &covered) }
        Self.addPlain(upTo: headerLength, to: &header, first, &covered)
        let described = describer.fields(
            body: bytes.extracting(headerLength..<first.length),
            bodyOffset: headerLength,
            header: message.header,
            isRequest: SecretMask.mayBeLogon(message.header)
                ? SecretMask.isLogonRequest(message, bytes) : message.direction == .clientToServer
        )
        if let described {
            bodyTitle = described.title
            for field in described.fields { Self.add(field, to: &body, first, &covered) }
        }
        Self.addPlain(upTo: first.length, to: &body, first, &covered)
        for piece in pieces.dropFirst() { body.append(Self.item(piece)) }
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
        items.append(MessageItem(content: .plain, offset: covered, length: end - covered, index: covered))
        covered = end
    }
}

extension OutputBuffer {
    /// What a field holds, to be read by people; one line, nothing in it that a terminal obeys.
    /// - Parameters:
    ///   - isHidden: Its bytes are a secret.
    ///   - limit: Of longer text only so many bytes are shown.
    mutating func append(
        valueOf field: Field,
        _ message: MessageReport,
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
        guard case .text = field.value else {
            append(text: field.meaning)
            return
        }
        let isUserID = field.name == "es.user_id"
        let isID = isUserID || field.name == "es.dest_user_id"
        var range = field.offset..<field.offset + field.length
        if isID { range = isUserID ? message.header.userIDRange : message.header.destUserIDRange }
        range = range.clamped(to: 0..<bytes.byteCount)
        let shown = range.count <= limit ? range : range.lowerBound..<cut(bytes, range, limit)
        bytes.extracting(shown).withUnsafeBytes { _ = append(decoded: $0, isID: isID, quote: true, decodeText) }
        if shown.count < range.count { append("…") }
        // A meaning that repeats the text says nothing more, and is not escaped the same way.
        if !field.meaning.isEmpty, field.meaning.utf8.first != 0x22 {
            append(field.meaning.utf8.first == 0x2B || field.meaning.utf8.first == 0x3D ? " " : ", ")
            append(text: field.meaning)
        }
    }

    /// A place at most `limit` bytes into `range` that does not cut a character of UTF-8.
    private func cut(_ bytes: RawSpan, _ range: Range<Int>, _ limit: Int) -> Int {
        var end = range.lowerBound + limit
        while end > range.lowerBound + limit - 4, end > range.lowerBound, bytes.byte(end) & 0xC0 == 0x80 { end -= 1 }
        return end
    }
}
