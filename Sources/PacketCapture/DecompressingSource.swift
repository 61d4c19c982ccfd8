/// Stands before another source and uncompresses what it gives, frame after frame, whatever compression each has.
///
/// Zeros between and behind frames are padding (tapes, xz). Anything else that is no frame is damage.
final class DecompressingSource: ByteSource {
    private let base: any ByteSource
    private let name: String
    private let buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    /// The offset in the compressed input of `buffer[0]`.
    private var offsetOfBuffer: UInt64 = 0
    private var baseIsAtEnd = false
    private var failure: CaptureError?
    /// The frame that is being uncompressed.
    private var frame: (compression: Compression, decoder: any FrameDecoder)?

    /// - Parameter beginning: what was already read from `base`; it begins with a frame.
    init(_ base: any ByteSource, name: String, beginning: [UInt8]) {
        self.base = base
        self.name = name
        buffer = .allocate(byteCount: max(64 << 10, beginning.count), alignment: 16)
        buffer.copyBytes(from: beginning)
        end = beginning.count
    }

    deinit { buffer.deallocate() }

    func read(into room: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Reading {
        while true {
            if let failure { throw failure }
            guard let frame else {
                // Four bytes say what the next frame is.
                if end - start < 4 && !baseIsAtEnd {
                    if let waiting = try fill() { return waiting }
                } else if start == end {
                    return .end
                } else {
                    try beginFrame()
                }
                continue
            }
            let step = frame.decoder.step(UnsafeRawBufferPointer(rebasing: buffer[start..<end]), room)
            start += step.consumed
            if let reason = step.failure {
                failure = damaged("its \(frame.compression.rawValue) data cannot be uncompressed: \(reason)")
                // What was uncompressed before the failure is handed on.
                if step.produced > 0 { return .bytes(step.produced) }
                continue
            }
            if step.isEnd { self.frame = nil }
            if step.produced > 0 { return .bytes(step.produced) }
            if step.isEnd || step.consumed > 0 { continue }
            if baseIsAtEnd {
                throw CaptureError(
                    .truncated,
                    "\(name) is cut short: its \(frame.compression.rawValue) data ends at byte offset \(offset) in "
                        + "the middle; what could be uncompressed was read",
                    byteOffset: offset
                )
            }
            if start == 0 && end == buffer.count { throw damaged("its \(frame.compression.rawValue) data is damaged") }
            if let waiting = try fill() { return waiting }
        }
    }

    /// What is there of the compressed bytes may still give some.
    var wouldWait: Bool { start == end && !baseIsAtEnd && base.wouldWait }

    private var offset: UInt64 { offsetOfBuffer &+ UInt64(start) }

    /// - Returns: what the caller must hear of instead of bytes.
    private func fill() throws(CaptureError) -> Reading? {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
        buffer.copyMemory(from: rest)  // It may overlap.
        offsetOfBuffer &+= UInt64(start)
        end -= start
        start = 0
        switch try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...])) {
        case .bytes(let count): end += count
        case .end: baseIsAtEnd = true
        case .idle: return .idle
        case .stopped: return .stopped
        }
        return nil
    }

    private func beginFrame() throws(CaptureError) {
        if buffer[start] == 0 {
            start += 1
            return
        }
        let next = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
        guard let compression = Compression(next) else {
            throw damaged("behind its compressed data are other bytes (\(hexadecimal(next.prefix(8))))")
        }
        frame = (compression, compression.makeDecoder())
    }

    private func damaged(_ what: String) -> CaptureError {
        CaptureError(
            .corrupt,
            "\(name) is damaged at byte offset \(offset): \(what); what could be uncompressed was read",
            byteOffset: offset
        )
    }
}
