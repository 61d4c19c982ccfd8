/// A command of the program: `esdump NAME …`. Without one, a capture is shown.
///
/// From this come its parsing, its help text, its part of the man page and its completion.
struct Command: Sendable {
    let name: String
    /// What stands behind the name: `FILE [FILTER]`.
    let operands: String
    /// What it does, in a few words, for the list of commands.
    let summary: String
    /// The same at length, for its help text and the man page; a paragraph each.
    let description: [String]
    let action: Options.Action
    /// The options that only it has. One of them may have the name of a general option, which then has no meaning here.
    let options: [OptionDeclaration]
    /// Which of the general options (``optionList``) it takes too; `--help` goes with every command.
    let takes: @Sendable (OptionDeclaration) -> Bool
    /// Reads the operands and refuses what contradicts.
    let finish: @Sendable (inout OptionParser) throws(UsageError) -> Void

    var usage: String { "esdump \(name) \(operands)" }

    /// All commands, in the order of the help text.
    static let all: [Command] = [.streams, .protocolReference, .ksy]

    static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}

extension OptionDeclaration {
    /// Whether a command takes this general option.
    func isTaken(by command: Command) -> Bool { long == "help" || command.takes(self) }
}
