/// Compiles one parameter, field or instance.
struct FieldCompiler {
    let compiler: DescriptionCompiler
    let type: Int
    let declaration: SlotDeclaration

    private var file: DeclaredFile { compiler.types[type].file }
    private var keys: [String: YAMLNode] { declaration.keys }

    init(_ compiler: DescriptionCompiler, type: Int, _ declaration: SlotDeclaration) {
        self.compiler = compiler
        self.type = type
        self.declaration = declaration
    }

    func slot() throws(DescriptionError) -> DescribedSlot {
        var slot = DescribedSlot(
            name: declaration.name,
            fieldName: declaration.name,
            label: keys["-orig-id"]?.text ?? declaration.name,
            content: .parameter(enumeration: nil)
        )
        if let node = keys["-esdump-name"] {
            slot.fieldName = try file.text(node, of: "`-esdump-name`")
            guard
                slot.fieldName.isEmpty
                    || slot.fieldName.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({
                        DeclaredFile.isIdentifier(String($0))
                    })
            else {
                throw file.error(node, "`-esdump-name` is a name as the id of a field, several with dots, or empty")
            }
        }
        slot.isNamedSecret = Self.isSecretName(slot.label) || Self.isSecretName(slot.name)
        if let node = keys["-esdump-secret"] { slot.isMarkedSecret = try file.boolean(node, of: "`-esdump-secret`") }
        if let node = keys["if"] { slot.condition = try condition(node) }
        switch declaration.role {
        case .parameter:
            slot.content = .parameter(enumeration: try enumeration())
        case .computed(let syntax):
            let result = try ExpressionCompiler(compiler, type: type, node: keys["value"]).compile(syntax)
            let enumeration = try enumeration()
            if let node = keys["enum"], result.type != .integer, result.type != .any {
                throw file.error(node, "`enum` needs an integer, and this is \(result.type.name)")
            }
            slot.content = .computed(result.expression, enumeration: enumeration)
        case .field(let syntax):
            slot.content = .field(try field(syntax))
        case .placed(let syntax):
            let io = try keys["io"].map { (node) throws(DescriptionError) in try expression(node, as: .stream, "`io`") }
            let position = try keys["pos"].map { (node) throws(DescriptionError) in
                try expression(node, as: .integer, "`pos`")
            }
            slot.content = .placed(try field(syntax), io: io, position: position)
        }
        if let node = keys["valid"] { slot.validation = try validation(node) }
        return slot
    }

    /// Passwords are hidden without being marked.
    static func isSecretName(_ name: String) -> Bool {
        let lower = name.lowercased()
        return ["password", "passwd", "passphrase"].contains { lower.contains($0) }
    }

    private func enumeration() throws(DescriptionError) -> Int? {
        try keys["enum"].map { (node) throws(DescriptionError) in try compiler.findEnum(node, from: type) }
    }

    // MARK: - expressions

    private var isRepeated: Bool { keys["repeat"] != nil }

    private func expression(_ node: YAMLNode, as wanted: StaticType, _ what: String) throws(DescriptionError)
        -> Expression
    {
        try ExpressionCompiler(compiler, type: type, node: node, hasIndex: isRepeated)
            .compile(try file.expression(node, of: what), as: wanted, what)
    }

    private func condition(_ node: YAMLNode) throws(DescriptionError) -> Expression {
        try expression(node, as: .boolean, "`if`")
    }

    private func free(_ syntax: ExpressionSyntax, _ node: YAMLNode) throws(DescriptionError)
        -> ExpressionCompiler.Result
    {
        try ExpressionCompiler(compiler, type: type, node: node, hasIndex: isRepeated).compile(syntax)
    }

    /// The value of one element, for `_`.
    private func elementType() throws(DescriptionError) -> StaticType {
        switch declaration.role {
        case .field(let syntax), .placed(let syntax): try compiler.valueType(syntax, declaration, in: type)
        case .parameter, .computed:
            try compiler.type(ofSlot: compiler.types[type].slotOfName[declaration.name] ?? 0, in: type)
        }
    }

    // MARK: - fields

    private func field(_ syntax: TypeSyntax) throws(DescriptionError) -> DescribedField {
        var field = DescribedField(form: try form(syntax))
        switch syntax {
        case .bits: field.isBits = true
        default: break
        }
        if let node = keys["-esdump-date"] {
            guard let encoding = node.text.flatMap({ DateEncoding(rawValue: $0) }), case .integer(8, _, _) = syntax
            else {
                throw file.error(node, "`-esdump-date` is ticks or milliseconds, of a number of 8 bytes")
            }
            field.dates = encoding
        }
        field.repetition = try repetition()
        return field
    }

    private func repetition() throws(DescriptionError) -> DescribedField.Repetition {
        guard let node = keys["repeat"] else {
            for key in ["repeat-expr", "repeat-until"] {
                if let node = keys[key] { throw file.error(node, "`\(key)` needs `repeat: \(key.dropFirst(7))`") }
            }
            return .none
        }
        func refuse(_ key: String) throws(DescriptionError) {
            if let other = keys[key] {
                throw file.error(other, "`\(key)` does not go with `repeat: \(node.text ?? "")`")
            }
        }
        switch node.text {
        case "eos":
            try refuse("repeat-expr")
            try refuse("repeat-until")
            return .toEnd
        case "expr":
            try refuse("repeat-until")
            guard let count = keys["repeat-expr"] else {
                throw file.error(node, "`repeat-expr` is missing, the number of elements")
            }
            return .count(try expression(count, as: .integer, "`repeat-expr`"))
        case "until":
            try refuse("repeat-expr")
            guard let until = keys["repeat-until"] else {
                throw file.error(node, "`repeat-until` is missing, the condition for the last element")
            }
            let syntax = try file.expression(until, of: "`repeat-until`")
            return .until(
                try ExpressionCompiler(compiler, type: type, node: until, element: try elementType(), hasIndex: true)
                    .compile(syntax, as: .boolean, "`repeat-until`")
            )
        default: throw file.error(node, "`repeat` is eos, expr or until")
        }
    }

    private func order(_ order: ByteOrder?, width: Int, _ node: YAMLNode?) throws(DescriptionError) -> ByteOrder {
        if let order { return order }
        if width == 1 { return .little }
        if let order = compiler.hasOrder(type) { return order }
        throw file.error(
            node ?? YAMLNode(content: .sequence([]), place: declaration.place),
            "the byte order is missing: write le or be behind the type, or `endian` into `meta`"
        )
    }

    private func form(_ syntax: TypeSyntax) throws(DescriptionError) -> FieldForm {
        switch syntax {
        case .integer(let width, let isSigned, let order):
            return enumerated(
                .integer(width: width, isSigned: isSigned, try self.order(order, width: width, keys["type"])),
                try enumeration()
            )
        case .real(let width, let order): return .real(width: width, try self.order(order, width: width, keys["type"]))
        case .bits(let count, let isLittle):
            let isLittle = isLittle ?? compiler.types[type].bitsAreLittle ?? false
            let enumeration = try enumeration()
            if count == 1, enumeration == nil { return .flag(isLittle: isLittle) }
            return enumerated(.bits(count: count, isLittle: isLittle), enumeration)
        case .text(let isZeroTerminated): return try text(isZeroTerminated: isZeroTerminated)
        case .bytes:
            if let node = keys["contents"] {
                guard let bytes = ContentsReader.bytes(node) else {
                    throw file.error(node, "`contents` is text, or a list of bytes (0 to 255) and texts")
                }
                if let size = keys["size"], size.integer != WideInteger(bytes.count) {
                    throw file.error(size, "`contents` has \(bytes.count) bytes, so `size` can be nothing else")
                }
                return .contents(bytes)
            }
            guard let limits = try limits(terminator: nil) else {
                throw file.error(
                    declaration.place,
                    "where the bytes end is missing: `size`, `size-eos: true` or `terminator`"
                )
            }
            return .bytes(limits)
        case .user(let reference, let arguments, let node):
            return .object(try object(reference, arguments, node))
        case .choice(let on, let node, let cases): return try choice(on, node, cases)
        case .boolean, .structure, .stream, .any, .array:
            throw file.error(declaration.place, "this type is for parameters only")
        }
    }

    private func enumerated(_ form: FieldForm, _ enumeration: Int?) -> FieldForm {
        enumeration.map { .enumerated(form, $0) } ?? form
    }

    private func text(isZeroTerminated: Bool) throws(DescriptionError) -> FieldForm {
        var coding: TextCoding?
        if let node = keys["encoding"] {
            let name = try file.text(node, of: "the encoding")
            coding = TextCoding(name)
            if coding == nil { throw file.error(node, "no encoding \"\(name)\" is known here") }
        } else if let name = compiler.types[type].encoding {
            coding = TextCoding(name)
        }
        guard let coding else {
            throw file.error(
                keys["type"] ?? YAMLNode(content: .sequence([]), place: declaration.place),
                "the encoding is missing: write `encoding` here or into `meta`"
            )
        }
        let terminator = isZeroTerminated ? [UInt8](repeating: 0, count: coding.unitSize) : nil
        guard let limits = try limits(terminator: terminator) else {
            throw file.error(
                declaration.place,
                "where the text ends is missing: `size`, `size-eos: true`, `terminator`, or the type strz"
            )
        }
        return .text(limits, coding)
    }

    private func object(
        _ reference: TypeReference,
        _ arguments: [ExpressionSyntax],
        _ node: YAMLNode
    ) throws(DescriptionError) -> ObjectForm {
        let index = try compiler.requireType(reference, from: type, at: node)
        var object = ObjectForm(type: index)
        let target = compiler.types[index]
        guard arguments.count == target.parameterCount else {
            throw file.error(
                node,
                "\"\(reference.text)\" takes \(target.parameterCount) argument\(target.parameterCount == 1 ? "" : "s"), not \(arguments.count)"
            )
        }
        for (number, argument) in arguments.enumerated() {
            let result = try free(argument, node)
            let wanted = try compiler.type(ofSlot: number, in: index)
            guard wanted.accepts(result.type) else {
                throw file.error(
                    node.place(ofCharacter: argument.offset),
                    "the parameter \"\(target.slots[number].name)\" is \(wanted.name), and this is \(result.type.name)"
                )
            }
            object.arguments.append(result.expression)
        }
        object.limits = try limits(terminator: nil)
        if let parent = keys["parent"] {
            if parent.boolean == false {
                object.parent = .none
            } else {
                let result = try free(try file.expression(parent, of: "`parent`"), parent)
                guard result.type.isObject || result.type == .any else {
                    throw file.error(parent, "`parent` is an object or false, and this is \(result.type.name)")
                }
                object.parent = .given(result.expression)
            }
        }
        return object
    }

    private func choice(
        _ on: ExpressionSyntax,
        _ node: YAMLNode,
        _ cases: [TypeSyntax.Case]
    ) throws(DescriptionError) -> FieldForm {
        let value = try free(on, node)
        var result: [(Expression, FieldForm)] = []
        var otherwise: FieldForm?
        for item in cases {
            let form = try form(item.type)
            guard let key = item.key else {
                otherwise = form
                continue
            }
            let compiled = try free(key, item.node)
            guard value.type.isComparable(to: compiled.type) else {
                throw file.error(
                    item.node,
                    "`switch-on` is \(value.type.name), so it can never be this, \(compiled.type.name)"
                )
            }
            result.append((compiled.expression, form))
        }
        // Bytes of a known size that no case fits stay bytes.
        if otherwise == nil, let limits = try limits(terminator: nil) { otherwise = .bytes(limits) }
        return .choice(on: value.expression, cases: result, otherwise: otherwise)
    }

    // MARK: - bytes

    /// - Returns: `nil` if nothing says where they end.
    private func limits(terminator implied: [UInt8]?) throws(DescriptionError) -> ByteLimits? {
        let toEnd =
            try keys["size-eos"].map { (node) throws(DescriptionError) in try file.boolean(node, of: "`size-eos`") }
            ?? false
        var terminator = implied ?? []
        if let node = keys["terminator"] {
            guard let bytes = Self.terminator(node) else {
                throw file.error(node, "`terminator` is a byte (0 to 255), or a list of them")
            }
            terminator = bytes
        }
        var limits = ByteLimits(extent: .terminated, terminator: terminator)
        if let size = keys["size"] {
            if toEnd { throw file.error(size, "`size` and `size-eos` do not go together") }
            limits.extent = .size(try expression(size, as: .integer, "`size`"))
        } else if toEnd {
            limits.extent = .toEnd
        } else if terminator.isEmpty {
            for key in ["pad-right", "process", "include", "consume", "eos-error"] {
                if let node = keys[key] { throw file.error(node, "`\(key)` needs `size`, `size-eos` or `terminator`") }
            }
            return nil
        }
        for key in ["include", "consume", "eos-error"] where terminator.isEmpty {
            if let node = keys[key] { throw file.error(node, "`\(key)` needs a `terminator`") }
        }
        if let node = keys["include"] { limits.includesTerminator = try file.boolean(node, of: "`include`") }
        if let node = keys["consume"] { limits.consumesTerminator = try file.boolean(node, of: "`consume`") }
        if let node = keys["eos-error"] { limits.needsTerminator = try file.boolean(node, of: "`eos-error`") }
        if let node = keys["pad-right"] {
            guard let byte = node.integer?.int.flatMap({ UInt8(exactly: $0) }) else {
                throw file.error(node, "`pad-right` is a byte, 0 to 255")
            }
            if case .terminated = limits.extent { throw file.error(node, "`pad-right` needs `size` or `size-eos`") }
            limits.padding = byte
        }
        if let node = keys["process"] { limits.process = try process(node) }
        return limits
    }

    private static func terminator(_ node: YAMLNode) -> [UInt8]? {
        if case .sequence(let items) = node.content {
            var bytes: [UInt8] = []
            for item in items {
                guard let byte = item.integer?.int.flatMap({ UInt8(exactly: $0) }) else { return nil }
                bytes.append(byte)
            }
            return bytes.isEmpty ? nil : bytes
        }
        return node.integer?.int.flatMap { UInt8(exactly: $0) }.map { [$0] }
    }

    private func process(_ node: YAMLNode) throws(DescriptionError) -> ByteLimits.Process {
        let text = try file.text(node, of: "`process`")
        // A process that a program supplies may have dots in its name.
        let name = String(text.prefix { $0 != "(" })
        guard ["zlib", "xor", "rol", "ror"].contains(name) else {
            throw file.error(node, "there is no process \"\(name)\" here; there are zlib, xor(key), rol(n) and ror(n)")
        }
        let call: (type: TypeReference, arguments: [ExpressionSyntax])
        do throws(ExpressionError) { call = try ExpressionParser.parseTypeCall(text) } catch {
            throw file.error(node.place(ofCharacter: error.offset), "`process`: \(error.message)")
        }
        func argument() throws(DescriptionError) -> ExpressionSyntax {
            guard call.arguments.count == 1 else {
                throw file.error(node, "\(call.type.text) takes 1 argument, not \(call.arguments.count)")
            }
            return call.arguments[0]
        }
        switch call.type.text {
        case "zlib":
            guard call.arguments.isEmpty else { throw file.error(node, "zlib takes no argument") }
            return .zlib
        case "xor":
            let result = try free(try argument(), node)
            guard [.integer, .bytes, .any].contains(result.type) else {
                throw file.error(node, "the key of xor is an integer or bytes, and this is \(result.type.name)")
            }
            return .xor(result.expression)
        case "rol", "ror":
            let count = try ExpressionCompiler(compiler, type: type, node: node, hasIndex: isRepeated)
                .compile(try argument(), as: .integer, "how far to rotate")
            return call.type.text == "rol" ? .rotateLeft(count) : .rotateRight(count)
        default: throw file.error(node, "`process` is the name of one process")
        }
    }

    // MARK: - valid

    private func validation(_ node: YAMLNode) throws(DescriptionError) -> Validation {
        let element = try elementType()
        func value(_ node: YAMLNode, _ what: String) throws(DescriptionError) -> Expression {
            let syntax = try file.expression(node, of: what)
            let result = try ExpressionCompiler(compiler, type: type, node: node, hasIndex: isRepeated).compile(syntax)
            guard element.isComparable(to: result.type) else {
                throw file.error(node, "\(what) is \(result.type.name), and the field \(element.name)")
            }
            return result.expression
        }
        guard case .mapping = node.content else { return .equal(try value(node, "`valid`")) }
        let keys = try file.keys(node, of: "`valid`", allowed: ["eq", "min", "max", "any-of", "expr", "in-enum"])
        if keys["min"] != nil || keys["max"] != nil, keys["eq"] == nil, keys["any-of"] == nil, keys["expr"] == nil,
            keys["in-enum"] == nil
        {
            return .range(
                least: try keys["min"].map { (node) throws(DescriptionError) in try value(node, "`min`") },
                most: try keys["max"].map { (node) throws(DescriptionError) in try value(node, "`max`") }
            )
        }
        guard keys.keys.filter({ !$0.hasPrefix("-") }).count == 1 else {
            throw file.error(node, "`valid` has one of eq, any-of, expr, in-enum, or min and max")
        }
        if let node = keys["eq"] { return .equal(try value(node, "`eq`")) }
        if let node = keys["expr"] {
            let syntax = try file.expression(node, of: "`expr`")
            return .holds(
                try ExpressionCompiler(compiler, type: type, node: node, element: element, hasIndex: isRepeated)
                    .compile(syntax, as: .boolean, "`expr`")
            )
        }
        if let node = keys["in-enum"] {
            guard try file.boolean(node, of: "`in-enum`") else { throw file.error(node, "`in-enum` can only be true") }
            guard case .enumeration = element else { throw file.error(node, "`in-enum` needs a field with `enum`") }
            return .inEnum
        }
        guard let list = keys["any-of"], case .sequence(let items) = list.content else {
            throw file.error(keys["any-of"] ?? node, "`any-of` is a list of values")
        }
        var values: [Expression] = []
        for item in items { values.append(try value(item, "a value of `any-of`")) }
        return .anyOf(values)
    }
}

extension StaticType {
    /// A parameter of this type may be given a value of the other.
    func accepts(_ other: StaticType) -> Bool {
        switch (self, other) {
        case (.any, _), (_, .any): true
        case (.real, .integer): true
        case (.structure, .user), (.user, .structure): true
        case (.array(let a), .array(let b)): a.accepts(b)
        // A literal of small numbers is taken for bytes until it is given where numbers are wanted.
        case (.array(.integer), .bytes), (.bytes, .array(.integer)): true
        case (.enumeration, .integer): true
        default: self == other
        }
    }
}
