/// A programming language in which bytes are written as a constant.
package enum SourceLanguage: String, CaseIterable, Sendable {
    case swift, c, objc, csharp, java, python, javascript, go

    /// What its files end with, without the dot.
    package var fileExtension: String {
        switch self {
        case .swift: "swift"
        case .c: "h"
        case .objc: "m"
        case .csharp: "cs"
        case .java: "java"
        case .python: "py"
        case .javascript: "js"
        case .go: "go"
        }
    }

    /// What begins a comment to the end of the line.
    package var comment: String { self == .python ? "#" : "//" }

    /// What stands before the constants of a file.
    /// - Parameter name: Of the type that holds them, where the language needs one.
    package func opening(name: String) -> String {
        switch self {
        case .swift: "enum \(name) {\n"
        case .c: "#include <stdint.h>\n\n"
        case .objc: "#import <Foundation/Foundation.h>\n\n"
        case .csharp: "internal static class \(name)\n{\n"
        case .java: "final class \(name) {\n    private \(name)() {}\n\n"
        case .python, .javascript: ""
        case .go: "package \(name.lowercased())\n\n"
        }
    }

    /// What stands behind them.
    package func closing(names: [String]) -> String {
        switch self {
        case .swift, .csharp, .java: "}\n"
        case .javascript: "module.exports = { \(names.joined(separator: ", ")) };\n"
        case .c, .objc, .python, .go: ""
        }
    }

    /// One constant.
    /// - Parameters:
    ///   - words: What its name says: `message`, `3`, `c2s`, `Logon`.
    ///   - notes: Lines of comment in front.
    package func constant(words: [String], bytes: [UInt8], notes: [String]) -> String {
        let indent = [.swift, .csharp, .java].contains(self) ? "    " : ""
        var text = notes.map { "\(indent)\(comment) \($0)\n" }.joined()
        let name = constantName(words)
        let (head, tail) = frame(name, count: bytes.count)
        text += indent + head + "\n"
        for start in stride(from: 0, to: bytes.count, by: 12) {
            let row = bytes[start..<min(start + 12, bytes.count)].map { element($0) }
            text += "\(indent)    \(row.joined(separator: ", ")),\n"
        }
        return text + indent + tail + "\n"
    }

    private func frame(_ name: String, count: Int) -> (String, String) {
        switch self {
        case .swift: ("static let \(name): [UInt8] = [", "]")
        case .c: ("static const uint8_t \(name)[\(count)] = {", "};")
        case .objc: ("static const uint8_t \(name)[\(count)] = {", "};")
        case .csharp: ("internal static readonly byte[] \(name) =\n    {", "};")
        case .java: ("static final byte[] \(name) = {", "};")
        case .python: ("\(name) = bytes([", "])")
        case .javascript: ("const \(name) = Uint8Array.from([", "]);")
        case .go: ("var \(name) = []byte{", "}")
        }
    }

    private func element(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        let hex = "0x" + (digits.count == 1 ? "0" + digits : digits)
        // Java's bytes have a sign.
        return self == .java && byte > 0x7F ? "(byte) \(hex)" : hex
    }

    /// The name of a constant as the language writes it.
    package func constantName(_ words: [String]) -> String {
        let words = words.map { word in
            String(decoding: word.utf8.filter { Self.isWord($0) }, as: UTF8.self)
        }.filter { !$0.isEmpty }
        func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }
        switch self {
        case .swift, .javascript:
            return words.enumerated().map { $0 == 0 ? lowercasedFirst($1) : capitalized($1) }.joined()
        case .csharp, .go: return words.map(capitalized).joined()
        case .c, .objc: return words.map { $0.lowercased() }.joined(separator: "_")
        case .python, .java: return words.map { $0.uppercased() }.joined(separator: "_")
        }
    }

    private func lowercasedFirst(_ word: String) -> String { word.prefix(1).lowercased() + word.dropFirst() }

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
