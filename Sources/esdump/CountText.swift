import CaptureAnalysis
import ESProtocol

/// What `--count` prints: `name value` a line, or one JSON object with the same names (OUTPUT.md).
/// - Parameters:
///   - profile: the one that was given, if one was.
///   - describedNames: of message types, from a user's description.
func countText(
    _ totals: AnalysisTotals,
    asJSON: Bool,
    profile: Profile? = nil,
    describedNames: [UInt16: String] = [:]
) -> String {
    var values: [(name: String, value: Int64)] = [
        ("packets", Int64(totals.packets)),
        ("conversations", Int64(totals.conversations)),
        ("complete messages", Int64(totals.completeMessages)),
        ("damaged messages", Int64(totals.damagedMessages)),
        ("gaps", Int64(totals.gaps)),
        ("missing bytes", totals.missingBytes),
        ("skipped bytes", totals.skippedBytes),
        ("not-es conversations", Int64(totals.notESConversations)),
    ]
    for (type, layout, toServer, toClient) in totals.byType {
        let known = profile ?? layout.map { Profile(startToken: $0.startToken) }
        let name = (describedNames[type] ?? known?.messageTypeName(type)).map { " \($0)" } ?? ""
        if toServer > 0 { values.append(("type \(type)\(name) c2s", Int64(toServer))) }
        if toClient > 0 { values.append(("type \(type)\(name) s2c", Int64(toClient))) }
    }
    guard asJSON else { return values.map { "\($0.name) \($0.value)\n" }.joined() }
    let members = values.map { "\"\(String($0.name.map { $0 == " " ? "_" : $0 }))\":\($0.value)" }
    return "{" + members.joined(separator: ",") + "}\n"
}
