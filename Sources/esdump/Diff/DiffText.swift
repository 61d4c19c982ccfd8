import CaptureAnalysis
import MessageFormat

/// Writes a comparison in the manner of `diff -u`.
struct DiffText {
    let usesColor: Bool

    private enum Tint: String {
        case removed = "31"
        case added = "32"
        case changed = "33"
        case place = "36"
    }

    private func tinted(_ text: String, _ tint: Tint?) -> String {
        guard usesColor, let tint else { return text }
        return "\u{1B}[\(tint.rawValue)m\(text)\u{1B}[0m"
    }

    func names(a: String, b: String) -> String {
        tinted("--- \(a)", .removed) + "\n" + tinted("+++ \(b)", .added) + "\n"
    }

    func line(_ row: DiffRow) -> String {
        switch row {
        case .conversation(let title): return tinted("@@ \(title) @@", .place) + "\n"
        case .message(let kind, let a, let b, let delays):
            let (mark, tint): (String, Tint?) =
                switch kind {
                case .same: (" ", nil)
                case .changed: ("!", .changed)
                case .onlyInA: ("-", .removed)
                case .onlyInB: ("+", .added)
                case .reordered: (">", .changed)
                }
            guard let cell = a ?? b else { return "" }
            let numbers = Self.number(a?.number) + Self.number(b?.number)
            return tinted("\(mark)\(numbers)  \(Self.text(cell))\(Self.text(delays))", tint) + "\n"
        case .field(let name, let a, let b): return fields(ColumnText.escaped(name), a, b)
        case .moreFields(let count): return "!\(Self.indent)… \(count) more fields differ\n"
        case .leftOut(let count):
            return " \(Self.indent)… \(DiffNotes.messages(count)) that \(count == 1 ? "is" : "are") the same\n"
        }
    }

    private static let indent = String(repeating: " ", count: 16)

    private static func number(_ number: Int?) -> String {
        let text = number.map { "#\($0)" } ?? ""
        return String(repeating: " ", count: max(7 - text.count, 1)) + text
    }

    /// `→ Logon (112)  id 1  aa01 → _0  60 bytes`
    static func text(_ cell: MessageCell) -> String {
        let damage = cell.damage.isEmpty ? "" : "  \(cell.damage)"
        return "\(cell.arrow) \(cell.type)  id \(cell.id)  \(cell.users)  \(cell.length) bytes\(damage)"
    }

    static func text(_ delays: DiffRow.Delays) -> String {
        switch (delays.a, delays.b) {
        case (let a?, let b?): "  answered after \(durationText(a)) in A, \(durationText(b)) in B"
        case (let a?, nil): "  answered after \(durationText(a))"
        case (nil, let b?): "  answered after \(durationText(b))"
        case (nil, nil): ""
        }
    }

    private func fields(_ name: String, _ a: FieldCell?, _ b: FieldCell?) -> String {
        if a?.isHidden == true || b?.isHidden == true {
            return tinted("!\(Self.indent)\(name)  differs (hidden)", .changed) + "\n"
        }
        var text = ""
        if let a { text += tinted("-\(Self.indent)\(name)\(Self.text(a))", .removed) + "\n" }
        if let b { text += tinted("+\(Self.indent)\(name)\(Self.text(b))", .added) + "\n" }
        return text
    }

    /// `  at 44: 68  "hello"`
    static func text(_ cell: FieldCell) -> String {
        if cell.offset == 0, cell.hex.isEmpty { return "  \(cell.value)" }
        return "  at \(cell.offset): \(cell.hex.isEmpty ? "no bytes" : cell.hex)  \(cell.value)"
    }
}

/// Writes a comparison in two columns.
struct DiffColumns {
    /// Columns of each half.
    private let half: Int
    let usesColor: Bool

    /// - Parameter width: of the terminal; what is no terminal gets as much as `diff -y` takes.
    init(width: Int?, usesColor: Bool) {
        half = max(((width ?? 130) - 3) / 2, 16)
        self.usesColor = usesColor
    }

    func names(a: String, b: String) -> String { line(a, "   ", b, nil) + line(rule, "─┼─", rule, nil) }

    private var rule: String { String(repeating: "─", count: half) }

    func line(_ row: DiffRow) -> String {
        switch row {
        case .conversation(let title):
            return tinted(ColumnText.cut("@@ \(title) @@", 2 * half + 3), "36") + "\n"
        case .message(let kind, let a, let b, let delays):
            let (mark, code): (String, String?) =
                switch kind {
                case .same: ("   ", nil)
                case .changed: (" ! ", "33")
                case .onlyInA: (" < ", "31")
                case .onlyInB: (" > ", "32")
                case .reordered: (" ~ ", "33")
                }
            return line(Self.text(a, delays.a), mark, Self.text(b, delays.b), code)
        case .field(let name, let a, let b):
            let name = ColumnText.escaped(name)
            if a?.isHidden == true || b?.isHidden == true {
                return line("      \(name)", " ! ", "      differs (hidden)", "33")
            }
            return line(Self.place(name, a), " ! ", Self.place(name, b), "33")
                + line(Self.text(a), " ! ", Self.text(b), "33")
        case .moreFields(let count): return line("      … \(count) more fields differ", " ! ", "", "33")
        case .leftOut(let count): return line("      … \(DiffNotes.messages(count)) the same", "   ", "", nil)
        }
    }

    private static func text(_ cell: MessageCell?, _ delay: Int64?) -> String {
        guard let cell else { return "" }
        let after = delay.map { "  after \(durationText($0))" } ?? ""
        return "#\(cell.number) " + DiffText.text(cell) + after
    }

    private static func place(_ name: String, _ cell: FieldCell?) -> String {
        guard let cell else { return "" }
        return cell.offset == 0 && cell.hex.isEmpty ? "      \(name)" : "      \(name) at \(cell.offset)"
    }

    private static func text(_ cell: FieldCell?) -> String {
        guard let cell else { return "" }
        return "      " + [cell.hex, cell.value].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private func tinted(_ text: String, _ code: String?) -> String {
        guard usesColor, let code else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }

    private func line(_ left: String, _ mark: String, _ right: String, _ code: String?) -> String {
        var right = ColumnText.cut(right, half)
        while right.hasSuffix(" ") { right.removeLast() }
        var line = ColumnText.fit(left, half) + mark + right
        while line.hasSuffix(" ") { line.removeLast() }
        return tinted(line, code) + "\n"
    }
}
