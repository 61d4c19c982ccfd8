/// Reads the types of fields, and tells which keys a field of a type may have.
struct TypeSyntaxReader {
    let file: DeclaredFile

    /// What esdump knows beside the language.
    static let noteKeys = ["-esdump-name", "-esdump-secret", "-esdump-date"]
    private static let commonKeys =
        ["type", "doc", "doc-ref", "if", "repeat", "repeat-expr", "repeat-until", "valid"] + noteKeys
    private static let byteKeys = [
        "size", "size-eos", "pad-right", "terminator", "consume", "include", "eos-error", "process",
    ]

    /// - Returns: the type, and the keys that a field of it may have, beside `id`.
    func type(ofField node: YAMLNode) throws(DescriptionError) -> (TypeSyntax, keys: [String]) {
        guard case .mapping = node.content else {
            throw file.error(node, "a field is a mapping, and this is \(node.kind)")
        }
        guard let typeNode = node["type"] else {
            if node["contents"] != nil { return (.bytes, Self.commonKeys + ["contents", "size"]) }
            return (.bytes, Self.commonKeys + Self.byteKeys)
        }
        let syntax = try type(typeNode)
        switch syntax {
        case .integer, .bits: return (syntax, Self.commonKeys + ["enum"])
        case .real: return (syntax, Self.commonKeys)
        case .text: return (syntax, Self.commonKeys + Self.byteKeys + ["encoding"])
        case .user: return (syntax, Self.commonKeys + Self.byteKeys + ["parent"])
        case .choice: return (syntax, Self.commonKeys + Self.byteKeys + ["parent", "encoding", "enum"])
        default: return (syntax, Self.commonKeys + Self.byteKeys)
        }
    }

    private func type(_ node: YAMLNode) throws(DescriptionError) -> TypeSyntax {
        switch node.content {
        case .scalar(let text, _): return try type(named: text, node)
        case .sequence: throw file.error(node, "`type` is a name or a choice with switch-on, and this is a list")
        case .mapping: return try choice(node)
        }
    }

    /// A type of the language, or the name of a described one.
    private func type(named text: String, _ node: YAMLNode) throws(DescriptionError) -> TypeSyntax {
        if text == "str" || text == "strz" { return .text(isZeroTerminated: text == "strz") }
        if let number = try numberType(text, node) { return number }
        do throws(ExpressionError) {
            let call = try ExpressionParser.parseTypeCall(text)
            if call.type.isArray { throw ExpressionError(message: "a field's type has no []; use `repeat`", offset: 0) }
            return .user(call.type, arguments: call.arguments, node)
        } catch {
            throw file.error(node.place(ofCharacter: error.offset), "`type`: \(error.message)")
        }
    }

    private func numberType(_ text: String, _ node: YAMLNode) throws(DescriptionError) -> TypeSyntax? {
        let isLittle = text.hasSuffix("le")
        let order: ByteOrder? = isLittle ? .little : text.hasSuffix("be") ? .big : nil
        let stem = order == nil ? text[...] : text.dropLast(2)
        guard let kind = stem.first, stem.count > 1, let size = Int(stem.dropFirst()),
            stem.dropFirst().utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        switch kind {
        case "u" where [1, 2, 4, 8].contains(size), "s" where [1, 2, 4, 8].contains(size):
            if size == 1, order != nil { throw file.error(node, "one byte has no byte order: write \(stem)") }
            return .integer(width: size, isSigned: kind == "s", order)
        case "f" where size == 4 || size == 8: return .real(width: size, order)
        case "b":
            guard (1...64).contains(size) else { throw file.error(node, "a field of bits has 1 to 64 of them") }
            return .bits(count: size, isLittle: order.map { _ in isLittle })
        default: return nil
        }
    }

    private func choice(_ node: YAMLNode) throws(DescriptionError) -> TypeSyntax {
        let keys = try file.keys(node, of: "a choice of types", allowed: ["switch-on", "cases"])
        guard let on = keys["switch-on"] else { throw file.error(node, "`switch-on` is missing") }
        guard let cases = keys["cases"], case .mapping(let entries) = cases.content else {
            throw file.error(keys["cases"] ?? node, "`cases` is missing: a mapping of values to types")
        }
        var result: [TypeSyntax.Case] = []
        for entry in entries {
            let key = YAMLNode(
                content: .scalar(entry.key, isQuoted: entry.isQuoted),
                place: entry.keyPlace,
                isVerbatim: true
            )
            guard case .scalar(let text, _) = entry.value.content else {
                throw file.error(entry.value, "a case leads to the name of a type")
            }
            let isElse = entry.key == "_"
            result.append(
                TypeSyntax.Case(
                    key: isElse ? nil : try file.expression(key, of: "a case"),
                    node: key,
                    type: try type(named: text, entry.value)
                )
            )
        }
        return .choice(on: try file.expression(on, of: "`switch-on`"), on, cases: result)
    }

    func parameterType(_ node: YAMLNode) throws(DescriptionError) -> TypeSyntax {
        var text = try file.text(node, of: "the type of a parameter")
        if text.hasSuffix("[]") {
            text.removeLast(2)
            return .array(try parameterType(named: text, node))
        }
        return try parameterType(named: text, node)
    }

    private func parameterType(named text: String, _ node: YAMLNode) throws(DescriptionError) -> TypeSyntax {
        switch text {
        case "bool": return .boolean
        case "bytes": return .bytes
        case "struct": return .structure
        case "io": return .stream
        case "any": return .any
        case "strz": throw file.error(node, "a parameter that is text has the type str")
        default: return try type(named: text, node)
        }
    }
}
