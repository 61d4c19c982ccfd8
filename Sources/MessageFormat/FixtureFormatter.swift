import ESProtocol

/// The annotated hex of a message: rows of offset and bytes with the breakdown behind them as a comment. `text2pcap` and
/// `xxd -r` read it, and so does `esdump decode`.
package struct FixtureFormatter {
    private let describer: BodyDescriber
    private let rows = HexRows(decodeText: nil, color: false)
    /// Bytes of a row.
    private static let columns = 8

    /// - Parameter application: A user's description of bodies.
    package init(application: (any ApplicationBodies)? = nil) {
        describer = BodyDescriber(application: application)
    }

    /// Appends one message.
    ///
    /// Nothing is hidden: who calls decides whether the message may be shown.
    package func append(_ message: MessageReport, number: Int, bytes: RawSpan, to out: inout OutputBuffer) {
        out.append(literal: "# message ")
        out.append(decimal: number)
        out.append(literal: "  ")
        out.append(summaryOf: message, bytes)
        out.append(0x0A)
        var describer = describer
        let fields = MessageFields(message, bytes, describer: &describer)
        if fields.hasHeader {
            for field in HeaderField.allCases {
                guard let range = field.range(in: message.header.layout) else { continue }
                append(field.label, depth: 0, offset: range.lowerBound, range, bytes, to: &out) {
                    $0.append(valueOf: field, message, bytes, limit: .max, decodeText: nil)
                }
            }
        }
        if let title = fields.bodyTitle, !fields.body.isEmpty {
            out.append(literal: "# body: ")
            out.append(text: title)
            out.append(literal: ", ")
            out.append(byteCount: Int64(message.header.bodyLength))
            out.append(0x0A)
        }
        for item in fields.body { append(item, bytes, to: &out) }
        out.append(0x0A)
    }

    private func append(_ item: MessageItem, _ bytes: RawSpan, to out: inout OutputBuffer) {
        guard let index = item.index else {
            out.append(literal: "# ")
            out.append(gapOf: item.length)
            out.append(0x0A)
            return
        }
        guard item.length > 0 else { return }
        let range = index..<index + item.length
        guard case .field(let field) = item.content else {
            append("", depth: 0, offset: item.offset, range, bytes, to: &out) { out in
                out.append(byteCount: item.length)
            }
            return
        }
        append(field.label, depth: field.depth, offset: item.offset, range, bytes, to: &out) {
            $0.append(valueOf: field, bytes, isHidden: false, limit: 256, decodeText: nil)
        }
    }

    /// Rows of one field, each with its own offset; the first has what it is.
    private func append(
        _ label: String,
        depth: Int,
        offset: Int,
        _ range: Range<Int>,
        _ bytes: RawSpan,
        to out: inout OutputBuffer,
        value: (inout OutputBuffer) -> Void
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            let row = start..<min(start + Self.columns, range.upperBound)
            out.append(hex: UInt64(offset + start - range.lowerBound), digits: 6)
            out.append(literal: "  ")
            let isFirst = start == range.lowerBound
            rows.appendHex(bytes, row, columns: isFirst ? Self.columns : 0, secrets: [], to: &out)
            if isFirst {
                out.append(literal: "  # ")
                out.appendSpaces(2 * max(depth - 1, 0))
                let width = out.append(text: label)
                out.appendSpaces(max(16 - width, 1))
                value(&out)
                out.trimBlanks()
            }
            out.append(0x0A)
            start = row.upperBound
        }
    }
}

extension OutputBuffer {
    /// `c2s  Logon (112)  id 1  aa01 → _0  60 bytes`
    package mutating func append(summaryOf message: MessageReport, _ bytes: RawSpan) {
        append(message.direction.name)
        append(literal: "  ")
        append(type: message.header.messageType, message.profile)
        append(literal: "  id ")
        append(decimal: Int64(message.header.messageID))
        append(literal: "  ")
        append(idsOf: message.header, bytes, decodeText: nil)
        append(literal: "  ")
        append(byteCount: message.length)
        if message.status != .complete {
            append(literal: "  ")
            append(damageOf: message)
        }
    }
}
