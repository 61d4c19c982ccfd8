import CZlib

/// zlib, with a limit to what comes out.
enum Inflate {
    enum Failure: Error {
        /// Not zlib's format, or damaged.
        case damaged(String)
        /// More bytes than allowed.
        case tooLong
    }

    /// Decompresses one zlib stream; what lies behind it is ignored.
    /// - Parameter limit: of the bytes that come out.
    static func bytes(_ input: ArraySlice<UInt8>, limit: Int) throws(Failure) -> [UInt8] {
        var stream = z_stream()
        guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .damaged("zlib has no memory")
        }
        defer { inflateEnd(&stream) }
        var input = Array(input)
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 15)
        let result = input.withUnsafeMutableBufferPointer { input -> Failure? in
            stream.next_in = input.baseAddress
            stream.avail_in = uInt(clamping: input.count)
            while true {
                var status = Z_OK
                let count = chunk.withUnsafeMutableBufferPointer { chunk -> Int in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = uInt(chunk.count)
                    status = inflate(&stream, Z_NO_FLUSH)
                    return chunk.count - Int(stream.avail_out)
                }
                guard output.count + count <= limit else { return .tooLong }
                output.append(contentsOf: chunk[..<count])
                switch status {
                case Z_STREAM_END: return nil
                case Z_OK where count > 0 || stream.avail_in > 0: continue
                case Z_OK, Z_BUF_ERROR: return .damaged("the compressed bytes end too early")
                default:
                    return .damaged(stream.msg.map { String(cString: $0) } ?? "not compressed by zlib")
                }
            }
        }
        if let result { throw result }
        return output
    }
}
