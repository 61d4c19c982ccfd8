/// Finds the bytes in what people paste: hex in any spacing, lists of numbers, dumps of many programs, JSON of esdump.
package enum DumpReader {
    /// Reads a text, or bytes as they are.
    /// - Parameter form: What it is; `nil` finds out. Escapes and Base64 are read only if they are asked for, since nothing
    ///   tells them from other text.
    package static func read(_ input: [UInt8], as form: Dump.Form? = nil) throws(DumpError) -> Dump {
        guard !input.isEmpty else { throw DumpError("there is nothing to decode: the input is empty") }
        switch form {
        case .raw: return raw(input)
        case .escapes: return try EncodedText.escapes(input)
        case .base64: return try EncodedText.base64(input)
        case .json: return try MessageJSON.dump(input)
        case .rows:
            guard var rows = OffsetRows(TextLines.split(input)) else {
                throw DumpError("no rows that begin with an offset which counts their bytes")
            }
            return try rows.read()
        case .list:
            guard let list = NumberList(TextLines.split(input)) else { throw DumpError("no list of numbers") }
            return try list.read()
        case .hex:
            var hex = PlainHex(TextLines.split(input))
            return try hex.read()
        case nil: return try find(input)
        }
    }

    private static func find(_ input: [UInt8]) throws(DumpError) -> Dump {
        if TextLines.isBinary(input) { return raw(input) }
        if MessageJSON.looksLike(input) { return try MessageJSON.dump(input) }
        let lines = TextLines.split(input)
        if lines.allSatisfy({ $0.tokens().isEmpty }) {
            throw DumpError("there is nothing to decode: the input is blank")
        }
        if var rows = OffsetRows(lines) { return try rows.read() }
        let hasEscapes = contains(input, [0x5C, 0x78])
        if !hasEscapes, let list = NumberList(lines) { return try list.read() }
        var hex = PlainHex(lines)
        do throws(DumpError) { return try hex.read() } catch {
            guard hasEscapes else { throw error }
            throw DumpError("no bytes found; this has \\x: --input escapes reads a string with escapes")
        }
    }

    private static func raw(_ input: [UInt8]) -> Dump {
        var dump = Dump(form: .raw, description: "bytes as they are")
        var piece = Dump.Piece()
        piece.append(input)
        dump.pieces = [piece]
        return dump
    }

    private static func contains(_ input: [UInt8], _ pair: [UInt8]) -> Bool {
        guard input.count >= 2 else { return false }
        return (0..<input.count - 1).contains { input[$0] == pair[0] && input[$0 + 1] == pair[1] }
    }
}
