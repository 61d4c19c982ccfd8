import CIconv

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An encoding of text.
struct TextCoding: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case ascii
        case utf8
        case utf16(isLittle: Bool)
        case utf32(isLittle: Bool)
        case latin1
        /// By iconv, under this name.
        case other(String)
    }

    /// As the description names it.
    let name: String
    let kind: Kind

    /// - Returns: `nil` if neither we nor iconv know it.
    init?(_ name: String) {
        self.name = name
        let upper = name.uppercased()
        // Spelled with and without hyphens: UTF-16LE, utf-16-le, UTF16LE.
        switch upper.filter({ $0 != "-" && $0 != "_" }) {
        case "ASCII", "USASCII": kind = .ascii
        case "UTF8": kind = .utf8
        case "UTF16LE": kind = .utf16(isLittle: true)
        case "UTF16BE": kind = .utf16(isLittle: false)
        case "UTF32LE": kind = .utf32(isLittle: true)
        case "UTF32BE": kind = .utf32(isLittle: false)
        case "ISO88591", "LATIN1": kind = .latin1
        default:
            // iconv takes an empty name for the locale's encoding, and suffixes such as //IGNORE for orders.
            guard !name.isEmpty, !name.contains("/") else { return nil }
            // Kaitai Struct's names that iconv has under another.
            let candidates = [name, upper.replacing("WINDOWS-", with: "CP"), upper.replacing("X-", with: "")]
            guard let known = candidates.first(where: { Converter($0) != nil }) else { return nil }
            kind = .other(known)
        }
    }

    /// Bytes of a terminator of `strz`.
    var unitSize: Int {
        switch kind {
        case .utf16: 2
        case .utf32: 4
        default: 1
        }
    }

    /// The text is what its bytes are in UTF-8.
    var isUTF8: Bool { kind == .utf8 || kind == .ascii }
}

/// iconv from one encoding to UTF-8. Not to be shared between threads.
final class Converter {
    private let descriptor: iconv_t

    init?(_ name: String) {
        guard let descriptor = iconv_open("UTF-8", name), Int(bitPattern: descriptor) != -1 else { return nil }
        self.descriptor = descriptor
    }

    deinit { iconv_close(descriptor) }

    /// What is no character of the encoding becomes U+FFFD, a byte at a time.
    func text(_ bytes: ArraySlice<UInt8>) -> String {
        iconv(descriptor, nil, nil, nil, nil)
        var input = bytes.map { CChar(bitPattern: $0) }
        var result: [UInt8] = []
        result.reserveCapacity(input.count * 2)
        var output = [CChar](repeating: 0, count: 4096)
        input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                var from = input.baseAddress
                var fromLeft = input.count
                var isDone = false
                while !isDone {
                    var to = output.baseAddress
                    var toLeft = output.count
                    let status =
                        fromLeft > 0
                        ? iconv(descriptor, &from, &fromLeft, &to, &toLeft) : iconv(descriptor, nil, nil, &to, &toLeft)
                    let failure = errno
                    result.append(contentsOf: output[..<(output.count - toLeft)].map { UInt8(bitPattern: $0) })
                    if status != -1 {
                        // The last call fetches what a stateful encoding still holds back.
                        isDone = fromLeft == 0 && toLeft == output.count || input.isEmpty
                        if fromLeft == 0, !isDone { continue }
                    } else if failure != E2BIG {
                        result.append(contentsOf: [0xEF, 0xBF, 0xBD])
                        from = from.map { $0 + 1 }
                        fromLeft -= min(1, fromLeft)
                    }
                }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// Turns bytes into text; keeps iconv's descriptors of one run.
struct TextDecoder {
    private var converters: [String: Converter] = [:]

    /// What is no character of the encoding becomes U+FFFD.
    mutating func text(_ bytes: ArraySlice<UInt8>, _ coding: TextCoding) -> String {
        switch coding.kind {
        case .utf8: return String(decoding: bytes, as: UTF8.self)
        case .ascii:
            var view = String.UnicodeScalarView()
            if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
            for byte in bytes { view.append(byte < 0x80 ? Unicode.Scalar(byte) : "\u{FFFD}") }
            return String(view)
        case .latin1:
            var view = String.UnicodeScalarView()
            for byte in bytes { view.append(Unicode.Scalar(byte)) }
            return String(view)
        case .utf16(let isLittle):
            var units: [UInt16] = []
            units.reserveCapacity(bytes.count / 2 + 1)
            var rest = bytes
            while rest.count >= 2 {
                let first = UInt16(rest.removeFirst())
                let second = UInt16(rest.removeFirst())
                units.append(isLittle ? second << 8 | first : first << 8 | second)
            }
            return String(decoding: units, as: UTF16.self) + (rest.isEmpty ? "" : "\u{FFFD}")
        case .utf32(let isLittle):
            var view = String.UnicodeScalarView()
            var rest = bytes
            while rest.count >= 4 {
                var code: UInt32 = 0
                for index in 0..<4 {
                    code |= UInt32(rest.removeFirst()) << UInt32(8 * (isLittle ? index : 3 - index))
                }
                view.append(Unicode.Scalar(code) ?? "\u{FFFD}")
            }
            if !rest.isEmpty { view.append("\u{FFFD}") }
            return String(view)
        case .other(let name):
            if let converter = converters[name] { return converter.text(bytes) }
            // The name was known when the description was read.
            guard let converter = Converter(name) else { return "\u{FFFD}" }
            converters[name] = converter
            return converter.text(bytes)
        }
    }
}
