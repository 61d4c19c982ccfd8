import NetworkStack

/// The first bytes of a direction that was captured from its middle on: kept for a while, since segments that were sent
/// before the first one may have been overtaken by it. Their offsets lie below 0.
struct StreamStart {
    /// In order, and none over another.
    private var pieces: [(offset: Int64, bytes: [UInt8])] = []
    private(set) var byteCount = 0

    /// Bytes that are kept; with so many of them nothing that lies before them is expected any more.
    static let maximumBytes = 64 << 10

    /// Keeps bytes that follow those that are there.
    mutating func append(_ bytes: UnsafeRawBufferPointer, offset: Int64) {
        byteCount += bytes.count
        if let last = pieces.last, last.offset >= 0, last.offset + Int64(last.bytes.count) == offset {
            pieces[pieces.count - 1].bytes += bytes
        } else {
            pieces.append((offset, Array(bytes)))
        }
    }

    /// Keeps those of some bytes before offset 0 that are not there yet: the first copy counts.
    /// - Returns: whether all of them are there now; false if they lie too far away.
    mutating func insertEarlier(_ bytes: UnsafeRawBufferPointer, offset: Int64) -> Bool {
        let end = min(0, offset + Int64(bytes.count))
        guard offset < end, offset >= -Int64(Self.maximumBytes) else { return false }
        var position = offset
        var index = 0
        while position < end {
            guard index < pieces.count else { break }
            let piece = pieces[index].offset..<pieces[index].offset + Int64(pieces[index].bytes.count)
            if piece.upperBound > position {
                let free = min(end, piece.lowerBound)
                if position < free {
                    let new = bytes[Int(position - offset)..<Int(free - offset)]
                    pieces.insert((position, Array(new)), at: index)
                    byteCount += new.count
                    index += 1
                }
                position = piece.upperBound
            }
            index += 1
        }
        return true
    }

    /// Hands on what was kept, in order, and keeps nothing.
    mutating func drain(_ take: (_ bytes: UnsafeRawBufferPointer, _ offset: Int64) -> Void) {
        for piece in pieces { piece.bytes.withUnsafeBytes { take($0, piece.offset) } }
        pieces = []
        byteCount = 0
    }
}
