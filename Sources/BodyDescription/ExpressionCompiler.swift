/// Resolves the names of an expression and checks its types.
struct ExpressionCompiler {
    typealias Result = (expression: Expression, type: StaticType)

    let compiler: DescriptionCompiler
    let scope: Int
    /// The scalar that holds the expression, for the places of errors.
    let node: YAMLNode?
    /// What `_` is; `nil` where there is none.
    var element: StaticType?
    /// `_index` may be used.
    var hasIndex = false

    init(
        _ compiler: DescriptionCompiler,
        type: Int,
        node: YAMLNode?,
        element: StaticType? = nil,
        hasIndex: Bool = false
    ) {
        self.compiler = compiler
        scope = type
        self.node = node
        self.element = element
        self.hasIndex = hasIndex
    }

    private func error(_ syntax: ExpressionSyntax, _ message: String) -> DescriptionError {
        compiler.types[scope].file.error(node?.place(ofCharacter: syntax.offset), message)
    }

    func compile(_ syntax: ExpressionSyntax) throws(DescriptionError) -> Result {
        switch syntax.kind {
        case .integer(let value): return (.constant(.integer(value)), .integer)
        case .real(let value): return (.constant(.real(value)), .real)
        case .text(let value): return (.constant(.text(value)), .text)
        case .boolean(let value): return (.constant(.boolean(value)), .boolean)
        case .formatted(let parts): return try formatted(parts)
        case .name(let name): return try own(name, syntax)
        case .enumeration(let reference, let label):
            guard let index = compiler.findEnum(reference, from: scope) else {
                throw error(syntax, "there is no enum \"\(reference.text)\"")
            }
            guard let number = compiler.enums[index].numbers[label] else {
                throw error(syntax, "the enum \"\(reference.text)\" has no \"\(label)\"")
            }
            return (.constant(.enumeration(index, number)), .enumeration(index))
        case .array(let items): return try array(items)
        case .member(let inner, let name): return try member(try compile(inner), name, inner, syntax)
        case .call(let inner, let name, let arguments): return try call(try compile(inner), name, arguments, syntax)
        case .cast(let inner, let reference): return try cast(inner, reference, syntax)
        case .element(let inner, let index): return try item(inner, index, syntax)
        case .unary(let operation, let operand): return try unary(operation, operand, syntax)
        case .binary(let operation, let left, let right): return try binary(operation, left, right, syntax)
        case .conditional(let condition, let yes, let no):
            let condition = try boolean(condition)
            let (yes, no) = (try compile(yes), try compile(no))
            return (.conditional(condition, yes.expression, no.expression), yes.type.merged(no.type))
        case .size(let reference, let inBits): return try size(reference, inBits: inBits, syntax)
        }
    }

    /// An expression that must be of a kind.
    func compile(_ syntax: ExpressionSyntax, as wanted: StaticType, _ what: String) throws(DescriptionError)
        -> Expression
    {
        let result = try compile(syntax)
        guard result.type == wanted || result.type == .any else {
            throw error(syntax, "\(what) must be \(wanted.name), and this is \(result.type.name)")
        }
        return result.expression
    }

    private func boolean(_ syntax: ExpressionSyntax) throws(DescriptionError) -> Expression {
        try compile(syntax, as: .boolean, "a condition")
    }

    // MARK: - names

    private func own(_ name: String, _ syntax: ExpressionSyntax) throws(DescriptionError) -> Result {
        switch name {
        case "_root": return (.root, compiler.rootType(of: scope))
        case "_parent": return (.parent, compiler.parentType(of: scope))
        case "_io": return (.io, .stream)
        case "_index":
            guard hasIndex else { throw error(syntax, "_index is known only in a field with `repeat`") }
            return (.index, .integer)
        case "_":
            guard let element else { throw error(syntax, "_ is known only in `repeat-until` and `valid`") }
            return (.element, element)
        case "_sizeof": return try constant(bitsOfType: scope, inBits: false, syntax)
        default: break
        }
        guard let slot = compiler.types[scope].slotOfName[name] else {
            throw error(syntax, "\"\(compiler.types[scope].name)\" has no \"\(name)\"")
        }
        return (.own(slot), try compiler.type(ofSlot: slot, in: scope))
    }

    private func member(
        _ inner: Result,
        _ name: String,
        _ innerSyntax: ExpressionSyntax,
        _ syntax: ExpressionSyntax
    ) throws(DescriptionError) -> Result {
        if name == "_sizeof" { return try size(of: inner, innerSyntax, syntax) }
        if inner.type.isObject || inner.type == .any {
            switch name {
            case "_io": return (.ioOf(inner.expression), .stream)
            case "_root":
                if case .user(let type) = inner.type { return (.rootOf(inner.expression), compiler.rootType(of: type)) }
                return (.rootOf(inner.expression), .structure)
            case "_parent":
                if case .user(let type) = inner.type {
                    return (.parentOf(inner.expression), compiler.parentType(of: type))
                }
                return (.parentOf(inner.expression), .structure)
            default: break
            }
        }
        switch inner.type {
        case .user(let type):
            guard let slot = compiler.types[type].slotOfName[name] else {
                throw error(syntax, "\"\(compiler.types[type].name)\" has no \"\(name)\"")
            }
            return (.member(inner.expression, name), try compiler.type(ofSlot: slot, in: type))
        case .structure:
            guard compiler.allNames.contains(name) else { throw error(syntax, "no type has a \"\(name)\"") }
            return (.member(inner.expression, name), .any)
        case .any:
            guard compiler.allNames.contains(name) || ValueMethod(rawValue: name) != nil else {
                throw error(syntax, "nothing has a \"\(name)\"")
            }
            return (.member(inner.expression, name), .any)
        default: return try method(inner, name, syntax)
        }
    }

    // MARK: - methods

    private func method(_ inner: Result, _ name: String, _ syntax: ExpressionSyntax) throws(DescriptionError) -> Result
    {
        guard let method = ValueMethod(rawValue: name), let type = inner.type.result(of: method) else {
            throw error(syntax, "\(inner.type.name) has no \"\(name)\"")
        }
        return (.method(method, inner.expression), type)
    }

    private func call(
        _ inner: Result,
        _ name: String,
        _ arguments: [ExpressionSyntax],
        _ syntax: ExpressionSyntax
    ) throws(DescriptionError) -> Result {
        func expect(_ count: Int) throws(DescriptionError) {
            guard arguments.count == count else {
                throw error(syntax, "\(name) takes \(count) argument\(count == 1 ? "" : "s"), not \(arguments.count)")
            }
        }
        switch (name, inner.type) {
        case ("substring", .text), ("substring", .any):
            try expect(2)
            let from = try compile(arguments[0], as: .integer, "where a substring begins")
            let to = try compile(arguments[1], as: .integer, "where a substring ends")
            return (.substring(inner.expression, from, to), .text)
        case ("to_i", .text) where arguments.count == 1, ("to_i", .any) where arguments.count == 1:
            return (.toIntegerWithRadix(inner.expression, try compile(arguments[0], as: .integer, "a radix")), .integer)
        case ("to_s", .bytes) where arguments.count == 1, ("to_s", .any) where arguments.count == 1:
            guard case .text(let encoding) = arguments[0].kind else {
                throw error(arguments[0], "the encoding must be text as it stands, as in to_s(\"UTF-8\")")
            }
            guard let coding = TextCoding(encoding) else {
                throw error(arguments[0], "no encoding \"\(encoding)\" is known here")
            }
            return (.decode(inner.expression, coding), .text)
        default:
            try expect(0)
            if inner.type == .any {
                guard let method = ValueMethod(rawValue: name) else { throw error(syntax, "nothing has a \"\(name)\"") }
                return (.method(method, inner.expression), .any)
            }
            return try method(inner, name, syntax)
        }
    }

    private func item(_ inner: ExpressionSyntax, _ index: ExpressionSyntax, _ syntax: ExpressionSyntax)
        throws(DescriptionError) -> Result
    {
        let inner = try compile(inner)
        let index = try compile(index, as: .integer, "an index")
        switch inner.type {
        case .array(let element): return (.item(inner.expression, index), element)
        case .bytes: return (.item(inner.expression, index), .integer)
        case .any: return (.item(inner.expression, index), .any)
        default: throw error(syntax, "\(inner.type.name) has no elements")
        }
    }

    private func formatted(_ parts: [ExpressionSyntax]) throws(DescriptionError) -> Result {
        var result: [Expression] = []
        for part in parts {
            let inner = try compile(part)
            switch inner.type {
            case .text: result.append(inner.expression)
            case .integer, .any: result.append(.method(.toText, inner.expression))
            default:
                throw error(part, "\(inner.type.name) cannot stand in a formatted text; only text and integers can")
            }
        }
        return (.joined(result), .text)
    }

    // MARK: - arrays and casts

    private func array(_ items: [ExpressionSyntax]) throws(DescriptionError) -> Result {
        var isBytes = true
        for item in items {
            if case .integer(let value) = item.kind, value <= WideInteger(255) { continue }
            isBytes = false
        }
        return try isBytes ? byteArray(items) : plainArray(items)
    }

    private func plainArray(_ items: [ExpressionSyntax]) throws(DescriptionError) -> Result {
        var expressions: [Expression] = []
        var type: StaticType?
        for item in items {
            let result = try compile(item)
            expressions.append(result.expression)
            type = type?.merged(result.type) ?? result.type
        }
        return (.array(expressions), .array(type ?? .any))
    }

    private func byteArray(_ items: [ExpressionSyntax]) throws(DescriptionError) -> Result {
        var expressions: [Expression] = []
        var bytes: [UInt8] = []
        for item in items {
            if case .integer(let value) = item.kind, let byte = value.int.flatMap({ UInt8(exactly: $0) }) {
                bytes.append(byte)
            }
            expressions.append(try compile(item, as: .integer, "a byte"))
        }
        if bytes.count == items.count { return (.constant(.bytes(bytes[...])), .bytes) }
        return (.byteArray(expressions), .bytes)
    }

    private func cast(_ inner: ExpressionSyntax, _ reference: TypeReference, _ syntax: ExpressionSyntax)
        throws(DescriptionError) -> Result
    {
        let type = try castType(reference, syntax)
        if case .array(let items) = inner.kind {
            switch type {
            case .bytes: return try byteArray(items)
            case .array: return (try plainArray(items).expression, type)
            default: break
            }
        }
        let inner = try compile(inner)
        return (.cast(inner.expression, type), type)
    }

    private func castType(_ reference: TypeReference, _ syntax: ExpressionSyntax) throws(DescriptionError) -> StaticType
    {
        if reference.isArray {
            var element = reference
            element.isArray = false
            return .array(try castType(element, syntax))
        }
        if reference.parts.count == 1, !reference.isAbsolute {
            let name = reference.parts[0]
            switch name {
            case "bool", "b1": return .boolean
            case "str", "strz": return .text
            case "bytes": return .bytes
            case "struct": return .structure
            case "io": return .stream
            case "any": return .any
            default: break
            }
            let stem = name.hasSuffix("le") || name.hasSuffix("be") ? name.dropLast(2) : name[...]
            if ["u1", "u2", "u4", "u8", "s1", "s2", "s4", "s8"].contains(stem) { return .integer }
            if stem == "f4" || stem == "f8" { return .real }
            if stem.first == "b", let count = Int(stem.dropFirst()), (2...64).contains(count) { return .integer }
        }
        if let type = compiler.findType(reference, from: scope) { return .user(type) }
        if let found = compiler.findEnum(reference, from: scope) { return .enumeration(found) }
        throw error(syntax, "there is no type \"\(reference.text)\"")
    }

    // MARK: - operations

    private func unary(_ operation: UnaryOperator, _ operand: ExpressionSyntax, _ syntax: ExpressionSyntax)
        throws(DescriptionError) -> Result
    {
        let inner = try compile(operand)
        let fits =
            switch operation {
            case .minus: inner.type.isNumber
            case .invert: inner.type.isInteger
            case .not: inner.type.isBoolean
            }
        guard fits else { throw error(syntax, "\(operation.rawValue) cannot be applied to \(inner.type.name)") }
        let type: StaticType =
            inner.type == .any && operation != .minus ? (operation == .not ? .boolean : .integer) : inner.type
        if case .constant(.integer(let value)) = inner.expression, operation == .minus, let negated = value.negated {
            return (.constant(.integer(negated)), .integer)
        }
        return (.unary(operation, inner.expression), type)
    }

    private func binary(
        _ operation: BinaryOperator,
        _ left: ExpressionSyntax,
        _ right: ExpressionSyntax,
        _ syntax: ExpressionSyntax
    ) throws(DescriptionError) -> Result {
        let (a, b) = (try compile(left), try compile(right))
        let type: StaticType?
        switch operation {
        case .and, .or: type = a.type.isBoolean && b.type.isBoolean ? .boolean : nil
        case .equal, .notEqual: type = a.type.isComparable(to: b.type) ? .boolean : nil
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            type = a.type.isComparable(to: b.type) && a.type.isOrdered && b.type.isOrdered ? .boolean : nil
        case .add where a.type == .text && (b.type == .text || b.type == .any): type = .text
        case .add where a.type == .any && b.type == .text: type = .text
        case .add where a.type == .any && b.type == .any: type = .any
        case .add, .subtract, .multiply, .divide, .modulo:
            type =
                if !a.type.isNumber || !b.type.isNumber { nil } else if a.type == .real || b.type == .real {
                    .real
                } else if a.type == .any || b.type == .any { .any } else { .integer }
        case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight:
            type = a.type.isInteger && b.type.isInteger ? .integer : nil
        }
        guard let type else {
            throw error(syntax, "\(operation.rawValue) cannot be applied to \(a.type.name) and \(b.type.name)")
        }
        return (.binary(operation, a.expression, b.expression), type)
    }

    // MARK: - sizes

    private func size(_ reference: TypeReference, inBits: Bool, _ syntax: ExpressionSyntax) throws(DescriptionError)
        -> Result
    {
        let node = YAMLNode(
            content: .scalar("", isQuoted: true),
            place: node?.place(ofCharacter: syntax.offset) ?? compiler.types[scope].place
        )
        if let bits = try primitiveBits(reference) { return try constant(bits, inBits: inBits, syntax) }
        return try constant(bitsOfType: compiler.requireType(reference, from: scope, at: node), inBits: inBits, syntax)
    }

    private func primitiveBits(_ reference: TypeReference) throws(DescriptionError) -> Int? {
        guard reference.parts.count == 1, let name = reference.parts.first else { return nil }
        let stem = name.hasSuffix("le") || name.hasSuffix("be") ? name.dropLast(2) : name[...]
        guard let kind = stem.first, let count = Int(stem.dropFirst()) else { return nil }
        switch kind {
        case "u", "s": return [1, 2, 4, 8].contains(count) ? count * 8 : nil
        case "f": return count == 4 || count == 8 ? count * 8 : nil
        case "b": return (1...64).contains(count) ? count : nil
        default: return nil
        }
    }

    private func constant(bitsOfType type: Int, inBits: Bool, _ syntax: ExpressionSyntax) throws(DescriptionError)
        -> Result
    {
        var size = FixedSize(compiler)
        guard let bits = size.bits(ofType: type) else {
            throw error(
                syntax,
                "the size of \"\(compiler.types[type].name)\" depends on the data, so it has no fixed one"
            )
        }
        return try constant(bits, inBits: inBits, syntax)
    }

    private func constant(_ bits: Int, inBits: Bool, _ syntax: ExpressionSyntax) throws(DescriptionError) -> Result {
        (.constant(.integer(inBits ? bits : (bits + 7) / 8)), .integer)
    }

    /// `x._sizeof`
    private func size(of inner: Result, _ innerSyntax: ExpressionSyntax, _ syntax: ExpressionSyntax)
        throws(DescriptionError) -> Result
    {
        var size = FixedSize(compiler)
        var bits: Int?
        switch innerSyntax.kind {
        case .name(let name):
            if let slot = compiler.types[scope].slotOfName[name] {
                bits = size.bits(of: compiler.types[scope].slots[slot], in: scope)
            }
        case .member(let holder, let name):
            if case .user(let type) = try compile(holder).type, let slot = compiler.types[type].slotOfName[name] {
                bits = size.bits(of: compiler.types[type].slots[slot], in: type)
            }
        default: break
        }
        if bits == nil, case .user(let type) = inner.type {
            switch innerSyntax.kind {
            case .name("_root"), .name("_parent"), .member(_, "_root"), .member(_, "_parent"), .cast:
                bits = size.bits(ofType: type)
            default: break
            }
        }
        guard let bits else { throw error(syntax, "its size depends on the data, so it has no fixed one") }
        return try constant(bits, inBits: false, syntax)
    }
}

extension StaticType {
    /// Of values of it one can be less than another.
    var isOrdered: Bool {
        switch self {
        case .any, .integer, .real, .text, .bytes: true
        default: false
        }
    }

    /// As messages speak of it.
    var name: String {
        switch self {
        case .any: "a value"
        case .integer: "an integer"
        case .real: "a real number"
        case .boolean: "a boolean"
        case .text: "text"
        case .bytes: "bytes"
        case .enumeration: "a value of an enum"
        case .user, .structure: "an object"
        case .stream: "a stream"
        case .array: "an array"
        }
    }

    /// The kind of what a method gives; `nil` if there is no such method.
    func result(of method: ValueMethod) -> StaticType? {
        switch (self, method) {
        case (.integer, .toText), (.enumeration, .toText), (.text, .reverse): .text
        case (.real, .toInteger), (.text, .toInteger), (.enumeration, .toInteger), (.boolean, .toInteger),
            (.integer, .toInteger):
            .integer
        case (.text, .length), (.bytes, .length), (.bytes, .size), (.array, .length), (.array, .size): .integer
        case (.bytes, .first), (.bytes, .last), (.bytes, .min), (.bytes, .max): .integer
        case (.array(let element), .first), (.array(let element), .last): element
        case (.array(let element), .min), (.array(let element), .max): element.isOrdered ? element : nil
        case (.stream, .size), (.stream, .position): .integer
        case (.stream, .eof): .boolean
        default: nil
        }
    }
}
