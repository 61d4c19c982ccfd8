import ESProtocol
import MessageFormat

/// Writes messages as a Swift test of the codec: it decodes the bytes and expects the fields, and encodes the fields and
/// expects the bytes.
package struct SwiftTests {
    package enum Library: Sendable { case swiftTesting, xctest }

    private let library: Library
    private let name: String
    /// Contents that are longer are taken from the bytes by their place.
    private static let longBytes = 32

    /// - Parameter name: Of the suite.
    package init(_ library: Library, name: String) {
        self.library = library
        self.name = name
    }

    /// What stands before the tests.
    package func opening(header: [String]) -> String {
        var text = header.map { "// \($0)\n" }.joined()
        if !header.isEmpty { text += "\n" }
        text += "import ESProtocol\n"
        switch library {
        case .swiftTesting: text += "import Testing\n\n@Suite struct \(name) {\n"
        case .xctest: text += "import XCTest\n\nfinal class \(name): XCTestCase {\n"
        }
        return text
    }

    package var closing: String {
        """

            /// Bytes of hex digits.
            private func bytes(_ hex: String) -> [UInt8] {
                var bytes: [UInt8] = []
                var high: UInt8?
                for character in hex {
                    guard let digit = character.hexDigitValue.map(UInt8.init) else { continue }
                    if let first = high {
                        bytes.append(first << 4 | digit)
                        high = nil
                    } else {
                        high = digit
                    }
                }
                return bytes
            }
        }

        """
    }

    /// The test of one complete message.
    package func test(_ report: MessageReport, number: Int, bytes: [UInt8]) -> String {
        let header = report.header
        let typeName =
            MessageTypeNames.name(of: header.messageType, layout: header.layout) ?? "Type\(header.messageType)"
        var summary = OutputBuffer(capacity: 128)
        summary.append(summaryOf: report, bytes.span.bytes)
        let function = "message\(number)\(report.direction == .clientToServer ? "ToServer" : "ToClient")\(typeName)"
        var lines = ["    /// Message \(number): \(summary.string())"]
        switch library {
        case .swiftTesting: lines.append("    @Test func \(function)() throws {")
        case .xctest: lines.append("    func test\(function.prefix(1).uppercased())\(function.dropFirst())() throws {")
        }
        lines.append("        let sent = bytes(\n            \"\"\"")
        for start in stride(from: 0, to: bytes.count, by: 32) {
            lines.append("            " + hex(bytes[start..<min(start + 32, bytes.count)]))
        }
        lines.append("            \"\"\"\n        )")
        let layout =
            "HeaderLayout(startToken: .\(tokenName(header.layout.startToken)), idSlot: \(header.layout.idSlot))"
        lines.append("        let layout = \(layout)")
        lines.append("        let message = try Message(parsing: sent, layout: layout)")
        let user = literal(Array(bytes[header.userIDRange]))
        let destination = literal(Array(bytes[header.destUserIDRange]))
        lines.append(expect("message.clientType", String(header.clientType ?? 0)))
        lines.append(expect("message.messageType", String(header.messageType)))
        lines.append(expect("message.messageID", String(header.messageID)))
        lines.append(expect("message.userID.text", user))
        lines.append(expect("message.destUserID.text", destination))
        lines.append(expect("try message.bytes()", "sent"))
        var body = "[]"
        if let form = BodyForm(report, bytes) {
            lines.append("")
            lines.append("        let form = try \(unwrap)(")
            lines.append(
                "            MessageTypeDescription.find(\(header.messageType), version: .\(form.version))?"
            )
            lines.append("                .schema(version: .\(form.version), isRequest: \(form.isRequest))")
            lines.append("        )")
            var position = header.layout.headerLength
            lines.append("        let fields: BodyValue = \(value(form.value, form.schema, &position, indent: 8))")
            lines.append(expect("try form.value(parsing: message.body)", "fields"))
            body = "try form.bytes(of: fields)"
        } else if header.bodyLength > 0 {
            body = "Array(sent[\(header.layout.headerLength)...])"
            lines.append(expect("message.body", body))
        } else {
            lines.append(expect("message.body", "[]"))
        }
        lines += [
            "", "        let encoded = Message(", "            layout: layout,",
            "            clientType: \(header.clientType ?? 0),", "            messageType: \(header.messageType),",
            "            messageID: \(header.messageID),",
            "            userID: \(id(header.userIDRange, header.layout.destUserIDOffset, bytes, "userID")),",
            "            destUserID: \(id(header.destUserIDRange, header.layout.headerLength, bytes, "destUserID")),",
            "            body: \(body)", "        )",
            expect("try encoded.bytes()", "sent"), "    }", "",
        ]
        return lines.joined(separator: "\n")
    }

    /// An id; one with padding that is not zero comes only from the message itself.
    private func id(_ range: Range<Int>, _ end: Int, _ bytes: [UInt8], _ name: String) -> String {
        if bytes[range.upperBound..<max(end, range.upperBound)].contains(where: { $0 != 0 }) {
            return "message.\(name)"
        }
        let id = Array(bytes[range])
        let text = String(decoding: id, as: UTF8.self)
        return text.utf8.elementsEqual(id) ? "Message.ID(\(literal(id)))" : "Message.ID(bytes: bytes(\"\(hex(id))\"))"
    }

    private var unwrap: String { library == .swiftTesting ? "#require" : "XCTUnwrap" }

    private func expect(_ left: String, _ right: String) -> String {
        switch library {
        case .swiftTesting: "        #expect(\(left) == \(right))"
        case .xctest: "        XCTAssertEqual(\(left), \(right))"
        }
    }

    private func tokenName(_ token: HeaderLayout.StartToken) -> String {
        switch token {
        case .ffff: "ffff"
        case .ff: "ff"
        case .zeroF: "zeroF"
        }
    }

    private func hex(_ bytes: some Collection<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // MARK: - Values

    /// A value as Swift writes it.
    /// - Parameter position: Where it stands in the message; moved behind it.
    private func value(_ value: BodyValue, _ schema: BodySchema, _ position: inout Int, indent: Int) -> String {
        let blanks = String(repeating: " ", count: indent)
        func lines(_ items: [String], _ name: String) -> String {
            if items.isEmpty { return ".\(name)([])" }
            // As swift-format has it: no comma behind an element that is alone.
            let comma = items.count > 1 ? "," : ""
            return ".\(name)([\n" + items.map { "\(blanks)    \($0)\(comma)\n" }.joined() + "\(blanks)])"
        }
        switch (value, schema) {
        case (.null, _):
            position += 4
            return ".null"
        case (.boolean(let value), _):
            position += 1
            return ".boolean(\(value))"
        case (.integer(let value), _):
            position += schema.fixedSize ?? 4
            return ".integer(\(value))"
        case (.unsigned(let value), _):
            position += schema.fixedSize ?? 4
            return ".unsigned(\(value))"
        case (.float(let value), _):
            position += 4
            return ".float(Float(bitPattern: \(value.bitPattern)))"
        case (.double(let value), _):
            position += 8
            return ".double(Double(bitPattern: \(value.bitPattern)))"
        case (.date(let date), _):
            position += 8
            return ".date(BodyDate(raw: \(date.raw), encoding: .\(date.encoding)))"
        case (.string(let text), _):
            if case .rest = schema {} else { position += 4 }
            let start = position
            position += text.utf8.count
            if text.utf8.count > 256 {
                return ".string(String(decoding: sent[\(start)..<\(position)], as: UTF8.self))"
            }
            return ".string(\(literal(Array(text.utf8))))"
        case (.bytes(let bytes), _):
            if case .rest = schema {} else { position += 4 }
            let start = position
            position += bytes.count
            if bytes.count > Self.longBytes { return ".bytes(Array(sent[\(start)..<\(position)]))" }
            return bytes.isEmpty ? ".bytes([])" : ".bytes(bytes(\"\(hex(bytes))\"))"
        case (.list(let values), .list(let element)):
            position += 4
            var items: [String] = []
            for value in values { items.append(self.value(value, element, &position, indent: indent + 4)) }
            return lines(items, "list")
        case (.dictionary(let entries), .dictionary(let key, let value)):
            position += 4
            var items: [String] = []
            for entry in entries {
                let key = self.value(entry.key, key, &position, indent: indent + 4)
                let value = self.value(entry.value, value, &position, indent: indent + 4)
                items.append("BodyValue.Entry(key: \(key), value: \(value))")
            }
            return lines(items, "dictionary")
        case (.object(let values), .object(let properties)):
            position += 4
            var items: [String] = []
            for (value, property) in zip(values, properties) {
                let inner = self.value(value.value, property.schema, &position, indent: indent + 4)
                items.append("BodyValue.Property(\(literal(Array(value.name.utf8))), \(inner))")
            }
            return lines(items, "object")
        default:
            // No value of this kind comes from this form.
            return ".null"
        }
    }

    /// Text between quotes; what is not plain is escaped.
    private func literal(_ bytes: [UInt8]) -> String {
        var text = "\""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            default:
                if scalar.value >= 0x20, scalar.value < 0x7F {
                    text.unicodeScalars.append(scalar)
                } else {
                    text += "\\u{\(String(scalar.value, radix: 16))}"
                }
            }
        }
        return text + "\""
    }
}
