import ESProtocol

/// What several formats say in the same words.
extension OutputBuffer {
    /// `127.0.0.1:44482 → 127.0.0.1:4530`
    /// - Returns: The columns that it takes: addresses have no character of more than one byte.
    @discardableResult
    mutating func append(endpointsOf sender: EndpointName, _ receiver: EndpointName) -> Int {
        let start = count
        append(sender)
        append(literal: " → ")
        append(receiver)
        return count - start - 2
    }

    /// `Logon (112)`, or `type 64000`.
    /// - Returns: The columns that it takes.
    @discardableResult
    mutating func append(type: UInt16, _ profile: Profile) -> Int {
        let start = count
        guard let name = profile.messageTypeName(type) else {
            append(literal: "type ")
            append(decimal: UInt64(type))
            return count - start
        }
        let width = append(text: name)
        let behind = count
        append(literal: " (")
        append(decimal: UInt64(type))
        append(0x29)
        return width + count - behind
    }

    /// An id as it stands, in quotes if it is empty, has blanks, or could be taken for something else.
    /// - Returns: The columns that it takes.
    @discardableResult
    mutating func append(
        id bytes: RawSpan,
        decodeText: ((UnsafeRawBufferPointer) -> String?)?
    ) -> Int {
        bytes.withUnsafeBytes { bytes in
            let start = count
            if let first = bytes.assumingMemoryBound(to: UInt8.self).baseAddress, !bytes.isEmpty,
                append(plainOf: first, count: bytes.count, least: 0x21) == bytes.count
            {
                return bytes.count
            }
            removeAll(from: start)
            return append(decoded: bytes, isID: true, quote: bytes.isEmpty || bytes.contains(0x20), decodeText)
        }
    }

    /// Text in the encoding that the reader asked for. An id is UTF-8 if it can be.
    @discardableResult
    mutating func append(
        decoded bytes: UnsafeRawBufferPointer,
        isID: Bool = false,
        quote: Bool,
        _ decodeText: ((UnsafeRawBufferPointer) -> String?)?
    ) -> Int {
        if let decodeText, !isID || !UTF8Reader.isValid(bytes), let text = decodeText(bytes) {
            return append(text: text, quote: quote)
        }
        return append(text: bytes, quote: quote)
    }

    /// `aa01 → _0`
    @discardableResult
    mutating func append(
        idsOf header: MessageHeader,
        _ bytes: RawSpan,
        decodeText: ((UnsafeRawBufferPointer) -> String?)?
    ) -> Int {
        var columns = append(
            id: bytes.extracting(header.userIDRange.clamped(to: 0..<bytes.byteCount)),
            decodeText: decodeText
        )
        append(literal: " → ")
        columns += append(
            id: bytes.extracting(header.destUserIDRange.clamped(to: 0..<bytes.byteCount)),
            decodeText: decodeText
        )
        return columns + 3
    }

    /// What is wrong with a message: `gap: 20 bytes missing`. Nothing for a complete one.
    mutating func append(damageOf message: MessageReport) {
        switch message.status {
        case .complete: return
        case .gap: append("gap: ")
        case .truncated: append("truncated: ")
        }
        append(byteCount: message.missing)
        append(literal: " missing")
    }

    /// What happened, in words, without the bytes.
    mutating func append(sentenceOf event: EventReport) {
        let length = event.length ?? 0
        switch event.kind {
        case .gap:
            append(byteCount: length)
            append(length == 1 ? " was not captured" : " were not captured")
        case .skipped:
            append(byteCount: length)
            append(literal: " skipped")
        case .truncated:
            append(byteCount: length)
            append(literal: " of a header, then the stream ends")
        case .limit:
            if event.length != nil {
                append(byteCount: length)
                append(literal: ", ")
            }
            append(literal: "limit reached")
        case .preface:
            append(byteCount: length)
            append(event.isUDP ? " before or between messages" : " of another protocol before the first message")
        case .notES:
            append(byteCount: length)
            append(literal: " without a message of this protocol")
        case .late:
            append(byteCount: length)
            append(length == 1 ? " came after its gap had been given up" : " came after their gap had been given up")
        case .layout: append("layout")
        case .notice: append("notice")
        }
        if let offset = event.streamOffset {
            append(event.isUDP ? " (datagram offset " : " (stream offset ")
            append(grouped: offset)
            append(0x29)
        }
        if let looksLike = event.looksLike {
            append(literal: ", looks like ")
            append(text: looksLike)
        }
        // That a direction holds no message is all that there is to say of it.
        if !event.reason.isEmpty, event.kind != .notES {
            append(literal: ": ")
            append(text: event.reason)
        }
    }
}

extension UTF8Reader {
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return true }
        var index = 0
        while index < bytes.count {
            let next = read(start + index, count: bytes.count - index)
            if !next.isValid { return false }
            index += next.length
        }
        return true
    }
}
