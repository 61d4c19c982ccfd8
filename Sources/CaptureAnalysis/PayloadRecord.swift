import NetworkStack

/// Follows the bytes of one direction: how many, where they are missing, and their hashes.
struct PayloadRecord {
    var summary = DirectionSummary()
    private var total: SHA256?
    /// Of the piece behind the last gap; before the first gap it is the same as `total`.
    private var run: SHA256?
    private var runOffset: Int64 = 0
    private var runLength: Int64 = 0
    /// Where the next byte in order lies.
    private(set) var end: Int64 = 0

    /// Gaps (and runs) of one direction that are kept by place; those beyond are only counted.
    static let maximumGaps = 16384

    init(hashes: Bool) {
        if hashes { total = SHA256() }
    }

    mutating func bytes(_ bytes: UnsafeRawBufferPointer, offset: Int64) {
        if runLength == 0 { runOffset = offset }
        end = offset + Int64(bytes.count)
        runLength += Int64(bytes.count)
        summary.bytes += Int64(bytes.count)
        total?.update(bytes)
        run?.update(bytes)
    }

    mutating func gap(offset: Int64, length: Int64) {
        endRun()
        end = offset + length
        summary.gapCount += 1
        summary.missingBytes &+= length
        if let last = summary.gaps.last, last.offset + last.length == offset {
            summary.gaps[summary.gaps.count - 1].length += length
            summary.gapCount -= 1
        } else if summary.gaps.count < Self.maximumGaps {
            summary.gaps.append((offset, length))
        }
    }

    private mutating func endRun() {
        guard let total, runLength > 0 else { return }
        if summary.runs.count < Self.maximumGaps {
            summary.runs.append(
                .init(offset: runOffset, length: runLength, sha256: (run ?? total).hexDigest())
            )
        }
        run = SHA256()
        runLength = 0
    }

    /// What there is to say, once all has come.
    func finished() -> DirectionSummary {
        var copy = self
        if copy.summary.gapCount > 0 { copy.endRun() }
        copy.summary.sha256 = total?.hexDigest()
        return copy.summary
    }
}
