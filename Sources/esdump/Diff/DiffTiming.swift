import CaptureAnalysis
import ESProtocol
import MessageFormat

/// How long requests waited for their answers in both captures, by type.
struct DiffTiming {
    struct Line {
        var type: UInt16
        /// `Logon (112)`
        var name: String
        var a: [Int64]
        var b: [Int64]
    }

    let lines: [Line]

    init(_ a: CapturedMessages, _ b: CapturedMessages) {
        var found: [UInt16: Line] = [:]
        func add(_ messages: CapturedMessages, _ place: WritableKeyPath<Line, [Int64]>) {
            for reply in ReplyDelays(messages).replies {
                let header = messages.messages[reply.request].header
                let name = messages.typeName(of: reply.request)
                let text = name.map { "\($0) (\(header.messageType))" } ?? "type \(header.messageType)"
                found[header.messageType, default: Line(type: header.messageType, name: text, a: [], b: [])][
                    keyPath: place
                ].append(reply.delay)
            }
        }
        add(a, \.a)
        add(b, \.b)
        lines = found.values.map {
            Line(type: $0.type, name: $0.name, a: $0.a.sorted(), b: $0.b.sorted())
        }.sorted { $0.type < $1.type }
    }

    static func median(_ sorted: [Int64]) -> Int64? { sorted.isEmpty ? nil : sorted[(sorted.count - 1) / 2] }

    /// A table; nothing if no request was answered.
    var text: String {
        guard !lines.isEmpty else { return "No request is answered in either.\n" }
        func cells(_ delays: [Int64]) -> [String] {
            guard let median = Self.median(delays), let longest = delays.last else { return ["0", "", ""] }
            return [String(delays.count), durationText(median), durationText(longest)]
        }
        var table = [["From request to answer", "A", "median", "longest", "B", "median", "longest"]]
        table += lines.map { [$0.name] + cells($0.a) + cells($0.b) }
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        return table.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                line += column == 0 ? cell + blanks : "  " + blanks + cell
            }
            return line + "\n"
        }.joined()
    }
}
