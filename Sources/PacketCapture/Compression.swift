/// A way of compression that is recognised by its first bytes.
enum Compression: String {
    case gzip, zstd, xz, bzip2, lz4

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 4 else { return nil }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0x1F, 0x8B, 8, _): self = .gzip
        case (0x28, 0xB5, 0x2F, 0xFD): self = .zstd
        case (0xFD, 0x37, 0x7A, 0x58): self = .xz
        case (0x42, 0x5A, 0x68, 0x31...0x39): self = .bzip2
        case (0x04, 0x22, 0x4D, 0x18): self = .lz4
        // A skippable frame, which zstd and lz4 have in common; zstd's library reads on to the next frame.
        case (0x50...0x5F, 0x2A, 0x4D, 0x18): self = .zstd
        default: return nil
        }
    }
}
