import ESProtocol
import Foundation
import Testing

@testable import MessageFormat

/// The default format, as it looks.
@Suite struct BreakdownTests {
    @Test func logonOf40() {
        #expect(
            Sample.logon40.text(BreakdownFormatter(options())) == """
                #1   11:04:05.250317  127.0.0.1:44482 → 127.0.0.1:4530  Logon (116)  id 1  aa01 → _0  48 bytes  to server
                    0  ff ff                     StartToken      0xFFFF
                    2  74 00                     MessageType     116 (0x0074) Logon request
                    4  01 00 00 00               MessageID       1
                    8  0c 00 00 00               MessageBodyLen  12 = bytes of body that follow
                   12  04                        UserIDLen       4 = bytes of the id
                   13  61 61 30 31 00 00 00 00   UserID          "aa01" + 7 padding bytes
                       00 00 00
                   24  02                        DestUserIDLen   2 = bytes of the id
                   25  5f 30 00 00 00 00 00 00   DestUserID      "_0" = the server + 9 padding bytes
                       00 00 00
                 body  Logon request, 12 bytes
                   36  08 00 00 00               Length          8 = bytes of the object that follow
                   40  00 00 00 00               Password        0 bytes: ""
                   44  00 00 00 00               SystemToken     0 bytes: ""


                """
        )
    }

    @Test func logonOf65WithPassword() {
        #expect(
            Sample.password65.text(BreakdownFormatter(options())) == """
                #1   11:04:05.250317  127.0.0.1:44482 → 127.0.0.1:4530  Logon (112)  id 1  aa01 → _0  74 bytes  to server
                    0  ff                        StartToken      0xFF
                    1  00                        ClientType      0 = .NET
                    2  70 00                     MessageType     112 (0x0070) Logon request
                    4  01 00 00 00               MessageID       1
                    8  26 00 00 00               MessageBodyLen  38 = bytes of body that follow
                   12  04                        UserIDLen       4 = bytes of the id
                   13  61 61 30 31 00 00 00 00   UserID          "aa01" + 7 padding bytes
                       00 00 00
                   24  02                        DestUserIDLen   2 = bytes of the id
                   25  5f 30 00 00 00 00 00 00   DestUserID      "_0" = the server + 9 padding bytes
                       00 00 00
                 body  Logon request, 38 bytes
                   36  22 00 00 00               Length          34 = bytes of the object that follow
                   40  08 00 00 00               AuthorizedUser  8 bytes
                   44  46 72 65 65 55 73 65 72                   "FreeUser"
                   52  0a 00 00 00               Password        10 bytes
                   56  ** ** ** ** ** ** ** **                   (10 bytes, hidden; --show-secrets)
                       ** **
                   66  04 00 00 00               SystemToken     4 bytes
                   70  53 59 53 31                               "SYS1"


                """
        )
    }

    @Test func passwordIsShownOnRequest() {
        let text = Sample.password65.text(BreakdownFormatter(options { $0.showSecrets = true }))
        #expect(text.contains("   56  70 40 73 73 e5 af 86 e7                   \"p@ss密码\"\n       a0 81\n"))
    }

    @Test func logonOf72() {
        #expect(
            Sample.password72.text(BreakdownFormatter(options { $0.isQuiet = true })) == """
                #1   11:04:05.250317  127.0.0.1:44482 → 127.0.0.1:4530  Logon (112)  id 1  9#aa01 → _0  86 bytes  to server
                 body  Logon request, 46 bytes
                   40  2a 00 00 00               Length          42 = bytes of the object that follow
                   44  08 00 00 00               AuthorizedUser  8 bytes
                   48  46 72 65 65 55 73 65 72                   "FreeUser"
                   56  0a 00 00 00               Password        10 bytes
                   60  ** ** ** ** ** ** ** **                   (10 bytes, hidden; --show-secrets)
                       ** **
                   70  0c 00 00 00               SystemToken     12 bytes
                   74  32 30 32 36 31 31 33 30                   "20261130SYS1"
                       53 59 53 31


                """
        )
    }

    @Test func replies() {
        #expect(
            Sample.refusal65.text(BreakdownFormatter(options { $0.isQuiet = true })) == """
                #1   11:04:05.250317  127.0.0.1:4530 → 127.0.0.1:44482  Logon (112)  id 1  _0 → aa01  76 bytes  to client
                 body  Logon reply, 40 bytes
                   36  24 00 00 00               Length                36 = bytes of the object that follow
                   40  19 00 00 00               FailureCause          25 bytes
                   44  62 61 64 20 70 61 73 73                         "bad password 密码错误"
                       77 6f 72 64 20 e5 af 86
                       e7 a0 81 e9 94 99 e8 af
                       af
                   69  00                        GroupRelationEnabled  false
                   70  01 00 00 00               LogonResult           1 = Failed
                   74  00                        P2PEnabled            false
                   75  00                        UseAsP2PServer        false


                """
        )
        #expect(
            Sample.reply72.text(BreakdownFormatter(options { $0.isQuiet = true })) == """
                #1   11:04:05.250317  127.0.0.1:4530 → 127.0.0.1:44482  Logon (112)  id 1  _0 → 9#aa01  55 bytes  to client
                 body  Logon reply, 15 bytes
                   40  0b 00 00 00               Length                11 = bytes of the object that follow
                   44  00 00 00 00               FailureCause          0 bytes: ""
                   48  00                        GroupRelationEnabled  false
                   49  00 00 00 00               LogonResult           0 = Succeed
                   53  00                        P2PEnabled            false
                   54  00                        UseAsP2PServer        false


                """
        )
    }

    @Test func damagedLogon() {
        #expect(
            Sample.password65.withGap(50, 6).text(BreakdownFormatter(options { $0.isQuiet = true })) == """
                #1   11:04:05.250317  127.0.0.1:44482 → 127.0.0.1:4530  Logon (112)  id 1  aa01 → _0  74 bytes  to server  gap: 6 bytes missing
                 body  Logon request, 38 bytes
                   36  22 00 00 00               Length          34 = bytes of the object that follow
                   40  08 00 00 00               AuthorizedUser  8 bytes
                   44  46 72 65 65 55 73                         "FreeUs", the first 6 of 8 bytes
                   50  6 bytes were not captured
                   56  ** ** ** ** ** ** ** **  ** ** ** ** ** ** ** **  ****************
                   72  ** **                                             **


                """
        )
        #expect(
            Sample.password65.cut(at: 60).text(BreakdownFormatter(options { $0.isQuiet = true })) == """
                #1   11:04:05.250317  127.0.0.1:44482 → 127.0.0.1:4530  Logon (112)  id 1  aa01 → _0  74 bytes  to server  truncated: 14 bytes missing
                 body  Logon request, 38 bytes
                   36  22 00 00 00               Length          34 = bytes of the object that follow
                   40  08 00 00 00               AuthorizedUser  8 bytes
                   44  46 72 65 65 55 73 65 72                   "FreeUser"
                   52  0a 00 00 00               Password        10 bytes
                   56  ** ** ** **                               (4 bytes, hidden; --show-secrets)
                   60  14 bytes were not captured


                """
        )
    }

    @Test func narrowTerminal() {
        #expect(
            Sample.chinese.text(BreakdownFormatter(options { $0.width = 40 })) == """
                #1   11:04:05.250317
                     127.0.0.1:44482 → 127.0.0.1:4530
                     InformationBySend (202)  id 3
                     张三 → bb02  63 bytes  to server
                    0  StartToken  0xFF
                       ff
                    1  ClientType  0 = .NET
                       00
                    2  MessageType
                       202 (0x00CA) InformationBySend
                       ca 00
                    4  MessageID  3
                       03 00 00 00
                    8  MessageBodyLen
                       27 = bytes of body that follow
                       1b 00 00 00
                   12  UserIDLen  6 = bytes of the id
                       06
                   13  UserID  "张三" + 5 padding bytes
                       e5 bc a0 e4 b8 89 00 00
                       00 00 00
                   24  DestUserIDLen
                       4 = bytes of the id
                       04
                   25  DestUserID
                       "bb02" + 7 padding bytes
                       62 62 30 32 00 00 00 00
                       00 00 00
                 body  InformationBySend, 27 bytes
                   36  Length
                       23 = bytes of the object that
                       follow
                       17 00 00 00
                   40  Content  15 bytes
                       0f 00 00 00
                   44  "你好，世界"
                       e4 bd a0 e5 a5 bd ef bc
                       8c e4 b8 96 e7 95 8c
                   59  InformationType  2
                       02 00 00 00


                """
        )
    }

    /// Contents that are no text: hex and text side by side; what they look like is a guess.
    @Test func contents() {
        var data = [UInt8](0..<100)
        func text(_ change: (inout FormatOptions) -> Void = { _ in }) -> String {
            let count = UInt8(data.count)
            let body: [UInt8] = [count + 8, 0, 0, 0, count, 0, 0, 0] + data + [2, 0, 0, 0]
            let sample = Sample(type: 202, user: "a", dest: "b", body: body)
            return sample.text(BreakdownFormatter(options(change)))
        }
        #expect(
            text().contains(
                """
                   40  64 00 00 00               Content          100 bytes
                   44  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  ................
                """
            )
        )
        #expect(
            text().contains(
                "       … 36 more bytes (-v shows all)\n  144  02 00 00 00               InformationType  2"
            )
        )
        #expect(!text { $0.verbosity = 1 }.contains("more bytes"))
        data = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]
        #expect(text().contains("Content          13 bytes, looks like gzip, a guess\n"))
        data = Array("{\"a\": \"你好\"}".utf8)
        #expect(text().contains("\"{\\\"a\\\": \\\"你好\\\"}\"\n"))
    }

    @Test func looks() {
        func look(_ bytes: [UInt8]) -> String? { bytes.withUnsafeBytes { ByteLook.of($0) }.map { "\($0)" } }
        var state: UInt32 = 1
        let random = (0..<600).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        #expect(look(random) == "looks encrypted or compressed, a guess")
        #expect(look(Array(random.prefix(100))) == nil)
        #expect(look((0..<600).map { UInt8(truncatingIfNeeded: $0 * 7) }) == nil)
        #expect(look([UInt8](repeating: 0x52, count: 600)) == nil)
        #expect(look(Array(String(repeating: "The quick brown fox jumps. ", count: 20).utf8)) == nil)
        #expect(look([0x78, 0x9C, 0x4B, 0x4C, 0x4A, 6, 0, 2]) == "looks like zlib, a guess")
        let text = Sample(type: 64000, user: "a", dest: "b", body: random).text(BreakdownFormatter(options()))
        #expect(text.contains(" body  600 bytes, looks encrypted or compressed, a guess\n"))
    }

    @Test(arguments: [40, 60, 72, 80, 120, 200]) func nothingIsWiderThanTheTerminal(width: Int) {
        for sample in [Sample.logon40, .password65, .refusal65, .password72, .chinese, .password65.withGap(50, 6)] {
            let text = sample.text(BreakdownFormatter(options { $0.width = width }))
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                let columns = Array(line.utf8).withUnsafeBytes { DisplayWidth.columns(of: $0) }
                #expect(columns <= width, "\(columns) columns of \(width): \(line)")
            }
        }
    }

    @Test func longBodyIsShortened() {
        let sample = Sample(
            type: 64000,
            user: "a",
            dest: "b",
            body: (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        )
        let short = sample.text(BreakdownFormatter(options()))
        #expect(short.contains("       … 744 more bytes (-v shows all)\n"))
        #expect(short.split(separator: "\n").count == 30)
        let long = sample.text(BreakdownFormatter(options { $0.verbosity = 1 }))
        #expect(!long.contains("…"))
        #expect(Self.hexBytes(long) == sample.bytes.count)
    }

    /// Every byte that is there stands in the breakdown, once.
    @Test func everyByteOnce() {
        for sample in [Sample.logon40, .password65, .refusal65, .password72, .reply72, .chinese] {
            for width in [nil, 80] {
                let options = options {
                    $0.width = width
                    $0.showSecrets = true
                }
                #expect(Self.hexBytes(sample.text(BreakdownFormatter(options))) == sample.bytes.count)
                for offset in sample.layout.headerLength..<sample.bytes.count {
                    let cut = sample.cut(at: offset)
                    #expect(Self.hexBytes(cut.text(BreakdownFormatter(options))) == offset)
                }
            }
        }
    }

    /// Counts the bytes in a breakdown: pairs of hex digits in the column of the bytes.
    private static func hexBytes(_ text: String) -> Int {
        var total = 0
        for line in text.split(separator: "\n").dropFirst() {
            if line.hasSuffix("captured") || line.hasPrefix(" body") || line.contains("→") { continue }
            var blanks = 0
            for piece in line.dropFirst(7).split(separator: " ", omittingEmptySubsequences: false) {
                if piece.isEmpty {
                    blanks += 1
                    // One empty piece stands in the middle of a row of sixteen.
                    if blanks > 1 { break }
                    continue
                }
                guard line.utf8.count > 7, piece.utf8.count == 2,
                    piece.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 })
                else { break }
                total += 1
            }
        }
        return total
    }

    @Test func colour() {
        let plain = Sample.password65.text(BreakdownFormatter(options()))
        #expect(!plain.contains("\u{1B}"))
        var coloured = Sample.password65.text(BreakdownFormatter(options { $0.color = true }))
        #expect(coloured.contains("\u{1B}[36m127.0.0.1:44482 → 127.0.0.1:4530\u{1B}[0m"))
        while let start = coloured.range(of: "\u{1B}["), let end = coloured[start.upperBound...].firstIndex(of: "m") {
            coloured.removeSubrange(start.lowerBound...end)
        }
        #expect(coloured == plain)
    }

    @Test func events() {
        let formatter = BreakdownFormatter(options())
        #expect(
            eventText(
                formatter,
                event(.gap, offset: 530_071, length: 1385, reason: "segment lost before the capture")
            )
                == """
                     11:04:07.002210  127.0.0.1:44482 → 127.0.0.1:4530  1,385 bytes were not captured \
                (stream offset 530,071): segment lost before the capture


                """
        )
        #expect(
            eventText(formatter, event(.truncated, length: 5, bytes: [0xFF, 0, 0x68, 0, 0]))
                == """
                     11:04:07.002210  127.0.0.1:44482 → 127.0.0.1:4530  5 bytes of a header, then the stream ends \
                (stream offset 0)
                    0  ff 00 68 00 00                                    ..h..


                """
        )
    }
}
