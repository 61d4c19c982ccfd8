import ESProtocol
import Foundation
import Testing

@testable import MessageFormat

/// The messages of the recordings: those in Captures, and those beside the package where they are.
@Suite struct CaptureFieldsTests {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func captures() -> [URL] {
        [package.appendingPathComponent("Captures"), package.appendingPathComponent("../shared/captures")]
            .flatMap { folder in
                (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [])
                    .compactMap { $0 as? URL }.filter { $0.pathExtension == "pcap" }
            }
    }

    /// Whole messages of a capture, each direction's segments put in the order of their sequence numbers; what is behind
    /// a hole is left out. Simple on purpose: the streams of the tool itself are tested elsewhere.
    private static func messages(_ file: URL) throws -> [Sample] {
        let data = [UInt8](try Data(contentsOf: file))
        func number(_ at: Int, _ count: Int, isBig: Bool) -> Int {
            (0..<count).reduce(0) { $0 << 8 | Int(data[at + (isBig ? $1 : count - 1 - $1)]) }
        }
        guard data.count > 24, number(0, 4, isBig: false) & 0xFFFF_0000 == 0xA1B2_0000 else { return [] }
        var streams: [[UInt8]: [(sequence: Int, bytes: ArraySlice<UInt8>)]] = [:]
        var at = 24
        while at + 16 <= data.count {
            let there = min(number(at + 8, 4, isBig: false), data.count - at - 16)
            let start = at + 16
            at = start + there
            guard there > 54, data[start + 12] == 8, data[start + 13] == 0, data[start + 23] == 6 else { continue }
            let tcp = start + 14 + 4 * Int(data[start + 14] & 15)
            let payload = tcp + 4 * Int(data[tcp + 12] >> 4)
            let end = min(start + 14 + number(start + 16, 2, isBig: true), at)
            guard payload < end else { continue }
            let key = Array(data[start + 26..<start + 34] + data[tcp..<tcp + 4])
            streams[key, default: []].append((number(tcp + 4, 4, isBig: true), data[payload..<end]))
        }
        var result: [Sample] = []
        for (key, segments) in streams {
            var stream: [UInt8] = []
            var next: Int?
            for (sequence, bytes) in segments.sorted(by: { $0.sequence < $1.sequence }) {
                let skip = (next ?? sequence) - sequence
                guard skip >= 0 else { break }
                stream += bytes.dropFirst(skip)
                next = max(next ?? 0, sequence + bytes.count)
            }
            result += split(stream, isToServer: key[10...] == [0x11, 0xB2])
        }
        return result
    }

    private static func split(_ stream: [UInt8], isToServer: Bool) -> [Sample] {
        let slots: [UInt8] = [12, 14, 21, 22, 24]
        for slot in slots {
            guard let first = stream.first, first == 0xFF || first == 0x0F, stream.count > 1 else { return [] }
            let token: HeaderLayout.StartToken = first == 0x0F ? .zeroF : stream[1] == 0xFF ? .ffff : .ff
            let layout = HeaderLayout(startToken: token, idSlot: slot)
            var found: [Sample] = []
            var rest = stream[...]
            while rest.count >= layout.headerLength {
                let header = MessageHeader(reading: Array(rest.prefix(layout.headerLength)).span.bytes, layout: layout)
                guard rest.first == first, header.bodyLength >= 0, Int(header.userIDLength) < slot,
                    Int(header.destUserIDLength) < slot, rest.count >= header.messageLength
                else { break }
                var sample = Sample(hex: "", token: token, slot: slot)
                sample.bytes = Array(rest.prefix(header.messageLength))
                sample.direction = isToServer ? .clientToServer : .serverToClient
                found.append(sample)
                rest = rest.dropFirst(header.messageLength)
            }
            if found.count > 1 || rest.isEmpty { return found }
        }
        return []
    }

    /// `fields` has every byte once, what it says of the header is what the codec says, and values are what they should be.
    @Test func everyByteOfEveryMessage() throws {
        let verbose = options { $0.verbosity = 1 }
        var count = 0
        for file in Self.captures() {
            for sample in try Self.messages(file) {
                let place = "\(file.lastPathComponent), message \(count)"
                let data = Data(sample.text(JSONFormatter(verbose)).utf8)
                let line = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
                let fields = try #require(line["fields"] as? [[String: Any]])
                var position = 0
                var lengthBefore: Int?
                for field in fields {
                    let length = try #require(field["length"] as? Int)
                    let name = field["name"] as? String ?? ""
                    let text = field["text"] as? String ?? ""
                    let isNull = field["value"] is NSNull
                    // Null and empty are told apart, and no secret has a value.
                    let isRight =
                        field["offset"] as? Int == position && !name.isEmpty && !text.isEmpty
                        && (length > 0 || isNull == (lengthBefore == -1))
                        && (isNull || !text.contains("hidden; --show-secrets"))
                    if !isRight { Issue.record("\(place): \(field)") }
                    position += length
                    lengthBefore = field["value"] as? Int
                }
                #expect(position == sample.bytes.count, "\(place)")
                let header = sample.report.header.fields(
                    in: sample.bytes.span.bytes,
                    isRequest: sample.report.isRequest
                )
                for (own, field) in zip(header, fields) {
                    #expect(own.name == field["name"] as? String)
                    let text = try #require(field["text"] as? String)
                    #expect(own.name.hasSuffix("user_id") ? text.hasSuffix(own.meaning) : text == own.meaning)
                }
                count += 1
            }
        }
        print("fields of \(count) messages")
        #expect(count > 20)
    }
}
