@testable import BodyDescription
import Testing

/// A description, bytes, and what is found in them.
struct DescriptionCase: CustomTestStringConvertible, Sendable {
    var name: String
    var description: String
    /// In hex; blanks do not count.
    var bytes: String
    /// The tree as JSON: bytes in hex, enums with name and value.
    var tree: String
    /// The beginnings of the errors, in their order.
    var errors: [String]

    init(_ name: String, _ description: String, _ bytes: String, _ tree: String, errors: [String] = []) {
        self.name = name
        self.description = description
        self.bytes = bytes
        self.tree = tree
        self.errors = errors
    }

    var testDescription: String { name }

    func check(_ load: @escaping (String) -> [UInt8]? = { _ in nil }) throws {
        let file = try DescriptionFile(description, name: "t.ksy", load: load)
        let result = file.tree(of: hexBytes(bytes))
        #expect(json(result.value) == tree)
        let errors = result.errors.map(\.description)
        #expect(errors.count == self.errors.count, "\(errors)")
        for (error, wanted) in zip(errors, self.errors) { #expect(error.hasPrefix(wanted)) }
    }
}

func hexBytes(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }
    var bytes: [UInt8] = []
    var index = digits.startIndex
    while index < digits.endIndex {
        let next = digits.index(index, offsetBy: 2)
        bytes.append(UInt8(digits[index..<next], radix: 16)!)
        index = next
    }
    return bytes
}

func json(_ value: DescribedValue) -> String {
    switch value {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .unsigned(let number): "\(number)"
    case .real(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .text(let text): quoted(text)
    case .bytes(let bytes): "\"" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    case .enumeration(let name, let number): "{\"name\":\(name.map(quoted) ?? "null"),\"value\":\(number)}"
    case .hidden(let count): "\"\(count) hidden\""
    case .array(let items): "[" + items.map(json).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { "\"\($0.name)\":\(json($0.value))" }.joined(separator: ",") + "}"
    }
}

private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\\(scalar)"
        case "\0"..<" ":
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
