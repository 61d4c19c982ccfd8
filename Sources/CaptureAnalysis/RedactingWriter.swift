import NetworkStack
import PacketCapture

/// Makes packets anew from the segments and datagrams of a capture: what they are about stays (time, ports, sequence numbers,
/// flags, lengths), addresses are replaced, and of the payload only redacted messages are there. Everything else is blank.
///
/// The headers are written, not copied, so that nothing of the old ones can be left: no options, no hardware addresses, no
/// outer headers of tunnels. Packets without TCP or UDP are left out.
package struct RedactingWriter: PacketSink {
    private var decoder = PacketDecoder()
    private var segments: SegmentWriter

    /// - Parameter write: Takes an Ethernet packet; false ends the reading.
    package init(
        _ messages: RedactedMessages,
        options: AnalysisOptions,
        limits: ReassemblyLimits,
        write: @escaping (Packet, RawSpan) -> Bool
    ) {
        segments = SegmentWriter(
            messages: messages,
            stage: AnalysisStage(
                reassembler: StreamReassembler(limits: limits),
                framing: FramingStage(output: nil, options: options),
                datagrams: DatagramStage(options: options, limits: limits)
            ),
            write: write
        )
    }

    /// Packets that were read and those that were written.
    package private(set) var packetsRead: UInt64 = 0
    package var packetsWritten: UInt64 { segments.written }

    package mutating func packet(_ packet: Packet, bytes: RawSpan) -> Bool {
        packetsRead &+= 1
        decoder.decode(packet, bytes: bytes, into: &segments)
        return segments.goesOn
    }

    package mutating func timePassed(_ time: Int64) -> Bool { segments.goesOn }
}

/// Writes each segment as a packet of its own.
private struct SegmentWriter: SegmentSink {
    let messages: RedactedMessages
    /// Follows the streams as the first reading did, to know where in its stream each segment lies.
    var stage: AnalysisStage
    let write: (Packet, RawSpan) -> Bool
    var written: UInt64 = 0
    var goesOn = true

    mutating func segment(_ segment: TransportSegment, payload: RawSpan, packet: UInt64, time: Int64) {
        stage.segment(segment, payload: payload, packet: packet, time: time)
        guard goesOn else { return }
        let bytes =
            segment.transport == .tcp
            ? streamBytes(segment, payload.byteCount) : messages.bytes(packet: packet, payload: payload)
        let frame = self.frame(segment, bytes)
        written += 1
        let length = frame.count - bytes.count + max(segment.payloadLength, bytes.count)
        let packet = Packet(number: written, time: time, linkType: 1, originalLength: length)
        goesOn = write(packet, frame.span.bytes)
    }

    private func streamBytes(_ segment: TransportSegment, _ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        let blank = [UInt8](repeating: Redactor.blank, count: count)
        guard let slot = stage.reassembler.table.find(segment.source, segment.destination) else { return blank }
        let state = stage.reassembler.table.streams[slot * 2 + stage.reassembler.sideOfSource(slot, segment)]
        guard state.hasBase else { return blank }
        let first = segment.flags & 2 != 0 ? segment.sequence &+ 1 : segment.sequence
        return messages.bytes(
            conversation: stage.reassembler.number(slot),
            source: segment.source.description,
            offset: state.offset(of: first),
            count: count
        )
    }

    // MARK: - Headers

    private func frame(_ segment: TransportSegment, _ payload: [UInt8]) -> [UInt8] {
        let isIPv4 = segment.source.isIPv4 && segment.destination.isIPv4
        let source = address(segment.source, isIPv4)
        let destination = address(segment.destination, isIPv4)
        var transport = big16(segment.source.port) + big16(segment.destination.port)
        let whole = max(segment.payloadLength, payload.count)
        if segment.transport == .tcp {
            transport += big32(segment.sequence) + big32(segment.acknowledgement)
            transport += [0x50, segment.flags] + big16(segment.window) + [0, 0, 0, 0]
        } else {
            transport += big16(UInt16(clamping: 8 + whole)) + [0, 0]
        }
        let length = transport.count + whole
        let number: UInt8 = segment.transport == .tcp ? 6 : 17
        transport += payload
        // Of a packet that was cut nothing can be summed up.
        if whole == payload.count {
            var pseudo = source + destination + [0, number] + big32(UInt32(clamping: length))
            if pseudo.count % 2 == 1 { pseudo.append(0) }
            let place = number == 6 ? 16 : 6
            var sum = InternetChecksum.checksum(pseudo + transport)
            if number == 17, sum == 0 { sum = 0xFFFF }
            transport.replaceSubrange(place..<place + 2, with: big16(sum))
        }
        // The addresses of the cards say no more than those of the network.
        let ethernet = [2, 0] + destination.suffix(4) + [2, 0] + source.suffix(4) + (isIPv4 ? [8, 0] : [0x86, 0xDD])
        if !isIPv4 {
            // 0 stands for more than the field holds, as cards write it that cut large segments themselves.
            let room = length > 0xFFFF ? 0 : UInt16(length)
            return ethernet + [0x60, 0, 0, 0] + big16(room) + [number, 64] + source + destination + transport
        }
        let room = length + 20 > 0xFFFF ? 0 : UInt16(length + 20)
        var header: [UInt8] = [0x45, 0] + big16(room) + [0, 0, 0x40, 0, 64, number, 0, 0] + source + destination
        header.replaceSubrange(10..<12, with: big16(InternetChecksum.checksum(header)))
        return ethernet + header + transport
    }

    private func address(_ endpoint: Endpoint, _ isIPv4: Bool) -> [UInt8] {
        let bytes = (0..<16).map { index in
            UInt8(truncatingIfNeeded: (index < 8 ? endpoint.high : endpoint.low) >> UInt64(56 - 8 * (index % 8)))
        }
        return isIPv4
            ? messages.replacement(ofIPv4: Array(bytes.suffix(4))) : messages.replacement(ofIPv6: bytes)
    }

    private func big16(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
    private func big32(_ value: UInt32) -> [UInt8] { big16(UInt16(value >> 16)) + big16(UInt16(value & 0xFFFF)) }
}
