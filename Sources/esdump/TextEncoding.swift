import CIconv

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Turns bytes of some encoding into UTF-8, by iconv.
final class TextEncoding {
    let name: String
    private let descriptor: iconv_t

    /// - Throws: if iconv does not know the name.
    init(_ name: String) throws(UsageError) {
        // iconv takes an empty name for the locale's encoding, and suffixes such as //IGNORE for orders.
        guard !name.isEmpty, !name.contains("/"), let descriptor = iconv_open("UTF-8", name),
            Int(bitPattern: descriptor) != -1
        else { throw UsageError("--encoding \(name): iconv knows no encoding of this name") }
        self.name = name
        self.descriptor = descriptor
    }

    deinit { iconv_close(descriptor) }

    /// The text in UTF-8.
    /// - Returns: `nil` if the bytes are not valid in the encoding, or end inside a character.
    func utf8(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        iconv(descriptor, nil, nil, nil, nil)
        guard bytes.count > 0 else { return [] }
        // One byte gives at most one character; no character takes more than four bytes.
        let capacity = bytes.count * 4 + 8
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count) { input -> [UInt8]? in
            UnsafeMutableRawBufferPointer(input).copyMemory(from: bytes)
            return convert(input, capacity: capacity)
        }
    }

    /// The same as the formatters take it.
    var decodeText: (UnsafeRawBufferPointer) -> String? {
        { bytes in self.utf8(bytes).map { String(decoding: $0, as: UTF8.self) } }
    }

    private func convert(_ input: UnsafeMutableBufferPointer<CChar>, capacity: Int) -> [UInt8]? {
        var isValid = false
        let text = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            output.withMemoryRebound(to: CChar.self) { output in
                var from: UnsafeMutablePointer<CChar>? = input.baseAddress
                var fromLeft = input.count
                var to: UnsafeMutablePointer<CChar>? = output.baseAddress
                var toLeft = output.count
                isValid = iconv(descriptor, &from, &fromLeft, &to, &toLeft) != -1 && fromLeft == 0
                // What a stateful encoding still holds back.
                if isValid { isValid = iconv(descriptor, nil, nil, &to, &toLeft) != -1 }
                count = isValid ? output.count - toLeft : 0
            }
        }
        return isValid ? text : nil
    }
}
