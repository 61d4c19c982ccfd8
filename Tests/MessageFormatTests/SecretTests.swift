import ESProtocol
import Testing

@testable import MessageFormat

/// A password appears in no format, however the message is damaged.
@Suite struct SecretTests {
    private static let password: [UInt8] = Array("p@ss密码".utf8)

    /// All that the formats say of a message, with everything turned on but the secrets.
    private func everything(_ sample: Sample) -> String {
        let loud = options {
            $0.verbosity = 1
            $0.hexDump = .hexAndText
        }
        return sample.text(BreakdownFormatter(loud)) + sample.text(BreakdownFormatter(options { $0.width = 40 }))
            + sample.text(SummaryFormatter(loud)) + sample.text(HexFormatter(loud)) + sample.text(JSONFormatter(loud))
    }

    /// Looks for any two bytes of the password that follow each other, as text and as hex. `p@`, `@s`, `ss` … occur in
    /// nothing else of these messages.
    private func leaks(_ text: String, _ password: [UInt8]) -> String? {
        let packed = text.filter { $0 != " " && $0 != "\n" }
        if text.contains("p@") || text.contains("@s") || text.contains("密") || text.contains("码") { return "text" }
        for at in 0..<password.count - 2 {
            let hex = password[at..<at + 3].map { String($0, radix: 16) }.joined()
            if packed.contains(hex) { return hex }
        }
        return nil
    }

    @Test func everyCutAndEveryGap() {
        for sample in [Sample.password65, .password72] {
            #expect(leaks(everything(sample), Self.password) == nil)
            let header = sample.layout.headerLength
            for start in header..<sample.bytes.count {
                #expect(leaks(everything(sample.cut(at: start)), Self.password) == nil, "cut at \(start)")
                for length in [1, 2, 3, 4, 7, 11, 16, 25] where start + length < sample.bytes.count {
                    let text = everything(sample.withGap(start, length))
                    #expect(leaks(text, Self.password) == nil, "gap of \(length) at \(start)")
                }
            }
        }
    }

    /// Two gaps, so that what can be followed after the first must be given up at the second.
    @Test func twoGaps() {
        let sample = Sample.password65
        for first in 36..<60 {
            for second in first + 2..<70 {
                let text = everything(sample.withGap(first, 1).withGap(second, 1))
                #expect(leaks(text, Self.password) == nil, "gaps at \(first) and \(second)")
            }
        }
    }

    /// Every single byte of the body changed: lengths that lie.
    @Test func wrongLengths() {
        for at in 36..<56 {
            for value: UInt8 in [0, 1, 4, 9, 0x7F, 0x80, 0xFF] {
                var sample = Sample.password65
                sample.bytes[at] = value
                #expect(leaks(everything(sample), Self.password) == nil, "byte \(at) is \(value)")
            }
        }
    }

    @Test func guessedDirectionAndOldLayout() {
        var sample = Sample.password65
        sample.direction = .serverToClient
        #expect(leaks(everything(sample), Self.password) == nil)
        let body = [18, 0, 0, 0, 10, 0, 0, 0] + Self.password + [0, 0, 0, 0]
        let old = Sample(token: .ffff, type: 116, user: "aa01", dest: "_0", body: body)
        #expect(leaks(everything(old), Self.password) == nil)
        #expect(old.text(BreakdownFormatter(options())).contains("(10 bytes, hidden; --show-secrets)"))
    }

    @Test func theMaskIsNoLargerThanItMustBe() {
        #expect(SecretMask.ranges(Sample.password65.report, Sample.password65.present.span.bytes) == [56..<66])
        #expect(SecretMask.ranges(Sample.logon65.report, Sample.logon65.present.span.bytes) == [])
        #expect(SecretMask.ranges(Sample.logon40.report, Sample.logon40.present.span.bytes) == [])
        #expect(SecretMask.ranges(Sample.refusal65.report, Sample.refusal65.present.span.bytes) == [])
        #expect(SecretMask.ranges(Sample.reply72.report, Sample.reply72.present.span.bytes) == [])
        // A hole in the name that does not matter for the lengths.
        let gap = Sample.password65.withGap(45, 3)
        #expect(SecretMask.ranges(gap.report, gap.present.span.bytes) == [53..<63])
    }

    @Test func skippedBytes() {
        let tail = Array(Sample.password65.bytes.dropFirst(40))
        let hidden = event(.skipped, length: Int64(tail.count), bytes: tail)
        for text in [
            eventText(BreakdownFormatter(options()), hidden), eventText(HexFormatter(options()), hidden),
            eventText(SummaryFormatter(options()), hidden), eventText(JSONFormatter(options()), hidden),
        ] {
            #expect(leaks(text, Self.password) == nil)
        }
        #expect(eventText(HexFormatter(options()), hidden).contains("bytes hidden"))
        #expect(eventText(HexFormatter(options { $0.showSecrets = true }), hidden).contains("p@ss密"))
        let reply = event(.skipped, length: 3, bytes: [1, 2, 3], direction: .serverToClient)
        #expect(eventText(HexFormatter(options()), reply).contains("← 00000000  01 02 03"))
    }

    @Test func prefaces() {
        let login: [UInt8] = [5, 1, 2, 1, 3] + Array("bob".utf8) + [10] + Self.password + [5, 1, 0, 1, 127, 0, 0, 1]
        for start in [0, 3] {
            let bytes = Array(login[start...])
            let text = eventText(HexFormatter(options()), event(.preface, length: Int64(bytes.count), bytes: bytes))
            #expect(leaks(text, Self.password) == nil)
            #expect(text.contains("bob"))
        }
        let proxy = Array("CONNECT a:1 HTTP/1.1\r\nproxy-Authorization: Basic Ym9iOnA=\r\n\r\n".utf8)
        let text = eventText(HexFormatter(options()), event(.preface, length: Int64(proxy.count), bytes: proxy))
        #expect(text.contains("CONNECT a:1 HTTP"))
        #expect(!text.contains("Ym9"))
        #expect(!text.contains("59 6d 39"))
    }
}
