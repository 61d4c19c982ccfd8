/// What Unicode says of the scalars below 0x800, those of at most two bytes of UTF-8, which binary data is full of: a bit for
/// each, the first of a word at its low end. Asking the standard library for all of them takes longer than explaining a small
/// capture.
enum TwoByteScalars {
    /// Whether a scalar below 0x800 shows as what it is.
    @inline(__always)
    static func isVisible(_ scalar: UInt32) -> Bool { bit(scalar, of: visible) }

    /// Whether a scalar below 0x800 is a mark that stands on the one before it.
    @inline(__always)
    static func isMark(_ scalar: UInt32) -> Bool { bit(scalar, of: marks) }

    @inline(__always)
    private static func bit(_ scalar: UInt32, of words: [UInt64]) -> Bool {
        words[Int(scalar >> 6)] &>> UInt64(scalar & 63) & 1 != 0
    }

    private static let visible: [UInt64] = [
        0xFFFF_FFFF_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0xFFFF_DFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF,
        0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF,
        0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF,
        0xFFFF_FFFF_FFFF_FFFF, 0xFCFF_FFFF_FFFF_7FFF, 0xFFFF_FFFB_FFFF_D7F0, 0xFFFF_FFFF_FFFF_FFFF,
        0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF,
        0xFFFE_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FE7F_FFFF, 0xFFFF_FFFF_FFFE_E7FF, 0x001F_87FF_FFFF_00FF,
        0xFFFF_FFFF_EFFF_FFC0, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_DFFF_FFFF,
        0xFFFF_FFFF_FFFF_3FFF, 0xFFFF_FFFF_FFFF_E7FF, 0x0003_FFFF_FFFF_FFFF, 0xE7FF_FFFF_FFFF_FFFF,
    ]

    private static let marks: [UInt64] = [
        0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
        0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
        0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
        0xFFFF_FFFF_FFFF_FFFF, 0x0000_FFFF_FFFF_FFFF, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
        0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_03F8, 0x0000_0000_0000_0000,
        0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0xBFFF_FFFF_FFFE_0000, 0x0000_0000_0000_00B6,
        0x0000_0000_07FF_0000, 0x0001_0000_FFFF_F800, 0x0000_0000_0000_0000, 0x0000_3D9F_9FC0_0000,
        0xFFFF_0000_0002_0000, 0x0000_0000_0000_07FF, 0x0001_FFC0_0000_0000, 0x200F_F800_0000_0000,
    ]
}
