import CaptureAnalysis
import ESProtocol
import MessageFormat

/// What is said of a comparison in sentences: where it differs first, what may differ and does, and how much is the same.
struct DiffNotes {
    private let comparison: CaptureComparison
    private var rows: DiffRows

    init(_ comparison: CaptureComparison, _ rows: DiffRows) {
        self.comparison = comparison
        self.rows = rows
    }

    static func messages(_ count: Int) -> String { "\(count) message\(count == 1 ? "" : "s")" }

    private static func conversations(_ count: Int) -> String { "\(count) conversation\(count == 1 ? "" : "s")" }

    /// `48 messages in 2 conversations`
    static func size(_ messages: CapturedMessages) -> String {
        "\(Self.messages(messages.messages.count)) in \(conversations(messages.conversations.count))"
    }

    /// Where the first difference is; `nil` if there is none.
    mutating func first() -> String? {
        guard let (entry, conversation, change) = rows.first() else { return nil }
        let a = rows.messageCell(a: entry)
        let b = rows.messageCell(b: entry)
        switch (a, b) {
        case (let a?, let b?):
            let place = "A #\(a.number), B #\(b.number): \(a.type)"
            guard entry.kind != .reordered, let change else { return "\(place) is at another place" }
            let name = ColumnText.escaped(change.name)
            guard case .field(_, let cellA, let cellB) = rows.row(of: change, entry) else { return place }
            let bytes = change.name == "status" ? "" : ", from byte \((cellA ?? cellB)?.offset ?? 0) of the message"
            return "\(place), \(name)\(bytes)"
        case (let a?, nil):
            let whole = conversation.b == nil && conversation.a != nil ? ", with its whole conversation" : ""
            return "A #\(a.number): \(a.type) is only in A\(whole)"
        case (nil, let b?):
            let whole = conversation.a == nil && conversation.b != nil ? ", with its whole conversation" : ""
            return "B #\(b.number): \(b.type) is only in B\(whole)"
        case (nil, nil): return nil
        }
    }

    /// What differs and is no difference, and what was not compared.
    var notes: [String] {
        layouts + servers + comparison.renamings.map(Self.renaming) + renumberings + allowed + notCompared
    }

    /// One line for each pair of layouts.
    private var layouts: [String] {
        var told: [String] = []
        for conversation in comparison.conversations {
            guard let (a, b) = conversation.layouts else { continue }
            let line = "the layouts differ: A has \(a.summary); B has \(b.summary); compared by meaning"
            if !told.contains(line) { told.append(line) }
        }
        return told
    }

    private var servers: [String] {
        var told: [String] = []
        for conversation in comparison.conversations {
            guard let a = conversation.a.flatMap(comparison.a.conversation)?.serverPort,
                let b = conversation.b.flatMap(comparison.b.conversation)?.serverPort, a != b
            else { continue }
            let line = "the server's port is \(a) in A and \(b) in B"
            if !told.contains(line) { told.append(line) }
        }
        return told
    }

    private static func renaming(_ renaming: Renaming) -> String {
        let kind =
            switch renaming.kind {
            case .user: "user or group"
            case .address: "address"
            case .port: "port"
            case .blob: "blob"
            case .clientType: "client type"
            }
        let (a, b) = (ColumnText.escaped(renaming.a), ColumnText.escaped(renaming.b))
        return "\(kind) \(a) in A is \(b) in B throughout (\(messages(renaming.messages)))"
    }

    /// Captures that have little in common have very many.
    private static let maximumRenumberings = 10

    private var renumberings: [String] {
        let all = allRenumberings
        guard all.count > Self.maximumRenumberings else { return all }
        let rest = all.count - Self.maximumRenumberings
        return all.prefix(Self.maximumRenumberings) + ["… and \(rest) renumberings more"]
    }

    private var allRenumberings: [String] {
        comparison.conversations.flatMap { conversation in
            conversation.renumberings.map { renumbering in
                let (first, last) = (
                    comparison.a.messages[renumbering.first].number, comparison.a.messages[renumbering.last].number
                )
                let way = renumbering.direction == .clientToServer ? "to the server" : "to the client"
                let by = renumbering.offset > 0 ? "\(renumbering.offset) higher" : "\(-renumbering.offset) lower"
                let range = first == last ? "of A #\(first)" : "from A #\(first) to A #\(last)"
                return
                    "message ids \(way) are \(by) in B \(range) (\(Self.messages(renumbering.messages))\(conversation.a.map { ", conversation \($0)" } ?? ""))"
            }
        }
    }

    private var allowed: [String] {
        comparison.allowed.sorted { $0.key < $1.key }.map { name, count in
            name == "es.user_id" || name == "es.dest_user_id"
                ? "\(name) has the device in front in only one of them (\(Self.messages(count)))"
                : "\(ColumnText.escaped(name)) differs in \(Self.messages(count)), as it may"
        }
    }

    private var notCompared: [String] {
        [("A", comparison.a), ("B", comparison.b)].compactMap { name, messages in
            let missing = messages.conversations.reduce(Int64(0)) { $0 &+ $1.missingBytes }
            let stray = messages.conversations.reduce(Int64(0)) { $0 &+ $1.strayBytes }
            guard missing > 0 || stray > 0 else { return nil }
            var parts: [String] = []
            if missing > 0 { parts.append("\(missing) byte\(missing == 1 ? " was" : "s were") not captured") }
            if stray > 0 { parts.append("\(stray) byte\(stray == 1 ? " belongs" : "s belong") to no message") }
            return "in \(name) \(parts.joined(separator: " and ")): these are not compared"
        }
    }

    /// How much differs, and how much is the same.
    var summary: String {
        let same = comparison.counts[.same] ?? 0
        let kinds: [(ComparedMessages.Kind, String)] = [
            (.changed, "changed"), (.onlyInA, "only in A"), (.onlyInB, "only in B"), (.reordered, "reordered"),
        ]
        let parts = kinds.compactMap { kind, word in
            (comparison.counts[kind] ?? 0) > 0 ? "\(comparison.counts[kind] ?? 0) \(word)" : nil
        }
        let rest =
            comparison.leftOut > 0
            ? "; \(Self.messages(comparison.leftOut)) of the capture \(comparison.leftOut == 1 ? "has" : "have") no counterpart in what \(comparison.leftOut == 1 ? "it is" : "they are") compared with"
            : ""
        guard !parts.isEmpty else {
            return "No difference: \(Self.messages(same)) \(same == 1 ? "is" : "are") the same\(rest)."
        }
        return "\(parts.joined(separator: ", ")); \(same) the same\(rest)."
    }
}

/// A time in nanoseconds as people write it: `0.42 ms`, `1.250 s`.
func durationText(_ nanoseconds: Int64) -> String {
    func decimal(_ unit: Int64, _ digits: Int, _ name: String) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: unit)
        var scale: Int64 = 1
        for _ in 0..<digits { scale *= 10 }
        let fraction = String(rest / (unit / scale))
        return "\(whole).\(String(repeating: "0", count: digits - fraction.count))\(fraction) \(name)"
    }
    return nanoseconds < 1_000_000_000 ? decimal(1_000_000, 2, "ms") : decimal(1_000_000_000, 3, "s")
}
