import NetworkStack
import PacketCapture
import Testing

/// What has ended on both sides is remembered for a while, then forgotten.
@Suite struct FinishedConversationTests {
    /// A conversation of a client port, with ten bytes, closed by both sides.
    private func converse(_ wire: inout Wire, port: UInt16) {
        wire.client.port = port
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        wire.send(0, at: 10, flags: TCPFlags.fin, ack: 0)
        wire.send(1, at: 0, flags: TCPFlags.fin, ack: 11)
        wire.send(0, at: 11, ack: 1)
    }

    private func open(_ wire: inout Wire, port: UInt16, after: Int64) {
        wire.client.port = port
        wire.send(0, at: -1, flags: TCPFlags.syn, after: after)
    }

    @Test func whatEndedLongAgoIsForgottenWhenAnotherBegins() {
        var wire = Wire()
        converse(&wire, port: 1)
        open(&wire, port: 2, after: 119 * Wire.second)
        #expect(wire.reassembler.openConversations == 2 && wire.sink.closedCount == 0)
        open(&wire, port: 3, after: 2 * Wire.second)
        #expect(wire.sink.findings.contains(.closed(1)))
        #expect(wire.reassembler.openConversations == 2)
        wire.finish()
        #expect(wire.sink.closedCount == 3 && wire.sink.outOfPlace == [])
    }

    @Test func whatComesLateWithinTwoMinutesIsKnownAsSuch() {
        var wire = Wire()
        converse(&wire, port: 1)
        wire.time += 100 * Wire.second
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        #expect(wire.sink.openedCount == 1)
        #expect(wire.sink.findings.contains(.repeated(side: 0, offset: 0, pattern(0..<10))))
        // The two minutes begin anew.
        open(&wire, port: 2, after: 100 * Wire.second)
        #expect(wire.sink.closedCount == 0)
        open(&wire, port: 3, after: 21 * Wire.second)
        #expect(wire.sink.findings.contains(.closed(1)))
    }

    @Test func aResetEndsAConversationToo() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        wire.send(1, at: 0, flags: TCPFlags.rst)
        // It counts when nothing came behind it.
        wire.send(0, at: 10, ack: 0, after: 4 * Wire.second)
        open(&wire, port: 2, after: 121 * Wire.second)
        #expect(wire.sink.findings.contains(.closed(1)))
    }

    @Test func whatHasEndedOnOneSideStays() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, flags: TCPFlags.fin, ack: 0)
        open(&wire, port: 2, after: 1000 * Wire.second)
        open(&wire, port: 3, after: 1000 * Wire.second)
        #expect(wire.sink.closedCount == 0)
        wire.client.port = 50000
        wire.send(1, at: 0, pattern(0..<5), ack: 1)
        #expect(wire.sink.bytes(1) == pattern(0..<5))
    }

    @Test func theirNumberIsLimited() {
        var limits = ReassemblyLimits()
        limits.maximumFinishedConversations = 10
        var wire = Wire(limits: limits)
        for port in 1...1000 as ClosedRange<UInt16> {
            converse(&wire, port: port)
            #expect(wire.reassembler.openConversations <= 12)
        }
        #expect(wire.sink.openedCount == 1000)
        // The one that ended first went first.
        let closed = wire.sink.findings.compactMap { if case .closed(let number) = $0 { number } else { nil } }
        #expect(closed == Array(1...closed.count))
        wire.finish()
        #expect(wire.sink.closedCount == 1000 && wire.sink.outOfPlace == [])
    }

    @Test func ofManyEachIsRememberedForAShorterTime() {
        var limits = ReassemblyLimits()
        limits.finishedConversations = 10
        var wire = Wire(limits: limits)
        for port in 1...200 as ClosedRange<UInt16> {
            converse(&wire, port: port)
            wire.time += Wire.second / 10
        }
        // Ten seconds are a hundred of them.
        #expect((100...104).contains(wire.reassembler.openConversations))
        for port in 201...260 as ClosedRange<UInt16> { open(&wire, port: port, after: 10 * Wire.second) }
        #expect(wire.reassembler.openConversations == 60)
    }

    @Test func theyGoBeforeThoseThatAreOpen() {
        var limits = ReassemblyLimits()
        limits.conversations = 3
        var wire = Wire(limits: limits)
        open(&wire, port: 1, after: 0)
        converse(&wire, port: 2)
        open(&wire, port: 3, after: 0)
        open(&wire, port: 4, after: 0)
        #expect(wire.sink.findings.contains(.closed(2)) && wire.sink.closedCount == 1)
    }

    /// The port is used again before it was forgotten, and its place is not taken for the old one's.
    @Test func aPortThatIsUsedAgainIsAConversationOfItsOwn() {
        var wire = Wire()
        converse(&wire, port: 1)
        wire.base = [900_001, 700_001]
        wire.time += 60 * Wire.second
        converse(&wire, port: 1)
        #expect(wire.sink.openedCount == 2 && wire.sink.closedCount == 1)
        open(&wire, port: 2, after: 70 * Wire.second)
        #expect(wire.sink.closedCount == 1)
        open(&wire, port: 3, after: 60 * Wire.second)
        #expect(wire.sink.closedCount == 2 && wire.sink.outOfPlace == [])
    }
}
