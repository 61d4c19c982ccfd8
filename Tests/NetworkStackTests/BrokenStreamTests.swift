import NetworkStack
import PacketCapture
import Testing

/// Kinds of damage that captures from the field have.
@Suite struct BrokenStreamTests {
    @Test func whatAResetCarriesIsNoPartOfTheStream() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        wire.send(0, at: 10, pattern(10..<23), flags: TCPFlags.rst, ack: 0)
        wire.finish()
        #expect(wire.sink.bytes() == pattern(0..<10))
        #expect(wire.sink.late() == [10..<23] && wire.sink.outOfPlace == [])
    }

    @Test func aFINThatComesTwiceBringsNoLateBytes() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        for _ in 0..<2 { wire.send(0, at: 10, flags: TCPFlags.fin, ack: 0) }
        wire.finish()
        #expect(wire.sink.late() == [] && wire.sink.endCount() == 1)
    }

    @Test func aFINBeforeTheBeginningBringsNoLateBytes() {
        var wire = Wire()
        wire.send(1, at: 20, flags: TCPFlags.fin, ack: 0)
        wire.send(1, at: 10, flags: TCPFlags.fin, ack: 0)
        wire.finish()
        #expect(wire.sink.late(0) + wire.sink.late(1) == [] && wire.sink.outOfPlace == [])
    }

    @Test func whatFillsAHoleBehindTheEndIsLate() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), flags: TCPFlags.fin, ack: 0)
        wire.send(0, at: 40, pattern(40..<50), ack: 0)
        wire.send(0, at: 20, pattern(20..<30), ack: 0)
        wire.finish()
        #expect(wire.sink.late() == [40..<50, 20..<30])
    }

    @Test func aFINThatWasCapturedFirstIsNotTheBeginning() {
        var wire = Wire()
        wire.send(1, at: 20, flags: TCPFlags.fin, ack: 0)
        wire.syn(1, ack: true)
        wire.send(1, at: 10, pattern(10..<20), ack: 0)
        wire.send(1, at: 0, pattern(0..<10), ack: 0)
        wire.finish()
        #expect(wire.sink.bytes() + wire.sink.bytes(1) == pattern(0..<20))
        #expect(wire.sink.late(0) + wire.sink.late(1) == [] && wire.sink.outOfPlace == [])
    }

    @Test func aSYNWithABrokenNumberIsNotBelievedAgainstTheAcknowledgement() {
        var wire = Wire()
        wire.syn(0)
        wire.send(1, at: 9999, flags: TCPFlags.syn, ack: 0)
        wire.send(0, at: 0, ack: 0)
        wire.send(1, at: 0, pattern(0..<10), ack: 0)
        wire.send(1, at: 10, pattern(10..<20), ack: 0)
        wire.finish()
        #expect(wire.sink.bytes(1) == pattern(0..<20))
        #expect(wire.sink.late(1) == [] && wire.sink.outOfPlace == [])
    }

    @Test func aStrayOldSegmentDoesNotMoveTheBeginning() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: -5000, pattern(0..<10), ack: 0)
        wire.send(1, at: 0, [1], ack: 0)
        wire.send(0, at: 0, pattern(0..<10), ack: 1)
        wire.finish()
        #expect(wire.sink.bytes() == pattern(0..<10) && wire.sink.gaps() == [])
    }

    @Test func ofSeveralSYNsWithOtherNumbersTheLastBeforeTheBytesCounts() {
        var wire = Wire()
        wire.syn(0)
        wire.send(1, at: 7_000_000, flags: TCPFlags.syn, ack: 0)
        wire.send(1, at: -3_000_001, flags: TCPFlags.syn, ack: 0)
        wire.syn(1, ack: true)
        wire.send(1, at: 0, pattern(0..<10), ack: 0)
        wire.finish()
        #expect(wire.sink.bytes(1) == pattern(0..<10) && wire.sink.openedCount == 1)
    }
}
