import NetworkStack
import PacketCapture
import Testing

/// Segments behind a hole stand in blocks of memory; whatever their number and size, they come out as they went in.
@Suite struct HeldSegmentTests {
    /// Sends a part of the pattern from the client.
    private func send(_ wire: inout Wire, _ range: Range<Int>) {
        wire.send(0, at: Int64(range.lowerBound), pattern(range), ack: 0)
    }

    @Test(arguments: [1, 100, 1448, 9000, 70_000])
    func manySegmentsWaitAndComeInOrder(size: Int) {
        var wire = Wire()
        wire.handshake()
        let count = min(300_000 / size + 2, 2000)
        for number in 1..<count { send(&wire, number * size..<(number + 1) * size) }
        #expect(wire.reassembler.heldBytes == (count - 1) * size)
        #expect(wire.sink.bytes() == [])
        send(&wire, 0..<size)
        #expect(wire.sink.bytes() == pattern(0..<count * size))
        #expect(wire.reassembler.heldBytes == 0 && wire.sink.outOfPlace == [])
    }

    /// What is behind the second hole moves together when most of what was before it is gone.
    @Test func whatStaysBehindTheNextHoleIsKept() {
        var wire = Wire()
        wire.handshake()
        for start in stride(from: 1000, to: 400_000, by: 1000) where start != 300_000 {
            send(&wire, start..<start + 1000)
        }
        send(&wire, 0..<1000)
        #expect(wire.sink.bytes() == pattern(0..<300_000))
        #expect(wire.reassembler.heldBytes == 99_000)
        for start in stride(from: 400_000, to: 600_000, by: 1000) { send(&wire, start..<start + 1000) }
        send(&wire, 300_000..<301_000)
        #expect(wire.sink.bytes() == pattern(0..<600_000))
        #expect(wire.reassembler.heldBytes == 0 && wire.sink.outOfPlace == [])
    }

    /// Each hole is filled twice as fast as the next one is made, again and again in one stream.
    @Test func memoryIsUsedAgain() {
        var wire = Wire()
        wire.sink.keepsFindings = false
        wire.handshake()
        for round in 0..<40 {
            let first = round * 100_000
            for start in stride(from: first + 1000, to: first + 100_000, by: 1000) { send(&wire, start..<start + 1000) }
            send(&wire, first..<first + 1000)
            #expect(wire.reassembler.heldBytes == 0)
        }
        #expect(wire.sink.outOfPlace == [] && wire.reassembler.openConversations == 1)
    }

    @Test(arguments: OverlapPolicy.allCases)
    func theCopyThatCountsIsFoundInItsBlock(policy: OverlapPolicy) {
        var limits = ReassemblyLimits()
        limits.overlap = policy
        var wire = Wire(limits: limits)
        wire.handshake()
        for start in stride(from: 1000, to: 150_000, by: 1000) { send(&wire, start..<start + 1000) }
        let other = [UInt8](repeating: 0xEE, count: 3000)
        wire.send(0, at: 99_500, other, ack: 0)
        send(&wire, 0..<1000)
        var wanted = pattern(0..<150_000)
        if policy == .last { wanted.replaceSubrange(99_500..<102_500, with: other) }
        #expect(wire.sink.bytes() == wanted)
        #expect(wire.reassembler.heldBytes == 0)
    }
}
