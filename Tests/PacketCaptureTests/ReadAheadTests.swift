import Dispatch
import Testing

@testable import PacketCapture

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Gives three bytes at once, and the next ones when it is told to.
private final class SlowSource: ByteSource {
    let next = DispatchSemaphore(value: 0)
    private var readings = 0

    var wouldWait: Bool { readings == 1 }

    func read(into room: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Reading {
        readings += 1
        if readings == 2 { next.wait() }
        if readings > 2 { return .end }
        room.copyBytes(from: [1, 2, 3])
        return .bytes(3)
    }
}

/// Gives what it was told to give, one after the other.
private final class ScriptedSource: ByteSource {
    enum Step {
        case bytes([UInt8])
        case idle, stopped, end
        case failure(CaptureError)
    }

    private var steps: [Step]

    init(_ steps: [Step]) { self.steps = steps.reversed() }

    func read(into room: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Reading {
        switch steps.popLast() {
        case .bytes(let bytes):
            let part = bytes.prefix(room.count)
            if part.count < bytes.count { steps.append(.bytes(Array(bytes.dropFirst(part.count)))) }
            room.copyBytes(from: part)
            return .bytes(part.count)
        case .idle: return .idle
        case .stopped: return .stopped
        case .end, nil: return .end
        case .failure(let error): throw error
        }
    }
}

@Suite struct ReadAheadTests {
    /// All that comes until the source has ended, read in pieces of `piece` bytes.
    private func read(_ source: ReadAheadSource, piece: Int) throws -> (bytes: [UInt8], end: Reading) {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: piece)
        while true {
            let reading = try room.withUnsafeMutableBytes { try source.read(into: $0) }
            switch reading {
            case .bytes(let count): bytes += room[..<count]
            case .idle: continue
            case .stopped, .end: return (bytes, reading)
            }
        }
    }

    @Test(arguments: [1, 7, 64, 1000])
    func itGivesTheBytesOfItsSource(piece: Int) throws {
        let all = (0..<500).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let steps: [ScriptedSource.Step] = [
            .bytes(Array(all[..<3])), .idle, .bytes(Array(all[3..<400])), .bytes(Array(all[400...])),
        ]
        let source = try #require(ReadAheadSource(ScriptedSource(steps), stop: StopFlag(), chunk: 64))
        let (bytes, end) = try read(source, piece: piece)
        #expect(bytes == all && end == .end)
    }

    @Test func whatCameBeforeAnErrorIsGivenFirst() throws {
        let failure = CaptureError(.corrupt, "damaged")
        let source = try #require(
            ReadAheadSource(ScriptedSource([.bytes([1, 2, 3]), .failure(failure)]), stop: StopFlag(), chunk: 64)
        )
        var room = [UInt8](repeating: 0, count: 8)
        var taken: [UInt8] = []
        #expect(throws: CaptureError.self) {
            while true {
                if case .bytes(let count) = try room.withUnsafeMutableBytes({ try source.read(into: $0) }) {
                    taken += room[..<count]
                }
            }
        }
        #expect(taken == [1, 2, 3])
        // It stays ended.
        #expect(throws: CaptureError.self) { try room.withUnsafeMutableBytes { _ = try source.read(into: $0) } }
    }

    @Test func theStopFlagEndsIt() throws {
        let stop = StopFlag()
        let source = try #require(
            ReadAheadSource(
                ScriptedSource([ScriptedSource.Step](repeating: .bytes([1]), count: 1000)),
                stop: stop,
                chunk: 4
            )
        )
        stop.set()
        #expect(try read(source, piece: 4).end == .stopped)
    }

    /// Its thread waits for room then, and must end all the same.
    @Test func itCanBeForgottenInTheMiddle() throws {
        let steps = [ScriptedSource.Step](repeating: .bytes([UInt8](repeating: 1, count: 64)), count: 100)
        var source = ReadAheadSource(ScriptedSource(steps), stop: StopFlag(), chunk: 64)
        #expect(source != nil)
        source = nil
    }

    /// Records lie contiguous, although chunks end anywhere in them; also those that are longer than a chunk, or than the
    /// room in front of one.
    @Test(arguments: [(7, 64), (100, 64), (1000, 64), (InputChunk.headroom + 1000, 1 << 16)])
    func aBufferReadsChunksInPlace(record: Int, chunk: Int) throws {
        let all = (0..<(record * 5 + 3)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let step = max(all.count / 50, 1)
        let steps = stride(from: 0, to: all.count, by: step).map {
            ScriptedSource.Step.bytes(Array(all[$0..<min($0 + step, all.count)]))
        }
        let buffer = InputBuffer(source: ScriptedSource([]), name: "a test", chunk: 64)
        buffer.use(try #require(ReadAheadSource(ScriptedSource(steps), stop: StopFlag(), chunk: chunk)))
        var position = 0
        var hasEnded = false
        while !hasEnded {
            while buffer.unread.count >= record {
                #expect(buffer.unread.prefix(record).elementsEqual(all[position..<position + record]))
                #expect(buffer.offset == UInt64(position))
                buffer.start += record
                position += record
            }
            hasEnded = try buffer.more(needed: record) == .end
        }
        #expect(position == record * 5)
        #expect(Array(buffer.unread) == Array(all.suffix(3)))
    }

    @Test func whatIsThereIsGivenBeforeMoreComes() throws {
        let slow = SlowSource()
        let source = try #require(ReadAheadSource(slow, stop: StopFlag(), chunk: 64))
        // The thread comes to its second reading while nobody waits.
        usleep(50_000)
        var room = [UInt8](repeating: 0, count: 8)
        var first = Reading.idle
        for _ in 0..<30 where first == .idle { first = try room.withUnsafeMutableBytes { try source.read(into: $0) } }
        #expect(first == .bytes(3))
        slow.next.signal()
        #expect(try read(source, piece: 8).bytes == [1, 2, 3])
    }

    @Test func aLargeFileIsReadByAThread() throws {
        let data = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        var builder = CaptureBuilder()
        builder.pcapHeader()
        let count = CaptureFile.largeFile / 1016 + 100
        for index in 0..<count { builder.pcapRecord(seconds: UInt32(index), fraction: 0, Array(data[(index % 7)...])) }
        let file = TemporaryFile(builder.bytes)
        var ahead = Recorder()
        var plain = Recorder()
        var first = try CaptureFile(path: file.path, stop: StopFlag(), readsAhead: true)
        #expect(try first.read(into: &ahead) == .endOfInput)
        var second = try CaptureFile(path: file.path, stop: StopFlag())
        #expect(try second.read(into: &plain) == .endOfInput)
        #expect(ahead.entries.count == count)
        #expect(ahead.entries == plain.entries)
    }
}
