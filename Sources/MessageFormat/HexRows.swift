/// Rows of bytes in hex, with the text that they are beside them.
struct HexRows {
    var decodeText: ((UnsafeRawBufferPointer) -> String?)?
    var color = false

    /// Appends the bytes of one row in hex, two blanks in the middle of sixteen, and fills up to the full row.
    /// - Parameters:
    ///   - range: The row's bytes.
    ///   - columns: Bytes of a full row; 0 does not fill up.
    func appendHex(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        columns: Int,
        secrets: [Range<Int>],
        style: Style = .body,
        to out: inout OutputBuffer
    ) {
        out.styled(style, color) { out in
            guard !secrets.overlaps(range) else {
                appendHidden(bytes, range, secrets, to: &out)
                return
            }
            bytes.extracting(range).withUnsafeBytes { out.append(hexRow: $0) }
        }
        if range.count < columns { out.appendSpaces(Self.width(columns) - Self.width(range.count)) }
    }

    /// The same for a row with secrets in it.
    private func appendHidden(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        _ secrets: [Range<Int>],
        to out: inout OutputBuffer
    ) {
        for index in range {
            let column = index - range.lowerBound
            if column > 0 { out.append(0x20) }
            if column == 8 { out.append(0x20) }
            if secrets.hides(index) { out.append(literal: "**") } else { out.append(hexByte: bytes.byte(index)) }
        }
    }

    /// Columns of a row of `count` bytes.
    static func width(_ count: Int) -> Int { count == 0 ? 0 : count * 3 - 1 + (count > 8 ? 1 : 0) }

    /// Appends the text of one row: one column for each byte. A character stands where its first byte is; blanks fill the
    /// columns of the others, and what is no character is a dot.
    /// - Parameters:
    ///   - range: The row's bytes.
    ///   - skip: Bytes at the row's beginning that belong to a character of the row before.
    ///   - end: Where the bytes end that hang together; a character may go beyond the row.
    /// - Returns: `skip` for the next row.
    func appendText(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        skip: Int,
        end: Int,
        secrets: [Range<Int>],
        to out: inout OutputBuffer
    ) -> Int {
        if decodeText == nil, secrets.isEmpty {
            return bytes.withUnsafeBytes { appendPlainText($0, range, skip: skip, end: end, to: &out) }
        }
        return bytes.withUnsafeBytes { bytes in
            out.appendSpaces(min(skip, range.count))
            var index = range.lowerBound + skip
            while index < range.upperBound {
                if !secrets.isEmpty, secrets.hides(index) {
                    out.append(0x2A)
                    index += 1
                    continue
                }
                var limit = min(index + 4, end)
                for secret in secrets where secret.lowerBound > index { limit = min(limit, secret.lowerBound) }
                let (length, columns) = appendCharacter(bytes, index..<limit, to: &out)
                out.appendSpaces(min(length, range.upperBound - index) - columns)
                index += length
            }
            return index - range.upperBound
        }
    }

    /// The same where all is UTF-8 and nothing a secret.
    private func appendPlainText(
        _ bytes: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        skip: Int,
        end: Int,
        to out: inout OutputBuffer
    ) -> Int {
        out.appendSpaces(min(skip, range.count))
        var index = range.lowerBound + skip
        while index < range.upperBound {
            index += out.append(dotted: bytes, index..<range.upperBound, end: end)
            guard index < range.upperBound else { break }
            let (length, columns) = appendCharacter(bytes, index..<min(index + 4, end), to: &out)
            out.appendSpaces(min(length, range.upperBound - index) - columns)
            index += length
        }
        return max(index - range.upperBound, 0)
    }

    /// Appends the character at the beginning of `range`, or a dot.
    private func appendCharacter(
        _ bytes: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        to out: inout OutputBuffer
    ) -> (length: Int, columns: Int) {
        let first = bytes[range.lowerBound]
        if let decodeText { return appendDecoded(bytes, range, decodeText, to: &out) }
        if first < 0x80 {
            out.append(first >= 0x20 && first < 0x7F ? first : 0x2E)
            return (1, 1)
        }
        let part = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard let start = part.assumingMemoryBound(to: UInt8.self).baseAddress else { return (1, 0) }
        let next = UTF8Reader.read(start, count: part.count)
        guard next.isValid, TextEscaping.isVisible(next.scalar) else {
            out.append(0x2E)
            return (1, 1)
        }
        let columns = DisplayWidth.columns(of: next.scalar)
        // A mark that stands on the character before it would stand on a blank or the frame.
        guard columns > 0 else {
            out.append(0x2E)
            return (1, 1)
        }
        out.append(UnsafeBufferPointer(start: start, count: next.length))
        return (next.length, columns)
    }

    /// The same in another encoding: the shortest beginning that is one visible character of it.
    private func appendDecoded(
        _ bytes: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        _ decode: (UnsafeRawBufferPointer) -> String?,
        to out: inout OutputBuffer
    ) -> (length: Int, columns: Int) {
        for length in 1...max(range.count, 1) where length <= range.count {
            let part = UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound..<range.lowerBound + length])
            guard let text = decode(part), let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1 else {
                continue
            }
            let columns = DisplayWidth.columns(of: scalar.value)
            guard TextEscaping.isVisible(scalar.value), columns > 0, columns <= length else { break }
            out.append(text)
            return (length, columns)
        }
        out.append(0x2E)
        return (1, 1)
    }

    /// Appends rows of hex and text with offsets in front.
    /// - Parameters:
    ///   - range: The bytes to show.
    ///   - end: Where the bytes end that hang together with them.
    ///   - firstOffset: The offset of the first of them.
    ///   - columns: Bytes a row, 8 or 16.
    ///   - lead: Writes what stands before a row's hex, given the offset.
    func appendRows(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        end: Int,
        firstOffset: Int,
        columns: Int,
        withText: Bool,
        secrets: [Range<Int>],
        to out: inout OutputBuffer,
        lead: (Int, inout OutputBuffer) -> Void
    ) {
        var index = range.lowerBound
        var skip = 0
        while index < range.upperBound {
            let row = index..<min(index + columns, range.upperBound)
            lead(firstOffset + index - range.lowerBound, &out)
            appendHex(bytes, row, columns: withText ? columns : 0, secrets: secrets, to: &out)
            if withText {
                out.append(literal: "  ")
                skip = appendText(bytes, row, skip: skip, end: end, secrets: secrets, to: &out)
                out.trimBlanks()
            }
            out.append(0x0A)
            index = row.upperBound
        }
    }
}

extension OutputBuffer {
    /// Appends bytes in hex with a blank between them, two in the middle of sixteen.
    fileprivate mutating func append(hexRow bytes: UnsafeRawBufferPointer) {
        // Two digits and the blanks behind them are stored at once for each: one byte more than stays in the end. The digits
        // of sixteen bytes are made together, behind what is written.
        var pointer = UnsafeMutableRawPointer(room(96))
        if bytes.count == 16 {
            let digits = pointer + 64
            digits.storeBytes(of: Self.hexDigits(bytes.loadUnaligned(as: SIMD16<UInt8>.self)), as: SIMD32<UInt8>.self)
            for column in 0..<8 {
                let first = UInt32(digits.load(fromByteOffset: 2 * column, as: UInt16.self).littleEndian)
                let second = UInt32(digits.load(fromByteOffset: 2 * column + 16, as: UInt16.self).littleEndian)
                pointer.storeBytes(of: (first | 0x2020_0000).littleEndian, toByteOffset: 3 * column, as: UInt32.self)
                pointer.storeBytes(of: (second | 0x2020_0000).littleEndian, toByteOffset: 3 * column + 25, as: UInt32.self)
            }
            advance(48)
            return
        }
        for column in 0..<min(bytes.count, 16) {
            pointer.storeBytes(of: Self.hexDigits(bytes[column]).littleEndian, as: UInt32.self)
            pointer += column == 7 ? 4 : 3
        }
        advance(HexRows.width(bytes.count))
    }

    /// Two hex digits and two blanks.
    @inline(__always)
    private static func hexDigits(_ byte: UInt8) -> UInt32 {
        let nibbles = UInt32(byte >> 4) | UInt32(byte & 15) << 8
        let letters = (nibbles &+ 0x0606) >> 4 & 0x0101
        return nibbles &+ 0x2020_3030 &+ letters &* 0x27
    }

    /// Appends bytes as ASCII, with a dot for each that is not a visible character, up to the first that may begin a longer one.
    /// - Parameter end: where the bytes end that hang together; at most that of `bytes`.
    /// - Returns: how many bytes were appended.
    fileprivate mutating func append(dotted bytes: UnsafeRawBufferPointer, _ range: Range<Int>, end: Int) -> Int {
        let start = range.lowerBound
        let count = range.count
        guard count <= 16, end <= bytes.count, end - start > 16 else {
            return append(dottedOneByOne: bytes, range, end: end)
        }
        let pointer = UnsafeMutableRawPointer(room(16))
        let value = bytes.loadUnaligned(fromByteOffset: start, as: SIMD16<UInt8>.self)
        let text = SIMD16<UInt8>(repeating: 0x2E).replacing(with: value, where: value &- 0x20 .< 0x5F)
        pointer.storeBytes(of: text, as: SIMD16<UInt8>.self)
        // Nearly always the beginning of nothing, which is plain from the byte behind it.
        let next = bytes.loadUnaligned(fromByteOffset: start + 1, as: SIMD16<UInt8>.self)
        let begins = (value &- 0xC2 .< 0x33) .& (next & 0xC0 .== 0x80)
        var candidates = unsafeBitCast(SIMD16<UInt8>().replacing(with: 0x80, where: begins), to: SIMD2<UInt64>.self)
        while true {
            let index: Int
            if candidates[0] != 0 {
                index = candidates[0].littleEndian.trailingZeroBitCount / 8
                candidates[0] &= candidates[0] &- 1
            } else if candidates[1] != 0 {
                index = 8 + candidates[1].littleEndian.trailingZeroBitCount / 8
                candidates[1] &= candidates[1] &- 1
            } else {
                break
            }
            guard index < count else { break }
            let place = start + index
            if bytes[place] < 0xE0 || place + 2 < end && bytes[place + 2] & 0xC0 == 0x80 {
                advance(index)
                return index
            }
        }
        advance(count)
        return count
    }

    /// The same near the end of the bytes.
    private mutating func append(
        dottedOneByOne bytes: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        end: Int
    ) -> Int {
        let pointer = room(range.count)
        var written = 0
        for index in range {
            let byte = bytes[index]
            if byte >= 0xC2, byte <= 0xF4, index + 1 < end, bytes[index + 1] & 0xC0 == 0x80,
                byte < 0xE0 || index + 2 < end && bytes[index + 2] & 0xC0 == 0x80
            {
                break
            }
            pointer[written] = byte >= 0x20 && byte < 0x7F ? byte : 0x2E
            written += 1
        }
        advance(written)
        return written
    }
}
