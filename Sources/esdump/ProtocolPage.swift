import ESProtocol
import MessageFormat

/// The reference of the types of message, for people.
struct ProtocolPage {
    /// Columns of the terminal; `nil` if there is none: then nothing is wrapped.
    let width: Int?
    let direction: ProtocolOptions.Direction?

    /// What one direction of a type holds.
    private struct Part {
        var versions: ProtocolVersions
        var way: String
        var body: String
        var isMeasured = true
    }

    // MARK: - All types

    func list(_ types: [MessageTypeDescription]) -> String {
        let nameWidth = types.map { $0.name.count }.max() ?? 0
        var text = line(["TYPE", "NAME", "VERSIONS", "WAY", "BODY"], nameWidth)
        var group = -1
        var hasUnseen = false
        for type in types {
            if Int(type.number) / 100 != group {
                group = Int(type.number) / 100
                text += "\n"
            }
            for (index, part) in parts(type).enumerated() {
                hasUnseen = hasUnseen || !part.isMeasured
                text += line(
                    [
                        index == 0 ? String(type.number) : "", index == 0 ? escapingControls(type.name) : "",
                        part.versions.names.joined(separator: " "), part.way,
                        part.body + (part.isMeasured ? "" : " *"),
                    ],
                    nameWidth
                )
            }
        }
        text += "\nrequest and reply share their number; → goes to the server, ← comes from it, ↔ goes either way.\n"
        if hasUnseen { text += "* was never seen: known from descriptions only.\n" }
        return text + "esdump protocol TYPE shows the fields of a type's bodies, --ksy describes them.\n"
    }

    /// One line, the last column wrapped and indented.
    private func line(_ columns: [String], _ nameWidth: Int) -> String {
        let widths = [5, nameWidth, 11, 7]
        var text = ""
        for (index, column) in columns.dropLast().enumerated() {
            let blanks = String(repeating: " ", count: max(widths[index] - column.count, 0))
            text += index == 0 ? blanks + column + "  " : column + blanks + "  "
        }
        let last = columns.last ?? ""
        let indent = widths.reduce(0, +) + 2 * widths.count
        guard let width, width - indent >= 20 else { return trimmed(text + last) + "\n" }
        let lines = wrap(last, width: width - indent)
        return trimmed(text + lines.joined(separator: "\n" + String(repeating: " ", count: indent))) + "\n"
    }

    private func trimmed(_ text: String) -> String {
        var text = text
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }

    private func parts(_ type: MessageTypeDescription) -> [Part] {
        var parts: [Part] = []
        for body in type.bodies.sorted(by: { Self.order($0) < Self.order($1) }) where direction.includes(body) {
            parts.append(
                Part(
                    versions: body.versions,
                    way: way(type, body.direction),
                    body: body.schema.brief,
                    isMeasured: body.isMeasured
                )
            )
        }
        if type.isExchange {
            // A request without a body is empty. Of a reply it is not known.
            if direction != .reply { addMissing(.request, type, to: &parts, at: 0) }
            if direction != .request { addMissing(.reply, type, to: &parts, at: parts.count) }
        } else if parts.isEmpty {
            let body = type.hasKnownBodies ? "empty" : "not known"
            parts.append(Part(versions: type.versions, way: way(type, .both), body: body))
        }
        return parts
    }

    private func addMissing(
        _ direction: BodyDirection,
        _ type: MessageTypeDescription,
        to parts: inout [Part],
        at index: Int
    ) {
        let there = type.bodies.filter { $0.direction == direction || $0.direction == .both }
            .reduce(into: ProtocolVersions()) { $0.formUnion($1.versions) }
        let missing = type.versions.subtracting(there)
        guard !missing.isEmpty else { return }
        let isEmpty = direction == .request && type.hasKnownBodies
        parts.insert(
            Part(versions: missing, way: way(type, direction), body: isEmpty ? "empty" : "not known"),
            at: index
        )
    }

    private static func order(_ body: MessageTypeDescription.Body) -> Int {
        Int(body.direction.rawValue) * 256 + Int(body.versions.rawValue)
    }

    private func way(_ type: MessageTypeDescription, _ direction: BodyDirection) -> String {
        switch type.flow {
        case .exchange: direction == .request ? "request" : "reply"
        case .fromClient: "→"
        case .fromServer: "←"
        case .any: "↔"
        }
    }

    // MARK: - Some types

    func details(_ types: [MessageTypeDescription]) -> String {
        types.map(details).joined(separator: "\n")
    }

    private func details(_ type: MessageTypeDescription) -> String {
        let who =
            switch type.flow {
            case .exchange: "the client asks, the server answers with the same number"
            case .fromClient: "from the client to the server"
            case .fromServer: "from the server to the client"
            case .any: "either way, also from client to client"
            }
        let versions = type.versions.isEmpty ? "" : ", in \(list(type.versions))"
        var text = wrapped("\(escapingControls(type.name)) (\(type.number))\(versions): \(who)", 0)
        for body in type.bodies.sorted(by: { Self.order($0) < Self.order($1) }) where direction.includes(body) {
            let title = escapingControls(type.title(body.direction))
            text += "\n\(title), in \(list(body.versions))"
            text += body.isMeasured ? "\n" : " (never seen, known from descriptions only)\n"
            text += table(body.schema.outline)
        }
        let rest = parts(type).filter { $0.body == "empty" || $0.body == "not known" }
        for part in rest {
            let name = type.isExchange ? "The \(part.way)" : "Its body"
            let versions = part.versions == type.versions ? "" : " of \(list(part.versions))"
            text += "\n\(name)\(versions) is \(part.body).\n"
        }
        return text
    }

    /// `4.7, 6.5 and 7.2`
    private func list(_ versions: ProtocolVersions) -> String {
        let names = versions.names
        guard names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
    }

    private func table(_ rows: [BodyOutlineRow]) -> String {
        let nameWidth = rows.map { $0.name.count }.max() ?? 0
        let labelWidth = rows.map { $0.label.count + 2 * ($0.depth - 1) }.max() ?? 0
        let formWidth = rows.map { $0.form.count }.max() ?? 0
        var text = ""
        for row in rows {
            let label = String(repeating: " ", count: 2 * (row.depth - 1)) + row.label
            let head = "  " + padded(row.name, nameWidth) + "  " + padded(label, labelWidth) + "  "
            var meaning = row.meaning
            if row.isSecret { meaning += meaning.isEmpty ? "hidden" : ", hidden" }
            let start = head + padded(row.form, formWidth) + "  "
            guard let width, width - start.count >= 20 else {
                text += trimmed(start + meaning) + "\n"
                continue
            }
            let indent = String(repeating: " ", count: start.count)
            let lines = meaning.isEmpty ? [""] : wrap(meaning, width: width - start.count)
            text += trimmed(start + lines.joined(separator: "\n" + indent)) + "\n"
        }
        return text
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    private func wrapped(_ text: String, _ indent: Int) -> String {
        guard let width else { return text + "\n" }
        return wrap(text, width: max(width - indent, 20)).joined(separator: "\n") + "\n"
    }
}
