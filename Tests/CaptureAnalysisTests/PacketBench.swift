import CaptureAnalysis
import ESProtocol
import MessageFormat
import NetworkStack
import PacketCapture

/// Collects what an analysis says.
final class RecordingOutput: AnalysisOutput {
    struct Message {
        var report: MessageReport
        var bytes: [UInt8]
    }

    var messages: [Message] = []
    var events: [EventReport] = []
    /// Messages and events in the order in which they came: the kind, stream offset and length.
    var lines: [String] = []
    var isOpen: Bool { true }

    func message(_ report: MessageReport, bytes: RawSpan) {
        messages.append(Message(report: report, bytes: bytes.withUnsafeBytes { Array($0) }))
        lines.append("\(report.status.rawValue) \(report.streamOffset) \(report.length)")
    }

    func event(_ report: EventReport) {
        events.append(report)
        if let offset = report.streamOffset, let length = report.length {
            lines.append("\(report.kind.rawValue) \(offset) \(length)")
        }
    }

    func events(_ kind: EventReport.Kind) -> [EventReport] { events.filter { $0.kind == kind } }
}

/// Makes packets of two hosts (Ethernet, IPv4, TCP) and hands them to an analyzer.
struct PacketBench {
    var analyzer: CaptureAnalyzer
    let output = RecordingOutput()
    var client: (address: UInt32, port: UInt16) = (0x0A00_0001, 50000)
    var server: (address: UInt32, port: UInt16) = (0x0A00_0002, 4530)
    var base: [UInt32] = [1001, 0xFFFF_FFF0]
    var position: [Int] = [0, 0]
    var time: Int64 = 1_700_000_000_000_000_000
    var number: UInt64 = 0
    /// What the analyzer said of the last packet.
    var goesOn = true

    init(options: AnalysisOptions = AnalysisOptions(), limits: ReassemblyLimits = ReassemblyLimits()) {
        analyzer = CaptureAnalyzer(output: output, options: options, limits: limits)
    }

    static func frame(
        from source: (address: UInt32, port: UInt16),
        to destination: (address: UInt32, port: UInt16),
        sequence: UInt32,
        acknowledgement: UInt32,
        flags: UInt8,
        payload: [UInt8]
    ) -> [UInt8] {
        func big<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        var bytes: [UInt8] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]
        bytes += [0x45, 0] + big(UInt16(40 + payload.count)) + [0, 0, 0x40, 0, 64, 6, 0, 0]
        bytes += big(source.address) + big(destination.address)
        bytes += big(source.port) + big(destination.port) + big(sequence) + big(acknowledgement)
        bytes += [0x50, flags] + big(UInt16(65535)) + [0, 0, 0, 0]
        return bytes + payload
    }

    mutating func raw(_ bytes: [UInt8], originalLength: Int? = nil, linkType: UInt16 = 1) {
        number += 1
        let packet = Packet(
            number: number,
            time: time,
            linkType: linkType,
            originalLength: originalLength ?? bytes.count
        )
        goesOn = analyzer.packet(packet, bytes: bytes.span.bytes)
        time &+= 1_000_000
    }

    /// - Parameter side: who sends; 0 is the client.
    mutating func segment(_ side: Int, at offset: Int, _ payload: [UInt8] = [], flags: UInt8 = 0x10) {
        raw(
            PacketBench.frame(
                from: side == 0 ? client : server,
                to: side == 0 ? server : client,
                sequence: base[side] &+ UInt32(truncatingIfNeeded: offset),
                acknowledgement: base[1 - side] &+ UInt32(position[1 - side]),
                flags: flags,
                payload: payload
            )
        )
    }

    mutating func handshake() {
        position = [0, 0]
        segment(0, at: -1, flags: 0x02)
        segment(1, at: -1, flags: 0x12)
        segment(0, at: 0)
    }

    /// Sends bytes behind those that were sent, in segments of 1000 bytes.
    mutating func send(_ side: Int, _ payload: [UInt8]) {
        var rest = payload[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(1000))
            segment(side, at: position[side], part)
            position[side] += part.count
            rest = rest.dropFirst(part.count)
        }
    }

    /// Sends bytes of which a range was never captured.
    mutating func send(_ side: Int, _ payload: [UInt8], without hole: Range<Int>) {
        let start = position[side]
        send(side, Array(payload[..<hole.lowerBound]))
        position[side] = start + hole.upperBound
        send(side, Array(payload[hole.upperBound...]))
    }

    mutating func fin() {
        for side in 0...1 { segment(side, at: position[side], flags: 0x11) }
    }

    mutating func finish() -> RecordingOutput {
        analyzer.finish()
        return output
    }
}

/// Bytes of a message; the default is layout 6.5.
func message(
    type: UInt16 = 112,
    id: Int32 = 1,
    from user: String = "aa01",
    to destination: String = "_0",
    body: Int = 0,
    declares: Int? = nil,
    token: [UInt8] = [0xFF, 0],
    slot: Int = 12,
    fill: UInt8 = 0x61
) -> [UInt8] {
    func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    func slotBytes(_ id: String) -> [UInt8] {
        let text = Array(id.utf8)
        return [UInt8(text.count)] + text + [UInt8](repeating: 0, count: slot - 1 - text.count)
    }
    return token + little(type) + little(id) + little(Int32(declares ?? body)) + slotBytes(user)
        + slotBytes(destination) + [UInt8](repeating: fill, count: body)
}
