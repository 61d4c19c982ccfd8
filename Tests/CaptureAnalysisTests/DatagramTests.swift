import CaptureAnalysis
import ESProtocol
import MessageFormat
import NetworkStack
import TestSupport
import Testing

extension PacketBench {
    static func datagramFrame(
        from source: (address: UInt32, port: UInt16),
        to destination: (address: UInt32, port: UInt16),
        payload: [UInt8]
    ) -> [UInt8] {
        func big<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        var bytes: [UInt8] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]
        bytes += [0x45, 0] + big(UInt16(28 + payload.count)) + [0, 0, 0x40, 0, 64, 17, 0, 0]
        bytes += big(source.address) + big(destination.address)
        bytes += big(source.port) + big(destination.port) + big(UInt16(8 + payload.count)) + [0, 0]
        return bytes + payload
    }

    /// - Parameter side: who sends; 0 is the client.
    mutating func datagram(_ side: Int, _ payload: [UInt8], captured: Int? = nil) {
        let (source, destination) = side == 0 ? (client, server) : (server, client)
        let bytes = Self.datagramFrame(from: source, to: destination, payload: payload)
        let cut = payload.count - (captured ?? payload.count)
        raw(Array(bytes.dropLast(cut)), originalLength: bytes.count)
    }
}

/// Messages in UDP datagrams. Those of the peer-to-peer channel are as PROTOCOL.md section 6 describes them.
@Suite struct DatagramTests {
    private func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// A data datagram of 6.5 and 7.2, or of 4.7.3.
    private func data(_ id: UInt64, part: Int32 = 0, before65: Bool = false, _ content: [UInt8]) -> [UInt8] {
        let rest = little(id) + little(part) + content
        return before65 ? [0, 9, 0xFF, 0xFF] + rest : [2, 9] + little(UInt16(rest.count)) + rest
    }

    private func control(_ kind: UInt8, _ content: [UInt8] = []) -> [UInt8] {
        [kind, 9] + little(UInt16(content.count)) + content
    }

    private var syn: [UInt8] {
        control(
            0,
            little(Int32(60682)) + little(Int32(9)) + Array("127.0.0.1".utf8) + little(Int32(4)) + Array("aa01".utf8)
        )
    }

    @Test func aDatagramOfWholeMessagesIsAMessageEach() {
        var bench = PacketBench()
        bench.datagram(0, message(body: 10) + message(id: 2))
        bench.datagram(1, message(from: "_0", to: "aa01", body: 4))
        let output = bench.finish()
        #expect(output.lines == ["complete 0 46", "complete 46 36", "complete 0 40"])
        #expect(output.messages.allSatisfy { $0.report.isUDP && $0.report.conversation == 1 })
        #expect(output.messages.map(\.report.direction) == [.clientToServer, .clientToServer, .serverToClient])
        #expect(output.messages.map(\.report.packet) == [1, 1, 2])
        #expect(output.messages[0].bytes == message(body: 10))
        #expect(output.events(.layout).map(\.reason).first?.hasSuffix("a datagram that its messages fill") == true)
        #expect(bench.analyzer.totals.conversations == 1)
    }

    @Test func whatIsNotFilledByMessagesIsPassedOver() {
        var bench = PacketBench()
        for other in [
            message(body: 10) + [1], Array(message(body: 10).dropLast()), [UInt8](repeating: 0xFF, count: 200),
            [0xFF, 0xFF, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0x77, 0x77, 0x77, 2, 0x63, 0x6E, 0, 0, 1, 0, 1],
            [UInt8](repeating: 0, count: 64), [0x0F] + [UInt8](repeating: 0, count: 39), [],
            // Control datagrams alone prove nothing, except the SYN.
            control(1, Array("bb02".utf8)), control(4, [UInt8](repeating: 0, count: 32)), control(5),
            control(6, [UInt8](repeating: 1, count: 8)), control(7, [UInt8](repeating: 0, count: 252)),
            [8, 9, 0xFF, 0xFF], [2, 9, 0xFF, 0xFF],
            data(1, [UInt8](repeating: 7, count: 60)), data(1, part: 2, message(body: 10)),
            data(1, part: 9, message(body: 10)), Array(syn.dropLast()),
        ] {
            bench.datagram(0, other)
        }
        bench.handshake()
        bench.send(0, message())
        let output = bench.finish()
        #expect(output.lines == ["complete 0 36"])
        #expect(output.messages[0].report.conversation == 1 && !output.messages[0].report.isUDP)
        #expect(bench.analyzer.totals.conversations == 1)
    }

    @Test func randomDatagramsHoldNothing() {
        var bench = PacketBench()
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20000 {
            var bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                Bool.random(using: &generator) ? 0 : UInt8.random(in: 0...255, using: &generator)
            }
            if let first = [UInt8]([0, 2, 0x0F, 0xFF, 1]).randomElement(using: &generator), !bytes.isEmpty {
                bytes[0] = first
            }
            if bytes.count > 4, Bool.random(using: &generator) {
                bytes.replaceSubrange(2..<4, with: little(UInt16(bytes.count - 4)))
            }
            bench.datagram(0, bytes)
        }
        #expect(bench.finish().lines == [])
    }

    @Test func theSnapLengthCutsAMessageShort() {
        var bench = PacketBench()
        bench.datagram(0, message(body: 100), captured: 80)
        let output = bench.finish()
        #expect(Set(output.lines) == ["truncated 0 136", "gap 80 56"])
        #expect(output.messages[0].bytes.count == 80 && output.messages[0].report.missing == 56)
        #expect(bench.analyzer.totals.missingBytes == 56 && bench.analyzer.totals.damagedMessages == 1)
    }

    @Test func betweenThoseWhoExchangeMessagesOthersAreNamed() {
        var bench = PacketBench()
        bench.datagram(0, message(body: 10))
        bench.datagram(0, [1, 2, 3])
        bench.datagram(0, message(id: 2, body: 10, declares: 50))
        let output = bench.finish()
        #expect(output.lines == ["complete 0 46", "skipped 0 3", "truncated 0 86"])
        #expect(bench.analyzer.totals.skippedBytes == 3)
    }

    @Test func numbersAreSharedWithTCPInOrderOfTheFirstMessage() {
        var bench = PacketBench()
        bench.handshake()
        bench.datagram(0, [1, 2, 3])
        bench.datagram(0, message())
        bench.send(0, message())
        bench.client.port += 1
        bench.handshake()
        bench.send(0, message())
        let output = bench.finish()
        #expect(
            output.messages.map { [$0.report.conversation, $0.report.isUDP ? 1 : 0] } == [[2, 1], [1, 0], [3, 0]]
        )
        #expect(bench.analyzer.totals.conversations == 3)
    }

    // MARK: - Peer to peer

    @Test(arguments: [false, true]) func theMessageInsideADataDatagramIsShown(before65: Bool) {
        var bench = PacketBench()
        bench.datagram(0, data(1, before65: before65, message(from: "aa01", to: "bb02", body: 30)))
        bench.datagram(1, data(1, before65: before65, message(type: 206, from: "bb02", to: "aa01")))
        let output = bench.finish()
        #expect(output.lines == ["preface 0 16", "complete 16 66", "preface 0 16", "complete 16 36"])
        #expect(output.messages[0].bytes == message(from: "aa01", to: "bb02", body: 30))
        #expect(output.events(.preface).allSatisfy { $0.isUDP && $0.reason == "peer-to-peer data, datagram 1" })
        #expect(output.events(.notES).isEmpty)
    }

    @Test func whatKeepsTheChannelIsNamedOnceEach() {
        var bench = PacketBench()
        bench.datagram(1, syn)
        bench.datagram(0, control(1, Array("9#bb02".utf8)))
        bench.datagram(0, control(4, [UInt8](repeating: 0, count: 32)))
        bench.datagram(0, control(6, [UInt8](repeating: 1, count: 8)))
        bench.datagram(0, control(7, [UInt8](repeating: 0, count: 252)))
        bench.datagram(0, control(5))
        bench.datagram(0, control(11))
        let output = bench.finish()
        #expect(output.lines.filter { $0.hasPrefix("preface") }.count == 6)
        #expect(
            output.events.map(\.reason)
                == ["SYN", "SYN-ACK", "feedback", "ping", "PMTU probe", "close"].map { "peer-to-peer \($0)" }
                + ["a datagram that is no message"]
        )
        // Who sent the SYN is the client.
        #expect(output.events.map(\.direction?.name) == ["c2s"] + Array(repeating: "s2c", count: 6))
        #expect(bench.analyzer.totals.notESConversations == 0)
    }

    @Test func whatKeepsTheChannelOf473IsNamedOnceEach() {
        var bench = PacketBench()
        bench.datagram(0, data(1, before65: true, message()))
        for rest in [
            [2, 9, 0xFF, 0xFF, 0], [3, 9, 0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8], [4, 9, 0xFF, 0xFF], [8, 9, 0xFF, 0xFF],
        ] {
            bench.datagram(0, rest.map { UInt8($0) })
        }
        #expect(
            bench.finish().events(.preface).dropFirst().map(\.reason)
                == ["feedback", "ping", "ping answer", "close"].map { "peer-to-peer \($0)" }
        )
    }

    @Test(arguments: [false, true]) func theFragmentsOfAMessageArePutTogether(before65: Bool) {
        let whole = message(from: "aa01", to: "bb02", body: 300)
        var bench = PacketBench()
        bench.datagram(0, data(5, part: 1, before65: before65, Array(whole[..<100])))
        bench.datagram(0, data(6, part: 2, before65: before65, Array(whole[100..<200])))
        bench.datagram(1, data(1, before65: before65, message(type: 206, from: "bb02", to: "aa01")))
        bench.datagram(0, data(7, part: 3, before65: before65, Array(whole[200...])))
        let output = bench.finish()
        #expect(output.messages.map(\.report.packet) == [3, 4] && output.messages[1].bytes == whole)
        #expect(output.messages.allSatisfy { $0.report.status == .complete })
        #expect(output.events(.preface).count == 4 && output.events(.skipped).isEmpty)
    }

    @Test func aLostFragmentLeavesATruncatedMessage() {
        let whole = message(from: "aa01", to: "bb02", body: 300)
        var bench = PacketBench()
        bench.datagram(0, data(5, part: 1, Array(whole[..<100])))
        bench.datagram(0, data(7, part: 3, Array(whole[200...])))
        bench.datagram(0, data(8, part: 1, Array(whole[..<50])))
        let output = bench.finish()
        #expect(output.messages.map(\.bytes.count) == [100, 50])
        #expect(output.messages.allSatisfy { $0.report.status == .truncated })
        #expect(output.messages[0].report.gaps == [MessageGap(offset: 100, length: 236)])
        #expect(output.events(.skipped).map(\.length) == [136])
    }

    @Test func theNumberOfUDPConversationsIsLimited() {
        var limits = ReassemblyLimits()
        limits.conversations = 1
        var bench = PacketBench(limits: limits)
        bench.datagram(0, message())
        bench.client.port += 1
        bench.datagram(0, message())
        let output = bench.finish()
        #expect(output.messages.map(\.report.conversation) == [1, 2])
        #expect(output.events(.limit).map(\.conversation) == [1])
    }
}
