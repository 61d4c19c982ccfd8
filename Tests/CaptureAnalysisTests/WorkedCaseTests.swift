import CaptureAnalysis
import ESProtocol
import MessageFormat
import NetworkStack
import Testing

/// The worked cases of damage, from packets to lines: layout 6.5, a header of 36 bytes, offsets of the stream.
@Suite struct WorkedCaseTests {
    /// Three messages of 136, 100 and 136 bytes, and one behind them.
    private let stream = message(body: 100) + message(id: 2, body: 64) + message(id: 3, body: 100) + message(id: 4)

    private func lines(without hole: Range<Int>, of stream: [UInt8]? = nil) -> [String] {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, stream ?? self.stream, without: hole)
        bench.fin()
        return bench.finish().lines
    }

    @Test func aHoleInsideABody() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, stream, without: 60..<80)
        bench.fin()
        let output = bench.finish()
        #expect(output.lines == ["gap 60 20", "gap 0 136", "complete 136 100", "complete 236 136", "complete 372 36"])
        #expect(output.messages[0].report.gaps == [MessageGap(offset: 60, length: 20)])
        #expect(output.messages[0].report.missing == 20)
        #expect(output.messages[0].bytes.count == 36 + 80)
        #expect(output.messages.map(\.report.header.messageID) == [1, 2, 3, 4])
    }

    @Test func aHoleInsideAHeader() {
        #expect(
            lines(without: 140..<160).sorted()
                == [
                    "complete 0 136", "complete 236 136", "complete 372 36", "gap 140 20", "skipped 136 4",
                    "skipped 160 76",
                ]
        )
    }

    @Test func aHoleThatSwallowsWholeMessages() {
        #expect(lines(without: 136..<236) == ["complete 0 136", "gap 136 100", "complete 236 136", "complete 372 36"])
    }

    @Test func aHoleFromOneMessageIntoAnother() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, stream, without: 100..<180)
        bench.fin()
        let output = bench.finish()
        #expect(
            output.lines.sorted()
                == ["complete 236 136", "complete 372 36", "gap 0 136", "gap 100 80", "skipped 180 56"]
        )
        #expect(output.messages[0].report.gaps == [MessageGap(offset: 100, length: 36)])
    }

    @Test func theEndInsideABodyAndAHeader() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, Array(stream[..<60]))
        bench.send(1, message(from: "_0", to: "aa01") + message(from: "_0", to: "aa01").prefix(20))
        bench.fin()
        let output = bench.finish()
        #expect(Set(output.lines) == ["truncated 0 136", "complete 0 36", "truncated 36 20"])
        #expect(output.messages.first { $0.report.status == .truncated }?.report.missing == 76)
        #expect(output.events(.truncated).map(\.bytes.count) == [20])
    }

    @Test func aStartInMidMessage() {
        var bench = PacketBench()
        bench.send(0, [UInt8](repeating: 0x62, count: 1000) + stream)
        let output = bench.finish()
        #expect(output.lines.first == "skipped 0 1000")
        #expect(output.messages.map(\.report.streamOffset) == [1000, 1136, 1236, 1372])
    }

    @Test func aLengthOf268MB() {
        let all = message(body: 100) + message(id: 9, declares: 0x1000_0000) + [1, 2, 3] + stream
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, all)
        bench.fin()
        let output = bench.finish()
        #expect(output.lines.prefix(3) == ["complete 0 136", "limit 136 36", "skipped 172 3"])
        #expect(output.messages.count == 5)
        #expect(output.events(.limit).first?.bytes.count == 36)
    }

    @Test func aLateSegment() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, stream, without: 60..<80)
        bench.segment(1, at: 0)
        bench.time += 4_000_000_000
        bench.segment(1, at: 0)
        bench.segment(0, at: 60, Array(stream[60..<80]))
        bench.fin()
        let output = bench.finish()
        #expect(output.events(.late).map(\.streamOffset) == [60] && output.events(.late).map(\.length) == [20])
        #expect(output.messages.map(\.report.header.messageID) == [1, 2, 3, 4])
        #expect(output.lines.first == "gap 60 20")
    }

    // MARK: - Direction

    @Test func theClientSentTheSYN() {
        var bench = PacketBench()
        swap(&bench.client.port, &bench.server.port)
        bench.handshake()
        bench.send(0, message(from: "aa01", to: "bb02"))
        bench.fin()
        #expect(bench.finish().messages.map(\.report.direction) == [.clientToServer])
    }

    @Test func theClientSendsToTheServersID() {
        var bench = PacketBench()
        swap(&bench.client.port, &bench.server.port)
        bench.send(0, message() + message(id: 2))
        bench.send(1, message(from: "_0", to: "aa01"))
        #expect(bench.finish().messages.map(\.report.direction) == [.clientToServer, .clientToServer, .serverToClient])
        bench = PacketBench()
        swap(&bench.client.port, &bench.server.port)
        bench.send(1, message(from: "_0", to: "aa01"))
        #expect(bench.finish().messages.map(\.report.direction) == [.serverToClient])
    }

    @Test func otherwiseTheClientHasTheHigherPort() {
        var bench = PacketBench()
        bench.send(1, message(from: "bb02", to: "aa01"))
        bench.send(0, message(from: "aa01", to: "bb02"))
        #expect(
            Set(bench.finish().messages.map { "\($0.report.direction) \($0.report.source)" })
                == ["serverToClient 10.0.0.2:4530", "clientToServer 10.0.0.1:50000"]
        )
    }

    // MARK: - Not ES

    @Test func theFirstBytesAreGatheredOverSegments() {
        var bench = PacketBench()
        bench.handshake()
        for byte in "hello, this is another protocol".utf8 { bench.send(0, [byte]) }
        bench.fin()
        #expect(bench.finish().events(.notES).map(\.firstBytes) == [Array("hello, this is a".utf8)])
    }

    @Test(arguments: [1, 2, 3, 4, 5, 100]) func thePasswordOfSOCKS5IsNotAmongThem(step: Int) {
        var bench = PacketBench()
        bench.handshake()
        var rest = ([5, 2, 0, 2, 1, 2, 0x61, 0x61, 4] + Array("word".utf8))[...]
        while !rest.isEmpty {
            bench.send(0, Array(rest.prefix(step)))
            rest = rest.dropFirst(step)
        }
        bench.fin()
        #expect(bench.finish().events(.notES).map(\.firstBytes) == [[5, 2, 0, 2]])
    }

    // MARK: - Limits and layouts

    @Test func aConversationThatMustGoSaysSo() {
        var limits = ReassemblyLimits()
        limits.conversations = 1
        var bench = PacketBench(limits: limits)
        bench.handshake()
        bench.send(0, message())
        bench.client.port += 1
        bench.handshake()
        let limit = bench.finish().events(.limit)
        #expect(limit.map(\.conversation) == [1] && limit[0].length == nil)
        #expect(limit[0].reason.contains("--max-conversations"))
    }

    private func layout(_ change: (inout AnalysisOptions) -> Void) -> String? {
        var options = AnalysisOptions()
        change(&options)
        var bench = PacketBench(options: options)
        bench.handshake()
        bench.send(0, message())
        return bench.finish().events(.layout).first?.reason
    }

    @Test func theLayoutSaysWhatWasGivenAndWhatWasFound() {
        let start = "start token FF, header of 36 bytes (id slot 12): version "
        let found = "found from the first header after the SYN"
        #expect(layout { _ in } == "\(start)4.7 or 6.5; \(found)")
        #expect(
            layout {
                $0.framer.startToken = .ff
                $0.profile = Profile(.v65)
            } == "\(start)6.5; version given by an option, id slot \(found)"
        )
        #expect(
            layout { $0.framer.startToken = .ff }
                == "\(start)4.7 or 6.5; start token given by an option, id slot \(found)"
        )
        #expect(
            layout { $0.framer.idSlot = 12 }
                == "\(start)4.7 or 6.5; id slot given by an option, start token \(found)"
        )
        #expect(
            layout {
                $0.framer.startToken = .ff
                $0.framer.idSlot = 12
                $0.profile = Profile(.v47)
            } == "\(start)4.7; given by an option"
        )
    }

    @Test func whereALayoutIsKnownFromIsSaid() {
        var bench = PacketBench()
        bench.send(0, message() + message(id: 2))
        bench.send(1, message(from: "_0", to: "aa01"))
        bench.client.port += 1
        bench.send(0, message())
        let reasons = bench.finish().events(.layout).map(\.reason)
        #expect(reasons.count == 2)
        #expect(reasons.last?.hasSuffix("found from another conversation with the same server") == true)
    }

    @Test func anotherProtocolIsNamed() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, Array("GET / HTTP/1.1\r\n\r\n".utf8))
        bench.send(1, [0x16, 3, 1, 0, 1, 5])
        bench.fin()
        let output = bench.finish()
        #expect(output.lines == ["not-es 0 18", "not-es 0 6"])
        #expect(output.events(.notES).map(\.looksLike) == ["HTTP", "TLS"])
        #expect(output.events(.notES)[0].firstBytes == Array("GET / HTTP/1.1\r\n".utf8))
        #expect(bench.analyzer.totals.notESConversations == 1)
    }

    @Test func aDirectionWithoutMessagesIsSkippedWhereTheOtherHasSome() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(1, Array("what is this? ".utf8))
        bench.send(0, message())
        bench.send(1, Array("and this?".utf8))
        bench.fin()
        let output = bench.finish()
        #expect(output.events(.notES).isEmpty)
        #expect(output.events(.skipped).reduce(0) { $0 + $1.length! } == 23)
        #expect(bench.analyzer.totals.notESConversations == 0)
        #expect(bench.analyzer.totals.skippedBytes == 23)
    }

    // MARK: - Prefaces

    @Test func socks5BeforeTheFirstMessage() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, [5, 1, 2])
        bench.send(1, [5, 2])
        bench.send(0, [1, 4] + Array("user".utf8) + [6] + Array("secret".utf8))
        bench.send(1, [1, 0])
        bench.send(0, [5, 1, 0, 1, 10, 0, 0, 2, 0x11, 0xB2])
        bench.send(1, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        bench.send(0, message())
        bench.send(1, message(from: "_0", to: "aa01"))
        bench.fin()
        let output = bench.finish()
        #expect(Set(output.lines) == ["preface 0 26", "complete 26 36", "preface 0 14", "complete 14 36"])
        #expect(
            !output.events.contains { $0.bytes.contains(UInt8(ascii: "s")) && $0.bytes.contains(UInt8(ascii: "c")) }
        )
    }

    @Test(arguments: [
        (Array("CONNECT 10.0.0.2:4530 HTTP/1.1\r\n\r\n".utf8), Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
        ([4, 1, 0x11, 0xB2, 10, 0, 0, 2, 0], [0, 0x5A, 0x11, 0xB2, 10, 0, 0, 2]),
    ]) func aProxysAnswerIsAPrefaceToo(request: [UInt8], answer: [UInt8]) {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, request)
        bench.send(1, answer)
        bench.send(0, message())
        bench.send(1, message(from: "_0", to: "aa01"))
        bench.fin()
        let output = bench.finish()
        #expect(
            Set(output.events.filter { $0.length != nil }.map { "\($0.kind) \($0.length!)" })
                == ["preface \(request.count)", "preface \(answer.count)"]
        )
        #expect(output.messages.count == 2)
        #expect(bench.analyzer.totals.skippedBytes == 0)
    }

    /// A proxy's requests and answers by the ways to name an address, in pieces or with the first message right behind.
    @Test(
        arguments: [
            [5, 1, 0, 1, 10, 0, 0, 2, 0x11, 0xB2],
            [5, 1, 0, 3, 11] + Array("example.org".utf8) + [0x11, 0xB2],
            [5, 1, 0, 4] + [UInt8](repeating: 0x20, count: 16) + [0x11, 0xB2],
        ] as [[UInt8]],
        [1, 7, 1000]
    ) func socks5WithoutAPassword(request: [UInt8], step: Int) {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, [5, 1, 0])
        bench.send(1, [5, 0])
        var rest = (request + message() + message(type: 104, id: 0))[...]
        while !rest.isEmpty {
            bench.send(0, Array(rest.prefix(step)))
            rest = rest.dropFirst(step)
        }
        bench.send(1, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0] + message(from: "_0", to: "aa01"))
        bench.fin()
        let output = bench.finish()
        let start = 3 + request.count
        #expect(
            Set(output.lines) == [
                "preface 0 \(start)", "complete \(start) 36", "complete \(start + 36) 36", "preface 0 12",
                "complete 12 36",
            ]
        )
        #expect(Set(output.events(.preface).map(\.reason)) == ["SOCKS5"])
    }

    @Test func aProxyThatWantsAPassword() {
        var bench = PacketBench()
        bench.handshake()
        let request = Array("CONNECT chat.example:4530 HTTP/1.1\r\nProxy-Authorization: Basic eDp5\r\n\r\n".utf8)
        bench.send(0, request + message() + message(type: 104, id: 0))
        bench.send(1, Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8) + message(from: "_0", to: "aa01"))
        bench.fin()
        let output = bench.finish()
        #expect(output.messages.count == 3)
        #expect(output.events(.preface).map(\.length) == [Int64(request.count), 39])
        #expect(Set(output.events(.preface).map(\.reason)) == ["HTTP CONNECT", "HTTP"])
    }

    /// What the framework sends over WebSocket stands in frames (the client's are masked): named, and not taken apart.
    @Test func webSocketIsNamed() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, Array("GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n".utf8))
        bench.send(1, Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n".utf8))
        let mask: [UInt8] = [0x11, 0x22, 0x33, 0x44]
        let masked = message().enumerated().map { $1 ^ mask[$0 % 4] }
        bench.send(0, [0x82, 0x80 | 36] + mask + masked)
        bench.send(1, [0x82, 36] + message(from: "_0", to: "aa01"))
        bench.send(1, [0x82, 36] + message(type: 104, id: 0, from: "_0", to: "aa01"))
        bench.send(0, [0x88, 0x80] + mask)
        bench.send(1, [0x88, 0])
        bench.fin()
        let output = bench.finish()
        #expect(output.messages.isEmpty)
        #expect(output.events(.notES).map(\.looksLike) == ["WebSocket", "WebSocket"])
    }

    // MARK: - Layout

    /// A lone weak header (a type that is not the framework's) is believed in a layout that is known from elsewhere.
    @Test func theOtherDirectionTellsTheLayout() {
        var bench = PacketBench()
        bench.send(0, message() + message(id: 2))
        bench.send(1, message(type: 20, from: "_0", to: "aa01", body: 10))
        #expect(bench.finish().messages.count == 3)
    }

    @Test func aConversationWithTheSameServerTellsTheLayout() {
        func count(hint: Bool) -> Int {
            var bench = PacketBench()
            bench.handshake()
            if hint { bench.send(0, message(slot: 22) + message(id: 2, slot: 22)) }
            bench.fin()
            bench.client.port = 50001
            bench.position = [0, 0]
            bench.send(0, [1, 2, 3] + message(type: 20, body: 10, slot: 22))
            return bench.finish().messages.count
        }
        #expect(count(hint: false) == 0)
        #expect(count(hint: true) == 3)
    }

    @Test func aGivenLayout() {
        var options = AnalysisOptions()
        options.framer.startToken = .zeroF
        options.framer.idSlot = 60
        var bench = PacketBench(options: options)
        bench.send(0, [1, 2] + message(type: 20, body: 10, token: [0x0F, 1], slot: 60))
        let output = bench.finish()
        #expect(output.lines == ["skipped 0 2", "complete 2 142"])
        bench = PacketBench(options: options)
        bench.send(0, message() + message(id: 2))
        #expect(bench.finish().messages.isEmpty)
    }

    @Test func aMessageOfVersion4() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, message(type: 116, body: 12, token: [0xFF, 0xFF]))
        bench.fin()
        let output = bench.finish()
        #expect(output.lines == ["complete 0 48"])
        #expect(output.messages[0].report.header.clientType == nil)
    }

    /// The end of a stream decides about everything that is held, not only about the first candidate.
    @Test func allThatIsHeldAtTheEndIsNamed() {
        let stream =
            message(type: 20, id: 5, body: 500, declares: 100_000).prefix(40) + message() + [0xFF, 0, 1]
            + message(id: 7, body: 10).prefix(30)
        var bench = PacketBench()
        bench.send(0, Array(stream))
        let output = bench.finish()
        #expect(output.account["10.0.0.1:50000"] == Int64(stream.count), "\(output.lines)")
    }
}
