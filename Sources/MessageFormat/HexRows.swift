/// Rows of bytes in hex, with the text that they are beside them.
struct HexRows {
    var decodeText: ((UnsafeRawBufferPointer) -> String?)?
    var color = false
    let plain = PlainRows()

    private var isPlain: Bool { decodeText == nil && !color }

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
        if !color, secrets.isEmpty {
            bytes.extracting(range).withUnsafeBytes { plain.appendHex($0, columns: columns, to: &out) }
            return
        }
        out.styled(style, color) { out in
            guard !secrets.overlaps(range) else {
                appendHidden(bytes, range, secrets, to: &out)
                return
            }
            bytes.extracting(range).withUnsafeBytes { plain.appendHex($0, columns: 0, to: &out) }
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
        if decodeText == nil, secrets.isEmpty, range.count <= 16, range.upperBound <= end, end <= bytes.byteCount {
            return bytes.withUnsafeBytes { plain.appendText($0, range, skip: skip, end: end, to: &out) }
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
        if isPlain, withText, secrets.isEmpty, columns <= 16, range.upperBound <= end, end <= bytes.byteCount {
            bytes.withUnsafeBytes {
                plain.appendRows(
                    $0,
                    range,
                    end: end,
                    firstOffset: firstOffset,
                    columns: columns,
                    to: &out,
                    lead: lead
                )
            }
            return
        }
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
