#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The last packets of a capture: those of so much time, in at most so many bytes.
///
/// They are collected in pieces of a megabyte; what is full goes to a file without a name in the folder of the capture file,
/// which is written round and round and is gone with the program. So a week costs no more memory than a minute.
public final class PacketRing {
    /// What is kept.
    public struct Limits: Equatable, Sendable {
        /// Nanoseconds up to the time of the last packet.
        public var time: Int64
        /// Bytes that the packets may take, with 48 for each of them.
        public var bytes: UInt64

        public init(time: Int64, bytes: UInt64) {
            self.time = time
            self.bytes = bytes
        }
    }

    /// The least that ``Limits/bytes`` can be: a packet of any length must fit.
    public static let minimumBytes: UInt64 = 1 << 20

    /// Packets in a row that were written to the file.
    private struct Piece {
        /// Where they begin, had nothing ever been overwritten.
        var start: UInt64
        var count: Int
        /// The latest time of a packet in it.
        var latest: Int64
        var packets: UInt64
    }

    private let limits: Limits
    private let file: TemporaryFile
    private var pieces: [Piece] = []
    /// What comes before `pieces[firstPiece]` is forgotten.
    private var firstPiece = 0
    /// The piece that is being filled.
    private var open: [UInt8] = []
    private var openLatest = Int64.min
    private var openPackets: UInt64 = 0
    private var end: UInt64 = 0
    private let pieceSize: Int
    /// Interfaces of packets, each once.
    private var interfaces: [CaptureNotes.Interface?] = []
    /// Whoever told of the last packet knows the comments on the file too.
    private var details: (any PacketDetails)?
    /// The time of the last packet.
    private var now = Int64.min
    /// Packets that were forgotten for the size before their time had passed.
    public private(set) var forgottenForSize: UInt64 = 0

    /// - Parameters:
    ///   - path: of the file that the packets will be written to; the ring takes space beside it.
    ///   - folder: that folder, if it was opened before.
    public init(_ limits: Limits, beside path: String, folder: OutputFolder?) throws(CaptureError) {
        self.limits = Limits(time: max(limits.time, 0), bytes: max(limits.bytes, Self.minimumBytes))
        pieceSize = Int(min(1 << 20, self.limits.bytes / 8))
        file = try TemporaryFile(beside: path, folder: folder)
        open.reserveCapacity(pieceSize)
    }

    // MARK: - Taking packets

    public func append(_ packet: Packet, bytes: RawSpan, details: (any PacketDetails)?) throws(CaptureError) {
        let comments = details?.comments(of: packet) ?? []
        let record = PacketRecord(packet, captured: bytes.byteCount, comments, interface: index(of: packet, details))
        guard UInt64(record.length) <= limits.bytes else {
            forgottenForSize += 1
            return
        }
        if !open.isEmpty, open.count + record.length > pieceSize { try closePiece() }
        record.append(to: &open, bytes, comments)
        self.details = details
        now = packet.time
        openLatest = max(openLatest, packet.time)
        openPackets += 1
        forgetOld()
    }

    private func index(of packet: Packet, _ details: (any PacketDetails)?) -> UInt32 {
        guard let interface = details?.interface(of: packet) else { return .max }
        if let index = interfaces.lastIndex(of: interface) { return UInt32(index) }
        // A file that declares them without end has no more than this remembered.
        guard interfaces.count < 1024 else { return .max }
        interfaces.append(interface)
        return UInt32(interfaces.count - 1)
    }

    private func closePiece() throws(CaptureError) {
        while let first = first, end + UInt64(open.count) - first.start > limits.bytes {
            if !isOld(first.latest) { forgottenForSize += first.packets }
            forgetFirst()
        }
        var full: [UInt8] = []
        swap(&full, &open)
        try full.span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in
            try file.write(bytes, at: end, of: limits.bytes)
        }
        pieces.append(Piece(start: end, count: full.count, latest: openLatest, packets: openPackets))
        end += UInt64(full.count)
        full.removeAll(keepingCapacity: full.capacity <= 4 * pieceSize)
        swap(&full, &open)
        openLatest = .min
        openPackets = 0
    }

    private var first: Piece? { firstPiece < pieces.count ? pieces[firstPiece] : nil }

    private func forgetFirst() {
        firstPiece += 1
        // The room of those that are gone is taken back now and then.
        if firstPiece > 64, firstPiece > pieces.count / 2 {
            pieces.removeSubrange(..<firstPiece)
            firstPiece = 0
        }
    }

    private func isOld(_ time: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(time)
        return overflow ? now > time : age > limits.time
    }

    private func forgetOld() {
        while let first, isOld(first.latest) { forgetFirst() }
    }

    // MARK: - Giving them back

    /// What was written by ``write(to:)``.
    public struct Summary: Equatable, Sendable {
        public var packets: UInt64 = 0
        /// Times of the first and the last packet.
        public var first: Int64?
        public var last: Int64?
    }

    /// Writes the packets that are kept, in the order in which they came.
    public func write(to writer: RotatingWriter) throws(CaptureError) -> Summary {
        var summary = Summary()
        for piece in pieces[firstPiece...] {
            try write(file.read(piece.count, at: piece.start, of: limits.bytes), to: writer, &summary)
        }
        try write(open, to: writer, &summary)
        return summary
    }

    private func write(_ piece: [UInt8], to writer: RotatingWriter, _ summary: inout Summary) throws(CaptureError) {
        var position = 0
        while let record = PacketRecord(piece, at: position) {
            let start = position + PacketRecord.headerLength
            position += record.length
            let packet = record.packet
            if isOld(packet.time) { continue }
            let comments = String(decoding: piece[start + record.captured..<position], as: UTF8.self)
            let details = RingDetails(
                comments: comments.isEmpty ? [] : comments.split(separator: "\0").map(String.init),
                interface: Int(record.interface) < interfaces.count ? interfaces[Int(record.interface)] : nil,
                sectionComments: self.details?.sectionComments ?? []
            )
            try writer.write(
                packet,
                bytes: piece.span.bytes.extracting(start..<start + record.captured),
                details: details
            )
            summary.packets += 1
            summary.first = summary.first ?? packet.time
            summary.last = packet.time
        }
    }
}

/// What the ring knows of a packet beside it.
private final class RingDetails: PacketDetails {
    private let comments: [String]
    private let interface: CaptureNotes.Interface?
    let sectionComments: [String]

    init(comments: [String], interface: CaptureNotes.Interface?, sectionComments: [String]) {
        self.comments = comments
        self.interface = interface
        self.sectionComments = sectionComments
    }

    func comments(of packet: Packet) -> [String] { comments }
    func interface(of packet: Packet) -> CaptureNotes.Interface? { interface }
}

/// A packet as it stands in the ring: these numbers in this machine's byte order, its bytes, its comments.
private struct PacketRecord {
    static let headerLength = 48

    let packet: Packet
    let captured: Int
    let commentLength: Int
    let interface: UInt32

    var length: Int { Self.headerLength + captured + commentLength }

    init(_ packet: Packet, captured: Int, _ comments: [String], interface: UInt32) {
        self.packet = packet
        self.captured = captured
        commentLength = comments.reduce(max(comments.count - 1, 0)) { $0 + $1.utf8.count }
        self.interface = interface
    }

    init?(_ bytes: [UInt8], at position: Int) {
        guard position + Self.headerLength <= bytes.count else { return nil }
        func number<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position + offset, as: type) }
        }
        packet = Packet(
            number: number(0, as: UInt64.self),
            time: number(8, as: Int64.self),
            linkType: number(44, as: UInt16.self),
            originalLength: number(16, as: Int.self)
        )
        captured = number(24, as: Int.self)
        commentLength = number(32, as: Int.self)
        interface = number(40, as: UInt32.self)
        guard captured >= 0, commentLength >= 0, captured <= bytes.count - position - Self.headerLength,
            commentLength <= bytes.count - position - Self.headerLength - captured
        else { return nil }
    }

    func append(to piece: inout [UInt8], _ bytes: RawSpan, _ comments: [String]) {
        func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
            withUnsafeBytes(of: value) { piece.append(contentsOf: $0) }
        }
        put(packet.number)
        put(packet.time)
        put(packet.originalLength)
        put(captured)
        put(commentLength)
        put(interface)
        put(packet.linkType)
        put(0 as UInt16)
        bytes.withUnsafeBytes { piece.append(contentsOf: $0) }
        for (index, comment) in comments.enumerated() {
            if index > 0 { piece.append(0) }
            piece.append(contentsOf: comment.utf8)
        }
    }
}
