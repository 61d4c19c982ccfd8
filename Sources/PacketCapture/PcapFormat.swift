/// How a pcap file writes its records, as its file header (24 bytes) says.
@usableFromInline struct PcapFormat {
    /// The numbers are in the other byte order than this machine's.
    @usableFromInline var swapped = false
    /// Nanoseconds in one unit of the fraction of a time stamp: 1 or 1000.
    @usableFromInline var fraction: Int64 = 1000
    /// Bytes of a record's header: 16, or 24 in the "modified" format (Alexey Kuznetsov's patch).
    @usableFromInline var headerLength = 16
    @usableFromInline var linkType: UInt16 = 0
    /// A longer packet than this is taken for damage.
    @usableFromInline var longest = 262_144
    @usableFromInline var lengths = LengthOrder.capturedFirst

    /// Before version 2.3 the original length came first; 2.3 was written in both ways.
    @usableFromInline enum LengthOrder {
        case capturedFirst, originalFirst, either
    }

    init() {}
}

extension CaptureFile {
    /// Offsets: version 4 and 6, snap length 16, link type 20 (its low 16 bits; above are the FCS length and flags).
    mutating func takePcapHeader(
        _ header: UnsafeRawBufferPointer,
        swapped: Bool,
        nanoseconds: Bool,
        modified: Bool
    ) throws(CaptureError) {
        func word(_ offset: Int) -> UInt32 {
            let value = header.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return swapped ? value.byteSwapped : value
        }
        func half(_ offset: Int) -> UInt16 {
            let value = header.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            return swapped ? value.byteSwapped : value
        }
        let (major, minor, snapLength) = (half(4), half(6), word(16))
        // Version 543.0 was written by one version of DG/UX' tcpdump; libpcap reads it so.
        guard major == 2 || major == 543 else {
            throw CaptureError(
                .notACapture,
                "\(input.name) is a pcap file of version \(major).\(minor); versions 2.x are read",
                byteOffset: 4
            )
        }
        pcap.swapped = swapped
        pcap.fraction = nanoseconds ? 1 : 1000
        pcap.headerLength = modified ? 24 : 16
        pcap.linkType = UInt16(truncatingIfNeeded: word(20))
        pcap.longest = min(max(Int(snapLength), 262_144), Self.longestPacket)
        pcap.lengths =
            major == 543 || minor < 3 ? .originalFirst : minor == 3 ? .either : .capturedFirst
        input.start += 24
        format = .pcap
        notes.format = "pcap"
        notes.hasNanoseconds = nanoseconds
        notes.interfaces = [.init(linkType: pcap.linkType, snapLength: snapLength)]
    }

    /// Record header: seconds, fraction, captured length, original length (4 bytes each), then the bytes.
    @inlinable mutating func readPcap<Sink: PacketSink>(
        into sink: inout Sink
    ) throws(CaptureError) -> ReadingEnd {
        let format = pcap
        let looksAhead = Sink.looksAhead
        while true {
            let base = UnsafeRawPointer(input.base)
            let end = input.end
            var cursor = input.start
            var needed = format.headerLength
            var enough = false
            // Where the first record stands that was not announced, and how many were that were not handed on.
            var announced = cursor
            var ahead = 0
            while end &- cursor >= format.headerLength {
                if looksAhead {
                    while ahead < LookAhead.packets,
                        let next = announce(base, at: announced, to: end, format, number &+ UInt64(ahead &+ 1), &sink)
                    {
                        announced = next
                        ahead &+= 1
                    }
                    ahead &-= 1
                }
                let record = base + cursor
                var seconds = record.loadUnaligned(as: UInt32.self)
                var fraction = record.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
                var captured = record.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
                var original = record.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
                if format.swapped {
                    seconds = seconds.byteSwapped
                    fraction = fraction.byteSwapped
                    captured = captured.byteSwapped
                    original = original.byteSwapped
                }
                if format.lengths != .capturedFirst, format.lengths == .originalFirst || captured > original {
                    swap(&captured, &original)
                }
                if captured > format.longest {
                    input.start = cursor
                    throw corrupt("a packet of \(captured) bytes, where at most \(format.longest) can be")
                }
                needed = format.headerLength &+ Int(captured)
                if end &- cursor < needed { break }
                number &+= 1
                // 32 bits of seconds end in 2106: this cannot exceed 64 bits.
                let time = Int64(seconds) &* 1_000_000_000 &+ Int64(fraction) &* format.fraction
                let bytes = UnsafeRawBufferPointer(start: record + format.headerLength, count: Int(captured))
                let goesOn = sink.packet(
                    Packet(
                        number: number,
                        time: time,
                        linkType: format.linkType,
                        originalLength: Int(max(captured, original))
                    ),
                    bytes: bytes.bytes
                )
                cursor &+= needed
                needed = format.headerLength
                if !goesOn {
                    enough = true
                    break
                }
            }
            input.start = cursor
            if enough { return .sinkEnough }
            sink.willWait()
            switch try input.more(needed: needed) {
            case .more: continue
            case .idle: if !sink.timePassed(wallClock()) { return .sinkEnough }
            case .stopped: return .stopped
            case .end: return try finish(needed: needed)
            }
        }
    }

    /// Announces a packet that is at hand.
    /// - Returns: where the next record begins; `nil` if the record is not at hand.
    @inlinable @inline(__always)
    func announce<Sink: PacketSink>(
        _ base: UnsafeRawPointer,
        at cursor: Int,
        to end: Int,
        _ format: PcapFormat,
        _ number: UInt64,
        _ sink: inout Sink
    ) -> Int? {
        guard end &- cursor >= format.headerLength else { return nil }
        let record = base + cursor
        // Old files may have the lengths the other way round. Then this may be a wrong guess, within what is at hand.
        let stored = record.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        let captured = Int(format.swapped ? stored.byteSwapped : stored)
        let next = cursor &+ format.headerLength &+ captured
        guard next <= end else { return nil }
        // The numbers of the next record and of its packet's headers, and what is behind them in this one.
        LookAhead.fetch(base + next)
        LookAhead.fetch(base + next + 64)
        LookAhead.fetch(record + 128, count: format.headerLength &+ captured &- 128)
        sink.approach(
            number,
            linkType: format.linkType,
            bytes: UnsafeRawBufferPointer(start: record + format.headerLength, count: captured).bytes
        )
        return next
    }
}
