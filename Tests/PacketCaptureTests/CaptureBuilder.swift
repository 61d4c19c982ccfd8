import TestSupport
import PacketCapture

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Builds capture files in memory, in either byte order.
struct CaptureBuilder {
    var bytes: [UInt8] = []
    var bigEndian = false

    mutating func number<Value: FixedWidthInteger>(_ value: Value) {
        bytes += withUnsafeBytes(of: bigEndian ? value.bigEndian : value.littleEndian) { Array($0) }
    }

    mutating func pcapHeader(
        magic: UInt32 = 0xA1B2_C3D4,
        linkType: UInt32 = 1,
        minor: UInt16 = 4,
        snapLength: UInt32 = 65_535
    ) {
        number(magic)
        number(UInt16(2))
        number(minor)
        number(UInt64(0))
        number(snapLength)
        number(linkType)
    }

    mutating func pcapRecord(
        seconds: UInt32,
        fraction: UInt32,
        captured: UInt32? = nil,
        original: UInt32? = nil,
        extra: Int = 0,
        _ data: [UInt8]
    ) {
        number(seconds)
        number(fraction)
        number(captured ?? UInt32(data.count))
        number(original ?? UInt32(data.count))
        bytes += [UInt8](repeating: 0xEE, count: extra)
        bytes += data
    }

    mutating func block(_ type: UInt32, trailer: UInt32? = nil, _ build: (inout CaptureBuilder) -> Void) {
        var body = CaptureBuilder(bigEndian: bigEndian)
        build(&body)
        while body.bytes.count % 4 != 0 { body.bytes.append(0) }
        number(type)
        number(UInt32(body.bytes.count + 12))
        bytes += body.bytes
        number(trailer ?? UInt32(body.bytes.count + 12))
    }

    mutating func option(_ code: UInt16, _ value: [UInt8]) {
        number(code)
        number(UInt16(value.count))
        bytes += value
        while bytes.count % 4 != 0 { bytes.append(0) }
    }

    mutating func section(comment: String? = nil, major: UInt16 = 1) {
        block(0x0A0D_0D0A) {
            $0.number(UInt32(0x1A2B_3C4D))
            $0.number(major)
            $0.number(UInt16(0))
            $0.number(UInt64.max)
            if let comment { $0.option(1, Array(comment.utf8)) }
        }
    }

    mutating func interface(
        _ linkType: UInt16,
        snapLength: UInt32 = 0,
        resolution: UInt8? = nil,
        offset: Int64? = nil,
        name: String? = nil,
        comment: String? = nil
    ) {
        let bigEndian = bigEndian
        block(1) {
            $0.number(linkType)
            $0.number(UInt16(0))
            $0.number(snapLength)
            if let comment { $0.option(1, Array(comment.utf8)) }
            if let name { $0.option(2, Array(name.utf8)) }
            if let resolution { $0.option(9, [resolution]) }
            if let offset {
                var value = CaptureBuilder(bigEndian: bigEndian)
                value.number(offset)
                $0.option(14, value.bytes)
            }
        }
    }

    mutating func enhanced(
        interface: UInt32 = 0,
        ticks: UInt64,
        captured: UInt32? = nil,
        original: UInt32? = nil,
        comment: String? = nil,
        trailer: UInt32? = nil,
        _ data: [UInt8]
    ) {
        block(6, trailer: trailer) {
            $0.number(interface)
            $0.number(UInt32(ticks >> 32))
            $0.number(UInt32(truncatingIfNeeded: ticks))
            $0.number(captured ?? UInt32(data.count))
            $0.number(original ?? UInt32(data.count))
            $0.bytes += data
            while $0.bytes.count % 4 != 0 { $0.bytes.append(0) }
            if let comment { $0.option(1, Array(comment.utf8)) }
        }
    }
}

/// Keeps what it is handed.
struct Recorder: PacketSink {
    struct Entry: Equatable {
        var number: UInt64
        var time: Int64
        var linkType: UInt16
        var original: Int
        var bytes: [UInt8]
    }
    var entries: [Entry] = []
    var idle = 0
    var limit = Int.max

    mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        let copy = bytes.withUnsafeBytes { Array($0) }
        entries.append(
            Entry(
                number: packet.number,
                time: packet.time,
                linkType: packet.linkType,
                original: packet.originalLength,
                bytes: copy
            )
        )
        return entries.count < limit
    }

    mutating func timePassed(_ time: Int64) -> Bool {
        idle += 1
        return true
    }
}

/// A file that is gone again when the test is over.
final class TemporaryFile {
    let path: String
    let descriptor: Int32

    init(_ bytes: [UInt8] = [], suffix: String = "") {
        var template = temporaryTemplate(suffix: suffix)
        descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        replace(bytes)
    }

    func replace(_ bytes: [UInt8]) {
        ftruncate(descriptor, 0)
        var offset = 0
        while offset < bytes.count {
            offset += bytes[offset...].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        }
    }

    func contents() -> [UInt8] {
        let reader = open(path, O_RDONLY)
        defer { close(reader) }
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(reader, &chunk, chunk.count)
            if count <= 0 { return all }
            all += chunk.prefix(count)
        }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }
}

/// What reading these bytes as a file gives.
func readCapture(_ bytes: [UInt8], in file: TemporaryFile = TemporaryFile()) -> (Recorder, CaptureError?, CaptureNotes?)
{
    file.replace(bytes)
    var recorder = Recorder()
    do throws(CaptureError) {
        var capture = try CaptureFile(path: file.path, stop: StopFlag())
        do throws(CaptureError) {
            _ = try capture.read(into: &recorder)
            return (recorder, nil, capture.notes)
        } catch {
            return (recorder, error, capture.notes)
        }
    } catch {
        return (recorder, error, nil)
    }
}
