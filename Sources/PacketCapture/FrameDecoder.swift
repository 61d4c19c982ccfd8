import CBzip2
import CLz4
import CLzma
import CZlib
import CZstd

/// Uncompresses one frame (gzip: member, xz and bzip2: stream).
protocol FrameDecoder: AnyObject {
    /// Takes from `input` and puts into `output` as much as possible; neither needs to be exhausted.
    func step(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) -> FrameStep
}

/// What one step of a `FrameDecoder` did.
struct FrameStep {
    var consumed = 0
    var produced = 0
    /// The frame is complete; the decoder has done its work.
    var isEnd = false
    /// Why the frame cannot be uncompressed.
    var failure: String?
}

extension Compression {
    /// Memory is bounded: a frame that needs a larger window than 128 MiB is refused.
    func makeDecoder() -> any FrameDecoder {
        switch self {
        case .gzip: GzipDecoder()
        case .zstd: ZstdDecoder()
        case .xz: XzDecoder()
        case .bzip2: Bzip2Decoder()
        case .lz4: Lz4Decoder()
        }
    }
}

private let outOfMemory = "not enough memory"

/// zlib; its window has 32 KiB at most.
private final class GzipDecoder: FrameDecoder {
    // Its address must not change: zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let status: Int32

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15: the largest window; 16 more: a gzip header, not a zlib header.
        status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func step(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) -> FrameStep {
        guard status == Z_OK else { return FrameStep(failure: outOfMemory) }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        let result = inflate(stream, Z_NO_FLUSH)
        var step = FrameStep(
            consumed: input.count - Int(stream.pointee.avail_in),
            produced: output.count - Int(stream.pointee.avail_out),
            isEnd: result == Z_STREAM_END
        )
        // Z_BUF_ERROR only says that there was nothing to do.
        if result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR {
            step.failure = stream.pointee.msg.map { String(cString: $0) } ?? "error \(result)"
        }
        return step
    }
}

private final class ZstdDecoder: FrameDecoder {
    private let stream = ZSTD_createDStream()

    init() { ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 27) }

    deinit { ZSTD_freeDStream(stream) }

    func step(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) -> FrameStep {
        guard stream != nil else { return FrameStep(failure: outOfMemory) }
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = ZSTD_decompressStream(stream, &target, &source)
        var step = FrameStep(consumed: source.pos, produced: target.pos, isEnd: result == 0)
        if ZSTD_isError(result) != 0 {
            step.isEnd = false
            step.failure = String(cString: ZSTD_getErrorName(result))
        }
        return step
    }
}

private final class XzDecoder: FrameDecoder {
    private let stream: UnsafeMutablePointer<lzma_stream>
    private let status: lzma_ret

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: lzma_stream())
        status = lzma_stream_decoder(stream, 128 << 20, 0)
    }

    deinit {
        lzma_end(stream)
        stream.deallocate()
    }

    func step(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) -> FrameStep {
        guard status == LZMA_OK else { return FrameStep(failure: outOfMemory) }
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = input.count
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = output.count
        let result = lzma_code(stream, LZMA_RUN)
        var step = FrameStep(
            consumed: input.count - stream.pointee.avail_in,
            produced: output.count - stream.pointee.avail_out,
            isEnd: result == LZMA_STREAM_END
        )
        switch result {
        case LZMA_OK, LZMA_STREAM_END, LZMA_BUF_ERROR: break
        case LZMA_MEMLIMIT_ERROR: step.failure = "it needs more than 128 MiB of memory to be uncompressed"
        case LZMA_MEM_ERROR: step.failure = outOfMemory
        case LZMA_FORMAT_ERROR: step.failure = "not the xz format"
        case LZMA_OPTIONS_ERROR: step.failure = "unknown options"
        default: step.failure = "the data is damaged"
        }
        return step
    }
}

/// libbz2; its blocks have 900 KB at most.
private final class Bzip2Decoder: FrameDecoder {
    private let stream: UnsafeMutablePointer<bz_stream>
    private let status: Int32

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: bz_stream())
        status = BZ2_bzDecompressInit(stream, 0, 0)
    }

    deinit {
        BZ2_bzDecompressEnd(stream)
        stream.deallocate()
    }

    func step(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) -> FrameStep {
        guard status == BZ_OK else { return FrameStep(failure: outOfMemory) }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: CChar.self))
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: CChar.self)
        stream.pointee.avail_out = UInt32(output.count)
        let result = BZ2_bzDecompress(stream)
        return FrameStep(
            consumed: input.count - Int(stream.pointee.avail_in),
            produced: output.count - Int(stream.pointee.avail_out),
            isEnd: result == BZ_STREAM_END,
            failure: result == BZ_OK || result == BZ_STREAM_END
                ? nil : result == BZ_MEM_ERROR ? outOfMemory : "the data is damaged"
        )
    }
}

/// liblz4; its blocks have 4 MiB at most.
private final class Lz4Decoder: FrameDecoder {
    private var context: OpaquePointer?

    init() { LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION)) }

    deinit { LZ4F_freeDecompressionContext(context) }

    func step(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) -> FrameStep {
        guard context != nil else { return FrameStep(failure: outOfMemory) }
        var (consumed, produced) = (input.count, output.count)
        let result = LZ4F_decompress(context, output.baseAddress, &produced, input.baseAddress, &consumed, nil)
        if LZ4F_isError(result) != 0 { return FrameStep(failure: String(cString: LZ4F_getErrorName(result))) }
        return FrameStep(consumed: consumed, produced: produced, isEnd: result == 0)
    }
}
