import ESServer

/// The answers of `esdump server --answers FILE`: a line each, the type of the question (or `*`) and the answer.
///
///     # type  answer
///     100     reply:{content}
///     101     !null
///     *       !none
///
/// The first line whose type is that of a question answers it.
struct AnswerFile: Sendable {
    enum Answer: Equatable, Sendable {
        /// Text, in which `{content}` and `{user}` stand for what was asked, and by whom.
        case text(String)
        /// `!null`
        case null
        /// `!empty`
        case empty
        /// `!fail`: as if the handler had failed.
        case failure
        /// `!none`: no answer at all.
        case none
    }

    private var entries: [(type: Int32?, answer: Answer)] = []

    init(_ contents: [UInt8]) throws(UsageError) {
        let lines = contents.split(separator: 10, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
            let trimmed = text.drop { $0 == " " || $0 == "\t" }
            guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
            let word = trimmed.prefix { $0 != " " && $0 != "\t" }
            let rest = trimmed[word.endIndex...].drop { $0 == " " || $0 == "\t" }
            let type = Int32(word)
            guard type != nil || word == "*" else {
                throw UsageError("line \(index + 1): \"\(word)\" is neither the type of a question (a number) nor *")
            }
            entries.append((type, try Self.answer(String(rest), line: index + 1)))
        }
    }

    private static func answer(_ text: String, line: Int) throws(UsageError) -> Answer {
        switch text {
        case "!null": return .null
        case "!empty": return .empty
        case "!fail": return .failure
        case "!none": return .none
        default:
            guard !text.hasPrefix("!") else {
                throw UsageError("line \(line): \(text) is not one of !null, !empty, !fail, !none")
            }
            return .text(text)
        }
    }

    /// The answer to a question. One that no line is for is not answered.
    func answer(_ query: ServerQuery) -> ServerAnswer {
        guard let entry = entries.first(where: { $0.type == nil || $0.type == query.type }) else { return .none }
        switch entry.answer {
        case .null: return .content(nil)
        case .empty: return .content([])
        case .failure: return .failure
        case .none: return .none
        case .text(let text): return .content(fill(text, query))
        }
    }

    /// Puts in what was asked, as the bytes that it was.
    private func fill(_ text: String, _ query: ServerQuery) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            bytes += rest[..<open].utf8
            rest = rest[open...]
            if rest.hasPrefix("{content}") {
                bytes += query.content ?? []
                rest = rest.dropFirst("{content}".count)
            } else if rest.hasPrefix("{user}") {
                bytes += query.user.utf8
                rest = rest.dropFirst("{user}".count)
            } else {
                bytes += rest.prefix(1).utf8
                rest = rest.dropFirst()
            }
        }
        return bytes + rest.utf8
    }
}
