#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How a reading ended that met no error.
public enum ReadingEnd: Equatable, Sendable {
    /// The input was read to its end.
    case endOfInput
    /// The sink wanted no more; reading can go on with the next packet.
    case sinkEnough
    /// The stop flag was set.
    case stopped
}

/// A capture file, read from a path or a descriptor: pcap, pcapng and SmartSniff's, also compressed, told by content.
///
/// Formats: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng, and libpcap's savefile.c for what older programs wrote.
///
/// Packets are handed on as they arrive. The longest packet that is accepted has 16 MiB: a longer one is taken for a
/// damaged length. What stands before damage is always handed on before the error is thrown.
public struct CaptureFile: ~Copyable {
    /// The longest packet, in bytes. libpcap's own limit is 256 KiB for all link types but D-Bus and USB.
    @usableFromInline static var longestPacket: Int { 16 << 20 }

    @usableFromInline let input: InputBuffer
    /// What the file says beside its packets; shared, so that a sink may hold it.
    public let notes = CaptureNotes()
    @usableFromInline var format = Format.unknown
    @usableFromInline var pcap = PcapFormat()
    @usableFromInline var section = PcapngSection()
    var smartSniff = SmartSniffFormat()
    /// Packets handed on so far.
    public var packetCount: UInt64 { number }
    @usableFromInline var number: UInt64 = 0
    @usableFromInline var lastTime: Int64 = 0
    /// Damage that did not keep packets from being read, thrown at the end.
    var postponed: CaptureError?
    private let stop: StopFlag
    private let readingAhead: ReadingAhead
    /// Bytes of the file, if it is one.
    private let size: Int?
    /// Whether reading may wait for somebody who writes (a pipe).
    let waits: Bool

    @usableFromInline enum Format {
        case unknown, pcap, pcapng, smartSniff
    }

    /// What a thread of its own does beside whoever takes the packets.
    enum ReadingAhead {
        case nothing
        /// It uncompresses a compressed file.
        case uncompressing
        /// The same, and it reads a large file.
        case everything
    }

    /// A file of at least so many bytes takes longer to read than a thread to start.
    static let largeFile = 4 << 20

    /// Opens a file by its path; `-` is standard input. Nothing is read yet.
    /// - Parameter readsAhead: whether a thread of its own reads a large file, and uncompresses a compressed one.
    public init(path: String, stop: StopFlag = .process, readsAhead: Bool = false) throws(CaptureError) {
        try self.init(
            path: path,
            stop: stop,
            chunk: InputBuffer.chunk,
            readingAhead: readsAhead ? .everything : .nothing
        )
    }

    /// - Parameter chunk: bytes that are read at a time.
    init(path: String, stop: StopFlag, chunk: Int, readingAhead: ReadingAhead = .nothing) throws(CaptureError) {
        if path == "-" {
            self.init(
                DescriptorSource(descriptor: STDIN_FILENO, name: "standard input", closes: false, stop: stop),
                stop,
                chunk: chunk,
                readingAhead: readingAhead
            )
            return
        }
        // Opening a FIFO waits for its writer, until a signal sets the stop flag.
        var descriptor: Int32
        repeat {
            descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        } while descriptor < 0 && errno == EINTR && !stop.isSet
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw CaptureError(.noSuchFile, "\(path): there is no such file")
            case EACCES, EPERM: throw CaptureError(.permission, "\(path): no permission to read it")
            default: throw CaptureError(.noSuchFile, "\(path) cannot be opened: \(errorText(errno))")
            }
        }
        self.init(
            DescriptorSource(descriptor: descriptor, name: path, closes: true, stop: stop),
            stop,
            chunk: chunk,
            readingAhead: readingAhead
        )
    }

    /// Reads from an open descriptor, which stays open afterwards.
    /// - Parameter name: what messages call it.
    public init(descriptor: Int32, name: String, stop: StopFlag = .process) {
        self.init(DescriptorSource(descriptor: descriptor, name: name, closes: false, stop: stop), stop)
    }

    private init(
        _ source: DescriptorSource,
        _ stop: StopFlag,
        chunk: Int = InputBuffer.chunk,
        readingAhead: ReadingAhead = .nothing
    ) {
        input = InputBuffer(source: source, name: source.name, chunk: chunk)
        self.stop = stop
        self.readingAhead = readingAhead
        size = source.size
        waits = source.waits
    }

    /// Hands the packets to `sink`, to the end of the input or until the sink or the stop flag ends it. Where the input
    /// makes one wait (a pipe), the sink hears of the time that passes. Called again, it goes on with the next packet.
    @inlinable public mutating func read<Sink: PacketSink>(
        into sink: inout Sink
    ) throws(CaptureError) -> ReadingEnd {
        while format == .unknown {
            switch try recognise() {
            case .more: continue
            case .idle: if !sink.timePassed(wallClock()) { return .sinkEnough }
            case .stopped: return .stopped
            case .end: return .endOfInput
            }
        }
        if format == .pcap { return try readPcap(into: &sink) }
        if format == .smartSniff { return try readSmartSniff(into: &sink) }
        return try readPcapng(into: &sink)
    }
}

extension CaptureFile {
    /// Takes the file header, once enough of it is there.
    @usableFromInline mutating func recognise() throws(CaptureError) -> InputBuffer.Refill {
        let bytes = input.unread
        let signature = FileSignature(bytes)
        switch signature {
        case .pcap(let swapped, let nanoseconds, let modified) where bytes.count >= 24:
            try takePcapHeader(bytes, swapped: swapped, nanoseconds: nanoseconds, modified: modified)
            readAheadIfLarge()
            return .more
        case .pcapng where bytes.count >= 12:
            format = .pcapng
            notes.format = "pcapng"
            readAheadIfLarge()
            return .more
        case .smartSniff where bytes.count >= SmartSniffFormat.beginning:
            takeSmartSniffHeader(bytes)
            return .more
        case .compressed(let compression):
            try decompress(compression)
            return .more
        default: break
        }
        if bytes.count >= FileSignature.length { throw notACapture(signature) }
        let refill = try input.more(needed: FileSignature.length)
        if refill == .end { throw bytes.count == 0 ? emptyFile() : notACapture(signature) }
        return refill
    }

    private mutating func decompress(_ compression: Compression) throws(CaptureError) {
        guard notes.compression == nil else {
            throw CaptureError(.notACapture, "\(input.name) is compressed twice; uncompress it once first")
        }
        notes.compression = compression.rawValue
        let beginning = input.takeUnread()
        let source = DecompressingSource(input.source, name: input.name, beginning: beginning)
        input.use(source)
        if readingAhead != .nothing, let ahead = ReadAheadSource(source, stop: stop) { input.use(ahead) }
    }

    private func readAheadIfLarge() {
        guard readingAhead == .everything, notes.compression == nil, let size, size >= CaptureFile.largeFile,
            let ahead = ReadAheadSource(input.source, stop: stop)
        else { return }
        input.use(ahead)
    }

    private func emptyFile() -> CaptureError {
        CaptureError(.notACapture, "\(input.name) is empty: no capture was written to it", byteOffset: 0)
    }

    private func notACapture(_ signature: FileSignature) -> CaptureError {
        let count = input.unread.count
        let message =
            switch signature {
            case .other(let what): "\(input.name) is \(what), not a pcap or pcapng capture"
            case .smartSniff: "\(input.name) is cut short within its file header"
            case .pcap, .pcapng:
                "\(input.name) is cut short within its file header: it has \(count) bytes, 24 are needed"
            case .unknown, .compressed:
                "\(input.name) is not a pcap or pcapng capture: it begins with \(hexadecimal(input.unread.prefix(8)))"
            }
        switch signature {
        case .pcap, .pcapng, .smartSniff: return CaptureError(.truncated, message, byteOffset: 0)
        default: return CaptureError(.notACapture, message, byteOffset: 0)
        }
    }

    /// Ends the reading at the end of the input: an error if a record was begun, or if there was damage before.
    /// - Parameter needed: bytes of the record that has begun, as far as that is known.
    @usableFromInline func finish(needed: Int) throws(CaptureError) -> ReadingEnd {
        let there = input.unread.count
        if there > 0 {
            throw CaptureError(
                .truncated,
                "\(input.name) is cut short: the record at byte offset \(input.offset) (packet \(number &+ 1)) needs at least "
                    + "\(needed) bytes, \(there) are there; everything before it was read",
                byteOffset: input.offset,
                packetNumber: number &+ 1
            )
        }
        if let postponed { throw postponed }
        return .endOfInput
    }

    /// An error for a record that begins `distance` bytes after the first unread one.
    @usableFromInline func corrupt(_ what: String, distance: Int = 0) -> CaptureError {
        let offset = input.offset &+ UInt64(distance)
        return CaptureError(
            .corrupt,
            "\(input.name) is damaged at byte offset \(offset) (packet \(number &+ 1)): \(what); "
                + "everything before it was read",
            byteOffset: offset,
            packetNumber: number &+ 1
        )
    }
}

/// Bytes as two hexadecimal digits each, with spaces between.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
}
