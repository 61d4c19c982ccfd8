/// Loads in network and little-endian order. The checked ones trap outside the span, which stands for a fault of this
/// module, never of its input: every use is behind a length check.
extension RawSpan {
    @inlinable @inline(__always)
    func uncheckedByte(_ offset: Int) -> UInt8 {
        unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    @inlinable @inline(__always)
    func uncheckedBig16(_ offset: Int) -> UInt16 {
        UInt16(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
    }

    @inlinable @inline(__always)
    func uncheckedBig32(_ offset: Int) -> UInt32 {
        UInt32(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }

    @inlinable @inline(__always)
    func uncheckedBig64(_ offset: Int) -> UInt64 {
        UInt64(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    func byte(_ offset: Int) -> UInt8 { unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self) }

    func big16(_ offset: Int) -> UInt16 {
        UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    func big32(_ offset: Int) -> UInt32 {
        UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    func big64(_ offset: Int) -> UInt64 {
        UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    func little16(_ offset: Int) -> UInt16 {
        UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    func little32(_ offset: Int) -> UInt32 {
        UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
