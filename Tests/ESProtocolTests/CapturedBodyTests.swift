import Foundation
import Testing

@testable import ESProtocol

/// Every body of the recordings that lie beside the package.
struct CapturedBodyTests {
    private struct Recording: Decodable {
        struct Message: Decodable {
            let src: String
            let status: String
            let startToken: Int
            let messageType: UInt16
            let name: String?
            let bodyLength: Int
            let bodyHex: String?
        }
        struct Conversation: Decodable { let client: String }
        let file: String
        let framework: String
        let conversations: [Conversation]
        let messages: [Message]
    }

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/captures")

    @Test func everyBodyIsReadAndWrittenBack() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var described = 0
        var empty = 0
        var unread: [String] = []
        for name in ["4.7.3", "6.5", "7.2", "damaged"] {
            let file = Self.folder.appendingPathComponent(name).appendingPathComponent("EXPECTED.json")
            guard let data = try? Data(contentsOf: file) else {
                print("skipped: no recordings at \(file.path)")
                continue
            }
            for recording in try decoder.decode([Recording].self, from: data) {
                let version: ProtocolVersion =
                    recording.framework.hasPrefix("7") ? .v72 : recording.framework.hasPrefix("4") ? .v47 : .v65
                for message in recording.messages where message.status == "complete" {
                    if name != "damaged", let known = message.name, known != "?" {
                        #expect(Profile(version).messageTypeName(message.messageType) == known)
                    }
                    guard let hex = message.bodyHex else { continue }
                    let body = bytes(hex)
                    guard !body.isEmpty else {
                        empty += 1
                        continue
                    }
                    let isRequest = recording.conversations.contains { $0.client == message.src }
                    let place = "\(recording.file): \(message.messageType) \(hex)"
                    guard
                        let schema = MessageTypeDescription.find(message.messageType, version: version)?
                            .schema(version: version, isRequest: isRequest)
                    else {
                        unread.append(place)
                        continue
                    }
                    let value = try schema.value(parsing: body)
                    #expect(try schema.bytes(of: value) == body, "\(place)")

                    let description = describe(body, message.messageType, version, isRequest: isRequest)
                    #expect(description?.isExact == true, "\(place)")
                    #expect(description?.isGuess == false)
                    #expect(description?.versions.contains(ProtocolVersions(version)) == true, "\(place)")
                    #expect(description?.fields.contains { $0.name.hasSuffix(".rest") } == false, "\(place)")
                    let fields = description?.fields ?? []
                    #expect(coverEveryByte(fields, from: fields.first?.offset ?? 0, count: body.count), "\(place)")
                    #expect(Set(fields.map(\.name)).count == fields.count, "\(place)")
                    described += 1
                }
            }
        }
        print("captured bodies: \(described) read and written back, \(empty) empty, \(unread.count) unknown")
        #expect(unread.isEmpty, "\(unread)")
    }
}
