/// A line of a dump that begins with an offset: `00000010  ff 00 70 00  ..p.`
struct OffsetRow {
    /// Digits that stand together: one byte or several.
    struct Group {
        /// Of the digits in the line.
        var range: Range<Int>
        /// Blanks before it, if that is known.
        var gap: Int?
        /// Bytes.
        var count: Int
        /// `**`: a byte that was not to be seen.
        var isHidden = false
    }

    /// Index of the line.
    var line: Int
    /// The digits of the offset.
    var offset: Range<Int>
    var hasColon = false
    var hasPrefix = false
    var indent = 0
    var direction: Dump.Direction?
    var groups: [Group] = []
    /// Groups on lines of their own that follow it.
    var continuation: [(line: Int, groups: [Group])] = []
    /// Where the first thing that is no byte begins.
    var rest: Int?
    /// A row that says that bytes are not there, and has none.
    var isMarker = false
    /// A line with `*` stands before it: the row before is repeated.
    var followsStar = false
    /// 0, or 1 for the other side.
    var side = 0

    /// The offset has the look of one: it cannot be a byte.
    var isPlainlyOffset: Bool { hasColon || hasPrefix || offset.count >= 3 }
    var byteCount: Int { groups.reduce(0) { $0 + $1.count } }
    var continuedByteCount: Int { continuation.reduce(0) { $0 + $1.groups.reduce(0) { $0 + $1.count } } }

    /// - Returns: `nil` if the line is no row.
    init?(_ text: TextLine, line: Int) {
        self.line = line
        var start = 0
        let characters = text.characters
        func skipBlanks() {
            while start < characters.count, characters[start] == 0x20 || characters[start] == 9 { start += 1 }
        }
        skipBlanks()
        // A quotation, a cell of a table, an arrow.
        while start < characters.count, [0x3E, 0x7C, TextLine.toServer, TextLine.toClient].contains(characters[start]) {
            if characters[start] == TextLine.toServer { direction = .clientToServer }
            if characters[start] == TextLine.toClient { direction = .serverToClient }
            start += 1
            skipBlanks()
        }
        indent = characters[..<start].reduce(0) { $0 + ($1 == 9 ? 8 : 1) }
        var end = start
        while end < characters.count, characters[end] != 0x20, characters[end] != 9 { end += 1 }
        guard end > start else { return nil }
        var digits = start..<end
        if characters[start] == 0x30, end - start > 2, characters[start + 1] | 0x20 == 0x78 {
            hasPrefix = true
            digits = start + 2..<end
        }
        // Segment and offset, as DOS has them.
        if digits.count == 9 || digits.count == 17, characters[digits.lowerBound + digits.count / 2] == 0x3A {
            hasColon = true
            digits = digits.lowerBound + digits.count / 2 + 1..<end
        } else if characters[end - 1] == 0x3A {
            hasColon = true
            digits = digits.lowerBound..<end - 1
        } else if characters[end - 1] | 0x20 == 0x68, digits.count >= 4 {
            digits = digits.lowerBound..<end - 1
        }
        guard (1...16).contains(digits.count), characters[digits].allSatisfy({ hexValue($0) != nil }) else {
            return nil
        }
        offset = digits
        readGroups(text, from: end)
        if groups.isEmpty, !isMarker, rest != nil { return nil }
    }

    private mutating func readGroups(_ text: TextLine, from start: Int) {
        let tokens = text.tokens(from: start)
        for (index, token) in tokens.enumerated() {
            if groups.isEmpty, index + 1 < tokens.count, Self.isCount(text, token),
                ["byte", "bytes"].contains(text.text(tokens[index + 1].range))
            {
                isMarker = true
                rest = token.range.lowerBound
                return
            }
            guard Self.append(text, token, to: &groups) else {
                rest = token.range.lowerBound
                return
            }
        }
    }

    /// Takes a word as bytes, if it is.
    static func append(_ text: TextLine, _ token: Token, to groups: inout [Group]) -> Bool {
        let characters = text.characters[token.range]
        if characters.elementsEqual([0x2A, 0x2A]) {
            groups.append(Group(range: token.range, gap: token.gap, count: 1, isHidden: true))
            return true
        }
        if characters.count == 4, characters.first == 0x30, characters[characters.startIndex + 1] | 0x20 == 0x78,
            hexBytes(characters.dropFirst(2)) != nil
        {
            let range = token.range.lowerBound + 2..<token.range.upperBound
            groups.append(Group(range: range, gap: token.gap, count: 1))
            return true
        }
        // DOS puts a dash between the eighth byte and the ninth.
        if characters.count == 5, characters[characters.startIndex + 2] == 0x2D,
            hexBytes(characters.prefix(2)) != nil, hexBytes(characters.suffix(2)) != nil
        {
            let first = token.range.lowerBound
            groups.append(Group(range: first..<first + 2, gap: token.gap, count: 1))
            groups.append(Group(range: first + 3..<first + 5, gap: 1, count: 1))
            return true
        }
        guard characters.count % 2 == 0, characters.count <= 64, characters.allSatisfy({ hexValue($0) != nil }) else {
            return false
        }
        groups.append(Group(range: token.range, gap: token.gap, count: characters.count / 2))
        return true
    }

    private static func isCount(_ text: TextLine, _ token: Token) -> Bool {
        text.characters[token.range].allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2C }
    }

    /// The offset as a number; `nil` if it is none of that base, or too large.
    func value(_ text: TextLine, base: Int) -> Int? {
        var value = 0
        for character in text.characters[offset] {
            guard let digit = hexValue(character), Int(digit) < base else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: base)
            guard !overflow, product <= Int.max - 16 else { return nil }
            value = product + Int(digit)
        }
        return value
    }
}
