import PacketCapture

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

private struct Recorded: Equatable {
    var number: UInt64
    var time: Int64
    var linkType: UInt16
    var original: Int
    var bytes: [UInt8]
}

private struct Recorder: PacketSink {
    var packets: [Recorded] = []
    /// Ends the reading after every packet.
    var isShort = false
    /// All bytes together; what a small file unpacks to may be much.
    var total = 0

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        total += bytes.byteCount
        packets.append(
            Recorded(
                number: packet.number,
                time: packet.time,
                linkType: packet.linkType,
                original: packet.originalLength,
                bytes: total > 8 << 20 ? [] : bytes.array
            )
        )
        return !isShort && packets.count < 10_000
    }

    mutating func timePassed(_ time: Int64) -> Bool { false }
}

/// The file that the inputs are written to; it has no name.
private let descriptor: Int32 = tmpfile().map { fileno($0) } ?? -1

/// A capture file: the input is the file. Read in one go, packet by packet, and from a socket that gives it in pieces: the same
/// packets and the same error.
@Sendable func checkReader(_ bytes: [UInt8]) throws(Finding) {
    ftruncate(descriptor, 0)
    var written = 0
    while written < bytes.count {
        let count = bytes[written...].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(written)) }
        try require(count > 0, "the input cannot be written")
        written += count
    }
    let whole = try read(descriptor, isShort: false)
    for (index, packet) in whole.packets.enumerated() {
        try require(packet.number == UInt64(index + 1), "packet \(index + 1) has the number \(packet.number)")
        try require(packet.original >= packet.bytes.count, "packet \(index + 1) is longer than its original")
        try require(packet.bytes.count <= 16 << 20, "packet \(index + 1) has \(packet.bytes.count) bytes")
    }
    // Enough of them to tell.
    guard whole.packets.count < 1000 else { return }
    let single = try read(descriptor, isShort: true)
    try require(single.packets == whole.packets, "read packet by packet the packets are others")
    try require(single.error == whole.error, "read packet by packet: \(single.error), not \(whole.error)")
    #if os(Linux)
        for size in [1, 13, 64] where bytes.count / size < 64 {
            var ends: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else { return }
            defer { close(ends[0]) }
            for start in stride(from: 0, to: bytes.count, by: size) {
                _ = bytes[start..<min(start + size, bytes.count)].withUnsafeBytes {
                    send(ends[1], $0.baseAddress, $0.count, 0)
                }
            }
            close(ends[1])
            let pieces = try read(ends[0], isShort: false)
            try require(pieces.packets == whole.packets, "read in pieces of \(size) the packets are others")
            try require(pieces.error == whole.error, "read in pieces of \(size): \(pieces.error), not \(whole.error)")
        }
    #endif
}

private func read(_ descriptor: Int32, isShort: Bool) throws(Finding) -> (packets: [Recorded], error: String) {
    lseek(descriptor, 0, SEEK_SET)
    var recorder = Recorder(isShort: isShort)
    var file = CaptureFile(descriptor: descriptor, name: "input", stop: StopFlag())
    do throws(CaptureError) {
        while try file.read(into: &recorder) == .sinkEnough {
            if recorder.packets.count >= 10_000 { break }
        }
    } catch {
        // How far a library unpacks before it meets damage depends on how much it is given at once, and with it which
        // error comes first.
        return (recorder.packets, file.notes.compression == nil ? error.message : "damage in compressed data")
    }
    return (recorder.packets, "")
}
