/// What the command `ksy` is asked for.
struct KsyOptions: Equatable, Sendable {
    /// The description.
    var description = ""
    /// The file that it describes; `-` is standard input.
    var file = ""
}

extension Command {
    static let ksy = Command(
        name: "ksy",
        operands: "DESCRIPTION.ksy FILE",
        summary: "follow a description in Kaitai Struct's language through any file",
        description: [
            "esdump ksy DESCRIPTION.ksy FILE reads FILE (- is standard input) as the description says and prints the value of every field and instance: a way to try a description before --describe uses it, or to look at any file that a .ksy is there for. Imports are looked for beside the file that imports them; those that begin with / beside DESCRIPTION.ksy.",
            "With --format json, one object: parameters, fields and instances by their ids (fields without an id are _unnamed0 and so on, by their place in seq), objects and arrays in them; bytes as lower-case hex, values of an enum as {\"name\", \"value\"} (name is null for a number without a label), a field whose if does not hold as null. Real numbers that JSON has no form for are the texts \"NaN\", \"Infinity\" and \"-Infinity\". Passwords are null unless --show-secrets is given.",
            "If FILE does not fit, what was read up to there is printed all the same; standard error says which field, at which offset of the bytes that it is read from, and why, and the exit status is 1. The same goes for an instance that cannot be computed. A description that cannot be used is refused with its file, line and column, and the exit status is 2.",
        ],
        action: .followDescription,
        options: [],
        takes: { ["format", "show-secrets"].contains($0.long) },
        finish: { (parser) throws(UsageError) in try parser.finishKsy() }
    )
}

extension OptionParser {
    fileprivate mutating func finishKsy() throws(UsageError) {
        guard operands.count == 2 else { throw UsageError("ksy needs a description and a file: \(Command.ksy.usage)") }
        options.ksy = KsyOptions(description: operands[0], file: operands[1])
        operands = []
        if let format, format != .json { throw UsageError("esdump ksy prints a tree, or --format json") }
    }
}
