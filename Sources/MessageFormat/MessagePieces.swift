import ESProtocol

/// A stretch of a message: bytes that are there, or bytes that are missing.
struct MessagePiece {
    /// Offset within the message as it was declared.
    var offset: Int
    var length: Int
    /// Where it stands in the bytes that were there; `nil` for a gap.
    var index: Int?
}

/// A message's bytes that were there, and where each of them belongs.
///
/// The gaps are taken as they are given and checked against nothing: whatever does not fit is left out, and bytes that are
/// more than the length says stand at the end.
struct MessagePieces {
    private(set) var pieces: [MessagePiece] = []

    init(_ message: MessageReport, byteCount: Int) {
        var offset = 0
        var index = 0
        for gap in message.gaps where gap.length > 0 && gap.offset >= offset {
            let before = min(gap.offset - offset, byteCount - index)
            if before > 0 { pieces.append(MessagePiece(offset: offset, length: before, index: index)) }
            index += before
            pieces.append(MessagePiece(offset: gap.offset, length: gap.length, index: nil))
            let (end, overflow) = gap.offset.addingReportingOverflow(gap.length)
            if overflow { break }
            offset = end
        }
        if index < byteCount { pieces.append(MessagePiece(offset: offset, length: byteCount - index, index: index)) }
    }

    /// Index among the bytes that are there of the byte at an offset of the message; `nil` if it is missing.
    func index(ofOffset offset: Int) -> Int? {
        for piece in pieces where offset >= piece.offset && offset - piece.offset < piece.length {
            return piece.index.map { $0 + offset - piece.offset }
        }
        return nil
    }

    /// Indices of the bytes that are there of a range of offsets; empty if none of them is.
    func indices(ofOffsets offsets: Range<Int>) -> Range<Int> {
        var result: Range<Int>?
        for piece in pieces {
            guard let index = piece.index else { continue }
            let part = offsets.clamped(to: piece.offset..<piece.offset + piece.length)
            if part.isEmpty { continue }
            let start = index + part.lowerBound - piece.offset
            result = (result?.lowerBound ?? start)..<start + part.count
        }
        return result ?? 0..<0
    }
}
