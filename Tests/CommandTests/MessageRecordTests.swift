import ESProtocol
import MessageFormat
import Testing

@testable import esdump

/// A report on its way to the thread that formats it.
@Suite struct MessageRecordTests {
    private static let layout = HeaderLayout(startToken: .ff, idSlot: 12)

    private func report(
        conversation: Int = 70_000,
        isUDP: Bool = false,
        direction: Direction = .serverToClient,
        sender: EndpointName = .ipv4(0x0A00_0001, port: 4530),
        status: MessageStatus = .complete,
        gaps: [MessageGap] = [],
        profile: Profile = Profile(.v47)
    ) -> MessageReport {
        let bytes = (0..<UInt8(Self.layout.headerLength)).map { $0 == 0 ? 0xFF : $0 }
        return MessageReport(
            time: -1_796_010_556_588_350_123,
            packet: 1 << 40,
            conversation: conversation,
            isUDP: isUDP,
            direction: direction,
            sender: sender,
            receiver: .ipv4(0xC0A8_01FE, port: 65535),
            streamOffset: 1 << 41,
            status: status,
            header: MessageHeader(reading: bytes.span.bytes, layout: Self.layout),
            gaps: gaps,
            profile: profile
        )
    }

    private func expectSame(_ left: MessageReport, _ right: MessageReport) {
        #expect(left.time == right.time)
        #expect(left.packet == right.packet)
        #expect(left.conversation == right.conversation)
        #expect(left.isUDP == right.isUDP)
        #expect(left.direction == right.direction)
        #expect(left.sender == right.sender)
        #expect(left.receiver == right.receiver)
        #expect(left.streamOffset == right.streamOffset)
        #expect(left.status == right.status)
        #expect(left.header == right.header)
        #expect(left.gaps == right.gaps)
        #expect(left.profile == right.profile)
    }

    @Test func whatItHoldsComesBack() throws {
        for direction in [Direction.clientToServer, .serverToClient] {
            for isUDP in [false, true] {
                for profile in Profile.all + [Profile(startToken: .ff)] {
                    let report = report(isUDP: isUDP, direction: direction, profile: profile)
                    let record = try #require(MessageRecord(report, start: 300_000, count: 70_000, input: 65_535))
                    expectSame(record.report, report)
                    #expect(record.packet == report.packet)
                    #expect(record.time == report.time)
                    #expect(record.byteRange == 300_000..<370_000)
                    #expect(record.input == 65_535)
                    #expect(record.wholeReport == nil)
                }
            }
        }
        #expect(MessageRecord(report(), start: 0, count: 0, input: nil)?.input == nil)
        #expect(MessageRecord(report(), start: 0, count: 0, input: 0)?.input == 0)
    }

    @Test func itTakesLittleMemory() { #expect(MemoryLayout<MessageRecord>.stride <= 72) }

    /// Reports that have more than a record.
    private var larger: [MessageReport] {
        var described = Profile(.v65)
        described.describedNames = [112: "Hello"]
        return [
            report(sender: .text("[::1]:4530")),
            report(status: .gap, gaps: [MessageGap(offset: 3, length: 4)]),
            report(status: .truncated, gaps: [MessageGap(offset: 30, length: 4)]),
            report(conversation: 1 << 32),
            report(profile: described),
        ]
    }

    @Test func whatDoesNotFitIsRefused() {
        for report in larger { #expect(MessageRecord(report, start: 0, count: 9, input: nil) == nil) }
    }

    /// Writes of each line what tells it from the others.
    private struct Lines: ReportFormatter {
        mutating func appendLead(number: Int?, time: Int64, to out: inout OutputBuffer) {
            out.append(number.map { "\($0)" } ?? "-")
        }
        mutating func appendMessage(_ message: MessageReport, bytes: RawSpan, to out: inout OutputBuffer) {
            let bytes = bytes.withUnsafeBytes { Array($0) }
            out.append(
                " \(message.conversation) \(message.status) \(message.gaps.count) \(message.source) \(message.profile.describedNames.count) \(bytes)\n"
            )
        }
        mutating func appendEvent(_ event: EventReport, to out: inout OutputBuffer) { out.append(" \(event.reason)\n") }
    }

    /// Records, whole reports and events of one chunk keep their order, their bytes and their input.
    @Test func aChunkGivesBackWhatItWasGiven() throws {
        func event(_ reason: String) -> EventReport {
            EventReport(
                kind: .notice,
                time: 0,
                packet: 1 << 40,
                conversation: 1,
                source: "",
                destination: "",
                reason: reason
            )
        }
        var contents = ReportContents()
        var inputs: [Int?] = []
        var expected: [String] = []
        func add(_ report: MessageReport, _ bytes: [UInt8]) {
            let input = expected.count % 3 == 0 ? nil : expected.count
            inputs.append(input)
            _ = contents.append(report, (bytes + [99]).span.bytes, needed: bytes.count, input: input)
            expected.append(
                " \(report.conversation) \(report.status) \(report.gaps.count) \(report.source) \(report.profile.describedNames.count) \(bytes)"
            )
        }
        _ = contents.append(event("first"), input: nil)
        inputs.append(nil)
        expected.append(" first")
        for (index, larger) in larger.enumerated() {
            add(report(conversation: index), [1, UInt8(index)])
            add(larger, [2, UInt8(index), 3])
            _ = contents.append(event("between"), input: 5)
            inputs.append(5)
            expected.append(" between")
            add(report(), [])
        }
        let pool = ReportChunkPool()
        let chunk = pool.take()
        chunk.exchange(&contents)
        #expect(contents.lineCount == 0)
        #expect(chunk.lineCount == expected.count)
        var order = ReportOrder()
        order.add(chunk)
        order.settle(before: nil)
        var formatter = Lines()
        var out = OutputBuffer()
        var found: [Int?] = []
        for batch in order.takeSettled(all: true, makeBatch: { ReportBatch() }) {
            batch.format(&formatter, to: &out, prepare: { found.append($1) }, pool: pool) { _ in }
        }
        let lines = out.string().split(separator: "\n").map { $0.drop { $0 != " " } }
        #expect(lines.map { String($0) } == expected)
        #expect(found == inputs)
    }
}
