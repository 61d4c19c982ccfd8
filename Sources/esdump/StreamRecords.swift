import CaptureAnalysis
import MessageFormat

/// The list of conversations for other programs: a JSON object or a line of CSV for each.
enum StreamRecords {
    // MARK: - JSON

    static func json(_ summary: StreamSummary) -> String {
        var out = OutputBuffer()
        out.append("{\"conversation\":\(summary.number),\"transport\":\"\(summary.transportName)\",\"client\":")
        out.append(json: summary.client)
        out.append(",\"server\":")
        out.append(json: summary.server)
        out.append(",\"start\":\"")
        TimeFormat.appendRFC3339(summary.start, to: &out)
        out.append("\",\"duration\":\(seconds(summary.duration)),\"packets\":\(summary.packets)")
        out.append(",\"messages\":\(summary.messages)")
        if let versions = summary.versions {
            out.append(",\"versions\":[\(versions.names.map { "\"\($0)\"" }.joined(separator: ","))]")
        }
        out.append(",\"users\":[")
        for (index, user) in summary.users.enumerated() {
            if index > 0 { out.append(",") }
            out.append(json: user)
        }
        out.append("]")
        if summary.moreUsers > 0 { out.append(",\"more_users\":\(summary.moreUsers)") }
        out.append(",\"retransmissions\":\(summary.retransmissions),\"ended\":")
        out.append(json: summary.ending.rawValue)
        out.append(",\"c2s\":")
        append(summary.toServer, to: &out)
        out.append(",\"s2c\":")
        append(summary.toClient, to: &out)
        out.append("}\n")
        return out.string()
    }

    private static func append(_ direction: DirectionSummary, to out: inout OutputBuffer) {
        out.append("{\"bytes\":\(direction.bytes),\"messages\":\(direction.messages)")
        out.append(",\"damaged_messages\":\(direction.damagedMessages),\"syn\":\(direction.hasSYN)")
        if let hash = direction.sha256 { out.append(",\"sha256\":\"\(hash)\"") }
        out.append(",\"missing\":\(direction.missingBytes),\"gaps\":[")
        for (index, gap) in direction.gaps.enumerated() {
            out.append("\(index > 0 ? "," : "")[\(gap.offset),\(gap.length)]")
        }
        out.append("]")
        if direction.gapCount > direction.gaps.count { out.append(",\"gap_count\":\(direction.gapCount)") }
        if !direction.runs.isEmpty {
            out.append(",\"runs\":[")
            for (index, run) in direction.runs.enumerated() {
                if index > 0 { out.append(",") }
                out.append("{\"offset\":\(run.offset),\"length\":\(run.length),\"sha256\":\"\(run.sha256)\"}")
            }
            out.append("]")
        }
        if direction.lateBytes > 0 { out.append(",\"late\":\(direction.lateBytes)") }
        if let file = direction.file {
            out.append(",\"file\":")
            out.append(json: file)
        }
        out.append("}")
    }

    // MARK: - CSV (RFC 4180, lines ended by a line feed)

    static func csvNames(hash: Bool) -> String {
        "conversation,transport,client,server,start,duration,packets,c2s_bytes,s2c_bytes,c2s_messages,s2c_messages,"
            + "users,retransmissions,c2s_gaps,s2c_gaps,c2s_missing,s2c_missing,ended"
            + (hash ? ",c2s_sha256,s2c_sha256" : "") + "\n"
    }

    static func csv(_ summary: StreamSummary) -> String {
        let up = summary.toServer
        let down = summary.toClient
        var start = OutputBuffer()
        TimeFormat.appendRFC3339(summary.start, to: &start)
        var users = OutputBuffer()
        for (index, user) in summary.users.enumerated() {
            if index > 0 { users.append("; ") }
            users.append(text: user)
        }
        var values = [
            "\(summary.number)", "\(summary.transportName)", summary.client, summary.server, start.string(),
            seconds(summary.duration),
            "\(summary.packets)", "\(up.bytes)", "\(down.bytes)", "\(up.messages)", "\(down.messages)", users.string(),
            "\(summary.retransmissions)", "\(up.gapCount)", "\(down.gapCount)", "\(up.missingBytes)",
            "\(down.missingBytes)", summary.ending.rawValue,
        ]
        if let hash = up.sha256 { values.append(hash) }
        if let hash = down.sha256 { values.append(hash) }
        return values.map(quoted).joined(separator: ",") + "\n"
    }

    /// Quoted where need be. What a spreadsheet would take for a formula gets an apostrophe in front: user ids come from
    /// strangers.
    private static func quoted(_ value: String) -> String {
        var value = value
        if let first = value.first, "=+-@".contains(first) { value = "'" + value }
        guard value.contains(where: { ",\"; \n\r".contains($0) }) else { return value }
        return "\"" + value.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }

    /// Seconds with nine decimals.
    private static func seconds(_ nanoseconds: Int64) -> String {
        let fraction = String(1_000_000_000 + nanoseconds % 1_000_000_000).dropFirst()
        return "\(nanoseconds / 1_000_000_000).\(fraction)"
    }
}
