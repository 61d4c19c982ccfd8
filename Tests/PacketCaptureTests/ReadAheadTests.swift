import Testing

@testable import PacketCapture

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
}
