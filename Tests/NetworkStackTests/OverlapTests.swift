import NetworkStack
import Testing

/// Bytes that come twice with different content.
@Suite struct OverlapTests {
    private func wire(_ policy: OverlapPolicy) -> Wire {
        var limits = ReassemblyLimits()
        limits.overlap = policy
        var wire = Wire(limits: limits)
        wire.handshake()
        return wire
    }

    @Test(arguments: OverlapPolicy.allCases) func behindAHoleThePolicyDecides(policy: OverlapPolicy) {
        var wire = wire(policy)
        wire.send(0, at: 5, [1, 2, 3, 4, 5, 6], ack: 0)
        wire.send(0, at: 7, [3, 9, 5, 9, 7, 8], ack: 0)
        wire.send(0, at: 0, [0, 0, 0, 0, 0], ack: 0)
        wire.finish()
        #expect(wire.sink.findings.contains(.differs(side: 0, offset: 8, length: 3, policy)))
        let middle: [UInt8] = policy == .first ? [1, 2, 3, 4, 5, 6] : [1, 2, 3, 9, 5, 9]
        #expect(wire.sink.bytes() == [0, 0, 0, 0, 0] + middle + [7, 8])
    }

    @Test func oneSegmentOverSeveralPieces() {
        var wire = wire(.last)
        wire.send(0, at: 2, [1, 1], ack: 0)
        wire.send(0, at: 6, [1, 1], ack: 0)
        wire.send(0, at: 1, [2, 2, 1, 2, 2, 1, 2, 2], ack: 0)
        wire.send(0, at: 0, [0], ack: 0)
        wire.finish()
        #expect(wire.sink.findings.contains(.differs(side: 0, offset: 2, length: 6, .last)))
        #expect(wire.sink.bytes() == [0, 2, 2, 1, 2, 2, 1, 2, 2])
    }

    @Test func equalCopiesAreNoDifference() {
        var wire = wire(.first)
        wire.send(0, at: 5, [1, 2, 3], ack: 0)
        wire.send(0, at: 6, [2, 3, 4], ack: 0)
        wire.finish()
        #expect(!wire.sink.findings.contains { if case .differs = $0 { true } else { false } })
    }

    @Test func whatWasHandedOnComesAgainForComparison() {
        var wire = wire(.last)
        wire.send(0, at: 0, [1, 2, 3, 4], ack: 0)
        wire.send(0, at: 2, [9, 4, 5], ack: 0)
        wire.finish()
        #expect(wire.sink.findings.contains(.repeated(side: 0, offset: 2, [9, 4])))
        #expect(wire.sink.bytes() == [1, 2, 3, 4, 5])
    }
}
