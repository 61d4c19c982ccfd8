import ESProtocol
import MessageFormat
import NetworkStack
import Testing

@testable import CaptureAnalysis

/// What a filter says of a message by its type alone.
@Suite struct TypeRefusalTests {
    private static func header(_ type: UInt16, _ token: HeaderLayout.StartToken, clientType: UInt8 = 0) -> MessageHeader
    {
        let layout = HeaderLayout(startToken: token, idSlot: 12)
        var bytes = [UInt8](repeating: 0, count: layout.headerLength)
        bytes[0] = token == .zeroF ? 0x0F : 0xFF
        bytes[1] = token == .ffff ? 0xFF : clientType
        bytes[2] = UInt8(truncatingIfNeeded: type)
        bytes[3] = UInt8(truncatingIfNeeded: type >> 8)
        bytes[4] = 9
        return MessageHeader(reading: bytes.span.bytes, layout: layout)
    }

    private func refused(_ expression: String, _ token: HeaderLayout.StartToken = .ff) throws -> [UInt16] {
        let filter = try MessageFilter(compiling: expression)
        return [110, 112, 116, 202, 5000].filter { !filter.mayMatch(typeOf: Self.header($0, token)) }
    }

    @Test func theTypeDecidesWhereTheRestDoesNotMatter() throws {
        #expect(try refused("es.message_type == 116") == [110, 112, 202, 5000])
        #expect(try refused("es.message_type == 116 && es.user_id contains \"a\"") == [110, 112, 202, 5000])
        #expect(try refused("es.user_id contains \"a\" && es.message_type == 116") == [110, 112, 202, 5000])
        #expect(try refused("es.message_type in {100..115, 5000}") == [116, 202])
        #expect(try refused("es.message_type != 116") == [116])
        #expect(try refused("!(es.message_type == 116 || es.message_type == 202)") == [116, 202])
        #expect(try refused("es.message_type == 116 && es.message_type == 202") == [110, 112, 116, 202, 5000])
        #expect(try refused("es.message_type == 116 || es.message_id > 3") == [])
        #expect(try refused("es.message_id > 3") == [])
    }

    @Test func aNameIsTheNumberThatItHasInTheVersion() throws {
        for token in HeaderLayout.StartToken.allCases {
            let filter = try MessageFilter(compiling: "es.message_type == Logon")
            for type in UInt16(0)...600 {
                let header = Self.header(type, token)
                #expect(filter.mayMatch(typeOf: header) == filter.matches(Self.numbers(header)))
            }
        }
    }

    private static func numbers(_ header: MessageHeader) -> FilterNumbers {
        let nowhere = Endpoint(high: 0, low: 0, port: 0)
        return FilterNumbers(
            header: header,
            time: 0,
            packet: 1,
            conversation: 1,
            isUDP: false,
            direction: .clientToServer,
            streamOffset: 0,
            status: .complete,
            source: nowhere,
            destination: nowhere
        )
    }

    /// A message that matches is never refused, whatever else the filter asks for.
    @Test(arguments: ChoiceTests.byNumbers) func whatMatchesMayMatch(expression: String) throws {
        let filter = try MessageFilter(compiling: expression)
        for token in HeaderLayout.StartToken.allCases {
            for type in [0, 100, 112, 116, 202, 301, 999, 1023, 1024, 65535] as [UInt16] {
                let header = Self.header(type, token)
                if filter.matches(Self.numbers(header)) { #expect(filter.mayMatch(typeOf: header)) }
            }
        }
    }

    @Test func whatIsNotedIsRefusedUntilItIsForgotten() {
        var refusals = TypeRefusals()
        #expect(!refusals.refuse(Self.header(116, .ff)))
        refusals.note(Self.header(116, .ff), limit: 7)
        refusals.note(Self.header(1023, .zeroF), limit: .max)
        // Only low types are remembered.
        refusals.note(Self.header(1024, .ff), limit: .max)
        #expect(refusals.refuse(Self.header(116, .ff)))
        #expect(refusals.refuse(Self.header(116, .ff, clientType: 6)))
        #expect(!refusals.refuse(Self.header(116, .ff, clientType: 7)))
        #expect(!refusals.refuse(Self.header(116, .zeroF)))
        #expect(!refusals.refuse(Self.header(116, .ffff)))
        #expect(refusals.refuse(Self.header(1023, .zeroF)))
        #expect(!refusals.refuse(Self.header(1024, .ff)))
        refusals.clear()
        #expect(!refusals.refuse(Self.header(116, .ff)))
    }
}

/// Who listens is asked, and told, when there is something to hear.
@Suite struct NewsTests {
    @Test func aPacketWithAMessageBringsNews() {
        var bench = PacketBench()
        bench.handshake()
        #expect(!bench.analyzer.hasNews)
        bench.send(0, message(type: 112, body: 3))
        #expect(bench.analyzer.hasNews)
        bench.segment(1, at: 0)
        #expect(!bench.analyzer.hasNews)
        // The first half of a message is nothing to hear yet.
        let next = message(type: 116, body: 3)
        bench.send(0, Array(next[..<20]))
        #expect(!bench.analyzer.hasNews)
        bench.send(0, Array(next[20...]))
        #expect(bench.analyzer.hasNews)
        let output = bench.finish()
        #expect(output.messages.count == 2)
    }

    /// Also where nothing is shown.
    @Test func theLastMessageEndsTheAnalysisInItsPacket() throws {
        for expression in ["es.message_type == 116", "es.message_type == 116 && es.user_id == \"aa01\""] {
            for shows in [false, true] {
                var options = AnalysisOptions()
                options.until = try MessageFilter(compiling: expression)
                var bench = PacketBench()
                let output = shows ? bench.output : nil
                bench.analyzer = CaptureAnalyzer(output: output, options: options, limits: ReassemblyLimits())
                bench.handshake()
                for type in [112, 202, 202, 202, 202] as [UInt16] {
                    bench.send(0, message(type: type, body: 3))
                    #expect(bench.goesOn)
                }
                bench.send(0, message(type: 116, body: 3))
                #expect(!bench.goesOn)
                #expect(bench.analyzer.end?.packet == bench.number)
            }
        }
    }

    /// Whoever has enough is heard with the message that is the last, or some packets later.
    @Test func anOutputThatHasEnoughEndsTheAnalysis() {
        final class Enough: AnalysisOutput {
            var limit = 1
            var count = 0
            var isOpen: Bool { count < limit }
            func message(_ report: MessageReport, bytes: RawSpan) { count += 1 }
            func event(_ report: EventReport) {}
        }
        let output = Enough()
        var bench = PacketBench()
        bench.analyzer = CaptureAnalyzer(output: output, options: AnalysisOptions(), limits: ReassemblyLimits())
        bench.handshake()
        #expect(bench.goesOn)
        bench.send(0, message(type: 112, body: 3))
        #expect(output.count == 1)
        #expect(!bench.goesOn)
        output.limit = 2
        bench.segment(1, at: 0)
        #expect(bench.goesOn)
        output.limit = 0
        var packets = 0
        while bench.goesOn, packets < 100 {
            bench.segment(1, at: 0)
            packets += 1
        }
        #expect(packets <= 16)
        output.limit = 2
        bench.goesOn = bench.analyzer.timePassed(bench.time)
        #expect(bench.goesOn)
        output.limit = 0
        bench.goesOn = bench.analyzer.timePassed(bench.time)
        #expect(!bench.goesOn)
    }
}
