// Makes the inputs that the fuzzers begin with: FOLDER CAPTURE...
import FuzzChecks
import NetworkStack
import PacketCapture

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Takes a capture apart into inputs for each target.
private struct SeedMaker: PacketSink, SegmentSink, StreamSink {
    let folder: String
    let capture: String
    var decoder = PacketDecoder()
    var reassembler = StreamReassembler()
    var packets = 0
    var decoderSeed: [UInt8] = []
    var segmentSeed: [UInt8] = [0]
    var firstSequences: [Endpoint: UInt32] = [:]
    var sides: [Endpoint] = []
    var streams: [Int: [UInt8]] = [:]
    var seedCount = 0

    mutating func write(_ target: String, _ bytes: [UInt8]) {
        seedCount += 1
        guard let file = fopen("\(folder)/\(target)/\(capture)-\(seedCount)", "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        packets += 1
        if let link = fuzzedLinkTypes.firstIndex(of: packet.linkType), packets <= 60 {
            let array = bytes.withUnsafeBytes { Array($0.prefix(1600)) }
            let cut = UInt8(min(packet.originalLength - array.count, 255))
            decoderSeed += [UInt8(link), cut, 1, UInt8(array.count & 255), UInt8(array.count >> 8)] + array
            if decoderSeed.count > 1500 {
                write("decoder", decoderSeed)
                decoderSeed = []
            }
        }
        var copy = decoder
        copy.decode(packet, bytes: bytes, into: &self)
        decoder = copy
        return packets < 2000
    }

    mutating func timePassed(_ time: Int64) -> Bool { true }

    mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64) {
        guard segment.transport == .tcp else { return }
        if sides.isEmpty { sides = [segment.source, segment.destination] }
        if sides.contains(segment.source), sides.contains(segment.destination), segmentSeed.count < 1500 {
            let first = firstSequences[segment.source] ?? segment.sequence
            firstSequences[segment.source] = first
            let offset = UInt16(truncatingIfNeeded: segment.sequence &- first)
            let side: UInt8 = segment.source == sides[0] ? 0 : 0x80
            let length = min(segment.payloadLength, 1500)
            let isLong: UInt8 = length > 255 ? 0x20 : 0
            segmentSeed += [side | isLong | segment.flags & 0x1F, 2 | (length > 0 ? 8 : 0), 1]
            segmentSeed += [UInt8(offset & 255), UInt8(offset >> 8)]
            if length > 0 { segmentSeed.append(UInt8(isLong == 0 ? length : length / 6)) }
        }
        var copy = reassembler
        reassembler = StreamReassembler()
        copy.segment(segment, payload: payload, mark: PacketMark(packet: packet, time: time), into: &self)
        reassembler = copy
    }

    mutating func conversationOpened(_ slot: Int, _ conversation: borrowing Conversation) {}
    mutating func streamSynchronized(_ stream: StreamID, clientSide: Int?) {}
    mutating func streamBytes(_ stream: StreamID, _ bytes: RawSpan, offset: Int64, mark: PacketMark) {
        guard streams[stream.index, default: []].count < 3000 else { return }
        streams[stream.index, default: []] += bytes.withUnsafeBytes { Array($0.prefix(1500)) }
    }
    mutating func streamGap(_ stream: StreamID, offset: Int64, length: Int64, reason: GapReason, mark: PacketMark) {}
    mutating func lateSegment(_ stream: StreamID, offset: Int64, length: Int64, reason: String, mark: PacketMark) {}
    mutating func streamEnded(_ stream: StreamID, mark: PacketMark) {}
    mutating func conversationClosed(_ slot: Int, _ conversation: borrowing Conversation) {}

    mutating func finish() {
        if !decoderSeed.isEmpty { write("decoder", decoderSeed) }
        if segmentSeed.count > 1 { write("reassembler", segmentSeed) }
        // Only what may be of the framework is of use to the framer.
        for (_, bytes) in streams.sorted(by: { $0.key < $1.key }).prefix(4) where [0xFF, 0x0F].contains(bytes.first) {
            write("framer", [1, 12, 0, 5, 0] + bytes)
            write("framer", [0, 12, 0, 77, 1, 100, 0, 20, 0] + bytes)
            writeMessages(bytes)
        }
    }

    /// The messages of a stream, one by one.
    private mutating func writeMessages(_ bytes: [UInt8]) {
        let slot = bytes[0] == 0x0F ? 14 : 12
        let header = 12 + 2 * slot
        var start = 0
        while start + header <= bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[start + 8 + $1]) << (8 * $1) }
            guard length <= bytes.count - start - header else { return }
            let body = bytes[start + header..<start + header + length]
            let token: UInt8 = bytes[0] == 0x0F ? 2 : 1
            write("bodies", [bytes[start + 2], bytes[start + 3], token, 0] + body)
            let place: UInt8 = token | (slot == 14 ? 4 : 0)
            write("formats", [0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 0, place] + bytes[start..<start + header] + body)
            start += header + length
        }
    }
}

@main enum Seeds {
    static func main() {
        let arguments = CommandLine.arguments
        for path in arguments.dropFirst(2) {
            let name = path.split(separator: "/").suffix(2).joined(separator: "-")
            var maker = SeedMaker(folder: arguments[1], capture: name)
            var room = [UInt8](repeating: 0, count: 16_384)
            if let file = fopen(path, "r") {
                let count = fread(&room, 1, room.count, file)
                fclose(file)
                maker.write("reader", Array(room.prefix(count)))
            }
            do throws(CaptureError) {
                var capture = try CaptureFile(path: path)
                _ = try capture.read(into: &maker)
            } catch {}
            maker.finish()
        }
    }
}
