import ESProtocol
import Testing

@testable import MessageFormat

/// The summary and the dump.
@Suite struct LineTests {
    @Test func summary() {
        let text =
            Sample.logon40.text(SummaryFormatter(options()), number: 1)
            + Sample.chinese.text(SummaryFormatter(options()), number: 20)
            + eventText(SummaryFormatter(options()), event(.gap, offset: 60, length: 20, reason: "segment lost"))
            + Sample.password65.cut(at: 60).text(SummaryFormatter(options()), number: 300)
        #expect(
            text == """
                     1  11:04:05.250317  127.0.0.1:44482 → 127.0.0.1:4530             Logon (116)                    id 1       aa01 → _0                   48 bytes
                    20  11:04:05.250317  127.0.0.1:44482 → 127.0.0.1:4530             InformationBySend (202)        id 3       张三 → bb02                 63 bytes
                     -  11:04:07.002210  127.0.0.1:44482 → 127.0.0.1:4530             20 bytes were not captured (stream offset 60): segment lost
                   300  11:04:05.250317  127.0.0.1:44482 → 127.0.0.1:4530             Logon (112)                    id 1       aa01 → _0                   74 bytes  truncated: 14 bytes missing

                """
        )
    }

    /// However an id looks, the columns behind it stand where they should.
    @Test func columns() {
        func end(_ sample: Sample) -> Int {
            let line = sample.text(SummaryFormatter(options())).split(separator: " bytes")[0]
            return Array(line.utf8).withUnsafeBytes { DisplayWidth.columns(of: $0) }
        }
        let expected = end(Sample(type: 104, user: "a", dest: "_0", body: []))
        for user in ["张三", "\u{1B}[1m", "", "a b", "e\u{301}x"] {
            #expect(end(Sample(type: 104, user: user, dest: "_0", body: [])) == expected, "\(user)")
        }
    }

    @Test func dump() {
        #expect(
            Sample.password65.cut(at: 60).text(HexFormatter(options())) == """
                #1   11:04:05.250317  127.0.0.1:44482 → 127.0.0.1:4530  Logon (112)  74 bytes  truncated: 14 bytes missing
                → 00000000  ff 00 70 00 01 00 00 00  26 00 00 00 04 61 61 30  ..p.....&....aa0
                → 00000010  31 00 00 00 00 00 00 00  02 5f 30 00 00 00 00 00  1........_0.....
                → 00000020  00 00 00 00 22 00 00 00  08 00 00 00 46 72 65 65  ....".......Free
                → 00000030  55 73 65 72 0a 00 00 00  ** ** ** **              User....****
                → 0000003c  14 bytes were not captured


                """
        )
        #expect(
            Sample.chinese.text(HexFormatter(options { $0.width = 60 })) == """
                #1   11:04:05.250317  127.0.0.1:44482 → 127.0.0.1:4530  InformationBySend (202)  63 bytes
                → 00000000  ff 00 ca 00 03 00 00 00  ........
                → 00000008  1b 00 00 00 06 e5 bc a0  .....张
                → 00000010  e4 b8 89 00 00 00 00 00  三 .....
                → 00000018  04 62 62 30 32 00 00 00  .bb02...
                → 00000020  00 00 00 00 17 00 00 00  ........
                → 00000028  0f 00 00 00 e4 bd a0 e5  ....你 好
                → 00000030  a5 bd ef bc 8c e4 b8 96    ， 世
                → 00000038  e7 95 8c 02 00 00 00     界 ....


                """
        )
    }

    @Test func summaryWithDump() {
        let text = Sample.password65.text(SummaryFormatter(options { $0.hexDump = .hexAndText }))
        #expect(text.contains("        0x0030:  55 73 65 72 0a 00 00 00  ** ** ** ** ** ** ** **  User....********\n"))
        let hex = Sample.logon65.text(SummaryFormatter(options { $0.hexDump = .hex }))
        #expect(hex.hasSuffix("        0x0030:  55 73 65 72 00 00 00 00  00 00 00 00\n"))
    }

    /// Text in another encoding: here one where every byte stands for a letter of Greek.
    @Test func otherEncoding() {
        let options = options {
            $0.decodeText = { bytes in
                bytes.allSatisfy { $0 >= 0xC1 && $0 < 0xD2 }
                    ? String(String.UnicodeScalarView(bytes.compactMap { Unicode.Scalar(0x391 + UInt32($0) - 0xC1) }))
                    : nil
            }
        }
        let sample = Sample(type: 64000, user: [0xC1, 0xC2], dest: Array("b".utf8), body: [0xC1, 0xC2, 0xC3, 0])
        let text = sample.text(BreakdownFormatter(options))
        #expect(text.contains("ΑΒ → b"))
        #expect(text.contains("\"ΑΒ\" + 9 padding bytes"))
        #expect(text.contains("ΑΒΓ.\n"))
    }

    /// Reports that contradict their bytes are shown somehow, and nothing traps.
    @Test func inconsistentReports() {
        var report = Sample.password65.report
        report.gaps = [
            MessageGap(offset: 10, length: 5), MessageGap(offset: 3, length: 9),
            MessageGap(offset: 40, length: 1 << 40),
            MessageGap(offset: 900, length: 1),
        ]
        report.status = .gap
        for count in [0, 5, 36, 40, 74] {
            let bytes = Array(Sample.password65.bytes.prefix(count))
            for options in [options(), options { $0.verbosity = 1 }, options { $0.width = 10 }] {
                var out = OutputBuffer()
                var (breakdown, summary) = (BreakdownFormatter(options), SummaryFormatter(options))
                var (hex, json) = (HexFormatter(options), JSONFormatter(options))
                breakdown.appendMessage(report, bytes: bytes.span.bytes, to: &out)
                summary.appendMessage(report, bytes: bytes.span.bytes, to: &out)
                hex.appendMessage(report, bytes: bytes.span.bytes, to: &out)
                json.appendMessage(report, bytes: bytes.span.bytes, to: &out)
                let written = out.count
                #expect(written > 0)
            }
        }
    }
}
