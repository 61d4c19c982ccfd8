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
        if !color, secrets.isEmpty {
            bytes.extracting(range).withUnsafeBytes { out.append(hexRow: $0) }
            if range.count < columns { out.appendSpaces(Self.width(columns) - Self.width(range.count)) }
            return
        }
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
                let first = UInt32(digits.loadUnaligned(fromByteOffset: 2 * column, as: UInt16.self).littleEndian)
                let second = UInt32(digits.loadUnaligned(fromByteOffset: 2 * column + 16, as: UInt16.self).littleEndian)
                pointer.storeBytes(of: (first | 0x2020_0000).littleEndian, toByteOffset: 3 * column, as: UInt32.self)
                pointer.storeBytes(
                    of: (second | 0x2020_0000).littleEndian,
                    toByteOffset: 3 * column + 25,
                    as: UInt32.self
                )
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
        let pointer = UnsafeMutableRawPointer(room(range.count &+ 8))
        var written = 0
        var index = range.lowerBound
        // Eight at a time as long as the byte behind them is there too.
        while index < range.upperBound, min(end, bytes.count) &- index > 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let next = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index &+ 1, as: UInt64.self))
            pointer.storeBytes(of: Self.dotted(word).littleEndian, toByteOffset: written, as: UInt64.self)
            let count = min(range.upperBound &- index, 8)
            var candidates = Self.beginnings(word, next)
            while candidates != 0 {
                let place = candidates.trailingZeroBitCount / 8
                guard place < count else { break }
                if Self.mayBeginCharacter(bytes, index &+ place, end: end) {
                    advance(written &+ place)
                    return written &+ place
                }
                candidates &= candidates &- 1
            }
            index &+= count
            written &+= count
        }
        while index < range.upperBound, !Self.mayBeginCharacter(bytes, index, end: end) {
            let byte = bytes[index]
            pointer.storeBytes(of: byte >= 0x20 && byte < 0x7F ? byte : 0x2E, toByteOffset: written, as: UInt8.self)
            index &+= 1
            written &+= 1
        }
        advance(written)
        return written
    }

    /// Whether a byte may begin a character of several bytes. Nearly always it is the beginning of nothing, which is plain
    /// from the bytes behind it.
    @inline(__always)
    private static func mayBeginCharacter(_ bytes: UnsafeRawBufferPointer, _ index: Int, end: Int) -> Bool {
        let byte = bytes[index]
        return byte >= 0xC2 && byte <= 0xF4 && index &+ 1 < end && bytes[index &+ 1] & 0xC0 == 0x80
            && (byte < 0xE0 || index &+ 2 < end && bytes[index &+ 2] & 0xC0 == 0x80)
    }

    private static var everyByte: UInt64 { 0x0101_0101_0101_0101 }

    /// Eight bytes with a dot for each that is no visible ASCII.
    @inline(__always)
    private static func dotted(_ word: UInt64) -> UInt64 {
        let low = word & (everyByte &* 0x7F)
        // The highest bit of a byte: that it is 0x20 or more, and is not 0x7F. No sum carries over.
        let isVisible = (low &+ (everyByte &* 0x60)) & ~(low &+ everyByte) & ~word & (everyByte &* 0x80)
        let mask = (isVisible &>> 7) &* 0xFF
        return (word & mask) | ((everyByte &* 0x2E) & ~mask)
    }

    /// The highest bit of each byte from 0xC2 to 0xF4 that has one from 0x80 to 0xBF behind it.
    @inline(__always)
    private static func beginnings(_ word: UInt64, _ next: UInt64) -> UInt64 {
        let low = word & (everyByte &* 0x7F)
        let isLeading = word & (low &+ (everyByte &* 0x3E)) & ~(low &+ (everyByte &* 0x0B))
        return isLeading & next & ~(next &<< 1) & (everyByte &* 0x80)
    }
}
