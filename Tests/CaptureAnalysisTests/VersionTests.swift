import CaptureAnalysis
import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture
import Testing

/// The version behind a layout that several versions share, as it becomes known while a capture is read.
@Suite struct VersionTests {
    /// The body of P2PLogon: 6.5 has one byte more than 4.7.
    private static func logon(_ version: ProtocolVersion) -> [UInt8] {
        let address: [UInt8] =
            [24, 0, 0, 0] + [255, 255, 255, 255] + [UInt8](repeating: 0, count: 8) + [255, 255, 255, 255]
            + [UInt8](repeating: 0, count: 8)
        let body = (version == .v65 ? [1] : []) + address
        return [UInt8(body.count), 0, 0, 0] + body
    }

    private func peerLogon(_ version: ProtocolVersion, id: Int32 = 2) -> [UInt8] {
        let body = Self.logon(version)
        return message(type: 401, id: id, declares: body.count) + body
    }

    /// `conversation direction versions` of each message.
    private func profiles(_ output: RecordingOutput) -> [String] {
        output.messages.map { "\($0.report.conversation) \($0.report.direction.name) \($0.report.profile.name)" }
    }

    @Test func bothDirectionsLearnIt() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, message())
        bench.send(1, message(from: "_0", to: "aa01"))
        bench.send(0, peerLogon(.v65))
        bench.send(1, message(type: 104, id: 0, from: "_0", to: "aa01"))
        let output = bench.finish()
        #expect(
            profiles(output) == ["1 c2s 4.7 or 6.5", "1 s2c 4.7 or 6.5", "1 c2s 6.5", "1 s2c 6.5"]
        )
        let layouts = output.events(.layout)
        #expect(layouts.map { $0.versions?.name } == ["4.7 or 6.5", "6.5"])
        #expect(layouts.last?.reason == "version 6.5, found from the form of P2PLogon (401)")
    }

    /// What one conversation shows holds for another with the same server that was open before, and for those to come.
    @Test func conversationsWithTheSameServerLearnIt() {
        var bench = PacketBench()
        var other = bench.client
        other.port += 1
        let first = bench.client
        bench.handshake()
        bench.send(0, message())
        bench.client = other
        bench.handshake()
        bench.send(0, peerLogon(.v47))
        bench.client = first
        bench.position = [36, 0]
        bench.send(0, message(type: 104, id: 0))
        bench.client.port += 2
        bench.handshake()
        bench.send(0, message())
        // Another server is another matter.
        bench.server.port += 1
        bench.client.port += 3
        bench.handshake()
        bench.send(0, message())
        let output = bench.finish()
        #expect(
            profiles(output) == ["1 c2s 4.7 or 6.5", "2 c2s 4.7", "1 c2s 4.7", "3 c2s 4.7", "4 c2s 4.7 or 6.5"]
        )
        #expect(
            output.events(.layout).first { $0.conversation == 3 }?.reason.hasSuffix(
                "version 4.7; found from another conversation with the same server"
            ) == true
        )
    }

    /// A server may have clients of both versions: each is believed for itself, and nothing for others any more.
    @Test func clientsOfTwoVersions() {
        var bench = PacketBench()
        for (port, bytes) in [(1, peerLogon(.v65)), (2, peerLogon(.v47)), (3, message())] as [(UInt16, [UInt8])] {
            bench.client.port = 50000 + port
            bench.handshake()
            bench.send(0, bytes)
        }
        #expect(profiles(bench.finish()) == ["1 c2s 6.5", "2 c2s 4.7", "3 c2s 4.7 or 6.5"])
    }

    @Test func aDamagedBodyTellsNothing() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, message() + peerLogon(.v65).dropLast(3))
        bench.fin()
        #expect(Set(bench.finish().messages.map(\.report.profile.name)) == ["4.7 or 6.5"])
    }

    @Test func whatIsGivenIsNotDoubted() {
        var options = AnalysisOptions()
        options.profile = Profile(.v47)
        options.framer.startToken = .ff
        var bench = PacketBench(options: options)
        bench.handshake()
        bench.send(0, message() + peerLogon(.v65))
        let output = bench.finish()
        #expect(output.messages.map(\.report.profile.name) == ["4.7", "4.7"])
        #expect(output.events(.layout).count == 1)
    }

    @Test func nobodyAsks() {
        var options = AnalysisOptions()
        options.infersVersions = false
        var bench = PacketBench(options: options)
        bench.handshake()
        bench.send(0, message() + peerLogon(.v65))
        #expect(bench.finish().messages.map(\.report.profile.name) == ["4.7 or 6.5", "4.7 or 6.5"])
    }

    @Test func aSingleVersionNeedsNoClue() {
        var bench = PacketBench()
        bench.handshake()
        bench.send(0, message(from: "1#aa01", token: [0x0F, 1], slot: 14))
        #expect(bench.finish().messages.map(\.report.profile.version) == [.v72])
    }
}
