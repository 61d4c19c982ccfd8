import MessageFormat
import NetworkStack
import PacketCapture
import Testing

@testable import CaptureAnalysis

private final class ListOutput: StreamListOutput {
    var summaries: [StreamSummary] = []
    var bytes: [[UInt8]] = [[], []]
    let isOpen = true
    let wantsBytes = true

    func streamBytes(_ stream: ListedStream, _ bytes: UnsafeRawBufferPointer, offset: Int64) {
        self.bytes[stream.side] += bytes
    }
    func ended(_ summary: inout StreamSummary, isFirstSideClient: Bool) { summaries.append(summary) }
}

private struct ListBench {
    let output = ListOutput()
    var lister: StreamLister
    var time: Int64 = 1_700_000_000_000_000_000
    var number: UInt64 = 0
    var port: UInt16 = 50000

    init(idleTime: Int64 = .max / 4) {
        var limits = ReassemblyLimits()
        limits.gapTime = .max / 4
        limits.gapMaximumTime = .max / 4
        limits.idleTime = idleTime
        lister = StreamLister(output: output, options: AnalysisOptions(), limits: limits, hashes: true)
    }

    /// Sequence numbers are those of the stream: 0 is the SYN, 1 the first byte.
    mutating func send(_ side: Int, _ sequence: UInt32, _ text: String = "", ack: UInt32? = 1, flags: UInt8 = 0) {
        number += 1
        time += 1_000_000
        let client: (address: UInt32, port: UInt16) = (0x0A00_0001, port)
        let server: (address: UInt32, port: UInt16) = (0x0A00_0002, 4530)
        let bytes = PacketBench.frame(
            from: side == 0 ? client : server,
            to: side == 0 ? server : client,
            sequence: sequence,
            acknowledgement: ack ?? 0,
            flags: flags | (ack == nil ? 0 : 0x10),
            payload: Array(text.utf8)
        )
        let packet = Packet(number: number, time: time, linkType: 1, originalLength: bytes.count)
        _ = lister.packet(packet, bytes: bytes.span.bytes)
    }

    mutating func datagram(_ side: Int, _ payload: [UInt8], port: UInt16? = nil, missing: Int = 0) {
        number += 1
        time += 1_000_000
        let client: (address: UInt32, port: UInt16) = (0x0A00_0001, port ?? self.port)
        let server: (address: UInt32, port: UInt16) = (0x0A00_0002, 4530)
        let bytes = PacketBench.datagramFrame(
            from: side == 0 ? client : server,
            to: side == 0 ? server : client,
            payload: payload
        )
        let packet = Packet(number: number, time: time, linkType: 1, originalLength: bytes.count)
        let captured = Array(bytes.dropLast(missing))
        _ = lister.packet(packet, bytes: captured.span.bytes)
    }

    mutating func handshake() {
        send(0, 0, ack: nil, flags: 2)
        send(1, 0, ack: 1, flags: 2)
    }

    mutating func finish() -> ListOutput {
        lister.finish()
        return output
    }

    static func sha256(_ text: String) -> String { sha256(Array(text.utf8)) }

    static func sha256(_ bytes: [UInt8]) -> String {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.hexDigest()
    }
}

@Suite struct StreamListerTests {
    @Test func hashesAndGapsOfAStreamWithAHole() throws {
        var bench = ListBench()
        bench.handshake()
        bench.send(0, 1, "hello ")
        bench.send(0, 17, "server")
        bench.send(0, 1, "hello ")
        bench.send(1, 1, "yes", ack: 23)
        let output = bench.finish()
        let summary = try #require(output.summaries.first)
        #expect(summary.client == "10.0.0.1:50000" && summary.server == "10.0.0.2:4530")
        #expect(summary.packets == 6 && summary.retransmissions == 1 && summary.ending == .open)
        #expect(summary.toServer.bytes == 12 && summary.toServer.missingBytes == 10)
        #expect(summary.toServer.gaps.map(\.offset) == [6] && summary.toServer.gaps.map(\.length) == [10])
        #expect(summary.toServer.sha256 == ListBench.sha256("hello server"))
        #expect(summary.toServer.runs.map(\.sha256) == [ListBench.sha256("hello "), ListBench.sha256("server")])
        #expect(summary.toServer.runs.map(\.offset) == [0, 16])
        #expect(summary.toClient.sha256 == ListBench.sha256("yes") && summary.toClient.runs.isEmpty)
        #expect(output.bytes == [Array("hello server".utf8), Array("yes".utf8)])
    }

    @Test func aHoleIsFilledHoweverLateItsBytesCome() throws {
        var bench = ListBench()
        bench.handshake()
        bench.send(0, 4, "def")
        bench.send(1, 1, "x", ack: 7)
        bench.time += 600_000_000_000
        bench.send(0, 1, "abc")
        let summary = try #require(bench.finish().summaries.first)
        #expect(summary.toServer.sha256 == ListBench.sha256("abcdef") && summary.gaps == 0)
    }

    @Test func itSaysHowEachEnded() {
        var bench = ListBench()
        bench.handshake()
        bench.send(0, 1, flags: 1)
        bench.send(0, 5000, ack: nil, flags: 2)
        bench.send(0, 5001, flags: 4)
        bench.send(0, 9000, ack: nil, flags: 2)
        bench.send(0, 9001, flags: 1)
        bench.send(1, 0, ack: 9001, flags: 2)
        bench.send(1, 1, flags: 1)
        bench.send(0, 20000, ack: nil, flags: 2)
        #expect(bench.finish().summaries.map(\.ending) == [.portReused, .reset, .fin, .open])
        var idle = ListBench(idleTime: 1_000_000_000)
        idle.send(0, 1, "a")
        idle.time += 10_000_000_000
        idle.port = 50001
        for sequence: UInt32 in 2...5 { idle.send(0, sequence, "b") }
        #expect(idle.finish().summaries.map(\.ending).first == .idle)
    }

    @Test func whatTheFirstSegmentOvertookIsHashedInItsPlace() throws {
        var bench = ListBench()
        bench.send(0, 5000, "cd")
        bench.send(0, 5002, "ef")
        bench.send(0, 4998, "abXY")
        bench.send(0, 4990, "12")
        bench.send(0, 4991, "ZZ3")
        bench.send(0, 5001, "de")
        // A keep-alive of somebody who sent nothing before, and what lies too far away to be of this stream.
        bench.send(1, 1, "ok", ack: 5004)
        bench.send(1, 0, "?", ack: 5004)
        bench.send(0, 3_000_000_000, "far")
        let output = bench.finish()
        let summary = try #require(output.summaries.first)
        #expect(summary.toServer.bytes == 10 && summary.toServer.lateBytes == 3)
        #expect(summary.toServer.gaps.map(\.offset) == [-6] && summary.toServer.gaps.map(\.length) == [4])
        #expect(summary.toServer.runs.map(\.offset) == [-10, -2])
        #expect(summary.toServer.runs.map(\.sha256) == [ListBench.sha256("12Z3"), ListBench.sha256("abcdef")])
        #expect(summary.toServer.sha256 == ListBench.sha256("12Z3abcdef"))
        #expect(output.bytes[0] == Array("12Z3abcdef".utf8))
    }

    @Test func theFirstSegmentsInAnyOrderGiveTheSameBytes() throws {
        let segments: [(UInt32, String)] = [(100, "ab"), (102, "cde"), (105, "f"), (106, "ghij")]
        for order in Self.orders(of: Array(segments.indices)) {
            var bench = ListBench()
            for index in order { bench.send(0, segments[index].0, segments[index].1) }
            let summary = try #require(bench.finish().summaries.first)
            #expect(summary.toServer.sha256 == ListBench.sha256("abcdefghij"), "\(order)")
            #expect(summary.toServer.gapCount == 0 && summary.toServer.lateBytes == 0, "\(order)")
        }
    }

    private static func orders(of indices: [Int]) -> [[Int]] {
        guard indices.count > 1 else { return [indices] }
        return indices.flatMap { first in orders(of: indices.filter { $0 != first }).map { [first] + $0 } }
    }

    @Test func conversationsOverUDPAreListed() throws {
        var bench = ListBench()
        bench.handshake()
        let requests = [message(body: 10), message(id: 2, body: 20)]
        let answer = message(from: "_0", to: "aa01", body: 4)
        bench.datagram(0, requests[0])
        bench.datagram(0, Array("not a message".utf8), port: 999)
        bench.datagram(1, answer)
        bench.datagram(0, requests[1], missing: 5)
        bench.datagram(0, Array("no message either".utf8))
        let output = bench.finish()
        #expect(output.summaries.map(\.transport) == [.tcp, .udp])
        let summary = try #require(output.summaries.last)
        #expect(summary.number == 2 && summary.packets == 4 && summary.ending == .open)
        #expect(summary.client == "10.0.0.1:50000" && summary.server == "10.0.0.2:4530")
        #expect(summary.duration == 4_000_000)
        #expect(summary.toServer.messages == 2 && summary.toServer.damagedMessages == 1)
        #expect(summary.toClient.messages == 1)
        let up = requests[0] + requests[1].dropLast(5) + Array("no message either".utf8)
        #expect(summary.toServer.bytes == Int64(up.count) && output.bytes[0] == up)
        #expect(summary.toServer.gaps.map(\.length) == [5])
        #expect(summary.toServer.sha256 == ListBench.sha256(up) && summary.toClient.sha256 == ListBench.sha256(answer))
    }

    @Test func bytesBehindAFINAreHashedOnce() throws {
        var bench = ListBench()
        bench.handshake()
        bench.send(0, 1, "abc", flags: 1)
        bench.send(0, 4, "d")
        bench.send(0, 4, "d")
        bench.send(0, 7, "gh")
        let summary = try #require(bench.finish().summaries.first)
        #expect(summary.toServer.bytes == 6 && summary.toServer.sha256 == ListBench.sha256("abcdgh"))
        #expect(summary.toServer.gaps.map(\.offset) == [4] && summary.toServer.gaps.map(\.length) == [2])
        #expect(summary.toServer.lateBytes == 0)
    }

    @Test func bytesBehindAFINBehindAHoleAreHashedToo() throws {
        var bench = ListBench()
        bench.handshake()
        bench.send(0, 3, "c", flags: 1)
        bench.send(0, 4, "d")
        let summary = try #require(bench.finish().summaries.first)
        #expect(summary.toServer.bytes == 2 && summary.toServer.sha256 == ListBench.sha256("cd"))
        #expect(summary.toServer.gaps.map(\.length) == [2] && summary.toServer.lateBytes == 0)
    }

    @Test func usersAreThoseWhoLoggedOn() {
        let tally = MessageTally()
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, message(from: "aa01") + message(id: 2, from: "bb02") + message(id: 3, from: "aa01"))
        for found in bench.finish().messages { tally.message(found.report, bytes: found.bytes.span.bytes) }
        let entry = tally.take(1)
        #expect(entry.messages.toServer == 3 && entry.users == ["aa01", "bb02"])
    }
}
