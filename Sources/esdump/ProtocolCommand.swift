import MessageFormat
import ESProtocol

/// What the command `protocol` is asked for.
struct ProtocolOptions: Equatable, Sendable {
    enum Direction: String, CaseIterable, Sendable { case request, reply }

    /// Numbers or names of types of message; empty for all.
    var types: [String] = []
    var ksy = false
    var direction: Direction?
}

extension Command {
    static let protocolReference = Command(
        name: "protocol",
        operands: "[TYPE…]",
        summary: "the types of message and their bodies, as a reference or as .ksy",
        description: [
            "esdump protocol lists the framework's types of message: number, name, the versions that have it, who sends it, and its bodies. With TYPE, a number or a name (112, Logon), it shows the fields of each body of that type in the order of their bytes, by the names that they have in JSON.",
            "--ksy writes the same bodies as a description in the language of Kaitai Struct: a starting point for a description of your own. --profile, --profile-file and --direction narrow it down; a single body is the description's own type, several are its types.",
            "With --format json, an object a line: type, name, versions, sent_by (client, server, any; exchange where request and reply share the number), and bodies, each with direction (request: to the server; reply: from it; both), versions, seen (whether it was seen on the wire or is known from descriptions only), and fields with name, label, form, size (if it is fixed), meaning, secret. A type of whose bodies nothing is known has no bodies; an empty list says that they are empty.",
        ],
        action: .showProtocol,
        options: [
            .flag(nil, "ksy", .command, "write the bodies as a .ksy file") { $0.options.reference.ksy = true },
            .choice(
                "direction",
                "WAY",
                .command,
                "only bodies that go to the server (request) or come from it (reply)",
                of: ProtocolOptions.Direction.self
            ) {
                $0.options.reference.direction = $1
            },
        ],
        takes: { ["profile", "profile-file", "format"].contains($0.long) },
        finish: { (parser) throws(UsageError) in try parser.finishProtocol() }
    )
}

extension OptionParser {
    /// Decides what the command `protocol` needs.
    fileprivate mutating func finishProtocol() throws(UsageError) {
        options.reference.types = operands
        operands = []
        if let format, format != .json { throw UsageError("esdump protocol prints text, --format json or --ksy") }
        if options.reference.ksy, format != nil { throw UsageError("--ksy and --format json: only one of them") }
    }
}

/// Shows the framework's types of message and their bodies.
/// - Returns: the exit status.
func showProtocol(_ options: Options) -> Int32 {
    let known = options.givenProfile?.messageTypes ?? MessageTypeDescription.all
    var types: [MessageTypeDescription] = []
    do throws(UsageError) {
        types = try options.reference.types.isEmpty ? known : find(options.reference.types, among: known)
    } catch {
        report(error.message)
        return ExitStatus.usage
    }
    let text: String
    if options.reference.ksy {
        let bodies = types.flatMap { type in
            type.bodies.filter { options.reference.direction.includes($0) }.map { KaitaiDescription.Body(type, $0) }
        }
        guard let first = bodies.first else {
            let names = types.map { "\($0.name) (\($0.number))" }.joined(separator: ", ")
            report("nothing is to be described: no body of \(names) is known, or they are empty")
            return ExitStatus.usage
        }
        let isOne = Set(types.map(\.number)).count == 1
        let id = isOne ? "es_\(first.type.number)_\(KaitaiDescription.identifier(first.type.name))" : "es_bodies"
        let title = isOne ? "\(first.type.name) (\(first.type.number)) of ESFramework" : "Bodies of ESFramework"
        text = KaitaiDescription.text(id: id, title: title, bodies: bodies)
    } else if options.format == .json {
        text = types.map { ProtocolRecords.json($0, options.reference.direction) }.joined()
    } else {
        let width = Terminal.isTerminal(1) ? Terminal.width() : nil
        let page = ProtocolPage(width: width, direction: options.reference.direction)
        text = options.reference.types.isEmpty ? page.list(types) : page.details(types)
    }
    let output = OutputWriter(writesEachRecord: false)
    output.write(text)
    return output.finish()
}

extension ProtocolOptions.Direction? {
    func includes(_ body: MessageTypeDescription.Body) -> Bool {
        switch self {
        case nil: true
        case .request: body.direction != .reply
        case .reply: body.direction != .request
        }
    }
}

/// The types of numbers or names, in the order in which they were asked for.
private func find(
    _ words: [String],
    among known: [MessageTypeDescription]
) throws(UsageError) -> [MessageTypeDescription] {
    var found: [MessageTypeDescription] = []
    for word in words {
        let lower = word.lowercased()
        let matches = known.filter { $0.name.lowercased() == lower || String($0.number) == word }
        if matches.isEmpty {
            let hint = nearest(to: word, among: known.map(\.name)).map { "; did you mean \($0)?" } ?? ""
            throw UsageError("\(word) is no type of message that is known\(hint) (esdump protocol lists them)")
        }
        found += matches.filter { !found.contains($0) }
    }
    return found
}
