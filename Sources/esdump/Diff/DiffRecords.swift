import CaptureAnalysis
import ESProtocol
import MessageFormat

/// Writes a comparison as JSON: an object that says how it went, then one for each difference.
struct DiffRecords {
    private let showSecrets: Bool
    private let decodeText: ((UnsafeRawBufferPointer) -> String?)?

    init(showSecrets: Bool, decodeText: ((UnsafeRawBufferPointer) -> String?)? = nil) {
        self.showSecrets = showSecrets
        self.decodeText = decodeText
    }

    // MARK: - The first object

    func summary(
        _ comparison: CaptureComparison,
        a: String,
        b: String,
        rows: inout DiffRows,
        notes: DiffNotes,
        timing: DiffTiming?
    ) -> String {
        var out = OutputBuffer()
        out.append(comparison.isDifferent ? "{\"result\":\"different\"" : "{\"result\":\"same\"")
        for (name, text, messages) in [("a", a, comparison.a), ("b", b, comparison.b)] {
            out.append(",\"\(name)\":{\"name\":")
            out.append(json: text)
            out.append(
                ",\"messages\":\(messages.messages.count),\"conversations\":\(messages.conversations.count)}"
            )
        }
        let kinds: [(String, ComparedMessages.Kind)] = [
            ("same", .same), ("changed", .changed), ("only_in_a", .onlyInA), ("only_in_b", .onlyInB),
            ("reordered", .reordered),
        ]
        for (name, kind) in kinds { out.append(",\"\(name)\":\(comparison.counts[kind] ?? 0)") }
        if let (entry, conversation, change) = rows.first() {
            out.append(",\"first_difference\":")
            append(entry, conversation, change.map { [$0] } ?? [], comparison, &out)
        }
        appendList("renamings", comparison.renamings, &out) { renaming, out in
            out.append("{\"kind\":\"\(Self.name(renaming.kind))\",\"a\":")
            out.append(json: renaming.a)
            out.append(",\"b\":")
            out.append(json: renaming.b)
            out.append(",\"messages\":\(renaming.messages)}")
        }
        let renumberings = comparison.conversations.flatMap { one in one.renumberings.map { (one, $0) } }
        appendList("renumberings", renumberings, &out) { item, out in
            let (conversation, renumbering) = item
            out.append(
                "{\"conversation_a\":\(conversation.a ?? 0),\"conversation_b\":\(conversation.b ?? 0),\"direction\":\"\(renumbering.direction.name)\",\"offset\":\(renumbering.offset),\"first_a\":\(comparison.a.messages[renumbering.first].number),\"last_a\":\(comparison.a.messages[renumbering.last].number),\"messages\":\(renumbering.messages)}"
            )
        }
        appendList("allowed", comparison.allowed.sorted { $0.key < $1.key }, &out) { item, out in
            out.append("{\"field\":")
            out.append(json: item.key)
            out.append(",\"messages\":\(item.value)}")
        }
        appendList("notes", notes.notes, &out) { $1.append(json: $0) }
        if let timing {
            appendList("delays", timing.lines, &out) { line, out in
                out.append("{\"message_type\":\(line.type)")
                for (name, delays) in [("a", line.a), ("b", line.b)] {
                    out.append(",\"\(name)\":{\"count\":\(delays.count)")
                    if let median = DiffTiming.median(delays), let longest = delays.last {
                        out.append(",\"median_ns\":\(median),\"longest_ns\":\(longest)")
                    }
                    out.append("}")
                }
                out.append("}")
            }
        }
        out.append("}\n")
        return out.string()
    }

    private static func name(_ kind: IdentityKind) -> String {
        switch kind {
        case .user: "user"
        case .address: "address"
        case .port: "port"
        case .blob: "blob"
        case .clientType: "client_type"
        }
    }

    private func appendList<Element>(
        _ name: String,
        _ list: [Element],
        _ out: inout OutputBuffer,
        _ body: (Element, inout OutputBuffer) -> Void
    ) {
        out.append(",\"\(name)\":[")
        for (index, element) in list.enumerated() {
            if index > 0 { out.append(",") }
            body(element, &out)
        }
        out.append("]")
    }

    // MARK: - A difference

    func difference(
        _ entry: ComparedMessages,
        _ conversation: ConversationComparison,
        _ changes: [FieldChange],
        _ comparison: CaptureComparison
    ) -> String {
        var out = OutputBuffer()
        append(entry, conversation, changes, comparison, &out)
        out.append("\n")
        return out.string()
    }

    private func append(
        _ entry: ComparedMessages,
        _ conversation: ConversationComparison,
        _ changes: [FieldChange],
        _ comparison: CaptureComparison,
        _ out: inout OutputBuffer
    ) {
        let kind =
            switch entry.kind {
            case .same: "same"
            case .changed: "changed"
            case .onlyInA: "only_in_a"
            case .onlyInB: "only_in_b"
            case .reordered: "reordered"
            }
        out.append("{\"difference\":\"\(kind)\"")
        if entry.a >= 0 { append("a", comparison.a, entry.a, &out) }
        if entry.b >= 0 { append("b", comparison.b, entry.b, &out) }
        if !changes.isEmpty {
            appendList("fields", changes, &out) { change, out in
                out.append("{\"name\":")
                out.append(json: change.name)
                let isHidden =
                    !showSecrets
                    && (change.isSecret || isHidden(change.a, comparison.a, entry.a)
                        || isHidden(change.b, comparison.b, entry.b))
                if isHidden { out.append(",\"hidden\":true") }
                if let field = change.a {
                    append("a", field, change.bytesA, comparison.a, entry.a, isHidden, &out)
                }
                if let field = change.b {
                    append("b", field, change.bytesB, comparison.b, entry.b, isHidden, &out)
                }
                out.append("}")
            }
        }
        out.append("}")
    }

    private func append(_ name: String, _ messages: CapturedMessages, _ index: Int, _ out: inout OutputBuffer) {
        let message = messages.messages[index]
        out.append(
            ",\"\(name)\":{\"n\":\(message.number),\"packet\":\(message.packet),\"conversation\":\(message.conversation),\"direction\":\"\(message.direction.name)\",\"message_type\":\(message.header.messageType)"
        )
        if let type = messages.typeName(of: index) {
            out.append(",\"message_type_name\":")
            out.append(json: type)
        }
        out.append(
            ",\"message_id\":\(message.header.messageID),\"length\":\(message.header.messageLength),\"status\":\"\(message.status.rawValue)\"}"
        )
    }

    private func isHidden(_ field: Field?, _ messages: CapturedMessages, _ index: Int) -> Bool {
        guard let field, index >= 0 else { return false }
        let report = messages.report(of: index)
        return messages.withBytes(of: index) { bytes in
            FieldCell(
                field,
                report,
                bytes,
                range: bytesThere(of: field, report, bytes),
                differing: 0..<0,
                showSecrets: false
            ).isHidden
        }
    }

    private func append(
        _ name: String,
        _ field: Field,
        _ differing: Range<Int>,
        _ messages: CapturedMessages,
        _ index: Int,
        _ isHidden: Bool,
        _ out: inout OutputBuffer
    ) {
        out.append(",\"\(name)\":{\"offset\":\(field.offset),\"length\":\(field.length)")
        defer { out.append("}") }
        if isHidden { return }
        out.append(",\"differs\":[\(differing.lowerBound),\(differing.count)]")
        switch field.value {
        case .none: out.append(",\"value\":null")
        case .boolean(let value): out.append(",\"value\":\(value)")
        case .integer(let value): out.append(",\"value\":\(value)")
        case .unsigned(let value): out.append(",\"value\":\(value)")
        case .real(let value) where value.isFinite: out.append(",\"value\":\(value)")
        case .real: out.append(",\"value\":null")
        case .text(let text):
            out.append(",\"value\":")
            out.append(json: text)
        case .date(let milliseconds): out.append(",\"value\":\(milliseconds)")
        case .bytes: break
        }
        guard field.length > 0 else { return }
        let report = messages.report(of: index)
        out.append(",\"hex\":\"")
        messages.withBytes(of: index) { bytes in
            bytes.extracting(bytesThere(of: field, report, bytes)).withUnsafeBytes {
                for byte in $0 { out.append(hexByte: byte) }
            }
        }
        out.append("\"")
    }
}
