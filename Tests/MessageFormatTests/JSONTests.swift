import ESProtocol
import Foundation
import Testing

@testable import MessageFormat

/// OUTPUT.md, read back.
@Suite struct JSONTests {
    private func parse(_ text: String) throws -> [String: Any] {
        #expect(text.hasSuffix("}\n") && !text.dropLast().contains("\n"))
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(object as? [String: Any])
    }

    private func bytes(_ value: Any?) -> [UInt8] { (value as? String).map(Sample.bytes) ?? [] }

    @Test func exactLine() {
        #expect(
            Sample.password72.text(JSONFormatter(options()), number: 7) == """
                {"n":7,"time":"2026-11-30T11:04:05.250317000Z","packet":4,"conversation":1,"transport":"tcp",\
                "direction":"c2s","src":"127.0.0.1:44482","dst":"127.0.0.1:4530","stream_offset":0,"length":86,\
                "status":"complete","es":{"start_token":15,"client_type":9,"message_type":112,\
                "message_type_name":"Logon","message_id":1,"body_length":46,"user_id":"9#aa01","dest_user_id":"_0"},\
                "header_hex":"0f097000010000002e0000000639236161303100000000000000025f300000000000000000000000",\
                "body_hex":"2a0000000800000046726565557365720a0000002a2a2a2a2a2a2a2a2a2a0c000000\
                323032363131333053595331","masked":[[20,10]]}

                """
        )
    }

    @Test func version40HasNoClientType() throws {
        let es = try #require(try parse(Sample.logon40.text(JSONFormatter(options())))["es"] as? [String: Any])
        #expect(es["client_type"] == nil)
        #expect(es["start_token"] as? Int == 0xFFFF)
    }

    @Test func secretsOnRequest() throws {
        let line = try parse(Sample.password65.text(JSONFormatter(options { $0.showSecrets = true })))
        #expect(line["masked"] == nil)
        #expect(bytes(line["header_hex"]) + bytes(line["body_hex"]) == Sample.password65.bytes)
    }

    @Test func gapsAndUnknownType() throws {
        let sample = Sample(type: 64000, id: -5, user: "a", dest: "b", body: [UInt8](repeating: 7, count: 100))
            .withGap(60, 20)
        let line = try parse(sample.text(JSONFormatter(options { $0.file = "a \"b\"\u{1B}.pcap" })))
        #expect(line["status"] as? String == "gap")
        #expect(line["missing"] as? Int == 20)
        #expect(line["gaps"] as? [[Int]] == [[60, 20]])
        #expect(line["file"] as? String == "a \"b\"\u{1B}.pcap")
        #expect(bytes(line["body_hex"]).count == 80)
        let es = try #require(line["es"] as? [String: Any])
        #expect(es["message_type_name"] == nil)
        #expect(es["message_id"] as? Int == -5)
    }

    @Test func hostileIDs() throws {
        let ids: [([UInt8], String)] = [
            (Array("a\u{1B}[2J\"\\".utf8), "a\u{1B}[2J\"\\"), (Array("\u{202E}x\u{7F}".utf8), "\u{202E}x\u{7F}"),
            ([0x61, 0xFF, 0xE4, 0xBD, 0x62], "a\u{FFFD}\u{FFFD}b"), (Array("\u{E0001}😀".utf8), "\u{E0001}😀"),
            (Array("\u{2028}\u{85}".utf8), "\u{2028}\u{85}"), (Array("张三".utf8), "张三"),
        ]
        for (id, expected) in ids {
            let text = Sample(type: 104, user: id, dest: Array("_0".utf8), body: []).text(JSONFormatter(options()))
            #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || TextEscaping.isVisible($0.value) })
            let es = try #require(try parse(text)["es"] as? [String: Any])
            #expect(es["user_id"] as? String == expected)
        }
    }

    /// `fields` has every byte of the message, there or missing, exactly once.
    @Test func fieldsCoverEverything() throws {
        for sample in [Sample.logon40, .logon65, .password65, .refusal65, .password72, .reply72, .chinese] {
            var damaged = [sample]
            for at in sample.layout.headerLength..<sample.bytes.count {
                damaged.append(sample.cut(at: at))
                if at + 2 < sample.bytes.count { damaged.append(sample.withGap(at, 2)) }
            }
            for sample in damaged {
                let line = try parse(sample.text(JSONFormatter(options { $0.verbosity = 1 })))
                var position = 0
                for field in try #require(line["fields"] as? [[String: Any]]) {
                    #expect(field["offset"] as? Int == position)
                    position += try #require(field["length"] as? Int)
                    #expect(field["name"] is String && field["text"] is String && field["value"] != nil)
                }
                #expect(position == sample.bytes.count)
            }
        }
    }

    @Test func events() throws {
        var formatter = JSONFormatter(options())
        var out = OutputBuffer()
        var report = event(.notES, offset: 3, length: 500, bytes: [1])
        report.looksLike = "TLS"
        report.firstBytes = [0x16, 3, 1]
        formatter.appendLead(number: nil, time: report.time, to: &out)
        formatter.appendEvent(report, to: &out)
        let line = out.string()
        #expect(
            line == """
                {"time":"2026-11-30T11:04:07.002210000Z","event":"not-es","packet":9,"conversation":1,\
                "src":"127.0.0.1:44482","dst":"127.0.0.1:4530","stream_offset":3,"length":500,"looks_like":"TLS",\
                "first_bytes":"160301"}

                """
        )
        let notice = try parse(eventText(formatter, event(.layout, offset: nil, length: nil, reason: "4.7 or 6.5")))
        #expect(notice["length"] == nil && notice["stream_offset"] == nil)
        #expect(notice["reason"] as? String == "4.7 or 6.5")
    }
}
