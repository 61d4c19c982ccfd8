import BodyDescription
import ESProtocol
import Foundation
import Testing

/// The framework's bodies as `esdump protocol --ksy` writes them: descriptions that are valid, and find the same fields.
struct GeneratedDescriptionTests {
    private struct Recording: Decodable {
        struct Message: Decodable {
            let src: String
            let status: String
            let startToken: Int
            let messageType: UInt16
            let bodyHex: String?
        }
        struct Conversation: Decodable { let client: String }
        let conversations: [Conversation]
        let messages: [Message]
    }

    private static let all = MessageTypeDescription.all.flatMap { type in
        type.bodies.map { KaitaiDescription.Body(type, $0) }
    }

    private func description(_ bodies: [KaitaiDescription.Body]) throws(DescriptionError) -> DescribedBodies {
        let text = KaitaiDescription.text(id: "es_bodies", title: "Bodies", bodies: bodies)
        return try DescribedBodies(DescriptionFile(text, name: "generated.ksy"))
    }

    /// One file of all bodies, one of each type, and one of each body.
    @Test func everyOneIsValid() throws {
        _ = try description(Self.all)
        for number in Set(Self.all.map(\.type.number)) {
            let bodies = Self.all.filter { $0.type.number == number }
            _ = try description(bodies)
            for body in bodies { _ = try description([body]) }
        }
    }

    /// Numbers of one byte stand for what is a truth value here.
    private func line(_ field: Field) -> String {
        var value = "\(field.value)"
        if case .boolean(let isTrue) = field.value { value = "\(FieldValue.unsigned(isTrue ? 1 : 0))" }
        return "\(field.name) \(field.offset) \(field.length) \(value) \(field.isSecret)"
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16) ?? 0
        }
    }

    /// Each different body of the recordings, in the project and beside it.
    private func recordedBodies() throws -> Set<[String]> {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let folders =
            ["Captures"] + ["4.7.3", "6.5", "7.2"].map { "../shared/captures/\($0)" }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var found: Set<[String]> = []
        for folder in folders {
            let file = root.appendingPathComponent(folder).appendingPathComponent("EXPECTED.json")
            guard let data = try? Data(contentsOf: file) else { continue }
            for recording in try decoder.decode([Recording].self, from: data) {
                for message in recording.messages where message.status == "complete" {
                    guard let hex = message.bodyHex, !hex.isEmpty else { continue }
                    let isRequest = recording.conversations.contains { $0.client == message.src }
                    let version: ProtocolVersion =
                        switch message.startToken {
                        case 0xFFFF: .v40
                        case 0x0F: .v72
                        default: folder.hasSuffix("4.7.3") ? .v47 : .v65
                        }
                    found.insert([version.name, "\(message.messageType)", isRequest ? "request" : "reply", hex])
                }
            }
        }
        return found
    }

    @Test func findsTheSameFields() throws {
        let described = try description(Self.all)
        var compared = 0
        for recorded in try recordedBodies() {
            let version = try #require(ProtocolVersion(name: recorded[0]))
            let type = try #require(UInt16(recorded[1]))
            let isRequest = recorded[2] == "request"
            let body = bytes(recorded[3])
            guard
                MessageTypeDescription.find(type, version: version)?.schema(version: version, isRequest: isRequest)
                    != nil
            else { continue }
            let layout = try #require(Profile(version).layout())
            var wire = [UInt8](repeating: 0, count: layout.headerLength)
            wire[2] = UInt8(type & 255)
            wire[3] = UInt8(type >> 8)
            for index in 0..<4 { wire[8 + index] = UInt8(truncatingIfNeeded: body.count >> (8 * index)) }
            let header = MessageHeader(reading: wire.span.bytes, layout: layout)
            let own = BodyDescriber(version: version).describe(
                body: body.span.bytes,
                bodyOffset: layout.headerLength,
                header: header,
                isRequest: isRequest
            )
            let other = described.describe(
                body: body.span.bytes,
                bodyOffset: layout.headerLength,
                header: header,
                isRequest: isRequest,
                versions: ProtocolVersions(version),
                maximumFields: 20_000
            )
            // Null and empty contents, and what was looked at ahead, have no bytes.
            #expect(
                other?.fields.filter { $0.length > 0 }.map(line) == own?.fields.filter { $0.length > 0 }.map(line),
                "\(recorded)"
            )
            #expect(other?.isExact == true && other?.title == own?.title, "\(recorded)")
            compared += 1
        }
        #expect(compared > 20)
    }

    /// What a user changes in one of ours replaces it.
    @Test func aBodyThatDoesNotFitIsSaid() throws {
        let logon = try description(Self.all.filter { $0.type.number == 112 })
        let body = bytes("1400000000000000")
        var wire = [UInt8](repeating: 0, count: 36)
        wire[2] = 112
        wire[8] = UInt8(body.count)
        let header = MessageHeader(reading: wire.span.bytes, layout: HeaderLayout(startToken: .ff, idSlot: 12))
        let found = logon.describe(
            body: body.span.bytes,
            bodyOffset: 36,
            header: header,
            isRequest: true,
            versions: .v65,
            maximumFields: 100
        )
        #expect(found?.isExact == false)
        #expect(found?.fields.reduce(0) { $0 + $1.length } == body.count)
    }
}
