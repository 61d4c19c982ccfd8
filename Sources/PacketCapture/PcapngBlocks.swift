/// Block types of pcapng.
@usableFromInline enum PcapngBlock {
    @usableFromInline static var sectionHeader: UInt32 { 0x0A0D_0D0A }
    static let interfaceDescription: UInt32 = 1
    @usableFromInline static var packet: UInt32 { 2 }
    @usableFromInline static var simplePacket: UInt32 { 3 }
    static let interfaceStatistics: UInt32 = 5
    @usableFromInline static var enhancedPacket: UInt32 { 6 }

    /// The longest block that is read whole: the longest packet with its options, in bytes.
    @usableFromInline static var longest: Int { CaptureFile.longestPacket + (1 << 20) }
    /// A block of no interest is passed over up to this length, in bytes; more is taken for damage.
    static let longestSkipped = 256 << 20
}

extension CaptureFile {
    /// Each block: type, total length (4 bytes each), body padded to 4 bytes, total length again.
    @inlinable mutating func readPcapng<Sink: PacketSink>(
        into sink: inout Sink
    ) throws(CaptureError) -> ReadingEnd {
        while true {
            if section.toSkip > 0 {
                let count = min(section.toSkip, input.end - input.start)
                input.start += count
                section.toSkip -= count
            }
            let base = UnsafeRawPointer(input.base)
            let end = input.end
            var needed = 12
            var enough = false
            while section.toSkip == 0, end &- input.start >= 12 {
                let block = base + input.start
                var type = block.loadUnaligned(as: UInt32.self)
                var stated = block.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
                if type == PcapngBlock.sectionHeader {
                    try takeByteOrder(block)
                }
                if section.swapped {
                    type = type.byteSwapped
                    stated = stated.byteSwapped
                }
                let isPacket =
                    type == PcapngBlock.enhancedPacket || type == PcapngBlock.simplePacket
                    || type == PcapngBlock.packet
                // Some writers leave the padding out of the total length; libpcap and Wireshark round up as well.
                let length = (Int(stated) &+ 3) & ~3
                if stated < 12 || length > PcapngBlock.longest {
                    if try skipsLongBlock(type: type, length: stated, isPacket: isPacket) { break }
                }
                needed = length
                if end &- input.start < length { break }
                if isPacket {
                    let (packet, bytes) = try parsePacket(type, block, length)
                    number &+= 1
                    lastTime = packet.time
                    if !sink.packet(packet, bytes: bytes.bytes) { enough = true }
                } else {
                    try takeBlock(type, UnsafeRawBufferPointer(start: block, count: length))
                }
                checkTrailer(block, length, stated)
                input.start &+= length
                needed = 12
                if enough { return .sinkEnough }
            }
            if section.toSkip > 0 {
                if input.end > input.start { continue }
                needed = min(section.toSkip, 4096)
            }
            sink.willWait()
            switch try input.more(needed: needed) {
            case .more: continue
            case .idle: if !sink.timePassed(wallClock()) { return .sinkEnough }
            case .stopped: return .stopped
            case .end: return try finish(needed: section.toSkip > 0 ? section.toSkip : needed)
            }
        }
    }

    /// Enhanced packet: interface 8, time 12 (high half first), captured 20, original 24, bytes 28.
    /// Packet (obsolete): interface 8 (2 bytes), drops 10 (2 bytes), then the same.
    /// Simple packet: original 8, bytes 12.
    @inlinable mutating func parsePacket(
        _ type: UInt32,
        _ block: UnsafeRawPointer,
        _ length: Int
    ) throws(CaptureError) -> (Packet, UnsafeRawBufferPointer) {
        if type == PcapngBlock.simplePacket { return try parseSimplePacket(block, length) }
        if length < 32 { throw corrupt("a packet block of \(length) bytes, where 32 is the least") }
        var high = block.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
        var low = block.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
        var captured = block.loadUnaligned(fromByteOffset: 20, as: UInt32.self)
        var original = block.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
        var interface: Int
        if type == PcapngBlock.enhancedPacket {
            let value = block.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
            interface = Int(section.swapped ? value.byteSwapped : value)
        } else {
            let value = block.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
            interface = Int(section.swapped ? value.byteSwapped : value)
        }
        if section.swapped {
            high = high.byteSwapped
            low = low.byteSwapped
            captured = captured.byteSwapped
            original = original.byteSwapped
        }
        guard interface < section.interfaces.count else { throw unknownInterface(interface) }
        guard Int(captured) <= length &- 32 else {
            throw corrupt("a packet of \(captured) bytes in a block that has room for \(length &- 32)")
        }
        let (time, exact) = section.interfaces[interface].clock.nanoseconds(UInt64(high) << 32 | UInt64(low))
        if !exact { notes.noteClampedTime() }
        notes.packetInterface = section.firstInterface &+ interface
        let options = 28 &+ (Int(captured) &+ 3) & ~3
        if length &- 4 &- options >= 4 {
            takePacketOptions(UnsafeRawBufferPointer(start: block + options, count: length &- 4 &- options))
        }
        return (
            Packet(
                number: number &+ 1,
                time: time,
                linkType: section.interfaces[interface].linkType,
                originalLength: Int(max(captured, original))
            ),
            UnsafeRawBufferPointer(start: block + 28, count: Int(captured))
        )
    }

    /// It belongs to the section's first interface and has neither a time nor a captured length of its own.
    @usableFromInline mutating func parseSimplePacket(
        _ block: UnsafeRawPointer,
        _ length: Int
    ) throws(CaptureError) -> (Packet, UnsafeRawBufferPointer) {
        guard let interface = section.interfaces.first else { throw unknownInterface(0) }
        if length < 16 { throw corrupt("a simple packet block of \(length) bytes, where 16 is the least") }
        var original = block.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        if section.swapped { original = original.byteSwapped }
        var captured = min(Int(original), length - 16)
        if interface.snapLength > 0 { captured = min(captured, Int(interface.snapLength)) }
        notes.packetsWithoutTime += 1
        notes.packetInterface = section.firstInterface
        return (
            Packet(number: number &+ 1, time: lastTime, linkType: interface.linkType, originalLength: Int(original)),
            UnsafeRawBufferPointer(start: block + 12, count: captured)
        )
    }

    @usableFromInline func unknownInterface(_ index: Int) -> CaptureError {
        corrupt("a packet of interface \(index), but the section describes \(section.interfaces.count)")
    }

    /// Takes the byte order of a new section from its byte-order magic (at offset 8).
    @usableFromInline mutating func takeByteOrder(_ block: UnsafeRawPointer) throws(CaptureError) {
        switch block.loadUnaligned(fromByteOffset: 8, as: UInt32.self) {
        case 0x1A2B_3C4D: section.swapped = false
        case 0x4D3C_2B1A: section.swapped = true
        default:
            let magic = hexadecimal(UnsafeRawBufferPointer(start: block + 8, count: 4))
            throw corrupt("a section header whose byte-order magic is \(magic)", distance: 8)
        }
    }

    /// Judges a length that is too short or too long for a block that is read whole.
    /// - Returns: true if the block is now being passed over.
    @usableFromInline mutating func skipsLongBlock(
        type: UInt32,
        length: UInt32,
        isPacket: Bool
    ) throws(CaptureError) -> Bool {
        let name = "a block of type \(type)"
        if length < 12 { throw corrupt("\(name) with a length of \(length) bytes, where 12 is the least", distance: 4) }
        let isNeeded =
            isPacket || type == PcapngBlock.sectionHeader || type == PcapngBlock.interfaceDescription
        let most = isNeeded ? PcapngBlock.longest : PcapngBlock.longestSkipped
        if length > most {
            throw corrupt("\(name) with a length of \(length) bytes; at most \(most) are read", distance: 4)
        }
        if isNeeded { return false }
        notes.skip(blockType: type)
        section.toSkip = (Int(length) + 3) & ~3
        return true
    }

    /// A trailing length that differs keeps nothing from being read, but the file is damaged.
    @inlinable mutating func checkTrailer(_ block: UnsafeRawPointer, _ length: Int, _ stated: UInt32) {
        let trailer = block.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
        if (section.swapped ? trailer.byteSwapped : trailer) != stated { noteTrailer(stated, trailer) }
    }

    @usableFromInline mutating func noteTrailer(_ stated: UInt32, _ trailer: UInt32) {
        guard postponed == nil else { return }
        let trailer = section.swapped ? trailer.byteSwapped : trailer
        postponed = CaptureError(
            .corrupt,
            "\(input.name) is damaged at byte offset \(input.offset): a block says that it has \(stated) bytes at its "
                + "beginning and \(trailer) at its end; it was read all the same",
            byteOffset: input.offset
        )
    }
}
