import Testing

@testable import CaptureAnalysis
@testable import esdump

@Suite struct StreamTableTests {
    private func summary(_ number: Int, bytes: Int64 = 10, users: [String] = [], ending: StreamSummary.Ending = .fin)
        -> StreamSummary
    {
        var up = DirectionSummary()
        up.bytes = bytes
        up.gaps = [(3, 4)]
        up.gapCount = 1
        up.missingBytes = 4
        var summary = StreamSummary(
            number: number,
            client: "[2001:db8:1:2:3:4:5:6]:50000",
            server: "192.168.100.200:4530",
            start: 1_700_000_000_000_000_000,
            end: 1_700_000_061_500_000_000,
            packets: 12345,
            toServer: up,
            toClient: DirectionSummary(),
            retransmissions: 2,
            ending: ending
        )
        summary.users = users
        return summary
    }

    @Test(arguments: [40, 60, 80, 100, 120, 200]) func theTableFitsTheTerminal(width: Int) {
        let list = [summary(1, users: ["张三张三张三张三", "aa01"]), summary(2, bytes: 1_234_567, ending: .portReused)]
        let text = StreamTable(width: width, isUTC: true).text(list)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 3)
        for line in lines {
            let columns = line.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x4E00 && $1.value < 0xA000 ? 2 : 1) }
            // Below this, the numbers and addresses that tell conversations apart have no room.
            #expect(columns <= max(width, 82), "\(line)")
        }
        #expect(text.contains("1,234,567"))
        if width == 200 { #expect(text.contains("张三张三张三张三, aa01") && text.contains("port reused")) }
    }

    @Test func usersCannotReachTheTerminal() {
        let text = StreamTable(width: nil, isUTC: true).text([summary(1, users: ["\u{1B}[2Jx", "a\u{202E}b"])])
        #expect(text.contains("\\x1b[2Jx, a\\u{202e}b"))
    }

    @Test func csvQuotesAndDefusesFormulas() {
        let line = StreamRecords.csv(summary(1, users: ["=cmd|' /C calc'!A0", "say \"hi\""]))
        #expect(line.contains(",\"'=cmd|' /C calc'!A0; say \"\"hi\"\"\",2,"))
        #expect(
            StreamRecords.csvNames(hash: false).split(separator: ",").count
                == StreamRecords.csv(summary(1)).split(separator: ",", omittingEmptySubsequences: false).count
        )
    }

    @Test func jsonHasWhatTheContractSays() {
        let line = StreamRecords.json(summary(7, users: ["a\"b"], ending: .portReused))
        #expect(
            line.hasPrefix("{\"conversation\":7,\"transport\":\"tcp\",\"client\":\"[2001:db8:1:2:3:4:5:6]:50000\",")
        )
        #expect(line.contains("\"duration\":61.500000000,\"packets\":12345,"))
        #expect(line.contains("\"users\":[\"a\\\"b\"]") && line.contains("\"ended\":\"port-reused\""))
        #expect(line.contains("\"c2s\":{\"bytes\":10,") && line.contains("\"gaps\":[[3,4]]"))
    }

    @Test func sorting() {
        let list = [summary(1, bytes: 5), summary(2, bytes: 50), summary(3, bytes: 50, users: ["b"])]
        #expect(list.sorted(by: StreamColumn.bytes.precedes).map(\.number) == [2, 3, 1])
        #expect(list.sorted(by: StreamColumn.users.precedes).map(\.number) == [3, 1, 2])
        for column in StreamColumn.allCases { #expect(list.sorted(by: column.precedes).count == 3) }
    }

    @Test func anEmptyListSaysSo() { #expect(StreamTable().text([]) == "No conversations.\n") }
}

@Suite struct StreamsOptionsTests {
    @Test func theCommandTakesAFileAndAFilter() throws {
        let options = try OptionParser.parse(["--utc", "streams", "a.pcap", "port", "4530", "--sort", "bytes"])
        #expect(options.action == .listStreams && options.readFile == "a.pcap" && options.filter == "port 4530")
        #expect(options.streams.sort == .bytes)
        #expect(try OptionParser.parse(["streams", "--", "-x.pcap"]).readFile == "-x.pcap")
        #expect(try OptionParser.parse(["streams", "--help"]).action == .help(command: "streams"))
        #expect(try OptionParser.parse(["port", "streams"]).filter == "port streams")
    }

    @Test func itWaitsForMissingBytesUnlessTold() throws {
        #expect(try OptionParser.parse(["streams", "a"]).gapMaxTime > 1_000_000_000_000_000)
        let told = try OptionParser.parse(["streams", "a", "--gap-time", "1", "--idle-time", "5"])
        #expect(told.gapMaxTime == 3_000_000_000 && told.idleTime == 5_000_000_000)
    }
}
