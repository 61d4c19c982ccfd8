import BodyDescription
import MessageFormat

/// Writes the values that a description found.
struct ValueWriter {
    /// Bytes of one value that are shown as text; in JSON all are.
    private static let shownBytes = 64

    // MARK: - JSON

    func appendJSON(_ value: DescribedValue, to out: inout OutputBuffer) {
        switch value {
        case .null, .hidden: out.append(literal: "null")
        case .integer(let number): out.append(decimal: number)
        case .unsigned(let number): out.append(decimal: number)
        case .real(let number):
            if number.isFinite {
                out.append(number.description)
            } else {
                out.append(number.isNaN ? "\"NaN\"" : number > 0 ? "\"Infinity\"" : "\"-Infinity\"")
            }
        case .boolean(let flag): out.append(flag ? "true" : "false")
        case .text(let text): out.append(json: text)
        case .bytes(let bytes):
            out.append(0x22)
            bytes.withUnsafeBytes { out.append(hex: $0) }
            out.append(0x22)
        case .enumeration(let name, let number):
            out.append(literal: "{\"name\":")
            if let name { out.append(json: name) } else { out.append(literal: "null") }
            out.append(literal: ",\"value\":")
            out.append(number.description)
            out.append(0x7D)
        case .array(let items):
            out.append(0x5B)
            for (index, item) in items.enumerated() {
                if index > 0 { out.append(0x2C) }
                appendJSON(item, to: &out)
            }
            out.append(0x5D)
        case .object(let members):
            out.append(0x7B)
            for (index, member) in members.enumerated() {
                if index > 0 { out.append(0x2C) }
                out.append(json: member.name)
                out.append(0x3A)
                appendJSON(member.value, to: &out)
            }
            out.append(0x7D)
        }
    }

    // MARK: - text

    /// A line for each value; what is inside is indented.
    func appendText(_ value: DescribedValue, to out: inout OutputBuffer) {
        guard case .object(let members) = value else { return appendLine(value, to: &out) }
        appendMembers(members, indent: 0, to: &out)
    }

    private func appendMembers(_ members: [DescribedMember], indent: Int, to out: inout OutputBuffer) {
        for member in members { append(member.name, member.value, indent: indent, to: &out) }
    }

    private func append(_ name: String, _ value: DescribedValue, indent: Int, to out: inout OutputBuffer) {
        out.append(repeating: 0x20, count: 2 * indent)
        out.append(name)
        switch value {
        case .object(let members):
            out.append(0x0A)
            appendMembers(members, indent: indent + 1, to: &out)
        case .array(let items):
            out.append(items.count == 1 ? ": 1 element\n" : ": \(items.count) elements\n")
            for (index, item) in items.enumerated() { append("[\(index)]", item, indent: indent + 1, to: &out) }
        default:
            out.append(literal: ": ")
            appendLine(value, to: &out)
        }
    }

    private func appendLine(_ value: DescribedValue, to out: inout OutputBuffer) {
        switch value {
        case .null: out.append(literal: "nothing")
        case .hidden(let count):
            out.append(count == 1 ? "(1 byte, hidden; --show-secrets)" : "(\(count) bytes, hidden; --show-secrets)")
        case .text(let text): out.append(text: text, quote: true)
        case .bytes(let bytes): appendBytes(bytes, to: &out)
        case .enumeration(let name, let number):
            out.append(number.description)
            out.append(name.map { " = \($0)" } ?? " (no name)")
        case .real(let number): out.append("\(number)")
        default: appendJSON(value, to: &out)
        }
        out.append(0x0A)
    }

    private func appendBytes(_ bytes: [UInt8], to out: inout OutputBuffer) {
        if bytes.isEmpty { out.append(literal: "no bytes") }
        for (index, byte) in bytes.prefix(Self.shownBytes).enumerated() {
            if index > 0 { out.append(0x20) }
            out.append(hexByte: byte)
        }
        if bytes.count > Self.shownBytes { out.append(" … \(bytes.count) bytes") }
    }
}
