import PacketCapture

/// Which of several inputs each packet came from, for the reports that name a packet.
///
/// Reports come some packets late, so that the newest few million changes from one input to another are kept.
final class PacketOrigins {
    /// The last part of each input's path.
    let names: [String]
    /// Where the input changes: the packet's number in the high 48 bits, the input's index in the low 16.
    private var changes: [UInt64] = []
    private let limit: Int

    /// - Parameter limit: changes that are kept at most (8 bytes each).
    init(_ inputs: CaptureInputs?, limit: Int = 4_000_000) {
        names = inputs.map { $0.list.map(\.baseName) } ?? []
        self.limit = limit
    }

    func note(packet: UInt64, input: Int) {
        if let last = changes.last, Int(last & 0xFFFF) == input { return }
        if changes.count >= limit { changes.removeFirst(limit / 4) }
        changes.append(packet << 16 | UInt64(input))
    }

    /// The input's index among the names; `nil` for a packet so old that it is not known any more.
    func input(ofPacket packet: UInt64) -> Int? {
        var (low, high) = (0, changes.count)
        // Most often it is the last.
        if let last = changes.last, last >> 16 <= packet { low = high - 1 }
        while high - low > 1 {
            let middle = (low + high) / 2
            if changes[middle] >> 16 <= packet { low = middle } else { high = middle }
        }
        guard low < changes.count, changes[low] >> 16 <= packet else { return nil }
        return Int(changes[low] & 0xFFFF)
    }
}

/// Where no input could be begun there is nothing to show: the last error is thrown, those before it are told.
func throwIfNothingWasRead(_ failures: [CaptureError], read: UInt64) throws(CaptureError) {
    guard read == 0, let last = failures.last, failures.allSatisfy({ $0.exitStatus == ExitStatus.usage }) else {
        return
    }
    for failure in failures.dropLast() { report(failure.message) }
    throw last
}
