import ESProtocol
import Foundation
import Testing

@testable import MessageFormat

/// Escaping, widths, numbers and times.
@Suite struct TextTests {
    private func escaped(_ bytes: [UInt8]) -> String {
        var out = OutputBuffer()
        bytes.withUnsafeBytes { _ = out.append(text: $0, quote: true) }
        return out.string()
    }

    @Test func escapes() {
        #expect(escaped(Array("plain 你好 é".utf8)) == "\"plain 你好 é\"")
        #expect(escaped(Array("\n\r\t\u{1B}[31m\0\u{7F}".utf8)) == "\"\\n\\r\\t\\x1b[31m\\x00\\x7f\"")
        #expect(escaped(Array("\\\"".utf8)) == "\"\\\\\\\"\"")
        #expect(
            escaped(Array("\u{9B}\u{202E}\u{200B}\u{FEFF}\u{2066}\u{061C}\u{2028}".utf8))
                == "\"\\u{9b}\\u{202e}\\u{200b}\\u{feff}\\u{2066}\\u{61c}\\u{2028}\""
        )
        #expect(
            escaped(Array("\u{E000}\u{FFFF}\u{10FFFF}\u{E0041}\u{FE0F}".utf8))
                == "\"\\u{e000}\\u{ffff}\\u{10ffff}\\u{e0041}\\u{fe0f}\""
        )
        #expect(
            escaped([0x61, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0xE4, 0xBD, 0x9B])
                == "\"a\\xc0\\x80\\xed\\xa0\\x80\\xe4\\xbd\\x9b\"".replacingOccurrences(
                    of: "\\xe4\\xbd\\x9b",
                    with: "佛"
                )
        )
    }

    /// No bytes whatever come out as something that a terminal obeys.
    @Test func nothingEscapesTheEscaping() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let text = escaped(bytes)
            #expect(text.unicodeScalars.allSatisfy { TextEscaping.isVisible($0.value) }, "\(bytes)")
            var out = OutputBuffer()
            bytes.withUnsafeBytes { out.append(json: $0) }
            let parsed = try? JSONSerialization.jsonObject(with: Data(out.string().utf8), options: .fragmentsAllowed)
            #expect(parsed as? String == String(decoding: bytes, as: UTF8.self), "\(bytes)")
        }
    }

    @Test func widths() {
        func columns(_ text: String) -> Int { Array(text.utf8).withUnsafeBytes { DisplayWidth.columns(of: $0) } }
        #expect(columns("abc") == 3)
        #expect(columns("张三") == 4)
        #expect(columns("ｆ，한😀") == 8)
        #expect(columns("e\u{301}") == 1)
        #expect(columns("→…é") == 3)
    }

    @Test func numbers() {
        func text(_ body: (inout OutputBuffer) -> Void) -> String {
            var out = OutputBuffer()
            body(&out)
            return out.string()
        }
        for value: Int64 in [0, 9, 10, 99, 100, 1_234_567, .max, .min, -1] {
            #expect(text { $0.append(decimal: value) } == String(value))
        }
        #expect(text { $0.append(grouped: 1_234_005) } == "1,234,005")
        #expect(text { $0.append(grouped: -999) } == "-999")
        #expect(text { $0.append(grouped: .min) } == "-9,223,372,036,854,775,808")
        let bytes = (0...255).map { UInt8($0) }
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(text { out in bytes.withUnsafeBytes { out.append(hex: $0) } } == hex)
        #expect(text { $0.append(hex: 0x1F, digits: 4) } == "001f")
        #expect(text { $0.append(hex: .max, digits: 1) } == "ffffffffffffffff")
    }

    private func time(_ style: TimeStyle, _ times: Int64...) -> String {
        var format = TimeFormat(style: style, isUTC: true)
        var out = OutputBuffer()
        for (index, time) in times.enumerated() {
            if index > 0 { out.append(" | ") }
            format.append(time, to: &out)
        }
        return out.string()
    }

    @Test func times() {
        let moment: Int64 = 1_796_036_645_250_317_999
        #expect(time(.clock, moment) == "11:04:05.250317")
        #expect(time(.none, moment) == "")
        #expect(time(.epoch, moment) == "1796036645.250317")
        #expect(time(.dateAndClock, moment) == "2026-11-30 11:04:05.250317")
        #expect(
            time(.sincePrevious, moment, moment + 1_500_000_000, moment)
                == "00:00:00.000000 | 00:00:01.500000 | -00:00:01.500000"
        )
        #expect(
            time(.sinceFirst, moment, moment + 360_000_000_000_000, moment - 1_000_000)
                == "00:00:00.000000 | 100:00:00.000000 | -00:00:00.001000"
        )
    }

    @Test func timesOfTheSameSecondAndOfOthersFollowEachOther() {
        let second: Int64 = 1_000_000_000
        var format = TimeFormat(style: .clock, isUTC: true)
        var out = OutputBuffer()
        for moment: Int64 in [3_599 * second, 3_599 * second + 999_999_000, 3_600 * second, -1, 0, 86_399 * second] {
            format.append(moment, to: &out)
            out.append(0x20)
        }
        #expect(
            out.string()
                == "00:59:59.000000 00:59:59.999999 01:00:00.000000 23:59:59.999999 00:00:00.000000 23:59:59.000000 "
        )
    }

    @Test func extremeTimes() {
        for style: TimeStyle in [.clock, .none, .epoch, .sincePrevious, .dateAndClock, .sinceFirst] {
            for isUTC in [true, false] {
                var format = TimeFormat(style: style, isUTC: isUTC)
                var out = OutputBuffer()
                for moment: Int64 in [.min, .max, 0, -1, .min + 1] { format.append(moment, to: &out) }
            }
        }
        #expect(time(.dateAndClock, .min) == "1677-09-21 00:12:43.145224")
        #expect(time(.dateAndClock, -1) == "1969-12-31 23:59:59.999999")
        #expect(time(.dateAndClock, 951_782_400_000_000_000) == "2000-02-29 00:00:00.000000")
        var out = OutputBuffer()
        TimeFormat.appendRFC3339(.max, to: &out)
        let latest = out.string()
        #expect(latest == "2262-04-11T23:47:16.854775807Z")
    }
}
