import MessageFormat

/// Keeps lines back until none that belongs before them can come, and hands them on in the order of their packets.
///
/// A message behind a hole, or one whose header needs the next one as a witness, is known only some packets after the
/// one that completed it. What is kept back is limited: beyond ``maximumBytes`` lines are written as they are known.
struct LineOrder: ~Copyable {
    struct Line {
        var packet: UInt64
        var time: Int64
        var start: Int
        var length: Int
        var isMessage: Bool
    }

    /// The lines, without their leads.
    var text = OutputBuffer(capacity: 1 << 16)
    private(set) var lines: [Line] = []
    /// When to look for lines that can go: a multiple of what could not go the last time.
    private(set) var flushAt = minimumBytes

    static var minimumBytes: Int { 256 << 10 }
    static var maximumBytes: Int { 32 << 20 }

    var isEmpty: Bool { lines.isEmpty }
    var isDue: Bool { text.count >= flushAt }

    /// Notes the line that was appended to `text` from `start` on.
    mutating func note(packet: UInt64, time: Int64, start: Int, isMessage: Bool) {
        lines.append(
            Line(packet: packet, time: time, start: start, length: text.count - start, isMessage: isMessage)
        )
    }

    /// Hands on the lines of packets before `limit` (all, if it is `nil`), in order of packet, then of arrival.
    mutating func flush(before limit: UInt64?, _ body: (Line, UnsafeRawBufferPointer) -> Void) {
        guard !lines.isEmpty else { return }
        if !isSorted { lines.sort { $0.packet < $1.packet } }
        var limit = limit ?? .max
        if text.count > Self.maximumBytes { limit = .max }
        let going = limit == .max ? lines.count : lines.firstIndex { $0.packet >= limit } ?? lines.count
        text.withUnsafeBytes { bytes in
            for line in lines[..<going] {
                body(line, UnsafeRawBufferPointer(rebasing: bytes[line.start..<line.start + line.length]))
            }
        }
        if going == lines.count {
            lines.removeAll(keepingCapacity: true)
            text.removeAll()
            flushAt = Self.minimumBytes
        } else {
            keep(from: going)
            flushAt = max(Self.minimumBytes, 2 * text.count)
        }
    }

    private var isSorted: Bool {
        for index in 1..<max(lines.count, 1) where lines[index].packet < lines[index - 1].packet { return false }
        return true
    }

    private mutating func keep(from first: Int) {
        guard first > 0 else { return }
        var rest = OutputBuffer(capacity: text.count)
        lines.removeFirst(first)
        text.withUnsafeBytes { bytes in
            for index in lines.indices {
                let line = lines[index]
                lines[index].start = rest.count
                rest.append(
                    UnsafeRawBufferPointer(rebasing: bytes[line.start..<line.start + line.length])
                        .assumingMemoryBound(to: UInt8.self)
                )
            }
        }
        text = rest
    }
}
