/// Reads strings with C's escapes, and Base64.
enum EncodedText {
    // MARK: - Escapes

    /// The bytes of one string or several, with their escapes: `"\xff\x00p"`, `b'\377'`. Without quotes, the whole text.
    static func escapes(_ input: [UInt8]) throws(DumpError) -> Dump {
        var dump = Dump(form: .escapes, description: "a string with escapes")
        var piece = Dump.Piece()
        var reader = PlaceCounter(input)
        let isQuoted = input.contains(0x22) || input.contains(0x27)
        var quote: UInt8?
        var bytes: [UInt8] = []
        while let character = reader.next() {
            if isQuoted, quote == nil {
                if character == 0x22 || character == 0x27 { quote = character }
                continue
            }
            if character == quote {
                quote = nil
                continue
            }
            if quote == nil, character == 0x0A || character == 0x0D { continue }
            if piece.places.last?.line != reader.line {
                piece.places.append(Dump.Place(offset: bytes.count, line: reader.line, column: reader.column))
            }
            guard character == 0x5C else {
                bytes.append(character)
                continue
            }
            bytes += try escape(&reader)
        }
        if quote != nil { throw DumpError(line: reader.line, column: reader.column, "the string does not end") }
        piece.append(bytes)
        dump.pieces = [piece]
        return dump
    }

    /// Reads what follows a backslash.
    private static func escape(_ reader: inout PlaceCounter) throws(DumpError) -> [UInt8] {
        let (line, column) = (reader.line, reader.column)
        func error(_ reason: String) -> DumpError { DumpError(line: line, column: column, reason) }
        guard let letter = reader.next() else { throw error("nothing follows the backslash") }
        switch letter {
        case 0x78:
            guard let high = reader.peek().flatMap(hexValue) else { throw error("\\x needs two hex digits") }
            _ = reader.next()
            guard let low = reader.peek().flatMap(hexValue) else { throw error("\\x needs two hex digits") }
            _ = reader.next()
            return [high << 4 | low]
        case 0x30...0x37:
            var value = Int(letter - 0x30)
            for _ in 0..<2 {
                guard let digit = reader.peek(), (0x30...0x37).contains(digit) else { break }
                value = value * 8 + Int(digit - 0x30)
                _ = reader.next()
            }
            guard let byte = UInt8(exactly: value) else { throw error("the octal escape is more than a byte holds") }
            return [byte]
        case 0x75, 0x55:
            var value: UInt32 = 0
            let isBraced = reader.peek() == 0x7B
            if isBraced { _ = reader.next() }
            var count = 0
            let most = isBraced || letter == 0x55 ? 8 : 4
            while count < most, let digit = reader.peek().flatMap(hexValue) {
                value = value << 4 | UInt32(digit)
                count += 1
                _ = reader.next()
            }
            if isBraced { guard reader.next() == 0x7D else { throw error("\\u{ needs a }") } }
            guard count > 0, isBraced || count == most, let scalar = Unicode.Scalar(value) else {
                throw error("\\\(letter == 0x75 ? "u" : "U") is no character")
            }
            return Array(String(Character(scalar)).utf8)
        case 0x6E: return [0x0A]
        case 0x72: return [0x0D]
        case 0x74: return [0x09]
        case 0x61: return [0x07]
        case 0x62: return [0x08]
        case 0x66: return [0x0C]
        case 0x76: return [0x0B]
        case 0x65: return [0x1B]
        case 0x0A: return []
        case 0x0D:
            if reader.peek() == 0x0A { _ = reader.next() }
            return []
        case 0x5C, 0x22, 0x27, 0x3F: return [letter]
        default: throw error("an escape that is not known")
        }
    }

    // MARK: - Base64

    /// Base64 in either alphabet, in any lines, with padding or without; what comes before `base64,` is left out.
    static func base64(_ input: [UInt8]) throws(DumpError) -> Dump {
        var dump = Dump(form: .base64, description: "Base64")
        var piece = Dump.Piece()
        var reader = PlaceCounter(input)
        reader.skip(behind: Array("base64,".utf8))
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        while let character = reader.next() {
            let value: UInt8
            switch character {
            case 0x41...0x5A: value = character - 0x41
            case 0x61...0x7A: value = character - 0x61 + 26
            case 0x30...0x39: value = character - 0x30 + 52
            case 0x2B, 0x2D: value = 62
            case 0x2F, 0x5F: value = 63
            case 0x3D:
                padding += 1
                continue
            case 0x09, 0x0A, 0x0D, 0x20, 0x22, 0x27: continue
            case 0xEF, 0xBB, 0xBF, 0xC2, 0xA0: continue
            default:
                throw DumpError(line: reader.line, column: reader.column, "a character that is none of Base64")
            }
            guard padding == 0 else {
                throw DumpError(line: reader.line, column: reader.column, "Base64 goes on behind its end (=)")
            }
            if piece.places.last?.line != reader.line {
                piece.places.append(Dump.Place(offset: bytes.count, line: reader.line, column: reader.column))
            }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count == 4 {
                bytes += [
                    UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
                    UInt8(truncatingIfNeeded: bits),
                ]
                bits = 0
                count = 0
            }
        }
        switch count {
        case 1: throw DumpError(line: reader.line, column: reader.column, "Base64 ends inside a byte")
        case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3: bytes += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
        default: break
        }
        piece.append(bytes)
        dump.pieces = [piece]
        return dump
    }
}

/// Goes through bytes and counts lines and columns.
private struct PlaceCounter {
    private let input: [UInt8]
    private var index = 0
    /// Of the byte that was read last, from 1.
    private(set) var line = 1
    var column: Int { max(count, 1) }
    private var count = 0
    private var isAtEnd = false

    init(_ input: [UInt8]) { self.input = input }

    func peek() -> UInt8? { index < input.count ? input[index] : nil }

    mutating func next() -> UInt8? {
        guard index < input.count else { return nil }
        if isAtEnd {
            line += 1
            count = 0
        }
        let byte = input[index]
        index += 1
        isAtEnd = byte == 0x0A
        // A character counts once.
        if byte & 0xC0 != 0x80 { count += 1 }
        return byte
    }

    /// Goes behind a text, if it is there.
    mutating func skip(behind text: [UInt8]) {
        guard let first = text.first, input.count >= text.count else { return }
        for start in 0...(input.count - text.count)
        where input[start] == first && input[start..<start + text.count].elementsEqual(text) {
            while index < start + text.count { _ = next() }
            return
        }
    }
}
