import CaptureAnalysis
import MessageFormat

/// Writes a comparison as a page of HTML that needs nothing else: no script, no font, no picture from elsewhere.
struct DiffPage {
    /// Text as it stands in a page.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in escapingControls(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    func beginning(a: String, b: String, first: String?, notes: [String], summary: String) -> String {
        var text = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Self.escaped(a)) and \(Self.escaped(b)) compared</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <h1>\(Self.escaped(a)) and \(Self.escaped(b)) compared</h1>

            """
        if let first { text += "<p class=\"first\">First difference: \(Self.escaped(first))</p>\n" }
        text += "<p>\(Self.escaped(summary))</p>\n"
        if !notes.isEmpty {
            text += "<ul>\n" + notes.map { "<li>\(Self.escaped($0))</li>\n" }.joined() + "</ul>\n"
        }
        return text
    }

    func timing(_ timing: DiffTiming) -> String {
        guard !timing.lines.isEmpty else { return "<p>No request is answered in either.</p>\n" }
        var text = """
            <table class="delays">
            <tr><th>From request to answer</th><th>A</th><th>median</th><th>longest</th><th>B</th><th>median</th><th>longest</th></tr>

            """
        for line in timing.lines {
            text += "<tr><td>\(Self.escaped(line.name))</td>"
            for delays in [line.a, line.b] {
                text += "<td>\(delays.count)</td>"
                text +=
                    "<td>\(DiffTiming.median(delays).map(durationText) ?? "")</td><td>\(delays.last.map(durationText) ?? "")</td>"
            }
            text += "</tr>\n"
        }
        return text + "</table>\n"
    }

    /// What opens and closes the table of a conversation stands in the rows: ``end``.
    private(set) var isTableOpen = false

    mutating func row(_ row: DiffRow) -> String {
        switch row {
        case .conversation(let title):
            let closing = end()
            isTableOpen = true
            return closing + """
                <h2>\(Self.escaped(title))</h2>
                <table class="messages">
                <tr><th>A</th><th></th><th>B</th></tr>

                """
        case .message(let kind, let a, let b, let delays):
            let (name, mark) =
                switch kind {
                case .same: ("same", "")
                case .changed: ("changed", "changed")
                case .onlyInA: ("removed", "only in A")
                case .onlyInB: ("added", "only in B")
                case .reordered: ("reordered", "at another place")
                }
            return
                "<tr class=\"\(name)\"><td>\(Self.text(a, delays.a))</td><td class=\"mark\">\(mark)</td><td>\(Self.text(b, delays.b))</td></tr>\n"
        case .field(let name, let a, let b):
            if a?.isHidden == true || b?.isHidden == true {
                return
                    "<tr class=\"field\"><td colspan=\"3\"><code>\(Self.escaped(name))</code> differs (hidden)</td></tr>\n"
            }
            return "<tr class=\"field\"><td>\(Self.text(name, a))</td><td></td><td>\(Self.text(name, b))</td></tr>\n"
        case .moreFields(let count):
            return "<tr class=\"field\"><td colspan=\"3\">… \(count) more fields differ</td></tr>\n"
        case .leftOut(let count):
            let are = count == 1 ? "is" : "are"
            return
                "<tr class=\"left-out\"><td colspan=\"3\">… \(DiffNotes.messages(count)) that \(are) the same</td></tr>\n"
        }
    }

    /// Closes the table, if one is open.
    mutating func end() -> String {
        defer { isTableOpen = false }
        return isTableOpen ? "</table>\n" : ""
    }

    static let ending = "</body>\n</html>\n"

    private static func text(_ cell: MessageCell?, _ delay: Int64?) -> String {
        guard let cell else { return "" }
        var text = "<b>#\(cell.number)</b> " + escaped(DiffText.text(cell))
        if let delay { text += " <i>after \(durationText(delay))</i>" }
        return text
    }

    private static func text(_ name: String, _ cell: FieldCell?) -> String {
        guard let cell else { return "" }
        var text = "<code>\(escaped(name))</code>"
        if cell.offset > 0 || !cell.hex.isEmpty { text += " at \(cell.offset)" }
        if !cell.hex.isEmpty { text += " <code class=\"bytes\">\(escaped(cell.hex))</code>" }
        return text + " " + escaped(cell.value)
    }

    private static let style = """
        :root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --quiet: #59636e; --line: #d5dae0;
          --removed: #ffebe9; --added: #e6ffec; --changed: #fff4d1; }
        @media (prefers-color-scheme: dark) {
          :root { --ground: #15191f; --text: #e3e8ee; --quiet: #9aa5b1; --line: #343c46;
            --removed: #4a1f22; --added: #14391f; --changed: #43380f; }
        }
        body { background: var(--ground); color: var(--text); font: 15px/1.45 system-ui, sans-serif; margin: 1.5em; }
        h1 { font-size: 1.3em; } h2 { font-size: 1.05em; }
        .first { font-weight: 600; }
        table { border-collapse: collapse; }
        table.messages { width: 100%; table-layout: fixed; }
        table.messages th:nth-child(2) { width: 8.5em; }
        td, th { border-top: 1px solid var(--line); padding: .2em .5em; text-align: left; vertical-align: top;
          overflow-wrap: anywhere; }
        .field td, .left-out td { border-top: 0; color: var(--quiet); }
        .field td { padding-left: 2em; color: var(--text); }
        .mark { text-align: center; color: var(--quiet); }
        .removed td:first-child, .changed td:first-child, .reordered td:first-child, .field td:first-child { background: var(--removed); }
        .added td:last-child, .changed td:last-child, .reordered td:last-child, .field td:last-child { background: var(--added); }
        .field td[colspan], .reordered td:first-child, .reordered td:last-child { background: var(--changed); }
        .delays td + td, .delays th + th { text-align: right; }
        code { font: 13px ui-monospace, monospace; }
        code.bytes { font-weight: 600; }
        """
}
