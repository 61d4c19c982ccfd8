import CaptureAnalysis
import MessageFormat

/// One option: from this come its parsing, its line in `--help` and in the man page, and its completion.
struct OptionDeclaration: Sendable {
    enum Group: String, CaseIterable, Sendable {
        case input = "Where packets come from"
        case output = "What is shown"
        case selection = "What is selected"
        case layout = "The header layout (found from the stream unless given)"
        case reassembly = "When missing bytes become a gap, and limits"
        case other = "Other"
        /// What only one command takes.
        case command = "Options of the command"
    }

    /// What a value is, for shell completion.
    enum ValueKind: Sendable {
        case file, interface, user
        case choice([String])
        case other
    }

    struct Value: Sendable {
        /// As it stands in the help text: `FILE`.
        let name: String
        let kind: ValueKind

        init(_ name: String, _ kind: ValueKind = .other) {
            self.name = name
            self.kind = kind
        }
    }

    let short: Character?
    let long: String?
    let group: Group
    let help: String
    let isHidden: Bool
    let effect: Effect

    enum Effect: Sendable {
        case flag(@Sendable (inout OptionParser) -> Void)
        case value(Value, @Sendable (inout OptionParser, String) throws(UsageError) -> Void)
    }

    var value: Value? { if case .value(let value, _) = effect { value } else { nil } }

    /// As it is spoken of in messages: `--format`, or `-r` if there is no long form.
    var name: String { if let long { "--\(long)" } else { "-\(short!)" } }

    static func flag(
        _ short: Character?,
        _ long: String?,
        _ group: Group,
        _ help: String,
        isHidden: Bool = false,
        apply: @escaping @Sendable (inout OptionParser) -> Void
    ) -> Self {
        Self(short: short, long: long, group: group, help: help, isHidden: isHidden, effect: .flag(apply))
    }

    static func value(
        _ short: Character?,
        _ long: String?,
        _ value: Value,
        _ group: Group,
        _ help: String,
        apply: @escaping @Sendable (inout OptionParser, String) throws(UsageError) -> Void
    ) -> Self {
        Self(short: short, long: long, group: group, help: help, isHidden: false, effect: .value(value, apply))
    }

    /// An option that takes one of the names of an enumeration.
    static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ long: String,
        _ name: String,
        _ group: Group,
        _ help: String,
        of _: Choice.Type,
        apply: @escaping @Sendable (inout OptionParser, Choice) -> Void
    ) -> Self where Choice.RawValue == String {
        let names = Choice.allCases.map(\.rawValue)
        return value(nil, long, Value(name, .choice(names)), group, help) { (parser, text) throws(UsageError) in
            guard let choice = Choice(rawValue: text) else {
                throw UsageError(unknownWord: text, for: "--\(long)", among: names)
            }
            apply(&parser, choice)
        }
    }
}

/// What is wrong with the command line.
struct UsageError: Error, Equatable {
    let message: String
    /// Lines that show where in a long value, ready for the terminal.
    var place = ""

    init(_ message: String) { self.message = message }

    init(_ error: FilterError, for option: String) {
        message = "\(option): \(error.message)"
        place = error.place()
    }

    init(unknownWord word: String, for option: String, among words: [String]) {
        let list = words.joined(separator: ", ")
        let hint = nearest(to: word, among: words).map { " (did you mean \($0)?)" } ?? ""
        message = "\(option) \(word): not one of \(list)\(hint)"
    }
}
