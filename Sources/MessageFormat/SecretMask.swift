import ESProtocol

/// Finds the bytes that are a password.
///
/// What is asked is never "is this the password?" but "can it be?". In a Logon request whose lengths can be followed, that is
/// the contents of `Password`. Where they cannot (a hole in a length, a length that does not fit, an end that comes out
/// wrong), it is everything behind the last field that could be followed.
enum SecretMask {
    /// Ranges of `bytes` (all bytes of the message that were there) to hide, in order. Empty for nearly every message, at the
    /// cost of one comparison.
    static func ranges(_ message: MessageReport, _ bytes: RawSpan) -> [Range<Int>] {
        guard mayBeLogon(message), bytes.byteCount > message.header.layout.headerLength else { return [] }
        guard isLogonRequest(message, bytes) else { return [] }
        let headerLength = message.header.layout.headerLength
        let pieces = MessagePieces(message, byteCount: bytes.byteCount)
        let secret = secretOffsets(message, bytes, pieces)
        // A password has no byte in the header; bytes beyond the declared length are hidden with an open end.
        let indices =
            secret.upperBound == Int.max
            ? firstIndex(at: secret.lowerBound, pieces, bytes.byteCount)..<bytes.byteCount
            : pieces.indices(ofOffsets: secret)
        let clamped = indices.clamped(to: headerLength..<bytes.byteCount)
        return clamped.isEmpty ? [] : [clamped]
    }

    /// A Logon from client to server. The direction of a connection may have been guessed, so a "reply" that goes to the
    /// server or reads as a request counts as one.
    static func isLogonRequest(_ message: MessageReport, _ bytes: RawSpan) -> Bool {
        guard mayBeLogon(message) else { return false }
        if message.direction == .clientToServer { return true }
        let range = message.header.destUserIDRange
        if range.count == 2, range.upperBound <= bytes.byteCount, bytes.byte(range.lowerBound) == 0x5F,
            bytes.byte(range.lowerBound + 1) == 0x30
        {
            return true
        }
        let pieces = MessagePieces(message, byteCount: bytes.byteCount)
        return secretOffsets(message, bytes, pieces).upperBound != Int.max
    }

    static func mayBeLogon(_ message: MessageReport) -> Bool { message.profile.isLogon(message.header.messageType) }

    private static func firstIndex(at offset: Int, _ pieces: MessagePieces, _ count: Int) -> Int {
        for piece in pieces.pieces {
            guard let index = piece.index, piece.offset + piece.length > offset else { continue }
            return index + max(offset - piece.offset, 0)
        }
        return count
    }

    /// Offsets within the message that can be the password; open (`Int.max`) if the lengths could not be followed to the end.
    private static func secretOffsets(
        _ message: MessageReport,
        _ bytes: RawSpan,
        _ pieces: MessagePieces
    ) -> Range<Int> {
        let header = message.header
        let start = header.layout.headerLength
        let end = header.messageLength
        func int32(_ offset: Int) -> Int? {
            var value: UInt32 = 0
            for index in 0..<4 {
                guard offset + index < end, let at = pieces.index(ofOffset: offset + index) else { return nil }
                value |= UInt32(bytes.byte(at)) << UInt32(8 * index)
            }
            return Int(Int32(bitPattern: value))
        }
        /// The contents of the string whose length stands at `offset`.
        func string(_ offset: Int) -> Range<Int>? {
            guard let length = int32(offset), length >= -1, length <= end - offset - 4 else { return nil }
            return offset + 4..<offset + 4 + max(length, 0)
        }
        let whole = start + 4..<Int.max
        guard let length = int32(start), length == end - start - 4 else { return whole }
        var position = start + 4
        // The Logon of 4.0 has no AuthorizedUser.
        if message.profile.bodyType(of: header.messageType) != 116 {
            guard let authorizedUser = string(position) else { return whole }
            position = authorizedUser.upperBound
        }
        guard let password = string(position) else { return position..<Int.max }
        guard let token = string(password.upperBound) else {
            // The token's length is missing or wrong. Missing: the password's own length was there. Wrong: nothing holds.
            return int32(password.upperBound) == nil && password.upperBound + 4 <= end
                ? password : whole
        }
        return token.upperBound == end ? password : whole
    }

    /// Ranges of the bytes of an event to hide. `nil`: all of them.
    static func ranges(_ event: EventReport, _ bytes: [UInt8]) -> [Range<Int>]? {
        switch event.kind {
        case .preface, .notES: return preface(bytes, isPreface: event.kind == .preface)
        case .skipped, .late: return event.direction == .serverToClient ? logonHeads(bytes) : nil
        // By OUTPUT.md these are bytes of a header, which has no secret.
        case .truncated, .limit: return []
        default: return logonHeads(bytes)
        }
    }

    /// Behind everything that looks like the header of a Logon, all is hidden.
    private static func logonHeads(_ bytes: [UInt8]) -> [Range<Int>] {
        guard bytes.count > 24 else { return [] }
        for start in 0..<bytes.count - 24
        where (bytes[start] == 0xFF || bytes[start] == 0x0F) && (bytes[start + 2] == 112 || bytes[start + 2] == 116)
            && bytes[start + 3] == 0
        {
            // From the id of the destination on at the earliest: the shortest slots have a header of 16 bytes and more.
            return [start + 24..<bytes.count]
        }
        return []
    }

    /// SOCKS5's user name and password (RFC 1929), and a proxy's `Authorization`.
    private static func preface(_ bytes: [UInt8], isPreface: Bool) -> [Range<Int>]? {
        guard let first = bytes.first else { return [] }
        if first == 5 || first == 1 {
            var position = 0
            if first == 5, bytes.count > 2 { position = 2 + Int(bytes[1]) }
            // A server's choice of a method (05 02) is followed by its verdict (01 00), which this reads as an empty name.
            guard position < bytes.count, bytes[position] == 1, position + 1 < bytes.count else { return [] }
            let lengthAt = position + 2 + Int(bytes[position + 1])
            guard lengthAt + 1 < bytes.count else { return [] }
            return [lengthAt + 1..<min(lengthAt + 1 + Int(bytes[lengthAt]), bytes.count)].filter { !$0.isEmpty }
        }
        let isText = bytes.prefix(4).allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x20 || $0 == 0x2F }
        if isText { return authorization(bytes) }
        return isPreface && first != 4 ? nil : logonHeads(bytes)
    }

    private static func authorization(_ bytes: [UInt8]) -> [Range<Int>] {
        let name = Array("authorization:".utf8)
        var result: [Range<Int>] = []
        var index = 0
        while index + name.count <= bytes.count {
            var matched = 0
            while matched < name.count, bytes[index + matched] | 0x20 == name[matched] | 0x20 { matched += 1 }
            guard matched == name.count else {
                index += 1
                continue
            }
            let start = index + name.count
            var end = start
            while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
            if end > start { result.append(start..<end) }
            index = end
        }
        return result
    }
}

extension [Range<Int>] {
    /// Whether a byte is to be hidden.
    func hides(_ index: Int) -> Bool {
        for range in self where range.contains(index) { return true }
        return false
    }

    func overlaps(_ other: Range<Int>) -> Bool {
        for range in self where range.overlaps(other) { return true }
        return false
    }
}
