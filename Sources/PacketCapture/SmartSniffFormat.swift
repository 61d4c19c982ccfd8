/// NirSoft SmartSniff's packet file (.ssp), little-endian.
///
/// File: `SMSNF200`, 2 bytes with the length of what follows of the file's header (4: the local address). Then for each
/// packet: 2 bytes with the length of what follows of the packet's header (24), captured length (4), Windows FILETIME (8),
/// source and destination MAC (6 each), and the packet from its IP header on. A header that is longer is passed over; of a
/// packet's header at least the length and the time must be there.
struct SmartSniffFormat {
    /// Bytes of the file that say how long its header is.
    static let beginning = 10
    static let shortestHeader = 12
    static let longestPacket = 262_144
    /// Raw IP.
    static let linkType: UInt16 = 101
    /// From 1601 to 1970, in units of 100 ns.
    private static let epoch: UInt64 = 116_444_736_000_000_000

    /// Bytes of the file's header that are still to be passed over.
    var toSkip = 0

    /// - Returns: nanoseconds since 1970; `exact` is false where they do not fit and are the nearest that do.
    static func nanoseconds(fileTime: UInt64) -> (time: Int64, exact: Bool) {
        let isBefore = fileTime < epoch
        let ticks = isBefore ? epoch - fileTime : fileTime - epoch
        guard ticks <= UInt64(Int64.max / 100) else { return (isBefore ? .min : .max, false) }
        return (isBefore ? -Int64(ticks) * 100 : Int64(ticks) * 100, true)
    }
}

extension CaptureFile {
    mutating func takeSmartSniffHeader(_ header: UnsafeRawBufferPointer) {
        smartSniff.toSkip = Int(UInt16(littleEndian: header.loadUnaligned(fromByteOffset: 8, as: UInt16.self)))
        input.start += SmartSniffFormat.beginning
        format = .smartSniff
        notes.format = "SmartSniff"
        notes.interfaces = [
            .init(linkType: SmartSniffFormat.linkType, snapLength: UInt32(SmartSniffFormat.longestPacket))
        ]
    }

    @usableFromInline mutating func readSmartSniff<Sink: PacketSink>(
        into sink: inout Sink
    ) throws(CaptureError) -> ReadingEnd {
        while true {
            let skipped = min(smartSniff.toSkip, input.end - input.start)
            input.start += skipped
            smartSniff.toSkip -= skipped
            var needed = 2 + SmartSniffFormat.shortestHeader
            while smartSniff.toSkip == 0, input.end - input.start >= 2 + SmartSniffFormat.shortestHeader {
                let record = input.unread
                let headerLength = Int(UInt16(littleEndian: record.loadUnaligned(as: UInt16.self)))
                guard headerLength >= SmartSniffFormat.shortestHeader else {
                    throw corrupt(
                        "a packet header of \(headerLength) bytes, where \(SmartSniffFormat.shortestHeader) is the least"
                    )
                }
                let captured = UInt32(littleEndian: record.loadUnaligned(fromByteOffset: 2, as: UInt32.self))
                guard captured <= SmartSniffFormat.longestPacket else {
                    throw corrupt(
                        "a packet of \(captured) bytes, where at most \(SmartSniffFormat.longestPacket) can be"
                    )
                }
                needed = 2 + headerLength + Int(captured)
                if record.count < needed { break }
                let (time, exact) = SmartSniffFormat.nanoseconds(
                    fileTime: UInt64(littleEndian: record.loadUnaligned(fromByteOffset: 6, as: UInt64.self))
                )
                if !exact { notes.noteClampedTime() }
                number &+= 1
                let bytes = UnsafeRawBufferPointer(rebasing: record[2 + headerLength..<needed])
                let packet = Packet(
                    number: number,
                    time: time,
                    linkType: SmartSniffFormat.linkType,
                    originalLength: Int(captured)
                )
                let goesOn = sink.packet(packet, bytes: bytes.bytes)
                input.start += needed
                needed = 2 + SmartSniffFormat.shortestHeader
                if !goesOn { return .sinkEnough }
            }
            sink.willWait()
            switch try input.more(needed: needed) {
            case .more: continue
            case .idle: if !sink.timePassed(wallClock()) { return .sinkEnough }
            case .stopped: return .stopped
            case .end:
                if smartSniff.toSkip > 0 {
                    throw CaptureError(
                        .truncated,
                        "\(input.name) is cut short within its file header",
                        byteOffset: input.offset
                    )
                }
                return try finish(needed: needed)
            }
        }
    }
}
