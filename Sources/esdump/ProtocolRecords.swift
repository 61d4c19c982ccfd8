import ESProtocol
import MessageFormat

/// The reference of the types of message for other programs: a JSON object for each.
enum ProtocolRecords {
    static func json(_ type: MessageTypeDescription, _ direction: ProtocolOptions.Direction?) -> String {
        var out = OutputBuffer()
        out.append("{\"type\":\(type.number),\"name\":")
        out.append(json: type.name)
        out.append(",\"versions\":\(json(type.versions)),\"sent_by\":\"\(sender(type.flow))\"")
        if type.hasKnownBodies {
            out.append(",\"bodies\":[")
            for (index, body) in type.bodies.filter({ direction.includes($0) }).enumerated() {
                if index > 0 { out.append(",") }
                append(body, to: &out)
            }
            out.append("]")
        }
        out.append("}\n")
        return out.string()
    }

    private static func append(_ body: MessageTypeDescription.Body, to out: inout OutputBuffer) {
        let direction =
            switch body.direction {
            case .request: "request"
            case .reply: "reply"
            case .both: "both"
            }
        out.append("{\"direction\":\"\(direction)\",\"versions\":\(json(body.versions)),\"seen\":\(body.isMeasured)")
        out.append(",\"fields\":[")
        for (index, row) in body.schema.outline.enumerated() {
            if index > 0 { out.append(",") }
            out.append("{\"name\":")
            out.append(json: row.name)
            if !row.label.isEmpty {
                out.append(",\"label\":")
                out.append(json: row.label)
            }
            out.append(",\"form\":")
            out.append(json: row.form)
            if let size = row.size { out.append(",\"size\":\(size)") }
            if !row.meaning.isEmpty {
                out.append(",\"meaning\":")
                out.append(json: row.meaning)
            }
            if row.isSecret { out.append(",\"secret\":true") }
            out.append("}")
        }
        out.append("]}")
    }

    private static func json(_ versions: ProtocolVersions) -> String {
        "[" + versions.names.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    private static func sender(_ flow: MessageTypeDescription.Flow) -> String {
        switch flow {
        case .exchange: "exchange"
        case .fromClient: "client"
        case .fromServer: "server"
        case .any: "any"
        }
    }
}
