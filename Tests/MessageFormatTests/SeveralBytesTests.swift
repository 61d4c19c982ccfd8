import Testing

@testable import MessageFormat

/// What looks at several bytes at once says the same as a look at each.
@Suite struct SeveralBytesTests {
    @Test func plainTextEndsAtTheFirstByteThatIsNot() {
        for least: UInt8 in [0x20, 0x21] {
            for length in [1, 7, 8, 9, 16, 19] {
                for position in 0..<length {
                    for byte in UInt8.min...UInt8.max {
                        var bytes = [UInt8](repeating: 0x61, count: length)
                        bytes[position] = byte
                        var out = OutputBuffer()
                        let count = bytes.withUnsafeBufferPointer { bytes in
                            bytes.baseAddress.map { out.append(plainOf: $0, count: length, least: least) } ?? 0
                        }
                        let isPlain = byte >= least && byte < 0x7F && byte != 0x22 && byte != 0x5C
                        #expect(count == (isPlain ? length : position))
                        #expect(out.withUnsafeBytes { Array($0) } == Array(bytes[..<count]))
                    }
                }
            }
        }
    }

    /// Bytes among which beginnings and ends of characters are frequent.
    private func someBytes(_ count: Int, _ generator: inout SystemRandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: .random(in: 0xC0...0xDF, using: &generator)
            case 1: .random(in: 0xE0...0xFF, using: &generator)
            case 2, 3: .random(in: 0x80...0xBF, using: &generator)
            default: .random(in: 0...0x7F, using: &generator)
            }
        }
    }

    /// With a secret somewhere each byte is looked at by itself.
    @Test func textOfRowsIsTheSameAsByteByByte() {
        var generator = SystemRandomNumberGenerator()
        let rows = HexRows()
        for _ in 0..<4000 {
            let bytes = someBytes(Int.random(in: 1...48, using: &generator), &generator)
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let range = start..<min(start + Int.random(in: 1...16, using: &generator), bytes.count)
            let end = Int.random(in: range.upperBound...bytes.count, using: &generator)
            let skip = Int.random(in: 0...min(3, range.count), using: &generator)
            var atOnce = OutputBuffer()
            var each = OutputBuffer()
            let next = rows.appendText(bytes.span.bytes, range, skip: skip, end: end, secrets: [], to: &atOnce)
            let other = rows.appendText(bytes.span.bytes, range, skip: skip, end: end, secrets: [99..<100], to: &each)
            #expect(max(next, 0) == max(other, 0))
            #expect(atOnce.string() == each.string(), "\(bytes) \(range) \(end) \(skip)")
        }
    }

    @Test func rowsAreTheSameAsByteByByte() {
        var generator = SystemRandomNumberGenerator()
        let rows = HexRows()
        for _ in 0..<2000 {
            let bytes = someBytes(Int.random(in: 1...80, using: &generator), &generator)
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let range = start..<Int.random(in: start...bytes.count, using: &generator)
            let end = Int.random(in: range.upperBound...bytes.count, using: &generator)
            for columns in [8, 16] {
                var texts: [String] = []
                for secrets in [[], [99..<100]] {
                    var out = OutputBuffer()
                    rows.appendRows(
                        bytes.span.bytes,
                        range,
                        end: end,
                        firstOffset: 4711,
                        columns: columns,
                        withText: true,
                        secrets: secrets,
                        to: &out
                    ) { $1.append(offset: $0) }
                    texts.append(out.string())
                }
                #expect(texts[0] == texts[1], "\(bytes) \(range) \(end) \(columns)")
            }
        }
    }

    @Test func rowsOfHexAreFilledUpWithBlanks() {
        for columns in [0, 8, 16] {
            for count in 0...16 {
                let bytes = [UInt8](repeating: 0xAB, count: count)
                var row = OutputBuffer()
                HexRows().appendHex(bytes.span.bytes, 0..<count, columns: 0, secrets: [], to: &row)
                var filled = OutputBuffer()
                HexRows().appendHex(bytes.span.bytes, 0..<count, columns: columns, secrets: [], to: &filled)
                let blanks = max(HexRows.width(columns) - HexRows.width(count), 0)
                #expect(filled.string() == row.string() + String(repeating: " ", count: blanks))
            }
        }
    }

    @Test func scalarsOfTwoBytesAreWhatTheStandardLibrarySays() {
        for scalar in UInt32(0)..<0x800 {
            #expect(TwoByteScalars.isVisible(scalar) == TextEscaping.looksVisible(scalar), "\(scalar)")
            #expect(TwoByteScalars.isMark(scalar) == (DisplayWidth.narrowColumns(of: scalar) == 0), "\(scalar)")
        }
    }

    @Test func scalarsThatAreKnownByTheirRangeAreWhatTheStandardLibrarySays() {
        for scalar in UInt32(0x800)..<0x11000 where Unicode.Scalar(scalar) != nil {
            #expect(TextEscaping.isVisible(scalar) == TextEscaping.looksVisible(scalar), "\(scalar)")
        }
    }

    @Test func rowsOfHexHaveABlankBetweenBytesAndTwoInTheMiddle() {
        let digits = Array("0123456789abcdef")
        for count in 1...16 {
            for first in stride(from: 0, through: 255, by: 5) {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: first + 37 * $0) }
                var expected = ""
                for (column, byte) in bytes.enumerated() {
                    if column > 0 { expected += column == 8 ? "  " : " " }
                    expected += String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
                }
                var out = OutputBuffer()
                HexRows().appendHex(bytes.span.bytes, 0..<count, columns: 0, secrets: [], to: &out)
                #expect(out.string() == expected)
            }
        }
    }

    @Test func offsetsHaveFiveColumnsAndTwoBlanksBehind() {
        for offset in [0, 7, 10, 99, 100, 4711, 10_000, 99_999, 100_000, 1_234_567, Int.max] {
            var out = OutputBuffer()
            out.append(offset: offset)
            let digits = String(offset)
            #expect(out.string() == String(repeating: " ", count: max(5 - digits.utf8.count, 0)) + digits + "  ")
        }
    }

    @Test func numbersHaveAllTheirDigits() {
        var value: UInt64 = 0
        for digits in 1...20 {
            for number in [value, digits == 1 ? 9 : value &* 9] {
                var out = OutputBuffer()
                out.append(decimal: number)
                #expect(out.string() == String(number))
            }
            var out = OutputBuffer()
            out.append(decimal: -Int64(clamping: value), width: 8)
            let text = value == 0 ? "0" : "-\(Int64(clamping: value))"
            #expect(out.string() == String(repeating: " ", count: max(8 - text.utf8.count, 0)) + text)
            value = digits == 1 ? 10 : value &* 10
        }
    }

    @Test func timesNearEachOtherAreTheSameAsAlone() {
        var writer = TimeFormat.RFC3339()
        let times: [Int64] = [
            0, 1, 999_999_999, 1_000_000_000, -1, -1_000_000_000, 1_732_961_045_250_317_000, 1_732_961_045_999_999_999,
            1_732_961_046_000_000_000, .max, .max - 1, .min, .min + 1, 1_732_961_045_250_317_000,
        ]
        for time in times + times.reversed() {
            var kept = OutputBuffer()
            var alone = OutputBuffer()
            writer.append(time, to: &kept)
            TimeFormat.appendRFC3339(time, to: &alone)
            #expect(kept.string() == alone.string())
        }
    }
}
