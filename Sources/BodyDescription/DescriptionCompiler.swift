/// Turns declarations into a program: resolves names, checks types, and refuses what cannot work before any data is read.
final class DescriptionCompiler {
    let types: [TypeDeclaration]
    let enums: [DescribedEnum]
    let topLevel: [String: Int]
    /// What is known of each slot's value; `nil` if it was not asked for yet.
    private var slotTypes: [[StaticType?]]
    private var isComputing: Set<SlotPlace> = []
    private var parents: [ParentKnowledge]
    /// Names of all slots: what an object of an unknown type can have.
    private(set) var allNames: Set<String> = []

    struct SlotPlace: Hashable {
        var type: Int
        var slot: Int
    }

    /// What is known of the parents of a type's objects.
    private enum ParentKnowledge {
        case none
        case one(Int)
        case several
    }

    init(_ reader: DeclarationReader) {
        types = reader.types
        enums = reader.enums
        topLevel = reader.topLevel
        slotTypes = types.map { [StaticType?](repeating: nil, count: $0.slots.count) }
        parents = types.map { _ in .none }
        for type in types { allNames.formUnion(type.slotOfName.keys) }
    }

    func program() throws(DescriptionError) -> DescriptionProgram {
        try findParents()
        var program = DescriptionProgram()
        program.enums = enums
        for index in types.indices { program.types.append(try compile(index)) }
        Self.markSecrets(in: &program)
        return program
    }

    /// Tells which types hold secrets: a type may be in itself, so that it takes several rounds.
    private static func markSecrets(in program: inout DescriptionProgram) {
        for index in program.types.indices where program.types[index].slots.contains(where: \.isSecret) {
            program.types[index].holdsSecrets = true
        }
        var holders: [Int: [Int]] = [:]
        for (index, type) in program.types.enumerated() {
            for slot in type.slots {
                for inner in slot.content.objectTypes { holders[inner, default: []].append(index) }
            }
        }
        var waiting = program.types.indices.filter { program.types[$0].holdsSecrets }
        while let index = waiting.popLast() {
            for holder in holders[index] ?? [] where !program.types[holder].holdsSecrets {
                program.types[holder].holdsSecrets = true
                waiting.append(holder)
            }
        }
    }

    // MARK: - names

    /// Looks a type up from where it is named, outwards.
    func findType(_ reference: TypeReference, from scope: Int) -> Int? {
        guard let first = reference.parts.first else { return nil }
        var found: Int?
        var current: Int? = reference.isAbsolute ? nil : scope
        while let index = current, found == nil {
            found = types[index].types[first]
            if found == nil, types[index].outer == nil, types[index].name == first { found = index }
            current = types[index].outer
        }
        if found == nil { found = topLevel[first] }
        for part in reference.parts.dropFirst() {
            guard let index = found else { return nil }
            found = types[index].types[part]
        }
        return found
    }

    /// Looks an enum up; the parts before the last are types.
    func findEnum(_ reference: TypeReference, from scope: Int) -> Int? {
        guard let name = reference.parts.last else { return nil }
        if reference.parts.count > 1 {
            let outer = TypeReference(isAbsolute: reference.isAbsolute, parts: Array(reference.parts.dropLast()))
            return findType(outer, from: scope).flatMap { types[$0].enums[name] }
        }
        var current: Int? = scope
        while let index = current {
            if let found = types[index].enums[name] { return found }
            current = types[index].outer
        }
        return nil
    }

    func findEnum(_ node: YAMLNode, from scope: Int) throws(DescriptionError) -> Int {
        let file = types[scope].file
        let text = try file.text(node, of: "`enum`")
        var parts = text.split(separator: "::", omittingEmptySubsequences: false).map(String.init)
        let isAbsolute = parts.count > 1 && parts[0].isEmpty
        if isAbsolute { parts.removeFirst() }
        guard let found = findEnum(TypeReference(isAbsolute: isAbsolute, parts: parts), from: scope) else {
            throw file.error(node, "there is no enum \"\(text)\"")
        }
        return found
    }

    func requireType(_ reference: TypeReference, from scope: Int, at node: YAMLNode) throws(DescriptionError) -> Int {
        guard let found = findType(reference, from: scope) else {
            throw types[scope].file.error(node, "there is no type \"\(reference.text)\"")
        }
        return found
    }

    // MARK: - parents

    private func findParents() throws(DescriptionError) {
        for (index, type) in types.enumerated() {
            for slot in type.slots {
                switch slot.role {
                case .field(let syntax), .placed(let syntax):
                    try noteParents(syntax, hasOwnParent: slot.keys["parent"] != nil, type: index)
                case .parameter, .computed: break
                }
            }
        }
    }

    private func noteParents(_ syntax: TypeSyntax, hasOwnParent: Bool, type: Int) throws(DescriptionError) {
        switch syntax {
        case .user(let reference, _, let node):
            let inner = try requireType(reference, from: type, at: node)
            guard types[inner].fileIndex == types[type].fileIndex else { return }
            switch parents[inner] {
            case .none where !hasOwnParent: parents[inner] = .one(type)
            case .one(type) where !hasOwnParent: break
            default: parents[inner] = .several
            }
        case .choice(_, _, let cases):
            for item in cases { try noteParents(item.type, hasOwnParent: hasOwnParent, type: type) }
        default: break
        }
    }

    func parentType(of type: Int) -> StaticType {
        if case .one(let parent) = parents[type] { return .user(parent) }
        return .structure
    }

    func rootType(of type: Int) -> StaticType {
        var index = type
        while let outer = types[index].outer { index = outer }
        return .user(index)
    }

    // MARK: - types of slots

    func type(ofSlot slot: Int, in type: Int) throws(DescriptionError) -> StaticType {
        if let known = slotTypes[type][slot] { return known }
        let place = SlotPlace(type: type, slot: slot)
        let declaration = types[type].slots[slot]
        // A circle is found when the value is asked for; of a hostile chain of instances each costs stack here.
        guard isComputing.count < 200 else {
            throw types[type].file.error(
                declaration.place,
                "\"\(declaration.name)\" depends on more than 200 other instances in a row"
            )
        }
        guard isComputing.insert(place).inserted else { return .any }
        defer { isComputing.remove(place) }
        var result: StaticType
        switch declaration.role {
        case .parameter(let syntax):
            result = try valueType(syntax, declaration, in: type)
        case .field(let syntax), .placed(let syntax):
            result = try valueType(syntax, declaration, in: type)
            if declaration.keys["repeat"] != nil { result = .array(result) }
        case .computed(let syntax):
            result =
                if let node = declaration.keys["enum"] {
                    .enumeration(try findEnum(node, from: type))
                } else {
                    try ExpressionCompiler(self, type: type, node: declaration.keys["value"]).compile(syntax).type
                }
        }
        slotTypes[type][slot] = result
        return result
    }

    /// What one value of a field is.
    func valueType(_ syntax: TypeSyntax, _ declaration: SlotDeclaration, in type: Int) throws(DescriptionError)
        -> StaticType
    {
        switch syntax {
        case .integer, .bits:
            if let node = declaration.keys["enum"] { return .enumeration(try findEnum(node, from: type)) }
            if case .bits(count: 1, _) = syntax { return .boolean }
            return .integer
        case .real: return .real
        case .text: return .text
        case .bytes: return .bytes
        case .user(let reference, _, let node): return .user(try requireType(reference, from: type, at: node))
        case .choice(_, _, let cases):
            var result: StaticType?
            for item in cases {
                let inner = try valueType(item.type, declaration, in: type)
                result = result?.merged(inner) ?? inner
            }
            // Without a case that fits, bytes of a known size are left as they are.
            let isSized = declaration.keys["size"] != nil || declaration.keys["size-eos"] != nil
            if isSized, !cases.contains(where: { $0.key == nil }) {
                return result.map { $0.isObject ? .any : $0.merged(.bytes) } ?? .bytes
            }
            return result ?? .any
        case .boolean: return .boolean
        case .structure: return .structure
        case .stream: return .stream
        case .any: return .any
        case .array(let element): return .array(try valueType(element, declaration, in: type))
        }
    }

    // MARK: - one type

    private func compile(_ index: Int) throws(DescriptionError) -> DescribedType {
        let declaration = types[index]
        var type = DescribedType(name: declaration.name, file: declaration.fileIndex)
        type.slotOfName = declaration.slotOfName
        type.parameterCount = declaration.parameterCount
        type.seqCount = declaration.seqCount
        type.order = try order(of: index)
        for slot in declaration.slots {
            let valueType = try self.type(ofSlot: type.slots.count, in: index)
            var compiled = try FieldCompiler(self, type: index, slot).slot()
            compiled.valueType = valueType
            // Contents behind their length are told by its label.
            if slot.keys["-orig-id"] == nil, type.slots.last?.fieldName == compiled.fieldName + ".length" {
                compiled.label = ""
            }
            type.slots.append(compiled)
        }
        type.isSingleValue = type.slots.contains { $0.fieldName.isEmpty }
        if let node = declaration.text {
            let syntax = try declaration.file.expression(node, of: "`to-string`")
            let result = try ExpressionCompiler(self, type: index, node: node).compile(syntax)
            guard result.type == .text || result.type == .any else {
                throw declaration.file.error(node, "`to-string` must be text")
            }
            type.text = result.expression
        }
        return type
    }

    /// The order that the type or one around it declares.
    private func order(of index: Int) throws(DescriptionError) -> ObjectOrder {
        var current: Int? = index
        while let type = current {
            switch types[type].order {
            case .little: return .little
            case .big: return .big
            case .chosen(let node): return type == index ? try chosenOrder(node, index) : .inherited
            case .unset: current = types[type].outer
            }
        }
        return .none
    }

    private func chosenOrder(_ node: YAMLNode, _ index: Int) throws(DescriptionError) -> ObjectOrder {
        let file = types[index].file
        let keys = try file.keys(node, of: "`endian`", allowed: ["switch-on", "cases"])
        guard let on = keys["switch-on"] else { throw file.error(node, "`switch-on` is missing") }
        guard let casesNode = keys["cases"], case .mapping(let entries) = casesNode.content else {
            throw file.error(node, "`cases` is missing: a mapping of values to le or be")
        }
        let compiler = ExpressionCompiler(self, type: index, node: on)
        let value = try compiler.compile(try file.expression(on, of: "`switch-on`"))
        var cases: [(Expression, isLittle: Bool)] = []
        var otherwise: Bool?
        for entry in entries {
            let isLittle: Bool
            switch entry.value.text {
            case "le": isLittle = true
            case "be": isLittle = false
            default: throw file.error(entry.value, "a byte order is le or be")
            }
            if entry.key == "_" {
                otherwise = isLittle
                continue
            }
            let key = YAMLNode(
                content: .scalar(entry.key, isQuoted: entry.isQuoted),
                place: entry.keyPlace,
                isVerbatim: true
            )
            let result = try ExpressionCompiler(self, type: index, node: key).compile(
                try file.expression(key, of: "a case")
            )
            guard result.type.isComparable(to: value.type) else {
                throw file.error(key, "this case can never be the value of `switch-on`")
            }
            cases.append((result.expression, isLittle))
        }
        return .chosen(on: value.expression, cases: cases, otherwise: otherwise)
    }

    /// Whether the type's numbers have an order, if they do not say theirs.
    func hasOrder(_ index: Int) -> ByteOrder? {
        var current: Int? = index
        while let type = current {
            switch types[type].order {
            case .little: return .little
            case .big: return .big
            case .chosen: return .ofObject
            case .unset: current = types[type].outer
            }
        }
        return nil
    }
}
