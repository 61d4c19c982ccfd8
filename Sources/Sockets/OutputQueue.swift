/// Bytes on their way to the system, and the tasks that wait for room.
struct OutputQueue {
    typealias Continuation = CheckedContinuation<Void, any Error>

    struct Writer {
        let number: UInt64
        let bytes: [UInt8]
        let continuation: Continuation
    }

    /// Those that wait, in order. Their bytes go out in this order.
    var writers: [Writer] = []
    /// Those that wait until nothing is left.
    var drainers: [(number: UInt64, continuation: Continuation)] = []
    /// Why nothing can be sent any more.
    var failure: SocketError?
    var endsWhenEmpty = false

    private var bytes: [UInt8] = []
    /// Those before it are sent.
    private var start = 0
    private var lastNumber: UInt64 = 0

    /// Bytes that are in it.
    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 && writers.isEmpty }

    func hasRoom(_ limit: Int) -> Bool { writers.isEmpty && (count < limit || count == 0) }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func append(_ more: [UInt8]) { bytes += more }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    mutating func removeFirst(_ sent: Int) {
        start += min(sent, count)
        if start == bytes.count {
            // A large store is given back.
            if bytes.capacity > 1 << 17 { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
            start = 0
        } else if start > 1 << 16, start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
    }

    /// Takes in the bytes of those that wait, as far as there is room.
    /// - Returns: the tasks that need wait no longer.
    mutating func admitWriters(limit: Int) -> [Continuation] {
        var admitted = 0
        while admitted < writers.count, count < limit || count == 0 {
            bytes += writers[admitted].bytes
            admitted += 1
        }
        guard admitted > 0 else { return [] }
        defer { writers.removeFirst(admitted) }
        return writers[..<admitted].map(\.continuation)
    }

    mutating func removeWriter(_ number: UInt64) -> Continuation? {
        writers.firstIndex { $0.number == number }.map { writers.remove(at: $0).continuation }
    }

    mutating func removeDrainer(_ number: UInt64) -> Continuation? {
        drainers.firstIndex { $0.number == number }.map { drainers.remove(at: $0).continuation }
    }

    mutating func takeDrainers() -> [Continuation] {
        defer { drainers = [] }
        return drainers.map(\.continuation)
    }

    /// Forgets what is in it.
    /// - Returns: all that wait.
    mutating func fail(_ error: SocketError) -> [Continuation] {
        if failure == nil { failure = error }
        let waiting = writers.map(\.continuation) + drainers.map(\.continuation)
        writers = []
        drainers = []
        bytes = []
        start = 0
        return waiting
    }
}
