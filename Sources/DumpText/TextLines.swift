/// A text as lines of plain characters, whatever editor, forum or terminal it went through.
///
/// Ends of lines may be LF, CR or both; a byte order mark, blanks that do not break, characters of no width and colours of a
/// terminal are made plain or left out. Every other character beyond ASCII becomes ``TextLine/other``.
struct TextLine {
    static let other: UInt8 = 0x80
    /// `→`, in front of what a client sent.
    static let toServer: UInt8 = 0x81
    /// `←`
    static let toClient: UInt8 = 0x82

    /// From 1.
    let number: Int
    var characters: [UInt8] = []
    /// Columns in the text as it was, if they are not those of `characters`.
    var columns: [Int32]?

    init(number: Int) { self.number = number }

    /// The column of a character in the text as it was, from 1.
    func column(_ index: Int) -> Int {
        guard let columns else { return index + 1 }
        return index < columns.count ? Int(columns[index]) : Int(columns.last ?? 0) + 1
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: characters[range].map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
    }

    func error(_ index: Int, _ reason: String) -> DumpError {
        DumpError(line: number, column: column(index), reason)
    }
}

enum TextLines {
    /// Whether bytes are no text: a dump has no control characters.
    static func isBinary(_ input: [UInt8]) -> Bool {
        if isUTF16(input) { return false }
        return input.contains { $0 < 0x20 && !($0 >= 9 && $0 <= 13) && $0 != 0x1B || $0 == 0x7F }
    }

    private static func isUTF16(_ input: [UInt8]) -> Bool {
        guard input.count >= 4, input.count % 2 == 0 else { return false }
        // A message of 4.0 begins with FF FF, one of 4.7 never with FF FE and a letter behind.
        let isLittle = input[0] == 0xFF && input[1] == 0xFE
        let isBig = input[0] == 0xFE && input[1] == 0xFF
        guard isLittle || isBig else { return false }
        // Of a text about bytes nearly all is ASCII.
        var zeros = 0
        for index in stride(from: isLittle ? 3 : 2, to: input.count, by: 2) where input[index] == 0 { zeros += 1 }
        return zeros * 4 >= input.count / 2
    }

    static func split(_ input: [UInt8]) -> [TextLine] {
        isUTF16(input) ? splitUTF16(input) : splitUTF8(input)
    }

    private static func splitUTF16(_ input: [UInt8]) -> [TextLine] {
        let isLittle = input[0] == 0xFF
        var units: [UInt16] = []
        units.reserveCapacity(input.count / 2)
        for index in stride(from: 2, to: input.count - 1, by: 2) {
            let (first, second) = (UInt16(input[index]), UInt16(input[index + 1]))
            units.append(isLittle ? second << 8 | first : first << 8 | second)
        }
        return splitUTF8(Array(String(decoding: units, as: UTF16.self).utf8))
    }

    private static func splitUTF8(_ input: [UInt8]) -> [TextLine] {
        var lines: [TextLine] = []
        var line = TextLine(number: 1)
        var column: Int32 = 0
        var index = 0
        func put(_ character: UInt8) {
            line.characters.append(character)
            line.columns?.append(column)
        }
        /// From here on columns and characters differ.
        func countApart() {
            if line.columns == nil { line.columns = (0..<Int32(line.characters.count)).map { $0 + 1 } }
        }
        while index < input.count {
            let byte = input[index]
            if byte == 0x0A || byte == 0x0D {
                if byte == 0x0D, index + 1 < input.count, input[index + 1] == 0x0A { index += 1 }
                index += 1
                lines.append(line)
                line = TextLine(number: lines.count + 1)
                column = 0
                continue
            }
            column &+= 1
            if byte == 0x1B {
                countApart()
                index = endOfEscape(input, index)
                continue
            }
            if byte < 0x80 {
                put(byte < 0x20 && byte != 9 ? 0x20 : byte)
                index += 1
                continue
            }
            let (scalar, length) = scalar(input, index)
            index += length
            switch scalar {
            case 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: put(0x20)
            case 0xAD, 0x200B...0x200F, 0x2060, 0xFEFF: countApart()
            case 0x2010...0x2015, 0x2212: put(0x2D)
            case 0x2018, 0x2019: put(0x27)
            case 0x201C, 0x201D: put(0x22)
            // Full-width forms of ASCII.
            case 0xFF01...0xFF5E: put(UInt8(truncatingIfNeeded: scalar - 0xFEE0))
            case 0x2192: put(TextLine.toServer)
            case 0x2190: put(TextLine.toClient)
            default: put(TextLine.other)
            }
        }
        if !line.characters.isEmpty { lines.append(line) }
        return lines
    }

    /// The place behind a terminal's escape sequence.
    private static func endOfEscape(_ input: [UInt8], _ start: Int) -> Int {
        var index = start + 1
        guard index < input.count, input[index] == 0x5B else { return index }
        index += 1
        while index < input.count, index - start < 64, (0x20...0x3F).contains(input[index]) { index += 1 }
        return index < input.count && (0x40...0x7E).contains(input[index]) ? index + 1 : index
    }

    /// The character at a place; what is not UTF-8 is a character of Latin-1, as in a text that was never UTF-8.
    private static func scalar(_ input: [UInt8], _ index: Int) -> (UInt32, Int) {
        let first = UInt32(input[index])
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
        guard count > 1, index + count <= input.count else { return (first, 1) }
        var value = first & (0xFF >> UInt32(count + 1))
        for offset in 1..<count {
            let byte = UInt32(input[index + offset])
            guard byte & 0xC0 == 0x80 else { return (first, 1) }
            value = value << 6 | byte & 0x3F
        }
        return (value, count)
    }
}

/// A word of a line.
struct Token {
    var range: Range<Int>
    /// Blanks before it; `nil` at the start of the line, and where there is a tab among them.
    var gap: Int?
}

extension TextLine {
    /// The words from a place on, parted by blanks and tabs.
    func tokens(from start: Int = 0) -> [Token] {
        var tokens: [Token] = []
        var index = start
        while index < characters.count {
            let begin = index
            var hasTab = false
            while index < characters.count, characters[index] == 0x20 || characters[index] == 9 {
                if characters[index] == 9 { hasTab = true }
                index += 1
            }
            let gap = index - begin
            let word = index
            while index < characters.count, characters[index] != 0x20, characters[index] != 9 { index += 1 }
            if index > word {
                tokens.append(Token(range: word..<index, gap: hasTab || begin == 0 ? nil : gap))
            }
        }
        return tokens
    }
}

/// The value of a hex digit.
func hexValue(_ character: UInt8) -> UInt8? {
    switch character {
    case 0x30...0x39: character - 0x30
    case 0x41...0x46: character - 0x37
    case 0x61...0x66: character - 0x57
    default: nil
    }
}

/// The bytes of an even number of hex digits; `nil` if they are not.
func hexBytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count % 2 == 0, !digits.isEmpty else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var index = digits.startIndex
    while index < digits.endIndex {
        guard let high = hexValue(digits[index]), let low = hexValue(digits[index + 1]) else { return nil }
        bytes.append(high << 4 | low)
        index += 2
    }
    return bytes
}
