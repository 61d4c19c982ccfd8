import CaptureAnalysis
import ESProtocol
import Foundation
import MessageFormat
import NetworkStack
import PacketCapture
import TestSupport
import Testing

/// One capture, as EXPECTED.json describes it.
struct ExpectedCapture: Decodable, Sendable, CustomTestStringConvertible {
    struct Message: Decodable, Sendable {
        var src: String
        var dst: String
        var stream_offset: Int64
        var length: Int
        var status: String
        var message_type: Int
        var message_id: Int32
        var body_length: Int32
        var frame: UInt64?
        var missing: Int?
        var gaps: [[Int]]?
        var body_hex: String?
        var name: String?
        var user_id: String?
        var dest_user_id: String?
    }

    struct Event: Decodable, Sendable {
        var src: String
        var event: String
        var stream_offset: Int64
        var length: Int64
    }

    struct Conversation: Decodable, Sendable {
        var client: String
        var server: String
    }

    var file: String
    var conversations: [Conversation]
    var messages: [Message]
    var events: [Event]
    /// Its folder; filled in after decoding.
    var folder: String?

    var testDescription: String { "\(folder?.split(separator: "/").last ?? "")/\(file)" }
    var path: String { "\(folder ?? ".")/\(file)" }
}

/// The project's own captures, and those that lie beside it, if they do.
enum ExpectedCaptures {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let all: [ExpectedCapture] = {
        let shared = root.deletingLastPathComponent().appendingPathComponent("shared/captures")
        let folders =
            [root.appendingPathComponent("Captures")]
            + ["4.7.3", "6.5", "7.2", "damaged"].map { shared.appendingPathComponent($0) }
        return folders.flatMap { folder -> [ExpectedCapture] in
            guard let data = try? Data(contentsOf: folder.appendingPathComponent("EXPECTED.json")),
                var captures = try? JSONDecoder().decode([ExpectedCapture].self, from: data)
            else { return [] }
            for i in captures.indices { captures[i].folder = folder.path }
            return captures
        }
    }()
}

@Suite struct RealCaptureTests {
    private func read<Sink: PacketSink>(_ capture: ExpectedCapture, into sink: inout Sink) throws {
        var file = try CaptureFile(path: capture.path)
        _ = try file.read(into: &sink)
    }

    private func analyze(_ capture: ExpectedCapture) throws -> (RecordingOutput, AnalysisTotals) {
        let output = RecordingOutput()
        var analyzer = CaptureAnalyzer(output: output, options: AnalysisOptions(), limits: ReassemblyLimits())
        try read(capture, into: &analyzer)
        analyzer.finish()
        return (output, analyzer.totals)
    }

    @Test func theProjectsOwnCapturesAreThere() {
        let own = ExpectedCaptures.root.appendingPathComponent("Captures").path
        #expect(ExpectedCaptures.all.count { $0.folder == own } == 11)
    }

    @Test(arguments: ExpectedCaptures.all) func saysWhatIsExpected(capture: ExpectedCapture) throws {
        let (output, totals) = try analyze(capture)
        let sides = Set(capture.conversations.flatMap { [$0.client, $0.server] })
        func key(_ source: String, _ destination: String, _ offset: Int64) -> String {
            "\(source) \(destination) \(offset)"
        }
        let expected = capture.messages.map { message -> String in
            let gaps = (message.gaps ?? []).map { "\($0[0])+\($0[1])" }.joined(separator: ",")
            return "\(message.src) \(message.stream_offset) \(message.length) \(message.status) \(message.message_type)"
                + " \(message.message_id) \(message.body_length) \(message.frame ?? 0) [\(gaps)]"
        }
        let found = output.messages.filter { sides.contains($0.report.source) }.map { message -> String in
            let report = message.report
            let gaps = report.gaps.map { "\($0.offset)+\($0.length)" }.joined(separator: ",")
            return "\(report.source) \(report.streamOffset) \(report.length) \(report.status) "
                + "\(report.header.messageType) \(report.header.messageID) \(report.header.bodyLength) "
                + "\(report.status == .complete ? report.packet : 0) [\(gaps)]"
        }
        #expect(found.sorted() == expected.sorted())
        let bodies = Dictionary(
            output.messages.map {
                (
                    key($0.report.source, $0.report.destination, $0.report.streamOffset),
                    $0.bytes.dropFirst($0.report.header.layout.headerLength).map { byte in
                        (byte < 16 ? "0" : "") + String(byte, radix: 16)
                    }.joined()
                )
            },
            uniquingKeysWith: { first, _ in first }
        )
        for message in capture.messages {
            guard let body = message.body_hex else { continue }
            #expect(bodies[key(message.src, message.dst, message.stream_offset)] == body)
        }
        let gaps = output.events(.gap).map { "\($0.source) \($0.streamOffset!) \($0.length!)" }
        #expect(
            gaps.sorted()
                == capture.events.filter { $0.event == "gap" }.map { "\($0.src) \($0.stream_offset) \($0.length)" }
                .sorted()
        )
        let complete = capture.messages.count { $0.status == "complete" }
        #expect(totals.completeMessages == complete)
        #expect(totals.damagedMessages == capture.messages.count - complete)
        #expect(totals.gaps == gaps.count)
        for direction in output.messages where sides.contains(direction.report.source) {
            let isClient = capture.conversations.contains {
                $0.client == direction.report.source
                    && $0.server == direction.report.destination
            }
            #expect(direction.report.direction == (isClient ? .clientToServer : .serverToClient))
        }
    }

    /// What keeps the peer-to-peer channel: as many datagrams of each kind as the recording's own list has.
    @Test(arguments: ExpectedCaptures.all.filter { $0.file == "peer-to-peer-udp.pcap" })
    func thePeerToPeerDatagramsOfARecordingAreNamed(capture: ExpectedCapture) throws {
        let (output, totals) = try analyze(capture)
        let counts = Dictionary(grouping: output.events.filter(\.isUDP), by: \.reason).mapValues(\.count)
        #expect(
            counts == [
                "peer-to-peer SYN": 9, "peer-to-peer SYN-ACK": 2, "peer-to-peer feedback": 7, "peer-to-peer close": 2,
                "peer-to-peer ping": 2, "peer-to-peer PMTU probe": 64,
            ]
        )
        #expect(totals.conversations == 3 && totals.notESConversations == 0)
    }

    /// No byte is lost, none is counted twice.
    @Test(arguments: ExpectedCaptures.all) func everyByteIsNamedOnce(capture: ExpectedCapture) throws {
        var counter = StreamCounter()
        try read(capture, into: &counter)
        #expect(try analyze(capture).0.account == counter.counted())
    }

    @Test(arguments: ExpectedCaptures.all) func messagesHaveTheirBytesOrNameThemMissing(capture: ExpectedCapture) throws
    {
        let (output, _) = try analyze(capture)
        for message in output.messages {
            #expect(message.bytes.count + message.report.missing == message.report.length)
        }
    }
}

@Suite struct HostileInputTests {
    private func run(_ packets: [(packet: Packet, bytes: [UInt8])], seed: UInt64) {
        let output = RecordingOutput()
        var analyzer = CaptureAnalyzer(output: output, options: AnalysisOptions(), limits: ReassemblyLimits())
        var counter = StreamCounter()
        for (packet, bytes) in packets {
            _ = analyzer.packet(packet, bytes: bytes.span.bytes)
            _ = counter.packet(packet, bytes: bytes.span.bytes)
        }
        analyzer.finish()
        let account = output.account
        let counted = counter.counted()
        if account != counted {
            let difference = Set(account.keys).union(counted.keys).filter { account[$0] != counted[$0] }
                .map { "\($0) \(account[$0] ?? 0) for \(counted[$0] ?? 0)" }
            Issue.record("seed \(seed): \(difference)")
        }
    }

    @Test func mutatedCapturesDoNoHarm() throws {
        let start = UInt64.random(in: 0 ..< .max)
        let own = ExpectedCaptures.root.appendingPathComponent("Captures").path
        for (index, capture) in ExpectedCaptures.all.filter({ $0.folder == own }).enumerated() {
            var store = PacketStore()
            var file = try CaptureFile(path: capture.path)
            _ = try file.read(into: &store)
            for round in 0..<4 {
                let seed = start &+ UInt64(index * 1000 + round)
                var random = SeededGenerator(seed: seed)
                var packets = store.packets
                let strength = Int.random(in: 1...20, using: &random)
                for i in packets.indices where Int.random(in: 0..<20, using: &random) < strength {
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0, 1:
                        for _ in 0..<Int.random(in: 1...8, using: &random) where !packets[i].bytes.isEmpty {
                            let at = Int.random(in: 0..<packets[i].bytes.count, using: &random)
                            packets[i].bytes[at] = .random(in: 0...255, using: &random)
                        }
                    case 2:
                        packets[i].bytes.removeLast(Int.random(in: 0...packets[i].bytes.count, using: &random))
                    case 3:
                        packets[i] = packets[Int.random(in: 0..<packets.count, using: &random)]
                    case 4:
                        packets.swapAt(i, Int.random(in: 0..<packets.count, using: &random))
                    default:
                        if strength > 15 { packets[i].packet.time = .random(in: .min ... .max, using: &random) }
                    }
                }
                run(packets, seed: seed)
            }
        }
    }

    /// Streams of things that look like headers, cut and mixed.
    @Test func randomStreamsDoNoHarm() {
        let start = UInt64.random(in: 0 ..< .max)
        for round in 0..<100 {
            let seed = start &+ UInt64(round)
            var random = SeededGenerator(seed: seed)
            var stream: [UInt8] = []
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                switch Int.random(in: 0..<8, using: &random) {
                case 0:
                    stream += (0..<Int.random(in: 1...80, using: &random)).map { _ in
                        [0, 0xFF, 0x0F, 1].randomElement(using: &random)!
                    }
                case 1:
                    stream += (0..<Int.random(in: 1...80, using: &random)).map { _ in
                        .random(in: 0...255, using: &random)
                    }
                default:
                    var bytes = message(
                        type: [112, 20, 104, 65535].randomElement(using: &random)!,
                        id: [1, 0, -1].randomElement(using: &random)!,
                        from: ["aa01", "", "_0"].randomElement(using: &random)!,
                        to: ["_0", "", "aa01"].randomElement(using: &random)!,
                        body: Int.random(in: 0...60, using: &random),
                        declares: Bool.random(using: &random)
                            ? nil : [0, 100, 5000, 11 << 20, -1, Int(Int32.max)].randomElement(using: &random)!,
                        token: [[0xFF, 0], [0xFF, 0xFF], [0x0F, 1]].randomElement(using: &random)!,
                        slot: [12, 14, 22, 8].randomElement(using: &random)!
                    )
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
                    }
                    stream += bytes
                }
            }
            var bench = PacketBench()
            if Bool.random(using: &random) { bench.handshake() }
            var counted = 0
            var at = 0
            while at < stream.count {
                let end = min(stream.count, at + Int.random(in: 1...200, using: &random))
                if Int.random(in: 0..<12, using: &random) > 0 {
                    bench.segment(0, at: at, Array(stream[at..<end]))
                    counted += end - at
                }
                at = end
            }
            bench.position[0] = at
            if Bool.random(using: &random) { bench.fin() }
            let output = bench.finish()
            #expect(output.account["10.0.0.1:50000", default: 0] == Int64(counted), "seed \(seed): \(output.lines)")
        }
    }

    @Test func randomBytesAsPacketsDoNoHarm() {
        let start = UInt64.random(in: 0 ..< .max)
        for round in 0..<500 {
            let seed = start &+ UInt64(round)
            var random = SeededGenerator(seed: seed)
            var bench = PacketBench()
            var bytes: [UInt8] = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                .random(in: 0...255, using: &random)
            }
            if bytes.count > 40, Bool.random(using: &random) { bytes.replaceSubrange(12...14, with: [8, 0, 0x45]) }
            let linkTypes: [UInt16] = [0, 1, 12, 101, 113, 276, 105, 127, 9999]
            for linkType in linkTypes { bench.raw(bytes, linkType: linkType) }
            _ = bench.finish()
        }
    }

    /// A capture costs time in proportion to its size, whatever its bytes are.
    @Test(arguments: [[UInt8]]([[0xFF], [0x0F], [0], [0xFF, 0], message(type: 20, body: 20, declares: 9_000_000)]))
    func hostileBytesTakeLinearTime(pattern: [UInt8]) {
        var bench = PacketBench()
        let block = [UInt8]((0..<(60_000 / pattern.count)).map { _ in pattern }.joined())
        let time = ContinuousClock().measure {
            for _ in 0..<20 { bench.send(0, block) }
            _ = bench.finish()
        }
        #expect(time < .seconds(30))
    }

    /// Every second byte is missing, behind a header that promises a long body.
    @Test func manyHolesTakeLinearTime() {
        var bench = PacketBench()
        bench.send(0, message(type: 20, id: -5, declares: 9_000_000))
        let time = ContinuousClock().measure {
            for i in 0..<20_000 {
                let bytes = PacketBench.frame(
                    from: bench.client,
                    to: bench.server,
                    sequence: bench.base[0] &+ UInt32(36 + 2 * i),
                    acknowledgement: 0,
                    flags: 0x10,
                    payload: [0xFF, 0]
                )
                bench.raw(Array(bytes.dropLast()), originalLength: bytes.count)
            }
            _ = bench.finish()
        }
        #expect(time < .seconds(30))
    }
}
