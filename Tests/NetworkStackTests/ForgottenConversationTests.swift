import NetworkStack
import PacketCapture
import Testing

/// Of a conversation that ended and was forgotten the ends of its streams are kept for a while: what comes again is no new conversation.
@Suite struct ForgottenConversationTests {
    /// A conversation of port 1 with ten bytes that was closed by both sides, and is forgotten.
    private func forgotten() -> Wire {
        var limits = ReassemblyLimits()
        limits.maximumFinishedConversations = 0
        var wire = Wire(limits: limits)
        wire.client.port = 1
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        wire.send(0, at: 10, flags: TCPFlags.fin, ack: 0)
        wire.send(1, at: 0, flags: TCPFlags.fin, ack: 11)
        wire.client.port = 2
        wire.syn(0)
        #expect(wire.sink.findings.contains(.closed(1)))
        wire.client.port = 1
        return wire
    }

    @Test func whatComesAgainOpensNothing() {
        var wire = forgotten()
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        wire.send(0, at: 4, pattern(4..<10), ack: 0)
        wire.send(0, at: 10, flags: TCPFlags.fin, ack: 0)
        wire.send(1, at: 0, flags: TCPFlags.fin, ack: 11)
        wire.send(0, at: 11, ack: 1)
        wire.send(1, at: 1, flags: TCPFlags.rst)
        #expect(wire.sink.openedCount == 2 && wire.sink.closedCount == 1)
        wire.finish()
        #expect(wire.sink.closedCount == 2 && wire.sink.outOfPlace == [])
    }

    @Test func newBytesAreANewConversation() {
        var wire = forgotten()
        wire.send(0, at: 8, pattern(8..<12), ack: 0)
        #expect(wire.sink.openedCount == 3)
        #expect(wire.sink.bytes() == pattern(0..<10) + pattern(8..<12))
    }

    @Test func aSYNIsANewConversation() {
        var wire = forgotten()
        wire.syn(0)
        #expect(wire.sink.openedCount == 3)
    }

    /// The numbers of the other side are others.
    @Test func eachSideHasItsOwnEnd() {
        var wire = forgotten()
        wire.send(1, at: Int64(wire.base[0]) - Int64(wire.base[1]), pattern(0..<5), ack: 0)
        wire.send(0, at: 1 << 21, ack: 0)
        #expect(wire.sink.openedCount == 3)
    }

    @Test func itIsKeptForALimitedTime() {
        var wire = forgotten()
        wire.send(0, at: 0, pattern(0..<10), ack: 0, after: 29 * Wire.second)
        wire.send(0, at: 0, pattern(0..<10), ack: 0, after: 29 * Wire.second)
        #expect(wire.sink.openedCount == 2)
        wire.send(0, at: 0, pattern(0..<10), ack: 0, after: 31 * Wire.second)
        #expect(wire.sink.openedCount == 3)
    }

    /// Where many conversations end within seconds, a few thousand are remembered.
    @Test func memoryDoesNotGrowWithTheirNumber() {
        var wire = Wire()
        wire.sink.keepsFindings = false
        var most = 0
        for number in 0..<10_000 {
            wire.client = Endpoint(v4: UInt32(number), port: 5)
            wire.syn(0)
            wire.syn(1, ack: true)
            wire.send(0, at: 0, flags: TCPFlags.fin, ack: 0)
            wire.send(1, at: 0, flags: TCPFlags.fin, ack: 1)
            most = max(most, wire.reassembler.openConversations)
        }
        #expect(wire.sink.openedCount == 10_000)
        #expect(most <= 8194 && wire.reassembler.table.conversations.count <= 8194)
    }
}
