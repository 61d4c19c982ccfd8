import NetworkStack
import PacketCapture
import TestSupport
import Testing

/// When missing bytes become a gap.
@Suite struct StreamGapTests {
    /// A stream with a hole at 10..<20 and both sides seen.
    private func holed(ack: Int64 = 0) -> Wire {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        wire.send(0, at: 20, pattern(20..<30), ack: 0)
        if ack > 0 { wire.send(1, at: 0, ack: ack) }
        return wire
    }

    @Test func aHoleThatNobodyAcknowledgedStays() {
        var wire = holed()
        for _ in 0..<1000 { wire.send(1, at: 0, ack: 10, after: Wire.second) }
        #expect(wire.sink.gaps() == [])
        wire.send(0, at: 10, pattern(10..<20), ack: 0)
        #expect(wire.sink.bytes() == pattern(0..<30))
    }

    @Test func aSuspectHoleIsAGapAfter64PacketsAndASecond() {
        var wire = holed(ack: 30)
        // 63 packets, and more than a second.
        for _ in 0..<63 { wire.send(1, at: 0, ack: 30, after: 20 * Wire.millisecond) }
        #expect(wire.sink.gaps() == [])
        wire.send(1, at: 0, ack: 30)
        #expect(wire.sink.gaps() == [10..<20])
        #expect(wire.sink.gapReasons == [.lost])
        #expect(wire.sink.bytes() == pattern(0..<10) + pattern(20..<30))
    }

    @Test func sixtyFourPacketsAreNotEnough() {
        var wire = holed(ack: 30)
        for _ in 0..<500 { wire.send(1, at: 0, ack: 30) }
        wire.send(1, at: 0, ack: 30, after: Wire.second - 1)
        #expect(wire.sink.gaps() == [])
        wire.send(1, at: 0, ack: 30, after: 1)
        #expect(wire.sink.gaps() == [10..<20])
    }

    @Test func threeSecondsAreEnough() {
        var wire = holed(ack: 30)
        wire.send(1, at: 0, ack: 30, after: 3 * Wire.second - 1)
        #expect(wire.sink.gaps() == [])
        wire.send(1, at: 0, ack: 30, after: 1)
        #expect(wire.sink.gaps() == [10..<20])
    }

    /// What was found out before is not looked for again; what becomes of it is seen all the same.
    @Test func theEarliestPacketOfAllThatWaitsIsKnown() {
        var wire = Wire()
        func expectEarliest(_ packet: UInt64?, _ location: SourceLocation = #_sourceLocation) {
            let earliest = wire.reassembler.earliestHeldPacket()
            #expect(earliest == packet, sourceLocation: location)
        }
        wire.handshake()
        expectEarliest(nil)
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        wire.send(0, at: 20, pattern(20..<30), ack: 0)
        let first = wire.packet
        expectEarliest(first)
        wire.send(1, at: 10, pattern(10..<20), ack: 0)
        let second = wire.packet
        wire.send(0, at: 40, pattern(40..<50), ack: 0)
        let third = wire.packet
        expectEarliest(first)
        expectEarliest(first)
        wire.send(0, at: 10, pattern(10..<20), ack: 0)
        expectEarliest(second)
        wire.send(1, at: 0, pattern(0..<10), ack: 0)
        expectEarliest(third)
        wire.send(0, at: 30, pattern(30..<40), ack: 0)
        expectEarliest(nil)
        wire.send(1, at: 30, pattern(30..<40), ack: 0)
        expectEarliest(wire.packet)
    }

    @Test func timeMayPassWithoutPackets() {
        var wire = holed(ack: 30)
        wire.reassembler.timePassed(wire.time + 3 * Wire.second - 1, packet: wire.packet, into: &wire.sink)
        #expect(wire.sink.gaps() == [])
        wire.reassembler.timePassed(wire.time + 3 * Wire.second, packet: wire.packet, into: &wire.sink)
        #expect(wire.sink.gaps() == [10..<20])
    }

    /// Packets of other conversations show that time has passed, too.
    @Test func holesOfSilentConversationsAreJudged() {
        var wire = holed(ack: 30)
        wire.client.port = 50001
        wire.handshake()
        wire.send(0, at: 0, ack: 0, after: 4 * Wire.second)
        wire.send(0, at: 0, ack: 0, after: 4 * Wire.second)
        #expect(wire.sink.gaps() == [10..<20])
        #expect(wire.reassembler.watched.isEmpty)
    }

    @Test func holesOfSilentConversationsAreJudgedWhenTheClockWasSetBack() {
        var wire = holed(ack: 30)
        wire.client.port = 50001
        wire.handshake()
        wire.send(0, at: 0, ack: 0, after: Wire.second)
        wire.client.port = 50002
        wire.time -= 1_000_000 * Wire.second
        wire.handshake()
        wire.send(0, at: 0, [1], ack: 0)
        wire.send(0, at: 3, [1], ack: 0)
        wire.send(1, at: 0, ack: 4)
        wire.client.port = 50003
        wire.send(0, at: 0, ack: 0, after: 4 * Wire.second)
        wire.send(0, at: 0, ack: 0, after: 4 * Wire.second)
        #expect(wire.sink.gaps().contains(1..<3))
    }

    /// A hole that was suspect and was filled must not make the next one a gap at once.
    @Test func staleSuspicionDoesNotCloseTheNextHole() {
        var wire = holed(ack: 30)
        wire.send(0, at: 10, pattern(10..<20), ack: 0, after: Wire.second)
        wire.send(0, at: 40, pattern(40..<50), ack: 0, after: 10 * Wire.second)
        wire.send(1, at: 0, ack: 50)
        #expect(wire.sink.gaps() == [])
        wire.send(1, at: 0, ack: 50, after: 3 * Wire.second - 1)
        #expect(wire.sink.gaps() == [])
        wire.send(1, at: 0, ack: 50, after: 1)
        #expect(wire.sink.gaps() == [30..<40])
    }

    @Test func staleSuspicionDoesNotCloseTheNextOfTwoHoles() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 10, pattern(10..<20), ack: 0)
        wire.send(1, at: 0, ack: 20)
        wire.send(0, at: 30, pattern(30..<40), ack: 0, after: 2 * Wire.second)
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        wire.send(1, at: 0, ack: 40)
        wire.send(1, at: 0, ack: 40, after: 2 * Wire.second)
        #expect(wire.sink.gaps() == [])
        wire.send(1, at: 0, ack: 40, after: Wire.second)
        #expect(wire.sink.gaps() == [20..<30])
    }

    /// Each hole has its own time: those that were suspect together are gaps together.
    @Test func holesThatWereSuspectTogetherAreGapsTogether() {
        var wire = Wire()
        wire.handshake()
        for i in 1...20 { wire.send(0, at: Int64(i * 20), pattern(i * 20..<i * 20 + 10), ack: 0) }
        wire.send(1, at: 0, ack: 410)
        wire.send(1, at: 0, ack: 410, after: 3 * Wire.second - 1)
        #expect(wire.sink.gaps().isEmpty)
        wire.send(1, at: 0, ack: 410, after: 1)
        #expect(wire.sink.gaps().count == 20)
    }

    /// One direction only.
    private func oneWay() -> Wire {
        var wire = Wire()
        wire.syn()
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        wire.send(0, at: 20, pattern(20..<30), ack: 0)
        return wire
    }

    @Test func oneWayAHoleIsAGapAfterTenSeconds() {
        var wire = oneWay()
        wire.send(0, at: 30, [1], ack: 0, after: 10 * Wire.second - 1)
        #expect(wire.sink.gaps() == [])
        wire.send(0, at: 31, [1], ack: 0, after: 1)
        #expect(wire.sink.gaps() == [10..<20])
        #expect(wire.sink.gapReasons == [.lostOneWay])
    }

    @Test func oneWayEveryHoleHasItsOwnTime() {
        var wire = oneWay()
        wire.send(0, at: 40, pattern(40..<50), ack: 0, after: Wire.second)
        wire.send(0, at: 50, [1], ack: 0, after: 9 * Wire.second)
        #expect(wire.sink.gaps() == [10..<20])
        wire.send(0, at: 51, [1], ack: 0, after: Wire.second - 1)
        #expect(wire.sink.gaps() == [10..<20])
        wire.send(0, at: 52, [1], ack: 0, after: 1)
        #expect(wire.sink.gaps() == [10..<20, 30..<40])
    }

    @Test func oneWayAHoleIsAGapWith256KiBBehindIt() {
        var wire = oneWay()
        let block = [UInt8](repeating: 1, count: 1024)
        for i in 0..<255 { wire.send(0, at: 30 + Int64(i) * 1024, block, ack: 0) }
        wire.send(0, at: 30 + 255 * 1024, [UInt8](repeating: 1, count: 1013), ack: 0)
        #expect(wire.sink.gaps() == [])
        wire.send(0, at: 30 + 255 * 1024 + 1013, [1], ack: 0)
        #expect(wire.sink.gaps() == [10..<20])
    }

    @Test func limitOfBytes() {
        var limits = ReassemblyLimits()
        limits.streamBytes = 100
        var wire = Wire(limits: limits)
        wire.handshake()
        wire.send(0, at: 10, pattern(0..<100), ack: 0)
        #expect(wire.sink.gaps() == [])
        wire.send(0, at: 110, [1], ack: 0)
        #expect(wire.sink.gaps() == [0..<10] && wire.sink.gapReasons == [.bufferLimit])
        #expect(wire.reassembler.heldBytes == 0)
    }

    @Test func limitOfPieces() {
        var limits = ReassemblyLimits()
        limits.streamPieces = 10
        var wire = Wire(limits: limits)
        wire.handshake()
        for i in 1...10 { wire.send(0, at: Int64(i * 2), [1], ack: 0) }
        #expect(wire.sink.gaps() == [])
        wire.send(0, at: 100, [1], ack: 0)
        #expect(wire.sink.gaps() == [0..<2])
        #expect(wire.reassembler.heldBytes == 10)
    }

    @Test func limitInTotal() {
        var limits = ReassemblyLimits()
        limits.totalBytes = 1000
        var wire = Wire(limits: limits)
        for port in 1...20 {
            wire.client.port = UInt16(port)
            wire.handshake()
            wire.send(0, at: 10, pattern(0..<90), ack: 0)
            #expect(wire.reassembler.heldBytes <= 1000)
        }
        #expect(wire.sink.gaps().count == 9)
        wire.finish()
        #expect(wire.sink.gaps().count == 20)
        #expect(wire.reassembler.heldBytes == 0 && wire.reassembler.watched.isEmpty)
    }

    @Test func lateBytesAreNamedAndCountedOnce() {
        var wire = holed(ack: 30)
        wire.send(1, at: 0, ack: 30, after: 4 * Wire.second)
        wire.send(1, at: 0, ack: 30, after: 4 * Wire.second)
        wire.send(0, at: 5, pattern(5..<25), ack: 0)
        #expect(wire.sink.late() == [10..<20])
        wire.send(0, at: 30, pattern(30..<40), ack: 0)
        wire.finish()
        #expect(wire.sink.gaps() == [10..<20])
        #expect(wire.sink.bytes() == pattern(0..<10) + pattern(20..<40))
    }

    // MARK: - Snap length

    @Test func aCutPayloadIsAGapWhenSomethingFollows() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), ack: 0, wireLength: 30)
        #expect(wire.sink.gaps() == [])
        wire.send(0, at: 30, pattern(30..<40), ack: 0)
        #expect(wire.sink.gaps() == [10..<30] && wire.sink.gapReasons == [.snapLength])
        wire.send(0, at: 40, [], ack: 0, wireLength: 30)
        wire.send(0, at: 70, [1], ack: 0)
        #expect(wire.sink.gaps() == [10..<30, 40..<70])
    }

    @Test func aCutPayloadAtTheEndIsNone() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), ack: 0, wireLength: 30)
        wire.finish()
        #expect(wire.sink.gaps() == [] && wire.sink.endCount() == 1)
    }

    @Test func aCutPayloadBeforeAFINIsAGap() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), flags: TCPFlags.fin, ack: 0, wireLength: 30)
        wire.finish()
        #expect(wire.sink.gaps() == [10..<30] && wire.sink.endCount() == 1)
    }

    @Test func aWholeCopyTakesThePlaceOfWhatWasCut() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), ack: 0, wireLength: 30)
        wire.send(0, at: 0, pattern(0..<30), ack: 0)
        wire.finish()
        #expect(wire.sink.gaps() == [] && wire.sink.bytes() == pattern(0..<30))
        #expect(wire.reassembler.heldBytes == 0)
    }

    // MARK: - Far away, many

    @Test func aFarAwaySegmentTakesNoMemory() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, [1], ack: 0)
        wire.send(0, at: 2_000_000_000, [2], ack: 0)
        #expect(wire.reassembler.heldBytes == 1)
        wire.send(0, at: 1, [3], ack: 0)
        wire.finish()
        #expect(wire.sink.bytes() == [1, 3, 2])
        #expect(wire.sink.gaps() == [2..<2_000_000_000])
    }

    @Test func idleConversationsAreClosed() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, [1], ack: 0)
        wire.client.port = 50001
        wire.send(0, at: 0, [1], ack: 0, after: 3600 * Wire.second)
        wire.send(0, at: 1, [1], ack: 0)
        wire.send(0, at: 2, [1], ack: 0)
        #expect(wire.sink.closedCount == 0)
        wire.send(0, at: 3, [1], ack: 0, after: 1)
        wire.send(0, at: 4, [1], ack: 0, after: 1)
        #expect(wire.sink.closedCount == 1)
        #expect(wire.reassembler.openConversations == 1)
    }

    @Test func conversationsAreLimited() {
        var limits = ReassemblyLimits()
        limits.conversations = 10
        var wire = Wire(limits: limits)
        for port in 1...100 {
            wire.client.port = UInt16(port)
            wire.send(0, at: 0, [1], ack: 0, after: 1)
            #expect(wire.reassembler.openConversations <= 10)
        }
        #expect(wire.sink.closedCount == 90)
        wire.finish()
        #expect(wire.sink.closedCount == 100 && wire.sink.outOfPlace == [])
    }

    /// Each with a hole: nothing about them may cost more the more there are.
    @Test func aHundredThousandConversations() {
        var wire = Wire()
        wire.sink.keepsFindings = false
        for number in 0..<100_000 {
            wire.client = Endpoint(v4: 0x0B00_0000 + UInt32(number), port: 50000)
            wire.send(0, at: 0, [1], ack: 0)
            wire.send(0, at: 3, [1], ack: 0)
        }
        #expect(wire.reassembler.openConversations == 100_000)
        for number in 0..<1000 {
            wire.client = Endpoint(v4: 0x0B00_0000 + UInt32(number * 100), port: 50000)
            wire.send(0, at: 1, [1, 1], ack: 0)
        }
        #expect(wire.sink.openedCount == 100_000)
        #expect(wire.reassembler.heldBytes == 99_000)
        let clock = ContinuousClock()
        let time = clock.measure { wire.finish() }
        #expect(time < .seconds(60))
        #expect(wire.sink.closedCount == 100_000 && wire.reassembler.heldBytes == 0)
        #expect(wire.sink.outOfPlace == [])
    }

    @Test func extremeTimesAndNumbersDoNotTrap() {
        var wire = Wire()
        let times: [Int64] = [.min, .max, 0, -1, .max, .min, 1 << 62, -(1 << 62)]
        for (i, time) in times.enumerated() {
            for sequence: Int64 in [0, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x4000_0000] {
                wire.time = time
                wire.send(i % 2, at: sequence, [1, 2, 3], ack: sequence ^ 0x5555_5555)
                wire.send(i % 2, at: sequence, [1], flags: UInt8(i) & 7, ack: 0xFFFF_FFFF, wireLength: 60000)
                wire.reassembler.timePassed(time, packet: wire.packet, into: &wire.sink)
            }
        }
        wire.finish()
        #expect(wire.sink.outOfPlace == [])
    }
}

@Suite struct StreamPropertyTests {
    /// A known stream in random segments that overlap, come again, out of order and not at all: what comes out is the
    /// stream, with gaps exactly where no segment was.
    @Test func randomSegmentsMakeTheKnownStream() {
        let start = UInt64.random(in: 0 ..< .max)
        for round in 0..<2000 {
            let seed = start &+ UInt64(round)
            var random = SeededGenerator(seed: seed)
            let length = Int.random(in: 1...400, using: &random)
            let stream = pattern(0..<length)
            var wire = Wire()
            wire.base[0] = UInt32.random(in: 0 ... .max, using: &random)
            wire.handshake()
            var segments: [Range<Int>] = []
            var at = 0
            while at < length {
                let end = min(length, at + Int.random(in: 1...40, using: &random))
                if Int.random(in: 0..<10, using: &random) > 0 { segments.append(at..<end) }
                at = end
            }
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let from = Int.random(in: 0..<length, using: &random)
                segments.append(from..<min(length, from + Int.random(in: 1...60, using: &random)))
            }
            segments.shuffle(using: &random)
            var known = Set<Int>()
            for segment in segments {
                known.formUnion(segment)
                wire.send(0, at: Int64(segment.lowerBound), Array(stream[segment]), ack: 0)
            }
            let hasFIN = Bool.random(using: &random)
            if hasFIN { wire.send(0, at: Int64(length), flags: TCPFlags.fin, ack: 0) }
            wire.finish()
            let end = hasFIN ? length : (known.max() ?? -1) + 1
            let missing = Set((0..<end).filter { !known.contains($0) })
            var found = Set<Int>()
            for gap in wire.sink.gaps() { found.formUnion(Int(gap.lowerBound)..<Int(gap.upperBound)) }
            let isRight =
                wire.sink.bytes() == (0..<end).filter(known.contains).map { stream[$0] } && found == missing
                && wire.sink.outOfPlace == [] && wire.sink.late() == [] && wire.reassembler.heldBytes == 0
                && wire.sink.endCount() == 1
            #expect(isRight, "seed \(seed)")
            if !isRight { return }
        }
    }

    /// Anything at all: it ends, and each stream is in order and ends once.
    @Test func randomNonsenseDoesNoHarm() {
        let start = UInt64.random(in: 0 ..< .max)
        for round in 0..<300 {
            let seed = start &+ UInt64(round)
            var random = SeededGenerator(seed: seed)
            var limits = ReassemblyLimits()
            limits.streamPieces = Int.random(in: 0...20, using: &random)
            limits.streamBytes = Int.random(in: 0...200, using: &random)
            limits.totalBytes = Int.random(in: 0...400, using: &random)
            limits.conversations = Int.random(in: 1...3, using: &random)
            var wire = Wire(limits: limits)
            for _ in 0..<300 {
                wire.client.port = UInt16.random(in: 1...4, using: &random)
                let isFar = Int.random(in: 0..<20, using: &random) == 0
                let offset =
                    isFar ? Int64.random(in: 0...0xFFFF_FFFF, using: &random) : .random(in: -20...200, using: &random)
                let count = Int.random(in: 0...30, using: &random)
                let flags: UInt8 = Int.random(in: 0..<8, using: &random) == 0 ? .random(in: 0...63, using: &random) : 0
                if isFar { wire.time = .random(in: .min ... .max, using: &random) }
                wire.send(
                    Int.random(in: 0...1, using: &random),
                    at: offset,
                    pattern(0..<count),
                    flags: flags,
                    ack: Bool.random(using: &random) ? .random(in: 0...250, using: &random) : nil,
                    wireLength: count + max(0, Int.random(in: -40...20, using: &random)),
                    after: wire.time < 1 << 62 ? .random(in: 0...Wire.second, using: &random) : 0
                )
            }
            wire.finish()
            let isRight =
                wire.sink.outOfPlace == [] && wire.reassembler.heldBytes == 0
                && wire.sink.openedCount == wire.sink.closedCount && wire.reassembler.openConversations == 0
            #expect(isRight, "seed \(seed): \(wire.sink.outOfPlace)")
            if !isRight { return }
        }
    }
}
