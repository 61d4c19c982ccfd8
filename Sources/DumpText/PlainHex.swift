/// Reads hex digits in any spacing, with words around them or not.
///
/// A line of nothing but hex is data. In a line that has words too, the longest run of hex is, if it is long enough not to
/// be a number in a sentence.
struct PlainHex {
    private enum Kind {
        /// Ranges of digits: an even number in each.
        case hex([Range<Int>])
        case odd(Range<Int>)
        case word
    }

    private let lines: [TextLine]
    private var piece = Dump.Piece()
    private var wordLines = 0
    private var hasSeparators = false
    /// Digits of a line of one odd number of them, which may have been broken anywhere.
    private var pending: (line: Int, digits: [UInt8])?

    init(_ lines: [TextLine]) { self.lines = lines }

    mutating func read() throws(DumpError) -> Dump {
        for index in lines.indices { try readLine(index) }
        if let pending { throw oddDigits(pending.line) }
        guard !piece.chunks.isEmpty else {
            throw DumpError("no bytes found: neither hex digits, nor rows with offsets, nor a list of numbers")
        }
        var dump = Dump(form: .hex, description: hasSeparators ? "hex digits with signs between them" : "hex digits")
        dump.pieces = [piece]
        if wordLines > 0 {
            dump.notes.append("\(wordLines) line\(wordLines == 1 ? " has" : "s have") words, which are left out")
        }
        return dump
    }

    private mutating func readLine(_ index: Int) throws(DumpError) {
        let line = lines[index]
        // The signs of a quotation are no words.
        let tokens = Array(line.tokens().drop { line.characters[$0.range].allSatisfy { $0 == 0x3E || $0 == 0x7C } })
        guard !tokens.isEmpty else { return }
        var kinds = tokens.map { kind(line, $0) }
        let isPure = kinds.allSatisfy { if case .word = $0 { false } else { true } } && !areWords(line, tokens, kinds)
        if isPure, tokens.count == 1, try takeBroken(index, kinds[0]) { return }
        if let pending { throw oddDigits(pending.line) }
        var range = kinds.indices
        if !isPure {
            wordLines += 1
            guard let run = longestRun(line, tokens, &kinds) else { return }
            range = run
        }
        var isFirst = true
        for at in range {
            switch kinds[at] {
            case .word: continue
            case .odd(let digits):
                throw line.error(
                    digits.lowerBound,
                    "an odd number of hex digits (\(digits.count)): \(shortened(line, digits))"
                )
            case .hex(let parts):
                hasSeparators = hasSeparators || parts.count > 1
                for part in parts {
                    if isFirst { note(index, part.lowerBound) }
                    isFirst = false
                    piece.append(hexBytes(line.characters[part]) ?? [])
                }
            }
        }
    }

    /// `add a face`: letters only, and not even in pairs.
    private func areWords(_ line: TextLine, _ tokens: [Token], _ kinds: [Kind]) -> Bool {
        guard kinds.contains(where: { if case .odd = $0 { true } else { false } }) else { return false }
        return tokens.allSatisfy { line.characters[$0.range].allSatisfy { !(0x30...0x39).contains($0) } }
    }

    private mutating func note(_ index: Int, _ at: Int) {
        piece.places.append(
            Dump.Place(offset: piece.length, line: lines[index].number, column: lines[index].column(at))
        )
    }

    /// A long number may have been broken into lines anywhere: its parts are put together.
    private mutating func takeBroken(_ index: Int, _ kind: Kind) throws(DumpError) -> Bool {
        let digits: Range<Int>
        switch kind {
        case .hex(let parts) where parts.count == 1 && pending != nil: digits = parts[0]
        case .odd(let range) where range.count > 8 || pending != nil: digits = range
        default: return false
        }
        let all = (pending?.digits ?? []) + lines[index].characters[digits]
        if pending == nil { note(index, digits.lowerBound) }
        let line = pending?.line ?? index
        if let bytes = hexBytes(all[...]) {
            piece.append(bytes)
            pending = nil
        } else {
            pending = (line, all)
        }
        return true
    }

    private func oddDigits(_ index: Int) -> DumpError {
        let line = lines[index]
        let token = line.tokens().first { line.characters[$0.range].contains { hexValue($0) != nil } }?.range ?? 0..<0
        return line.error(token.lowerBound, "an odd number of hex digits (\(token.count)): \(shortened(line, token))")
    }

    private func shortened(_ line: TextLine, _ range: Range<Int>) -> String {
        range.count <= 24 ? line.text(range) : line.text(range.prefix(20)) + "…"
    }

    /// What a word is.
    private func kind(_ line: TextLine, _ token: Token) -> Kind {
        let characters = line.characters
        var range = token.range
        let quotes: [UInt8] = [0x22, 0x27, 0x28, 0x29, 0x3C, 0x3E, 0x5B, 0x5D, 0x60, 0x7B, 0x7D, 0x2C, 0x3B, 0x7C]
        while let first = range.first, quotes.contains(characters[first]) { range = range.dropFirst() }
        while let last = range.last, quotes.contains(characters[last]) { range = range.dropLast() }
        if range.count > 3, characters[range.lowerBound] == 0x30, characters[range.lowerBound + 1] | 0x20 == 0x78 {
            range = range.dropFirst(2)
        }
        // Nothing but a sign between bytes, or a prompt.
        guard !range.isEmpty else {
            return token.range.count == 1 && characters[token.range.lowerBound] != 0x3E ? .hex([]) : .word
        }
        let separators: [UInt8] = [0x3A, 0x2D, 0x2C, 0x3B, 0x7C, 0x5F]
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        var odd: Range<Int>?
        for index in range.lowerBound...range.upperBound {
            if index < range.upperBound, !separators.contains(characters[index]) {
                guard hexValue(characters[index]) != nil else { return .word }
                continue
            }
            // A sign at the end belongs to what it follows.
            if start == index, index < range.upperBound || parts.isEmpty { return .word }
            if start < index {
                if (index - start) % 2 == 1, odd == nil { odd = start..<index }
                parts.append(start..<index)
            }
            start = index + 1
        }
        if Self.isTime(characters, parts) { return .word }
        if let odd { return .odd(odd) }
        return .hex(parts)
    }

    /// `2026-11-30` or `11:04:05`
    private static func isTime(_ characters: [UInt8], _ parts: [Range<Int>]) -> Bool {
        guard parts.count == 3, parts.allSatisfy({ characters[$0].allSatisfy { (0x30...0x39).contains($0) } }) else {
            return false
        }
        let sign = characters[parts[0].upperBound]
        func value(_ part: Range<Int>) -> Int { characters[part].reduce(0) { $0 * 10 + Int($1) - 0x30 } }
        if sign == 0x2D { return parts.map(\.count) == [4, 2, 2] && value(parts[1]) <= 12 && value(parts[2]) <= 31 }
        return sign == 0x3A && parts.allSatisfy { $0.count == 2 } && value(parts[0]) < 24 && value(parts[1]) < 60
            && value(parts[2]) < 60
    }

    /// The longest run of hex in a line with words; `nil` if it may be a number in a sentence.
    private func longestRun(_ line: TextLine, _ tokens: [Token], _ kinds: inout [Kind]) -> Range<Int>? {
        var best: Range<Int>?
        var bestDigits = 0
        var index = 0
        while index < kinds.count {
            guard isHex(kinds[index]) else {
                index += 1
                continue
            }
            var end = index
            while end < kinds.count, isHex(kinds[end]) { end += 1 }
            let run = trimmed(line, kinds, index..<end)
            let digits = run.reduce(0) { $0 + digitCount(kinds[$1]) }
            if digits > bestDigits {
                best = run
                bestDigits = digits
            }
            index = end
        }
        guard let best, bestDigits >= 16 || bestDigits >= 8 && best.count >= 4 else { return nil }
        return best
    }

    /// Words that happen to be hex (`a`, `add`, `decade`) do not belong to a run that other words surround.
    private func trimmed(_ line: TextLine, _ kinds: [Kind], _ run: Range<Int>) -> Range<Int> {
        func isWordLike(_ kind: Kind) -> Bool {
            switch kind {
            case .word: true
            case .odd(let range): range.count <= 8
            case .hex(let parts):
                parts.count == 1 && parts[0].count > 2 && parts[0].count <= 8
                    && line.characters[parts[0]].allSatisfy { hexValue($0).map { $0 > 9 } ?? false }
            }
        }
        var run = run
        if run.lowerBound > 0 { while let first = run.first, isWordLike(kinds[first]) { run = run.dropFirst() } }
        if run.upperBound < kinds.count { while let last = run.last, isWordLike(kinds[last]) { run = run.dropLast() } }
        return run
    }

    private func isHex(_ kind: Kind) -> Bool { if case .word = kind { false } else { true } }

    private func digitCount(_ kind: Kind) -> Int {
        switch kind {
        case .hex(let parts): parts.reduce(0) { $0 + $1.count }
        case .odd(let range): range.count
        case .word: 0
        }
    }
}
