import NetworkStack
import PacketCapture
import Testing

@Suite struct StreamOrderTests {
    @Test func inOrderBytesComeAtOnce() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        #expect(wire.sink.findings.last == .bytes(side: 0, offset: 0, pattern(0..<10)))
        wire.send(1, at: 0, [7], ack: 10)
        #expect(wire.sink.findings.last == .bytes(side: 1, offset: 0, [7]))
        #expect(wire.sink.findings.contains(.synchronized(side: 0, clientSide: 0)))
        #expect(wire.sink.findings.contains(.synchronized(side: 1, clientSide: 0)))
    }

    @Test(arguments: orders, [UInt32(1001), 0xFFFF_FFF0, 0xFFFF_FFFF, 0x7FFF_FFF5])
    func everyOrderOfThreeSegmentsBehindASYN(order: [Int], base: UInt32) {
        var wire = Wire()
        wire.base[0] = base
        wire.handshake()
        for part in order { wire.send(0, at: Int64(part * 10), pattern(part * 10..<part * 10 + 10), ack: 0) }
        wire.finish()
        #expect(wire.sink.bytes() == pattern(0..<30))
        #expect(wire.sink.gaps() == [] && wire.sink.late() == [] && wire.sink.outOfPlace == [])
        #expect(wire.reassembler.heldBytes == 0)
    }

    /// Without a SYN the first segment seen is offset 0; what lies before it has a negative offset and is late.
    @Test(arguments: orders) func everyOrderOfThreeSegmentsWithoutASYN(order: [Int]) {
        var wire = Wire()
        for part in order { wire.send(0, at: Int64(part * 10), pattern(part * 10..<part * 10 + 10), ack: 0) }
        wire.finish()
        let first = order[0]
        #expect(wire.sink.bytes() == pattern(first * 10..<30))
        #expect(wire.sink.gaps() == [] && wire.sink.outOfPlace == [])
        let before = order.filter { $0 < first }.map { Int64($0 - first) * 10..<Int64($0 - first) * 10 + 10 }
        #expect(wire.sink.late() == before)
    }

    @Test(arguments: orders) func everyOrderOfSYNAndTwoSegments(order: [Int]) {
        var wire = Wire()
        for part in order {
            switch part {
            case 0: wire.syn(0)
            case 1: wire.send(0, at: 0, pattern(0..<10), ack: 0)
            default: wire.send(0, at: 10, pattern(10..<20), ack: 0)
            }
        }
        wire.finish()
        #expect(wire.sink.openedCount == 1)
        if order.firstIndex(of: 2)! > order.firstIndex(of: 0)! || order.firstIndex(of: 2)! > order.firstIndex(of: 1)! {
            #expect(wire.sink.bytes() == pattern(0..<20))
            #expect(wire.sink.late() == [])
        } else {
            #expect(wire.sink.bytes() == pattern(10..<20))
            #expect(wire.sink.late() == [-10..<0])
        }
        #expect(wire.sink.outOfPlace == [])
    }

    @Test func theFirstCopyWins() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, [1, 1, 1, 1], ack: 0)
        wire.send(0, at: 2, [2, 2, 2, 2], ack: 0)
        wire.send(0, at: 10, [3, 3], ack: 0)
        wire.send(0, at: 8, [4, 4, 4, 4, 4, 4], ack: 0)
        wire.send(0, at: 4, [5, 5, 5, 5, 5, 5, 5, 5], ack: 0)
        #expect(wire.sink.bytes() == [1, 1, 1, 1, 2, 2, 5, 5, 4, 4, 3, 3, 4, 4])
        #expect(wire.sink.late() == [] && wire.sink.outOfPlace == [])
    }

    @Test func retransmissionsAreNotCountedTwice() {
        var wire = Wire()
        wire.handshake()
        for _ in 0..<3 { wire.send(0, at: 0, pattern(0..<10), ack: 0) }
        wire.send(0, at: 20, pattern(20..<30), ack: 0)
        for _ in 0..<3 { wire.send(0, at: 20, pattern(20..<30), ack: 0) }
        wire.send(0, at: 0, pattern(0..<30), ack: 0)
        #expect(wire.sink.bytes() == pattern(0..<30))
        #expect(wire.sink.late() == [] && wire.sink.gaps() == [])
    }

    @Test func dataOnSYNAndOnFIN() {
        var wire = Wire()
        wire.send(0, at: -1, [1, 2, 3], flags: TCPFlags.syn)
        wire.send(0, at: 3, [4, 5], flags: TCPFlags.fin, ack: 0)
        #expect(wire.sink.bytes() == [1, 2, 3, 4, 5])
        #expect(wire.sink.endCount() == 1)
        wire.send(0, at: 3, [4, 5], flags: TCPFlags.fin, ack: 0)
        wire.finish()
        #expect(wire.sink.bytes() == [1, 2, 3, 4, 5])
        #expect(wire.sink.endCount() == 1 && wire.sink.outOfPlace == [])
    }

    @Test func aFINBeforeItsDataWaits() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 20, flags: TCPFlags.fin, ack: 0)
        wire.send(0, at: 10, pattern(10..<20), ack: 0)
        #expect(wire.sink.endCount() == 0)
        wire.send(0, at: 0, pattern(0..<10), ack: 0)
        #expect(wire.sink.bytes() == pattern(0..<20))
        #expect(wire.sink.endCount() == 1)
    }

    @Test func bytesMissingBeforeAFINAreAGap() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, [1], ack: 0)
        wire.send(0, at: 5, flags: TCPFlags.fin, ack: 0)
        wire.finish()
        #expect(wire.sink.gaps() == [1..<5])
        #expect(wire.sink.outOfPlace == [])
    }

    @Test func acknowledgementsAloneDoNotLengthenAStream() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, [1], ack: 0)
        for _ in 0..<200 { wire.send(1, at: 0, ack: 1000, after: Wire.second) }
        wire.finish()
        #expect(wire.sink.gaps() == [])
    }

    /// Data behind a FIN can only be forged; the stream has ended all the same.
    @Test func nothingComesBehindTheEnd() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 30, pattern(30..<40), ack: 0)
        wire.send(0, at: 20, flags: TCPFlags.fin, ack: 0)
        wire.send(0, at: 0, pattern(0..<20), ack: 0)
        wire.send(0, at: 40, pattern(40..<50), ack: 0)
        wire.finish()
        #expect(wire.sink.bytes() == pattern(0..<20))
        #expect(wire.sink.late() == [30..<40, 40..<50])
        #expect(wire.sink.gaps() == [])
        #expect(wire.sink.endCount() == 1 && wire.sink.outOfPlace == [])
        #expect(wire.reassembler.heldBytes == 0)
    }

    @Test func aSecondFINMakesNoGapBehindTheEnd() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, [1], flags: TCPFlags.fin, ack: 0)
        wire.send(0, at: 5, flags: TCPFlags.fin, ack: 0)
        wire.finish()
        #expect(wire.sink.gaps() == [])
        #expect(wire.sink.endCount() == 1 && wire.sink.outOfPlace == [])
    }

    // MARK: - Keep-alives

    @Test func keepAlivesAreNotData() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, [1, 2, 3], ack: 0)
        wire.send(1, at: 0, ack: 3)
        wire.send(0, at: 2, ack: 0)
        wire.send(0, at: 2, [0], ack: 0)
        wire.send(0, at: 3, [4], ack: 0)
        wire.finish()
        #expect(wire.sink.bytes() == [1, 2, 3, 4])
        #expect(wire.sink.late() == [] && wire.sink.gaps() == [])
    }

    @Test(arguments: [0, 1]) func aKeepAliveInFrontOfACaptureIsNotData(length: Int) {
        var wire = Wire()
        wire.send(1, at: 0, ack: 50)
        wire.send(0, at: 49, Array(repeating: 0, count: length), ack: 0)
        wire.send(0, at: 50, [1, 2], ack: 0)
        wire.finish()
        #expect(wire.sink.bytes(1) == [1, 2])
        #expect(wire.sink.late(1) == [])
    }

    /// Its one byte is junk, which must not stand for the last byte of a hole.
    @Test func aKeepAliveDoesNotFillAHole() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, [1, 2, 3], ack: 0)
        wire.send(1, at: 0, ack: 10)
        wire.send(0, at: 9, [0], ack: 0, after: Wire.second)
        wire.send(0, at: 10, [4], ack: 0)
        wire.finish()
        #expect(wire.sink.bytes() == [1, 2, 3, 4])
        #expect(wire.sink.gaps() == [3..<10])
    }

    /// Acknowledgements overtake data; a byte that was pushed is one.
    @Test func aByteOvertakenByItsAcknowledgementIsData() {
        var wire = Wire()
        wire.handshake()
        wire.send(1, at: 0, ack: 10)
        wire.send(0, at: 9, [9], flags: 0x08, ack: 0)
        wire.send(0, at: 0, pattern(0..<9), ack: 0)
        #expect(wire.sink.bytes() == pattern(0..<9) + [9])
    }

    // MARK: - Connections

    @Test func aNewSYNIsANewConversation() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, [1], ack: 0)
        wire.send(0, at: 5, [2], ack: 0)
        wire.base = [0x8000_0000, 77]
        wire.handshake()
        wire.send(0, at: 0, [3], ack: 0)
        wire.finish()
        #expect(wire.sink.openedCount == 2 && wire.sink.closedCount == 2)
        #expect(wire.sink.bytes() == [1, 2, 3])
        #expect(wire.sink.gapReasons == [.portReuse])
        #expect(wire.sink.outOfPlace == [])
    }

    /// The new connection's first SYN was not captured, only the answer to it.
    @Test func aNewSYNACKIsANewConversation() {
        var wire = Wire()
        wire.handshake()
        wire.send(1, at: 0, [1], ack: 0)
        wire.base = [0x8000_0000, 0x4000_0000]
        wire.syn(1, ack: true)
        wire.send(0, at: 0, [2], ack: 0)
        wire.send(1, at: 0, [3], ack: 1)
        wire.finish()
        #expect(wire.sink.openedCount == 2)
        #expect(wire.sink.gaps(0) == [] && wire.sink.gaps(1) == [])
        #expect(wire.sink.findings.contains(.synchronized(side: 0, clientSide: 1)))
    }

    @Test func repeatedSYNsAreNot() {
        var wire = Wire()
        wire.syn(0)
        wire.syn(0)
        wire.syn(1, ack: true)
        wire.syn(0)
        wire.send(0, at: 0, [1, 2], ack: 0)
        wire.syn(0)
        wire.syn(1, ack: true)
        wire.send(0, at: 2, [3], ack: 0)
        #expect(wire.sink.openedCount == 1)
        #expect(wire.sink.bytes() == [1, 2, 3])
    }

    @Test func theSYNACKMayComeFirst() {
        var wire = Wire()
        wire.syn(1, ack: true)
        wire.syn(0)
        wire.send(0, at: 0, [1], ack: 0)
        #expect(wire.sink.openedCount == 1)
        // The server's packet came first: side 0 is the server.
        #expect(wire.sink.findings.contains(.synchronized(side: 0, clientSide: 1)))
        #expect(wire.sink.bytes(1) == [1])
    }

    @Test func aResetGivesUpHoles() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 5, [2], ack: 0)
        wire.send(1, at: 0, flags: TCPFlags.rst, ack: 0)
        #expect(wire.sink.gaps() == [0..<5])
        #expect(wire.sink.gapReasons == [.reset])
        #expect(wire.sink.endCount() == 0)
        // What is captured behind it is not lost.
        wire.send(0, at: 6, [3], ack: 0)
        wire.send(0, at: 2, [9], ack: 0)
        #expect(wire.sink.bytes() == [2, 3])
        #expect(wire.sink.late() == [2..<3])
        wire.finish()
        #expect(wire.sink.outOfPlace == [])
    }

    @Test func aResetEndsBothStreamsAfterAWhile() {
        var wire = Wire()
        wire.handshake()
        wire.send(0, at: 0, [2], ack: 0)
        wire.send(1, at: 0, flags: TCPFlags.rst, ack: 0)
        wire.send(1, at: 0, ack: 0, after: 3 * Wire.second - 1)
        #expect(wire.sink.endCount(0) == 0)
        wire.send(1, at: 0, ack: 0, after: 1)
        #expect(wire.sink.endCount(0) == 1 && wire.sink.endCount(1) == 1)
        wire.send(0, at: 1, [3], ack: 0)
        #expect(wire.sink.late() == [1..<2])
        wire.finish()
        #expect(wire.sink.endCount(0) == 1 && wire.sink.outOfPlace == [])
    }
}
