/// A piece of a filter.
struct FilterToken: Equatable {
    enum Kind: Equatable {
        /// A name, a number, a time, an address, bytes in hex, an operator in letters: what it is, is told by where it stands.
        case word
        /// Between quotes. `isRaw` if it began with `r`: then a backslash is nothing special.
        case string(isRaw: Bool)
        case symbol(Symbol)
        case end
    }

    enum Symbol: String, CaseIterable {
        case anyEqual = "==="
        case anyNotEqual = "!=="
        case equal = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case and = "&&"
        case or = "||"
        case range = ".."
        case less = "<"
        case greater = ">"
        case not = "!"
        case tilde = "~"
        case open = "("
        case close = ")"
        case openSet = "{"
        case closeSet = "}"
        case openSlice = "["
        case closeSlice = "]"
        case comma = ","
    }

    var kind: Kind
    /// Offsets in the UTF-8 of the filter; of a string with its quotes.
    var range: Range<Int>
}

/// Takes a filter apart.
struct FilterLexer {
    let expression: String
    private let bytes: [UInt8]
    private var position = 0
    private var tokens: [FilterToken] = []

    /// A filter of more bytes is refused.
    static let maximumLength = 1 << 16

    /// - Returns: the tokens, the last of them ``FilterToken/Kind/end``.
    static func tokens(of expression: String) throws(FilterError) -> [FilterToken] {
        var lexer = FilterLexer(expression: expression)
        return try lexer.run()
    }

    private init(expression: String) {
        self.expression = expression
        bytes = Array(expression.utf8)
    }

    private func error(_ message: String, _ range: Range<Int>) -> FilterError {
        FilterError(message: message, expression: expression, range: range)
    }

    private mutating func run() throws(FilterError) -> [FilterToken] {
        guard bytes.count <= Self.maximumLength else {
            throw error("a filter of more than \(Self.maximumLength / 1024) KiB", Self.maximumLength..<bytes.count)
        }
        while position < bytes.count {
            let byte = bytes[position]
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                position += 1
            } else if byte == 0x22 || byte == 0x27 {
                try readString(from: position, isRaw: false)
            } else if byte | 0x20 == 0x72, next(1) == 0x22 || next(1) == 0x27 {
                position += 1
                try readString(from: position - 1, isRaw: true)
            } else if let (symbol, length) = symbol, !isAddressInBrackets(symbol) {
                add(.symbol(symbol), position..<position + length)
            } else if isWordStart(byte) {
                readWord()
            } else {
                throw unexpected()
            }
        }
        add(.end, bytes.count..<bytes.count)
        return tokens
    }

    private mutating func add(_ kind: FilterToken.Kind, _ range: Range<Int>) {
        tokens.append(FilterToken(kind: kind, range: range))
        position = range.upperBound
    }

    private func next(_ distance: Int) -> UInt8 {
        position + distance < bytes.count ? bytes[position + distance] : 0
    }

    /// The symbol that stands here, the longest that can be meant.
    private var symbol: (FilterToken.Symbol, length: Int)? {
        let byte = bytes[position]
        guard let candidates = Self.symbols[byte] else { return nil }
        let found = candidates.first { bytes[position...].starts(with: $0.rawValue.utf8) }
        return found.map { ($0, $0.rawValue.utf8.count) }
    }

    /// By their first bytes; the longer ones come first.
    private static let symbols = Dictionary(grouping: FilterToken.Symbol.allCases) { $0.rawValue.utf8.first ?? 0 }

    private func unexpected() -> FilterError {
        let hints: [UInt8: String] = [
            0x26: "“and” is written &&", 0x7C: "“or” is written ||", 0x3D: "“equal” is written ==",
        ]
        if let hint = hints[bytes[position]] { return error(hint, position..<position + 1) }
        var end = position + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        let isText = bytes[position] >= 0x80
        return error(
            isText ? "text must stand between quotes" : "a character that has no meaning here",
            position..<end
        )
    }

    // MARK: - Words

    private func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
    }

    private func isWordStart(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == 0x2E || byte == 0x3A
            || (byte == 0x2D || byte == 0x2B) && (0x30...0x39).contains(next(1)) || byte == 0x5B
    }

    /// `[::1]:4530`, where no field stands before the bracket.
    private func isAddressInBrackets(_ symbol: FilterToken.Symbol) -> Bool {
        guard symbol == .openSlice, tokens.last.map({ $0.kind != .word || $0.range.upperBound < position }) ?? true
        else { return false }
        return addressEnd != nil
    }

    /// Where an address in brackets that begins here ends.
    private var addressEnd: Int? {
        var end = position + 1
        var colons = 0
        while end < bytes.count, isLetterOrDigit(bytes[end]) || bytes[end] == 0x3A || bytes[end] == 0x2E {
            if bytes[end] == 0x3A { colons += 1 }
            end += 1
        }
        return end < bytes.count && bytes[end] == 0x5D && colons >= 2 ? end + 1 : nil
    }

    private mutating func readWord() {
        let start = position
        if bytes[position] == 0x5B { position = addressEnd ?? position }
        let isNumeric = (0x30...0x39).contains(bytes[start]) || bytes[start] == 0x2D || bytes[start] == 0x2B
        var end = max(position, start + 1)
        while end < bytes.count {
            let byte = bytes[end]
            if byte == 0x2E, end + 1 < bytes.count, bytes[end + 1] == 0x2E { break }
            if isLetterOrDigit(byte) || byte == 0x2E || byte == 0x3A || byte == 0x2F {
                end += 1
            } else if isNumeric, byte == 0x2D || byte == 0x2B {
                end += 1
            } else if byte == 0x5B, !isNumeric, let behind = indexEnd(end) {
                end = behind
            } else {
                break
            }
        }
        add(.word, start..<end)
    }

    /// Behind `[3]`, the number of an element.
    private func indexEnd(_ start: Int) -> Int? {
        var end = start + 1
        while end < bytes.count, (0x30...0x39).contains(bytes[end]) { end += 1 }
        return end > start + 1 && end < bytes.count && bytes[end] == 0x5D ? end + 1 : nil
    }

    // MARK: - Strings

    private mutating func readString(from start: Int, isRaw: Bool) throws(FilterError) {
        let quote = bytes[position]
        var end = position + 1
        while end < bytes.count, bytes[end] != quote {
            end += bytes[end] == 0x5C && !isRaw ? 2 : 1
        }
        guard end < bytes.count else { throw error("the quote is not closed", start..<bytes.count) }
        add(.string(isRaw: isRaw), start..<end + 1)
    }
}
