import CaptureAnalysis
import DumpText
import ESProtocol
import MessageFormat
import NetworkStack
import Testing

/// Messages in what was pasted.
@Suite struct DumpAnalyzerTests {
    final class Recorder: AnalysisOutput {
        var messages: [(report: MessageReport, bytes: [UInt8])] = []
        var events: [EventReport] = []
        var isOpen: Bool { true }

        func message(_ report: MessageReport, bytes: RawSpan) {
            messages.append((report, bytes.withUnsafeBytes { Array($0) }))
        }
        func event(_ report: EventReport) { events.append(report) }
    }

    private func logon(_ user: String = "aa01", to destination: String = "_0", type: UInt16 = 112) throws -> [UInt8] {
        var message = Message(
            layout: HeaderLayout(startToken: .ff, idSlot: 12),
            messageType: type,
            messageID: 1,
            userID: Message.ID(user),
            destUserID: Message.ID(destination)
        )
        if type == 112 { message.body = [12, 0, 0, 0] + [UInt8](repeating: 0, count: 12) }
        return try message.bytes()
    }

    private func hex(_ bytes: some Collection<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    private func rows(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            let offset = String(start, radix: 16)
            return String(repeating: "0", count: 8 - offset.count) + offset + "  "
                + hex(bytes[start..<min(start + 16, bytes.count)]) + "\n"
        }.joined()
    }

    private func analyze(_ text: String, direction: Direction? = nil) throws -> Recorder {
        let recorder = Recorder()
        let analyzer = DumpAnalyzer(options: AnalysisOptions(), limits: ReassemblyLimits(), direction: direction)
        _ = analyzer.run(try DumpReader.read(Array(text.utf8)), output: recorder)
        return recorder
    }

    @Test func aLoneMessageIsFound() throws {
        let bytes = try logon()
        let found = try analyze(hex(bytes))
        #expect(found.messages.map(\.bytes) == [bytes])
        #expect(found.messages.map(\.report.status) == [.complete])
        #expect(found.messages.map(\.report.direction) == [.clientToServer])
    }

    @Test func severalMessagesAndWhatStandsBetweenThem() throws {
        let first = try logon()
        let second = try logon(type: 104)
        let found = try analyze(hex(first) + "\n" + hex(second) + "\n01 02 03 04 05 06 07\n" + hex(first))
        #expect(found.messages.map(\.bytes) == [first, second, first])
        let skipped = found.events.filter { $0.kind == .skipped }
        #expect(skipped.map(\.length) == [7])
        #expect(skipped.first?.bytes == [1, 2, 3, 4, 5, 6, 7])
        #expect(skipped.first?.reason.hasSuffix("(line 3 of the text)") == true)
    }

    @Test func aPartOfAMessageIsTruncated() throws {
        let bytes = try logon()
        let found = try analyze(hex(bytes.dropLast(10)))
        #expect(found.messages.map(\.report.status) == [.truncated])
        #expect(found.messages.map(\.report.missing) == [10])
    }

    @Test func aMessageThatLacksRowsHasAGap() throws {
        var message = Message(
            layout: HeaderLayout(startToken: .ff, idSlot: 12),
            messageType: 300,
            messageID: 1,
            userID: "aa01",
            destUserID: "_0"
        )
        message.body = (0..<124).map { UInt8($0) }
        let bytes = try message.bytes()
        var lines = rows(bytes).split(separator: "\n")
        lines.removeSubrange(4...5)
        let found = try analyze(lines.joined(separator: "\n"))
        #expect(found.messages.map(\.report.status) == [.gap])
        #expect(found.messages.map(\.report.gaps) == [[MessageGap(offset: 64, length: 32)]])
        #expect(found.events.contains { $0.kind == .gap && $0.length == 32 })
    }

    @Test func aPieceThatBeginsWithAMessageEndsWhatWasCut() throws {
        let bytes = try logon()
        let found = try analyze(rows(Array(bytes.dropLast(4))) + rows(bytes))
        #expect(found.messages.map(\.report.status) == [.truncated, .complete])
        // And one that does not goes on with it: a message in two packets.
        let parts = try analyze(rows(Array(bytes.prefix(40))) + rows(Array(bytes.dropFirst(40))))
        #expect(parts.messages.map(\.bytes) == [bytes])
    }

    @Test func directionsFollowFromTheIDsUnlessTheyAreGiven() throws {
        let reply = try logon("_0", to: "aa01", type: 104)
        #expect(try analyze(hex(reply)).messages.map(\.report.direction) == [.serverToClient])
        #expect(
            try analyze(hex(try logon()) + "\n" + hex(reply)).messages.map(\.report.direction) == [
                .clientToServer, .serverToClient,
            ]
        )
        #expect(
            try analyze(hex(reply), direction: .clientToServer).messages.map(\.report.direction) == [.clientToServer]
        )
    }

    @Test func bytesThatAreNoMessageAreSaid() throws {
        let found = try analyze("47 45 54 20 2f 20 48 54 54 50 2f 31 2e 31 0d 0a")
        #expect(found.messages.isEmpty)
        #expect(found.events.map(\.kind) == [.notES])
        #expect(found.events.first?.looksLike == "HTTP")
    }

    @Test func packetsAreReadAsPackets() throws {
        let bytes = try logon()
        // Two segments of one message, each with its headers of Ethernet, IP and TCP.
        func packet(_ payload: [UInt8], sequence: UInt32) -> [UInt8] {
            var ip: [UInt8] = [
                0x45, 0, 0, UInt8(40 + payload.count), 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
            ]
            var sum = stride(from: 0, to: 20, by: 2).reduce(UInt32(0)) { $0 + UInt32(ip[$1]) << 8 + UInt32(ip[$1 + 1]) }
            while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
            ip[10] = UInt8(~sum >> 8 & 0xFF)
            ip[11] = UInt8(~sum & 0xFF)
            let tcp: [UInt8] =
                [0x30, 0x39, 0x11, 0xB2] + (0..<4).map { UInt8(sequence >> (24 - 8 * $0) & 0xFF) }
                + [0, 0, 0, 1, 0x50, 0x18, 1, 0, 0, 0, 0, 0]
            return [UInt8](repeating: 2, count: 12) + [8, 0] + ip + tcp + payload
        }
        let text =
            rows(packet(Array(bytes.prefix(40)), sequence: 1)) + rows(packet(Array(bytes.dropFirst(40)), sequence: 41))
        let found = try analyze(text)
        #expect(found.messages.map(\.bytes) == [bytes])
        #expect(found.messages.first?.report.source == "10.0.0.1:12345")
    }
}
