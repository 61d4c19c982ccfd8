import CaptureAnalysis
import ESProtocol
import MessageFormat

/// What is shown of a comparison, in order; each format writes it in its own way.
enum DiffRow {
    /// A conversation of A and which one of B it is.
    case conversation(String)
    case message(ComparedMessages.Kind, a: MessageCell?, b: MessageCell?, delays: Delays)
    /// A field of the message before, with what each has.
    case field(name: String, a: FieldCell?, b: FieldCell?)
    /// So many fields more differ.
    case moreFields(Int)
    /// So many messages that are the same are left out here.
    case leftOut(Int)

    /// Nanoseconds from a request to this answer; `nil` if it is none, or none was asked for.
    struct Delays {
        var a: Int64?
        var b: Int64?
    }
}

/// Makes the rows of a comparison.
struct DiffRows {
    private var comparison: CaptureComparison
    /// Messages that are the same, around each difference; `nil` shows all.
    var context: Int? = 3
    var showSecrets = false
    var decodeText: ((UnsafeRawBufferPointer) -> String?)?
    let delaysA: ReplyDelays?
    let delaysB: ReplyDelays?
    /// Of one message at most so many fields are shown.
    var maximumFields = 50

    init(_ comparison: CaptureComparison, timing: Bool) {
        self.comparison = comparison
        delaysA = timing ? ReplyDelays(comparison.a) : nil
        delaysB = timing ? ReplyDelays(comparison.b) : nil
    }

    /// - Parameter body: takes a row; what it returns says whether there is any use in going on.
    mutating func forEach(_ body: (DiffRow) -> Bool) {
        for conversation in comparison.conversations where conversation.isDifferent || context == nil {
            guard body(.conversation(title(conversation))) else { return }
            var leftOut = 0
            let shown = shownEntries(conversation)
            for (index, entry) in conversation.entries.enumerated() {
                guard shown[index] else {
                    leftOut += 1
                    continue
                }
                if leftOut > 0, !body(.leftOut(leftOut)) { return }
                leftOut = 0
                guard rows(of: entry, body) else { return }
            }
            if leftOut > 0, !body(.leftOut(leftOut)) { return }
        }
    }

    /// Those that differ, and some before and behind.
    private func shownEntries(_ conversation: ConversationComparison) -> [Bool] {
        let entries = conversation.entries
        guard let context else { return [Bool](repeating: true, count: entries.count) }
        var shown = [Bool](repeating: false, count: entries.count)
        var last = Int.min / 2
        for index in entries.indices {
            if entries[index].kind != .same { last = index }
            if index - last <= context { shown[index] = true }
        }
        last = Int.max / 2
        for index in entries.indices.reversed() {
            if entries[index].kind != .same { last = index }
            if last - index <= context { shown[index] = true }
        }
        return shown
    }

    private mutating func rows(of entry: ComparedMessages, _ body: (DiffRow) -> Bool) -> Bool {
        let a = entry.a >= 0 ? cell(comparison.a, entry.a) : nil
        let b = entry.b >= 0 ? cell(comparison.b, entry.b) : nil
        let delays = DiffRow.Delays(
            a: entry.a >= 0 ? delaysA?.reply(entry.a)?.delay : nil,
            b: entry.b >= 0 ? delaysB?.reply(entry.b)?.delay : nil
        )
        guard body(.message(entry.kind, a: a, b: b, delays: delays)) else { return false }
        guard entry.kind == .changed || entry.kind == .reordered else { return true }
        let changes = comparison.changes(of: entry)
        for change in changes.prefix(maximumFields) {
            guard body(row(of: change, entry)) else { return false }
        }
        return changes.count <= maximumFields || body(.moreFields(changes.count - maximumFields))
    }

    func row(of change: FieldChange, _ entry: ComparedMessages) -> DiffRow {
        .field(
            name: change.name,
            a: change.a.map { cell($0, comparison.a, entry.a, change.bytesA, isSecret: change.isSecret) },
            b: change.b.map { cell($0, comparison.b, entry.b, change.bytesB, isSecret: change.isSecret) }
        )
    }

    private func cell(_ messages: CapturedMessages, _ index: Int) -> MessageCell {
        let report = messages.report(of: index)
        return messages.withBytes(of: index) {
            MessageCell(report, $0, number: messages.messages[index].number, decodeText: decodeText)
        }
    }

    private func cell(
        _ field: Field,
        _ messages: CapturedMessages,
        _ index: Int,
        _ differing: Range<Int>,
        isSecret: Bool
    ) -> FieldCell {
        var field = field
        // What is a secret in one of them is in the other.
        if isSecret { field.isSecret = true }
        let report = messages.report(of: index)
        return messages.withBytes(of: index) { bytes in
            FieldCell(
                field,
                report,
                bytes,
                range: bytesThere(of: field, report, bytes),
                differing: differing,
                showSecrets: showSecrets,
                decodeText: decodeText
            )
        }
    }

    private func title(_ conversation: ConversationComparison) -> String {
        func ends(_ messages: CapturedMessages, _ number: Int?) -> String? {
            guard let number, let found = messages.conversation(number) else { return nil }
            return "\(found.client) → \(found.server)"
        }
        let (first, second) = (ends(comparison.a, conversation.a), ends(comparison.b, conversation.b))
        switch (conversation.a, conversation.b) {
        case (let a?, let b?):
            let addresses = first == second ? first ?? "" : "\(first ?? ""), in B \(second ?? "")"
            return "conversation \(a) of A is \(b) of B: \(addresses)"
        case (let a?, nil): return "conversation \(a), only in A: \(first ?? "")"
        case (nil, let b?): return "conversation \(b), only in B: \(second ?? "")"
        case (nil, nil): return "all messages"
        }
    }

    /// The first difference: the messages, and the field if there is one.
    mutating func first() -> (entry: ComparedMessages, conversation: ConversationComparison, change: FieldChange?)? {
        guard let place = comparison.first else { return nil }
        let conversation = comparison.conversations[place.conversation]
        let entry = conversation.entries[place.entry]
        return (entry, conversation, comparison.changes(of: entry).first)
    }

    func messageCell(a entry: ComparedMessages) -> MessageCell? {
        entry.a >= 0 ? cell(comparison.a, entry.a) : nil
    }

    func messageCell(b entry: ComparedMessages) -> MessageCell? {
        entry.b >= 0 ? cell(comparison.b, entry.b) : nil
    }

    /// Every difference with all its fields, for formats that leave nothing out.
    mutating func forEachDifference(
        _ body: (ConversationComparison, ComparedMessages, [FieldChange]) -> Bool
    ) {
        for conversation in comparison.conversations {
            for entry in conversation.entries where entry.kind != .same {
                guard body(conversation, entry, comparison.changes(of: entry)) else { return }
            }
        }
    }
}
