import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture
import Testing

@testable import CaptureAnalysis

/// Which messages of a capture are chosen does not depend on how much of each was looked at.
@Suite struct ChoiceTests {
    /// They need no more than numbers …
    static let byNumbers = [
        "es.message_type == 112", "es.message_type == Logon", "es.message_type == 999", "es.message_type != 202",
        "es.message_type in {100..130, 202}", "es.user_id.length > 2", "length < 60 || es.body_length == 0",
        "direction == c2s", "dst == 4530 && es.message_id > 1", "conversation == 1", "status == complete",
        "status != complete", "stream_offset >= 100", "packet < 10", "missing > 0", "src == 127.0.0.1",
    ]
    /// … and these more.
    static let byBytes = [
        "es.user_id == \"aa01\"", "es.message_type_name contains \"Logon\"", "es.body contains 00:00:00",
    ]

    static let captures = ExpectedCaptures.all.filter { $0.path.contains("/Captures/") }

    /// - Parameter shows: whether messages are reported, or only counted.
    private func analyze(
        _ capture: ExpectedCapture,
        _ filter: MessageFilter,
        shows: Bool,
        change: (inout AnalysisOptions) -> Void
    ) throws -> (totals: AnalysisTotals, types: [UInt16]) {
        var types: [UInt16] = []
        var options = AnalysisOptions()
        options.filter = filter
        options.framer.keepsBodies = shows || filter.needsBodies
        change(&options)
        let collector = MessageCollector { _, report, _ in
            types.append(report.header.messageType)
            return true
        }
        var file = try CaptureFile(path: capture.path)
        var analyzer = CaptureAnalyzer(output: shows ? collector : nil, options: options, limits: ReassemblyLimits())
        _ = try file.read(into: &analyzer)
        analyzer.finish()
        collector.release(before: nil)
        return (analyzer.totals, types)
    }

    @Test(arguments: byNumbers + byBytes)
    func countingChoosesWhatIsShown(expression: String) throws {
        let filter = try MessageFilter(compiling: expression)
        #expect(filter.asksNumbersOnly == Self.byNumbers.contains(expression))
        #expect(!Self.captures.isEmpty)
        let changes: [(inout AnalysisOptions) -> Void] = [
            { _ in }, { $0.conversation = 1 }, { $0.tellsEvents = false }, { $0.profile = Profile(.v65) },
            { $0.from = 1_796_000_000_000_000_000 },
        ]
        for capture in Self.captures {
            for change in changes {
                let shown = try analyze(capture, filter, shows: true, change: change)
                let counted = try analyze(capture, filter, shows: false, change: change)
                #expect(counted.totals.completeMessages == shown.totals.completeMessages)
                #expect(counted.totals.damagedMessages == shown.totals.damagedMessages)
                #expect(counted.totals.unmatchedMessages == shown.totals.unmatchedMessages)
                #expect(shown.types.count == shown.totals.completeMessages + shown.totals.damagedMessages)
                let types = counted.totals.byType.map { [Int($0.type), $0.toServer + $0.toClient] }
                let expected = Dictionary(grouping: shown.types) { $0 }.map { [Int($0), $1.count] }
                #expect(types.sorted { $0[0] < $1[0] } == expected.sorted { $0[0] < $1[0] })
            }
        }
    }

    @Test(arguments: byNumbers) func untilEndsAtTheSameMessage(expression: String) throws {
        for capture in Self.captures {
            var ends: [PacketMark?] = []
            for shows in [true, false] {
                var options = AnalysisOptions()
                options.until = try MessageFilter(compiling: expression)
                let collector = MessageCollector { _, _, _ in true }
                var file = try CaptureFile(path: capture.path)
                var analyzer = CaptureAnalyzer(
                    output: shows ? collector : nil,
                    options: options,
                    limits: ReassemblyLimits()
                )
                _ = try file.read(into: &analyzer)
                analyzer.finish()
                ends.append(analyzer.end)
            }
            #expect(ends[0] == ends[1])
        }
    }

    @Test func aCounterCarriesWhatItCannotHold() throws {
        let sample = try FilterSample(type: 112)
        var counter = MessageCounter(most: 3)
        for _ in 0..<10 { counter.count(sample.report.header, isComplete: true, isToServer: true) }
        for _ in 0..<3 { counter.count(sample.report.header, isComplete: false, isToServer: false) }
        var totals = AnalysisTotals()
        counter.enter(into: &totals)
        #expect(totals.completeMessages == 10 && totals.damagedMessages == 3)
        #expect(totals.byType.map(\.type) == [112])
        #expect(totals.byType.map(\.toServer) == [10] && totals.byType.map(\.toClient) == [3])
    }
}
