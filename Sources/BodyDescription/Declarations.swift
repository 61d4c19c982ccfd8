/// A type as the file declares it, before its expressions are looked at.
final class TypeDeclaration {
    let name: String
    let file: DeclaredFile
    let fileIndex: Int
    /// The type that it is nested in.
    let outer: Int?
    let place: DescriptionPlace
    var order = DeclaredOrder.unset
    var bitsAreLittle: Bool?
    var encoding: String?
    var slots: [SlotDeclaration] = []
    var slotOfName: [String: Int] = [:]
    var parameterCount = 0
    var seqCount = 0
    var types: [String: Int] = [:]
    var enums: [String: Int] = [:]
    var text: YAMLNode?
    var binding: BodyBinding?

    init(name: String, file: DeclaredFile, fileIndex: Int, outer: Int?, place: DescriptionPlace) {
        self.name = name
        self.file = file
        self.fileIndex = fileIndex
        self.outer = outer
        self.place = place
    }
}

enum DeclaredOrder {
    /// As the type around says.
    case unset
    case little
    case big
    case chosen(YAMLNode)
}

/// One of the files of a description.
struct DeclaredFile: Sendable {
    /// As messages name it.
    var name: String

    func error(_ place: DescriptionPlace?, _ message: String) -> DescriptionError {
        DescriptionError(name, place, message)
    }

    func error(_ node: YAMLNode, _ message: String) -> DescriptionError { DescriptionError(name, node.place, message) }

    /// The entries of a mapping that has only known keys; those that begin with `-` are notes for other tools.
    func keys(_ node: YAMLNode, of what: String, allowed: [String]) throws(DescriptionError) -> [String: YAMLNode] {
        guard case .mapping(let entries) = node.content else {
            throw error(node, "\(what) is a mapping, and this is \(node.kind)")
        }
        var result: [String: YAMLNode] = [:]
        for entry in entries {
            let isNote = entry.key.hasPrefix("-") && !entry.key.hasPrefix("-esdump-")
            guard isNote || allowed.contains(entry.key) else {
                let known = allowed.sorted().joined(separator: ", ")
                throw error(entry.keyPlace, "\(what) has no \"\(entry.key)\" here; it may have \(known)")
            }
            result[entry.key] = entry.value
        }
        return result
    }

    func text(_ node: YAMLNode, of what: String) throws(DescriptionError) -> String {
        guard let text = node.text else { throw error(node, "\(what) is a single value, and this is \(node.kind)") }
        return text
    }

    func boolean(_ node: YAMLNode, of what: String) throws(DescriptionError) -> Bool {
        guard let value = node.boolean else { throw error(node, "\(what) is true or false") }
        return value
    }

    /// A name of the language: lower-case letters, digits, underscores.
    func identifier(_ node: YAMLNode, of what: String) throws(DescriptionError) -> String {
        let text = try text(node, of: what)
        guard Self.isIdentifier(text) else {
            throw error(
                node,
                "\"\(text)\" cannot be \(what): a name has lower-case letters, digits and _, and begins with a letter"
            )
        }
        return text
    }

    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.utf8.first, (97...122).contains(first) else { return false }
        return text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    }

    func expression(_ node: YAMLNode, of what: String) throws(DescriptionError) -> ExpressionSyntax {
        let text = try text(node, of: what)
        do throws(ExpressionError) { return try ExpressionParser.parse(text) } catch {
            throw self.error(node.place(ofCharacter: error.offset), "\(what): \(error.message)")
        }
    }
}

/// A parameter, a field or an instance as the file declares it.
struct SlotDeclaration {
    enum Role {
        case parameter(TypeSyntax)
        case field(TypeSyntax)
        case placed(TypeSyntax)
        case computed(ExpressionSyntax)
    }

    var name: String
    var place: DescriptionPlace
    var keys: [String: YAMLNode]
    var role: Role
}

/// The type of a field as it is written.
indirect enum TypeSyntax {
    case integer(width: Int, isSigned: Bool, ByteOrder?)
    case real(width: Int, ByteOrder?)
    case bits(count: Int, isLittle: Bool?)
    case text(isZeroTerminated: Bool)
    case bytes
    case user(TypeReference, arguments: [ExpressionSyntax], YAMLNode)
    case choice(on: ExpressionSyntax, YAMLNode, cases: [Case])
    // Of parameters only.
    case boolean
    case structure
    case stream
    case any
    case array(TypeSyntax)

    struct Case {
        /// `nil` is `_`, everything else.
        var key: ExpressionSyntax?
        var node: YAMLNode
        var type: TypeSyntax
    }
}

/// Whose body a type describes: the notes `-esdump-…`.
struct BodyBinding: Sendable {
    var type = 0
    /// `nil`: all.
    var messageTypes: [UInt16]?
    /// Types of information inside the bodies of 201 to 208; `nil`: the type does not describe their contents.
    var informationTypes: [Int32]?
    var isForAnyInformation = false
    var isRequest: Bool?
    /// Versions of the framework, as they are written; empty: all.
    var versions: [String] = []
    var title: String?
}
