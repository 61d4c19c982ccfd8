/// Rows of bytes where nothing is hidden and text is UTF-8: nearly all that is written.
///
/// Several bytes are stored at once, into room that is asked for beforehand. ``HexRows`` writes the rest byte by byte; tests
/// compare the two.
struct PlainRows: Sendable {
    /// Of each byte its two digits and two blanks, as they stand in memory.
    private let digits = HexDigits.table

    /// Bytes that must be there, or be zeros, from the beginning of a row: a row, the rest of its last character, and what is
    /// looked at with it.
    private static let readable = 32

    /// Appends rows of hex and text, as ``HexRows/appendRows(_:_:end:firstOffset:columns:withText:secrets:to:lead:)`` says.
    /// - Parameters:
    ///   - end: Within `bytes`, not before the end of `range`.
    ///   - columns: Bytes of a row, sixteen at most.
    @inline(__always)
    func appendRows(
        _ bytes: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        end: Int,
        firstOffset: Int,
        columns: Int,
        to out: inout OutputBuffer,
        lead: (Int, inout OutputBuffer) -> Void
    ) {
        guard let base = bytes.baseAddress else { return }
        let textColumn = HexRows.width(columns) + 2
        var index = range.lowerBound
        var skip = 0
        while index < range.upperBound {
            lead(firstOffset &+ (index &- range.lowerBound), &out)
            let count = min(columns, range.upperBound &- index)
            skip = Self.withReadable(base + index, end &- index) { row in
                let start = UnsafeMutableRawPointer(out.room(128))
                storeHex(row, count, filledTo: columns, at: start)
                start.storeBytes(of: 0x2020, toByteOffset: textColumn - 2, as: UInt16.self)
                let (text, rest) = Self.storeText(row, count, skip: skip, at: start + textColumn)
                out.advance(textColumn &+ text)
                return rest
            }
            out.trimBlanks()
            out.append(0x0A)
            index &+= count
        }
    }

    /// Appends bytes in hex, sixteen at most, with a blank between them and two in the middle of sixteen.
    /// - Parameter columns: Bytes of a full row, which is filled up with blanks; 0 does not fill up.
    @inline(__always)
    func appendHex(_ bytes: UnsafeRawBufferPointer, columns: Int, to out: inout OutputBuffer) {
        guard let base = bytes.baseAddress else { return out.appendSpaces(HexRows.width(columns)) }
        let count = min(bytes.count, 16)
        storeHex(base, count, filledTo: columns, at: UnsafeMutableRawPointer(out.room(64)))
        out.advance(HexRows.width(max(count, columns)))
    }

    /// Appends the text of one row, as ``HexRows/appendText(_:_:skip:end:secrets:to:)`` says.
    /// - Parameters:
    ///   - range: At most sixteen bytes.
    ///   - end: Within `bytes`, not before the end of `range`.
    func appendText(
        _ bytes: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        skip: Int,
        end: Int,
        to out: inout OutputBuffer
    ) -> Int {
        guard let base = bytes.baseAddress else { return skip }
        return Self.withReadable(base + range.lowerBound, end - range.lowerBound) { row in
            let (text, rest) = Self.storeText(row, range.count, skip: skip, at: UnsafeMutableRawPointer(out.room(64)))
            out.advance(text)
            return rest
        }
    }

    /// Hands over a row of which ``readable`` bytes can be read: what lies behind the end is zeros then, with which no character
    /// goes on.
    /// - Parameter count: Bytes from its beginning to the end.
    @inline(__always)
    private static func withReadable(
        _ row: UnsafeRawPointer,
        _ count: Int,
        _ body: (UnsafeRawPointer) -> Int
    ) -> Int {
        if count >= readable { return body(row) }
        return withUnsafeTemporaryAllocation(of: SIMD32<UInt8>.self, capacity: 1) { copy in
            copy.initialize(repeating: SIMD32())
            guard let start = UnsafeMutableRawPointer(copy.baseAddress) else { return 0 }
            start.copyMemory(from: row, byteCount: count)
            return body(UnsafeRawPointer(start))
        }
    }

    // MARK: - at a place where there is room

    /// Stores the first eight bytes of a field, at a place that is blank so far.
    @inline(__always)
    func storeHex(_ bytes: UnsafeRawBufferPointer, at place: UnsafeMutableRawPointer) {
        for column in 0..<min(bytes.count, 8) { digits.store(bytes[column], at: place + 3 &* column) }
    }

    /// Stores a row of hex, with up to two bytes more than it has.
    @inline(__always)
    private func storeHex(
        _ row: UnsafeRawPointer,
        _ count: Int,
        filledTo columns: Int,
        at place: UnsafeMutableRawPointer
    ) {
        let bytes = row.assumingMemoryBound(to: UInt8.self)
        if count == 16 {
            for column in 0..<8 {
                digits.store(bytes[column], at: place + 3 &* column)
                digits.store(bytes[column &+ 8], at: place + (3 &* column &+ 25))
            }
            return
        }
        if count < columns {
            let blanks = SIMD16<UInt8>(repeating: 0x20)
            for part in 0..<3 { place.storeBytes(of: blanks, toByteOffset: 16 &* part, as: SIMD16<UInt8>.self) }
        }
        var column = 0
        while column < count {
            digits.store(bytes[column], at: place + (3 &* column &+ (column < 8 ? 0 : 1)))
            column &+= 1
        }
    }

    /// Stores the text of a row, with up to eight bytes more than it has; three bytes become four at most, with the blank behind
    /// them.
    /// - Parameter row: ``readable`` bytes of it can be read.
    /// - Returns: How many bytes the text has, and `skip` for the next row.
    @inline(__always)
    private static func storeText(
        _ row: UnsafeRawPointer,
        _ count: Int,
        skip: Int,
        at place: UnsafeMutableRawPointer
    ) -> (count: Int, skip: Int) {
        var end = place
        var index = skip
        if skip > 0 {
            end.storeBytes(of: 0x2020_2020, as: UInt32.self)
            end += min(skip, count)
        }
        while index < count {
            let word = UInt64(littleEndian: row.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let next = UInt64(littleEndian: row.loadUnaligned(fromByteOffset: index &+ 1, as: UInt64.self))
            end.storeBytes(of: dotted(word).littleEndian, as: UInt64.self)
            let step = min(count &- index, 8)
            let beginning = beginnings(word, next).trailingZeroBitCount / 8
            guard beginning < step else {
                index &+= step
                end += step
                continue
            }
            index &+= beginning
            end += beginning
            let (length, columns) = character(row + index)
            guard length > 1 else {
                // It has its dot.
                index &+= 1
                end += 1
                continue
            }
            let character = row.loadUnaligned(fromByteOffset: index, as: UInt32.self)
            end.storeBytes(of: character, as: UInt32.self)
            end += length
            end.storeBytes(of: 0x2020_2020, as: UInt32.self)
            end += max(min(length, count &- index) &- columns, 0)
            index &+= length
        }
        return (end - place, index &- count)
    }

    /// The character that begins at a byte of 0xC2 to 0xF4 with one of 0x80 to 0xBF behind it, of four that can be read.
    /// - Returns: A length of 1 if it is none that is shown.
    @inline(__always)
    private static func character(_ text: UnsafeRawPointer) -> (length: Int, columns: Int) {
        let first = text.load(as: UInt8.self)
        if first < 0xE0 {
            let scalar = UInt32(first & 0x1F) &<< 6 | UInt32(text.load(fromByteOffset: 1, as: UInt8.self) & 0x3F)
            return (TwoByteScalars.isVisible(scalar) && !TwoByteScalars.isMark(scalar) ? 2 : 1, 1)
        }
        // Most of what looks like a beginning in binary data ends here.
        guard text.load(fromByteOffset: 2, as: UInt8.self) & 0xC0 == 0x80 else { return (1, 1) }
        return longCharacter(text)
    }

    @inline(never)
    private static func longCharacter(_ text: UnsafeRawPointer) -> (length: Int, columns: Int) {
        let next = UTF8Reader.read(text.assumingMemoryBound(to: UInt8.self), count: 4)
        guard next.isValid, TextEscaping.isVisible(next.scalar) else { return (1, 1) }
        let columns = DisplayWidth.columns(of: next.scalar)
        return (columns > 0 ? next.length : 1, columns)
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

/// The digits of every byte, made once.
struct HexDigits: @unchecked Sendable {
    private let base: UnsafeMutablePointer<UInt32>

    static let table = HexDigits()

    private init() {
        base = .allocate(capacity: 256)
        for byte in UInt8.min...UInt8.max {
            let high = UInt32(OutputBuffer.hexDigit(byte >> 4))
            let low = UInt32(OutputBuffer.hexDigit(byte & 15))
            base[Int(byte)] = (high | low << 8 | 0x2020_0000).littleEndian
        }
    }

    /// Stores the two digits of a byte and two blanks.
    @inline(__always)
    func store(_ byte: UInt8, at pointer: UnsafeMutableRawPointer) {
        pointer.storeBytes(of: base[Int(byte)], as: UInt32.self)
    }
}
