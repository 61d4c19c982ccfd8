#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Several captures as one: their packets in the order of time and numbered through. Of equal times, that of the input
/// that was named first comes first.
///
/// Each input is read in its own order, as far as it is needed: what is held of it is a buffer and a few hundred packets.
/// With many inputs only those are open whose packets are being handed on, so that a thousand files of one long capture
/// are as good as one.
public final class MergedCapture {
    private let inputs: [MergeInput]
    private let limits: Limits
    private var openCount = 0
    private var current: MergeInput?
    private var number: UInt64 = 0
    private var isBegun = false
    private var heap = MergeHeap()
    /// What could not be read, and why; the others were read all the same.
    public private(set) var errors: [CaptureError] = []
    /// What the files that were read say beside their packets, of those that say anything.
    public private(set) var notes: [(path: String, notes: CaptureNotes)] = []

    struct Limits {
        /// Up to so many inputs all are open from the beginning.
        var openAtOnce = 64
        /// The most that may be open: more would have to overlap in time.
        var open = 200
        /// Up to so many compressed inputs have a thread each that uncompresses them.
        var readAhead = 8
    }

    /// Bytes that are read of each input at a time.
    static let chunk = 32 << 10

    /// - Parameter readsAhead: whether threads of their own uncompress the inputs, if there are few.
    public convenience init(_ inputs: CaptureInputs, stop: StopFlag = .process, readsAhead: Bool = false) {
        self.init(inputs, stop: stop, limits: Limits(), readsAhead: readsAhead)
    }

    init(_ inputs: CaptureInputs, stop: StopFlag, limits: Limits, readsAhead: Bool = false) {
        let readsAhead = readsAhead && inputs.list.count <= limits.readAhead
        self.inputs = inputs.list.enumerated().map {
            MergeInput($1, order: $0, stop: stop, readsAhead: readsAhead)
        }
        self.limits = limits
    }

    /// The index, in the list of inputs, of the one that the packet being handed on comes from.
    public var currentInput: Int { current?.order ?? 0 }

    /// Hands on packets to the end of all inputs, or until the sink or the stop flag ends it.
    public func read<Sink: PacketSink>(into sink: inout Sink) -> ReadingEnd {
        if !isBegun {
            isBegun = true
            for input in inputs {
                if let end = fill(input, &sink) { return end }
                guard input.head != nil else { continue }
                if inputs.count > limits.openAtOnce, input.canBeReopened { close(input) }
                heap.push(input)
            }
            if errors.isEmpty, heap.isEmpty, inputs.allSatisfy(\.isNoCapture) {
                errors.append(CaptureError(.notACapture, "there is no capture among the files of the folder"))
            }
        }
        while let input = heap.pop() {
            current = input
            if input.isClosed {
                if openCount >= limits.open {
                    errors.append(
                        CaptureError(
                            .input,
                            "\(input.input.path) was not read: more than \(limits.open) captures overlap in time"
                        )
                    )
                    continue
                }
                if let end = fill(input, &sink) { return end }
            }
            let next = heap.first
            while let head = input.head, next == nil || MergeHeap.precedes(head, input.order, next!) {
                number &+= 1
                let goesOn = input.handOn(number: number, to: &sink)
                if !goesOn {
                    if input.head != nil { heap.push(input) }
                    return .sinkEnough
                }
                if input.head == nil, let end = fill(input, &sink) { return end }
            }
            if input.head != nil { heap.push(input) }
        }
        return .endOfInput
    }

    /// Reads on until the input has a packet or has ended.
    /// - Returns: why the whole reading ends, if it does.
    private func fill<Sink: PacketSink>(_ input: MergeInput, _ sink: inout Sink) -> ReadingEnd? {
        while input.head == nil || input.isClosed, !input.hasEnded {
            if input.waits { sink.willWait() }
            let wasOpen = input.isOpen
            let end = input.fill()
            if input.isOpen, !wasOpen { openCount += 1 }
            if end == .stopped { return .stopped }
            if end == .sinkEnough, input.head == nil, !sink.timePassed(wallClock()) { return .sinkEnough }
        }
        if input.hasEnded, input.head == nil {
            close(input)
            if let failure = input.failure { errors.append(failure) }
        }
        return nil
    }

    private func close(_ input: MergeInput) {
        if input.isOpen { openCount -= 1 }
        if input.hasEnded, let read = input.batch.notes, read.saysSomething { notes.append((input.input.path, read)) }
        input.close()
    }
}

extension MergedCapture: PacketDetails {
    public func comments(of packet: Packet) -> [String] { current?.batch.last?.comments ?? [] }

    public var sectionComments: [String] { current?.batch.notes?.sectionComments ?? [] }

    public func interface(of packet: Packet) -> CaptureNotes.Interface? {
        guard let current, let index = current.batch.last?.interface, let notes = current.batch.notes,
            notes.interfaces.indices.contains(index)
        else { return nil }
        return notes.interfaces[index]
    }
}

/// One of several inputs: its next packets are read ahead.
final class MergeInput {
    let input: CaptureInputs.Input
    let order: Int
    private let stop: StopFlag
    private let readsAhead: Bool
    private var file: CaptureFile?
    var batch = PacketBatch()
    private(set) var hasEnded = false
    /// Why it ended; to be told behind the packets that were read.
    private(set) var failure: CaptureError?
    /// It was named by its folder only, and is something else.
    private(set) var isNoCapture = false
    /// The time of the first packet, while it is closed again.
    private var closedHead: Int64?

    init(_ input: CaptureInputs.Input, order: Int, stop: StopFlag, readsAhead: Bool = false) {
        self.input = input
        self.readsAhead = readsAhead
        self.order = order
        self.stop = stop
    }

    var isOpen: Bool { file != nil }
    var isClosed: Bool { closedHead != nil }
    /// The time of the next packet.
    var head: Int64? { closedHead ?? batch.head }

    /// Whether it may be closed and opened again without a loss.
    var canBeReopened: Bool {
        var status = stat()
        return input.path != "-" && stat(input.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether reading may wait for somebody who writes.
    var waits: Bool { file?.waits ?? false }

    /// Reads some packets, or waits for them for about 100 ms.
    func fill() -> ReadingEnd {
        closedHead = nil
        batch.removeAll()
        do throws(CaptureError) {
            if file == nil {
                let opened = try CaptureFile(
                    path: input.path,
                    stop: stop,
                    chunk: MergedCapture.chunk,
                    readingAhead: readsAhead ? .uncompressing : .nothing
                )
                batch.notes = opened.notes
                file = consume opened
            }
            let end = try file?.read(into: &batch) ?? .endOfInput
            if end == .endOfInput { hasEnded = true }
            return end
        } catch {
            hasEnded = true
            if input.isFromFolder, error.kind == .notACapture {
                isNoCapture = true
            } else {
                failure = error
            }
            return .endOfInput
        }
    }

    func handOn<Sink: PacketSink>(number: UInt64, to sink: inout Sink) -> Bool {
        // The sink may ask for what belongs to the packet: nothing is being changed while it has it.
        let (entry, bytes) = batch.takeNext()
        var packet = entry.packet
        packet.number = number
        return bytes.withUnsafeBytes {
            sink.packet(
                packet,
                bytes: UnsafeRawBufferPointer(rebasing: $0[entry.start..<entry.start + entry.count]).bytes
            )
        }
    }

    /// Closes the file; if packets were read from it, it is to be read again from its beginning.
    func close() {
        closedHead = batch.head
        if closedHead != nil {
            hasEnded = false
            failure = nil
        }
        file = nil
        batch = PacketBatch()
    }
}

/// Packets that were read ahead.
struct PacketBatch: PacketSink {
    struct Entry {
        var packet: Packet
        var start: Int
        var count: Int
        var interface: Int
        var comments: [String]
    }

    var notes: CaptureNotes?
    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    private var next = 0

    /// The one that was handed on last.
    var last: Entry? { next > 0 ? entries[next - 1] : nil }
    var head: Int64? { next < entries.count ? entries[next].packet.time : nil }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: bytes.capacity <= 256 << 10)
        next = 0
    }

    mutating func packet(_ packet: Packet, bytes new: RawSpan) -> Bool {
        entries.append(
            Entry(
                packet: packet,
                start: bytes.count,
                count: new.byteCount,
                interface: notes?.packetInterface ?? 0,
                comments: notes?.comments(of: packet) ?? []
            )
        )
        new.withUnsafeBytes { bytes.append(contentsOf: $0) }
        return entries.count < 256 && bytes.count < 64 << 10
    }

    mutating func timePassed(_ time: Int64) -> Bool { false }

    /// - Returns: the next packet, and the bytes that its own are among.
    mutating func takeNext() -> (Entry, [UInt8]) {
        next += 1
        return (entries[next - 1], bytes)
    }
}

/// The inputs by the time of their next packet, the earliest first (a binary heap).
struct MergeHeap {
    private var items: [(time: Int64, input: MergeInput)] = []

    var isEmpty: Bool { items.isEmpty }
    var first: (time: Int64, input: MergeInput)? { items.first }

    static func precedes(_ time: Int64, _ order: Int, _ other: (time: Int64, input: MergeInput)) -> Bool {
        (time, order) < (other.time, other.input.order)
    }

    mutating func push(_ input: MergeInput) {
        guard let time = input.head else { return }
        items.append((time, input))
        var index = items.count - 1
        while index > 0, isBefore(index, (index - 1) / 2) {
            items.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func pop() -> MergeInput? {
        guard let first = items.first?.input else { return nil }
        let last = items.removeLast()
        if items.isEmpty { return first }
        items[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < items.count && isBefore(child, least) {
                least = child
            }
            if least == index { return first }
            items.swapAt(index, least)
            index = least
        }
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool { Self.precedes(items[a].time, items[a].input.order, items[b]) }
}
