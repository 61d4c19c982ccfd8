/// What fragments of one datagram have in common.
struct FragmentKey: Hashable {
    var source: Endpoint
    var destination: Endpoint
    var identification: UInt32
    /// The protocol in IPv4; IPv6 does not count it.
    var number: UInt8
    var isIPv6: Bool
}

/// What fragments may occupy.
public struct FragmentLimits: Sendable {
    /// Incomplete datagrams at once.
    public var datagrams = 1024
    /// Bytes of memory for all of them.
    public var bytes = 8 << 20
    /// Pieces of one datagram.
    public var pieces = 2048
    /// How long a datagram waits for its fragments, in nanoseconds of capture time.
    public var timeout: Int64 = 30_000_000_000

    public init() {}
}

/// Puts IP datagrams together from fragments that come in any order. Of bytes that come twice the first stand.
public final class FragmentReassembler {
    /// A datagram that is complete, up to the first byte that was not captured.
    struct Complete {
        var bytes: [UInt8]
        /// Bytes that it had.
        var length: Int
        var number: UInt8
    }

    private struct Piece {
        var start: Int
        var length: Int
        /// Where its bytes are in `Pending.bytes`, and how many of them were captured.
        var position: Int
        var captured: Int
        var end: Int { start + length }
    }

    private struct Pending {
        var serial: UInt64
        var began: Int64
        var number: UInt8
        /// Bytes of the pieces in the order in which they came.
        var bytes: [UInt8] = []
        /// Sorted, without overlaps.
        var pieces: [Piece] = []
        var covered = 0
        var length: Int?

        /// Memory that it occupies: pieces of one byte are many.
        var size: Int { bytes.count + pieces.count * MemoryLayout<Piece>.stride }
    }

    private let limits: FragmentLimits
    private var pending: [FragmentKey: Pending] = [:]
    /// Datagrams in the order in which they began; those that are gone stay until there are too many of them.
    private var order: [(key: FragmentKey, serial: UInt64, began: Int64)] = []
    private var orderStart = 0
    private var serial: UInt64 = 0
    private var heldBytes = 0
    /// When datagrams were completed, to know copies of their fragments.
    private var completed: [FragmentKey: Int64] = [:]

    init(limits: FragmentLimits) {
        self.limits = limits
    }

    /// Takes a fragment, and hands on the datagram if that completes it.
    /// - Parameters:
    ///   - bytes: what was captured of it.
    ///   - length: bytes that it had.
    func add(
        _ key: FragmentKey,
        number: UInt8,
        offset: Int,
        more: Bool,
        bytes: RawSpan,
        length: Int,
        time: Int64,
        _ statistics: inout FragmentStatistics
    ) -> Complete? {
        statistics.seen &+= 1
        expire(now: time, &statistics)
        // An empty last fragment could only say the length, an empty other one nothing.
        guard length > 0, offset + length <= 65_535 else {
            statistics.malformed &+= 1
            return nil
        }
        if let when = completed[key] {
            let age = time &- when
            if offset != 0, age >= 0, age < 1_000_000_000 {
                statistics.repeated &+= 1
                return nil
            }
            completed[key] = nil
        }
        var datagram: Pending
        if let known = pending.removeValue(forKey: key) {
            datagram = known
        } else {
            while pending.count >= limits.datagrams, dropOldest() { statistics.overDatagramLimit &+= 1 }
            serial &+= 1
            datagram = Pending(serial: serial, began: time, number: number)
            order.append((key, serial, time))
        }
        defer { statistics.pending = UInt64(pending.count) }
        let before = datagram.size
        insert(&datagram, offset: offset, more: more, bytes: bytes, length: length, &statistics)
        heldBytes += datagram.size - before
        // The protocol of the first fragment counts (RFC 8200, section 4.5).
        if offset == 0 { datagram.number = number }

        if let whole = datagram.length, datagram.covered == whole {
            heldBytes -= datagram.size
            statistics.reassembled &+= 1
            if completed.count >= limits.datagrams { completed.removeAll(keepingCapacity: true) }
            completed[key] = time
            return Complete(bytes: assemble(datagram), length: whole, number: datagram.number)
        }
        if datagram.pieces.count > limits.pieces {
            heldBytes -= datagram.size
            statistics.overPieceLimit &+= 1
            return nil
        }
        pending[key] = datagram
        while heldBytes > limits.bytes, dropOldest() { statistics.overByteLimit &+= 1 }
        return nil
    }

    private func insert(
        _ datagram: inout Pending,
        offset: Int,
        more: Bool,
        bytes: RawSpan,
        length: Int,
        _ statistics: inout FragmentStatistics
    ) {
        let end = offset + length
        if let whole = datagram.length {
            // A second end, or something beyond it.
            guard end <= whole, more || end == whole else {
                statistics.malformed &+= 1
                return
            }
        } else if !more {
            guard end >= datagram.pieces.last?.end ?? 0 else {
                statistics.malformed &+= 1
                return
            }
            datagram.length = end
        }
        // The first piece that ends behind the beginning of the fragment.
        var index = datagram.pieces.count
        if let last = datagram.pieces.last, last.end > offset {
            var low = 0
            while low < index {
                let middle = (low + index) / 2
                if datagram.pieces[middle].end > offset { index = middle } else { low = middle + 1 }
            }
        }
        var at = offset
        var overlaps = false
        var conflicts = false
        while at < end {
            let next = index < datagram.pieces.count ? datagram.pieces[index] : nil
            if let next, next.start <= at {
                let common = min(end, next.end)
                overlaps = true
                for place in at..<common
                where place - offset < bytes.byteCount && place - next.start < next.captured
                    && datagram.bytes[next.position + place - next.start] != bytes.byte(place - offset)
                {
                    conflicts = true
                    break
                }
                at = common
                index += 1
                continue
            }
            let stop = min(end, next?.start ?? end)
            let from = min(at - offset, bytes.byteCount)
            let to = min(stop - offset, bytes.byteCount)
            datagram.pieces.insert(
                Piece(start: at, length: stop - at, position: datagram.bytes.count, captured: to - from),
                at: index
            )
            bytes.extracting(from..<to).withUnsafeBytes { datagram.bytes.append(contentsOf: $0) }
            datagram.covered += stop - at
            at = stop
            index += 1
        }
        if overlaps { statistics.overlapping &+= 1 }
        if conflicts { statistics.conflicting &+= 1 }
    }

    private func assemble(_ datagram: Pending) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(datagram.bytes.count)
        for piece in datagram.pieces {
            bytes.append(contentsOf: datagram.bytes[piece.position..<piece.position + piece.captured])
            if piece.captured < piece.length { break }
        }
        return bytes
    }

    /// Gives up datagrams that have waited too long.
    func expire(now: Int64, _ statistics: inout FragmentStatistics) {
        while orderStart < order.count {
            let oldest = order[orderStart]
            guard isPending(oldest) else {
                orderStart += 1
                continue
            }
            // Time may run backwards; that is no waiting.
            let (waited, tooLong) = now.subtractingReportingOverflow(oldest.began)
            guard now > oldest.began, tooLong || waited > limits.timeout else { break }
            _ = dropOldest()
            statistics.timedOut &+= 1
        }
        trimOrder()
        statistics.pending = UInt64(pending.count)
    }

    func finish(_ statistics: inout FragmentStatistics) {
        statistics.unfinished &+= UInt64(pending.count)
        statistics.pending = 0
        pending.removeAll()
        completed.removeAll()
        order.removeAll()
        orderStart = 0
        heldBytes = 0
    }

    private func isPending(_ entry: (key: FragmentKey, serial: UInt64, began: Int64)) -> Bool {
        pending[entry.key]?.serial == entry.serial
    }

    private func dropOldest() -> Bool {
        while orderStart < order.count {
            let oldest = order[orderStart]
            orderStart += 1
            guard isPending(oldest), let dropped = pending.removeValue(forKey: oldest.key) else { continue }
            heldBytes -= dropped.size
            return true
        }
        return false
    }

    private func trimOrder() {
        if order.count - orderStart > 2 * pending.count + 64 {
            order = order[orderStart...].filter(isPending)
            orderStart = 0
        } else if orderStart > 1024, orderStart > order.count / 2 {
            order.removeFirst(orderStart)
            orderStart = 0
        }
    }
}
