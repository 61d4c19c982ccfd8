/// What stands between the quotes of a filter's string.
enum FilterString {
    /// The bytes that a string stands for: `\n`, `\x5f`, `\u4e2d`, `\u{1f600}` and the like are replaced.
    /// - Parameters:
    ///   - token: a string with its quotes.
    ///   - expression: the filter.
    static func bytes(of token: FilterToken, in expression: String) throws(FilterError) -> [UInt8] {
        let (contents, start, isRaw) = contents(of: token, in: expression)
        if isRaw { return contents }
        var result: [UInt8] = []
        var index = 0
        while index < contents.count {
            guard contents[index] == 0x5C, index + 1 < contents.count else {
                result.append(contents[index])
                index += 1
                continue
            }
            let letter = contents[index + 1]
            var length = 2
            if let byte = simple[letter] {
                result.append(byte)
            } else if letter == 0x78 {
                let digits = digits(contents[(index + 2)...], most: 2)
                length += digits.count
                result.append(contentsOf: number(digits).map { [UInt8(truncatingIfNeeded: $0)] } ?? [])
                if digits.count != 2 { length = 0 }
            } else if letter | 0x20 == 0x75 {
                let isBraced = contents.indices.contains(index + 2) && contents[index + 2] == 0x7B
                let most = isBraced ? 6 : letter == 0x75 ? 4 : 8
                let digits = digits(contents[(index + (isBraced ? 3 : 2))...], most: most)
                length += digits.count + (isBraced ? 2 : 0)
                let isClosed = contents.indices.contains(index + length - 1) && contents[index + length - 1] == 0x7D
                if let scalar = number(digits).flatMap({ Unicode.Scalar($0) }),
                    isBraced ? isClosed : digits.count == most
                {
                    result.append(contentsOf: Array(String(Character(scalar)).utf8))
                } else {
                    length = 0
                }
            } else {
                length = 0
            }
            guard length > 0 else {
                let place = start + index
                throw FilterError(
                    message:
                        "an escape that has no meaning; a backslash itself is \\\\, and r\"…\" takes all as it stands",
                    expression: expression,
                    range: place..<place + 2
                )
            }
            index += length
        }
        return result
    }

    /// A regular expression. Its backslashes are its own, so that both `\d` and `\\d` are a digit; only `\"` is needed before.
    /// - Returns: the pattern, and the offset of its first byte in the filter if those that follow stand there as well.
    static func pattern(of token: FilterToken, in expression: String) -> (pattern: [UInt8], offset: Int?) {
        let (contents, start, isRaw) = contents(of: token, in: expression)
        if isRaw { return (contents, start) }
        var result: [UInt8] = []
        var index = 0
        while index < contents.count {
            if contents[index] == 0x5C, index + 1 < contents.count,
                [0x5C, 0x22, 0x27].contains(contents[index + 1])
            {
                index += 1
            }
            result.append(contents[index])
            index += 1
        }
        return (result, result.count == contents.count ? start : nil)
    }

    private static func contents(of token: FilterToken, in expression: String) -> ([UInt8], start: Int, isRaw: Bool) {
        let isRaw = token.kind == .string(isRaw: true)
        let start = token.range.lowerBound + (isRaw ? 2 : 1)
        return (expression.utf8Bytes(start..<token.range.upperBound - 1), start, isRaw)
    }

    private static let simple: [UInt8: UInt8] = [
        0x5C: 0x5C, 0x22: 0x22, 0x27: 0x27, 0x61: 7, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9, 0x76: 11, 0x30: 0,
    ]

    private static func digits(_ bytes: ArraySlice<UInt8>, most: Int) -> ArraySlice<UInt8> {
        bytes.prefix(most).prefix { hexDigit($0) != nil }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
        digits.isEmpty ? nil : digits.reduce(0) { $0 << 4 | UInt32(hexDigit($1) ?? 0) }
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}

extension String {
    /// Some of its bytes.
    func utf8Bytes(_ range: Range<Int>) -> [UInt8] {
        Array(utf8.dropFirst(range.lowerBound).prefix(range.count))
    }
}
