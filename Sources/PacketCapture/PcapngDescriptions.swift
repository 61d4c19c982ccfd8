/// The blocks that describe sections and interfaces, and the options of all blocks.
extension CaptureFile {
    /// Takes a block that holds no packet.
    @usableFromInline mutating func takeBlock(
        _ type: UInt32,
        _ block: UnsafeRawBufferPointer
    ) throws(CaptureError) {
        switch type {
        case PcapngBlock.sectionHeader: try takeSectionHeader(block)
        case PcapngBlock.interfaceDescription: try takeInterface(block)
        case PcapngBlock.interfaceStatistics: takeStatistics(block)
        default: notes.skip(blockType: type)
        }
    }

    /// Byte-order magic 8, version 12 and 14, section length 16 (8 bytes, not needed), options 24.
    private mutating func takeSectionHeader(_ block: UnsafeRawBufferPointer) throws(CaptureError) {
        guard block.count >= 28 else {
            throw corrupt("a section header of \(block.count) bytes, where 28 is the least")
        }
        let (major, minor) = (half(block, 12), half(block, 14))
        guard major == 1 else {
            throw corrupt("a section of pcapng version \(major).\(minor); versions 1.x are read", distance: 12)
        }
        section.interfaces.removeAll(keepingCapacity: true)
        section.firstInterface = notes.interfaces.count
        eachOption(slice(block, from: 24)) { code, value in
            if code == 1 { notes.addComment(.section, value) }
        }
    }

    /// Link type 8, reserved 10, snap length 12, options 16.
    private mutating func takeInterface(_ block: UnsafeRawBufferPointer) throws(CaptureError) {
        guard block.count >= 20 else {
            throw corrupt("an interface description of \(block.count) bytes, where 20 is the least")
        }
        guard section.interfaces.count < 65_536 else { throw corrupt("more than 65,536 interfaces in a section") }
        var interface = PcapngInterface(linkType: half(block, 8), snapLength: word(block, 12))
        var resolution: UInt8 = 6
        var offset: Int64 = 0
        var name: String?
        var comments: [String] = []
        let index = section.firstInterface + section.interfaces.count
        eachOption(slice(block, from: 16)) { code, value in
            switch code {
            case 1:
                if notes.addComment(.interface(index), value) {
                    comments.append(String(decoding: value, as: UTF8.self))
                }
            case 2: name = String(decoding: value.prefix(256), as: UTF8.self)
            case 9 where value.count >= 1: resolution = value[0]
            case 14 where value.count >= 8: offset = Int64(bitPattern: long(value, 0))
            default: break
            }
        }
        interface.clock = PcapngClock(resolution: resolution, offset: offset)
        if interface.clock.isFinerThanMicroseconds { notes.hasNanoseconds = true }
        section.interfaces.append(interface)
        if notes.interfaces.count < 65_536 {
            notes.interfaces.append(
                .init(linkType: interface.linkType, snapLength: interface.snapLength, name: name, comments: comments)
            )
        }
    }

    /// Interface 8, time 12, options 20: received (code 4) and dropped (5) by the interface, dropped by the system (7).
    private mutating func takeStatistics(_ block: UnsafeRawBufferPointer) {
        guard block.count >= 24 else { return notes.skip(blockType: PcapngBlock.interfaceStatistics) }
        let index = section.firstInterface + Int(word(block, 8))
        guard Int(word(block, 8)) < section.interfaces.count, index < notes.interfaces.count else { return }
        var dropped: UInt64?
        eachOption(slice(block, from: 20)) { code, value in
            guard value.count >= 8 else { return }
            switch code {
            case 4: notes.interfaces[index].received = long(value, 0)
            case 5, 7: dropped = (dropped ?? 0) &+ long(value, 0)
            default: break
            }
        }
        if let dropped { notes.interfaces[index].dropped = dropped }
    }

    @usableFromInline func takePacketOptions(_ options: UnsafeRawBufferPointer) {
        eachOption(options) { code, value in
            if code == 1 { notes.addPacketComment(number &+ 1, value) }
        }
    }

    /// Options: code and length (2 bytes each), value padded to 4 bytes; code 0 ends them. Options that run out of
    /// the block end them as well: they say nothing that the packets need.
    private func eachOption(
        _ options: UnsafeRawBufferPointer,
        _ take: (_ code: UInt16, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        var rest = options
        while rest.count >= 4 {
            let (code, length) = (half(rest, 0), Int(half(rest, 2)))
            guard code != 0, length <= rest.count - 4 else { return }
            take(code, UnsafeRawBufferPointer(rebasing: rest[4..<4 + length]))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(4 + (length + 3) & ~3))
        }
    }

    /// The block's bytes from `offset` up to its trailing length.
    private func slice(_ block: UnsafeRawBufferPointer, from offset: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: block[offset..<max(offset, block.count - 4)])
    }

    private func half(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt16 {
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
        return section.swapped ? value.byteSwapped : value
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return section.swapped ? value.byteSwapped : value
    }

    private func long(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return section.swapped ? value.byteSwapped : value
    }
}
