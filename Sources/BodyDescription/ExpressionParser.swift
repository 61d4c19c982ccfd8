/// What is wrong with an expression, and at which of its characters.
struct ExpressionError: Error {
    var message: String
    var offset: Int
}

/// Reads an expression: Kaitai Struct's, which has Python's operators with `?:` added.
struct ExpressionParser {
    /// How deep operations and parentheses may be nested: what is deeper would need too much of the stack.
    static let maximumDepth = 120
    private static let reserved: Set<String> = ["and", "or", "not", "true", "false"]

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var nesting = 0

    private init(_ text: String) { scalars = Array(text.unicodeScalars) }

    static func parse(_ text: String) throws(ExpressionError) -> ExpressionSyntax {
        var parser = ExpressionParser(text)
        let result = try parser.expression()
        parser.skipBlanks()
        if parser.position < parser.scalars.count {
            throw parser.error("\"\(parser.rest)\" is not part of the expression")
        }
        return result
    }

    /// The name of a type with its arguments: `foo::bar(1, _io)`, as it stands behind `type:`.
    static func parseTypeCall(
        _ text: String
    ) throws(ExpressionError) -> (type: TypeReference, arguments: [ExpressionSyntax]) {
        var parser = ExpressionParser(text)
        let type = try parser.typeReference()
        var arguments: [ExpressionSyntax] = []
        if parser.take("(") { arguments = try parser.list(until: ")") }
        parser.skipBlanks()
        if parser.position < parser.scalars.count {
            throw parser.error("\"\(parser.rest)\" is not part of a type's name")
        }
        return (type, arguments)
    }

    // MARK: - characters

    private var rest: String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[position...].prefix(20))
        return String(text)
    }

    private func error(_ message: String) -> ExpressionError { ExpressionError(message: message, offset: position) }

    private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        position + ahead < scalars.count ? scalars[position + ahead] : nil
    }

    private mutating func skipBlanks() {
        while let next = peek(), next == " " || next == "\n" || next == "\t" || next == "\r" { position += 1 }
    }

    private func isNext(_ token: String) -> Bool {
        var ahead = 0
        for scalar in token.unicodeScalars {
            guard peek(ahead) == scalar else { return false }
            ahead += 1
        }
        return true
    }

    private mutating func take(_ token: String) -> Bool {
        skipBlanks()
        guard isNext(token) else { return false }
        position += token.unicodeScalars.count
        return true
    }

    private func isLetter(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
    }

    private func isDigit(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { ("0"..."9").contains($0) } ?? false }

    private func isHexDigit(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { $0.properties.isASCIIHexDigit } ?? false }

    private mutating func takeWord(_ word: String) -> Bool {
        skipBlanks()
        let count = word.unicodeScalars.count
        guard isNext(word), !isLetter(peek(count)), !isDigit(peek(count)) else { return false }
        position += count
        return true
    }

    private mutating func name() -> String? {
        skipBlanks()
        guard isLetter(peek()) else { return nil }
        var text = String.UnicodeScalarView()
        while let next = peek(), isLetter(next) || isDigit(next) {
            text.append(next)
            position += 1
        }
        return String(text)
    }

    // MARK: - operations, the weakest first

    private mutating func nest(_ offset: Int) throws(ExpressionError) {
        nesting += 1
        guard nesting <= Self.maximumDepth else { throw tooDeep(offset) }
    }

    private func tooDeep(_ offset: Int) -> ExpressionError {
        ExpressionError(message: "nested more than \(Self.maximumDepth) deep", offset: offset)
    }

    private func make(
        _ kind: ExpressionSyntax.Kind,
        _ offset: Int,
        over inner: [ExpressionSyntax]
    ) throws(ExpressionError) -> ExpressionSyntax {
        let depth = 1 + (inner.map(\.depth).max() ?? 0)
        guard depth <= Self.maximumDepth else { throw tooDeep(offset) }
        return ExpressionSyntax(kind: kind, offset: offset, depth: depth)
    }

    private mutating func expression() throws(ExpressionError) -> ExpressionSyntax {
        try nest(position)
        defer { nesting -= 1 }
        let condition = try disjunction()
        skipBlanks()
        let offset = position
        guard take("?") else { return condition }
        let yes = try expression()
        guard take(":") else { throw error("\":\" is missing behind \"?\"") }
        let no = try expression()
        return try make(.conditional(condition, yes, no), offset, over: [condition, yes, no])
    }

    private mutating func disjunction() throws(ExpressionError) -> ExpressionSyntax {
        var left = try conjunction()
        while true {
            skipBlanks()
            let offset = position
            guard takeWord("or") else { return left }
            let right = try conjunction()
            left = try make(.binary(.or, left, right), offset, over: [left, right])
        }
    }

    private mutating func conjunction() throws(ExpressionError) -> ExpressionSyntax {
        var left = try negation()
        while true {
            skipBlanks()
            let offset = position
            guard takeWord("and") else { return left }
            let right = try negation()
            left = try make(.binary(.and, left, right), offset, over: [left, right])
        }
    }

    private mutating func negation() throws(ExpressionError) -> ExpressionSyntax {
        skipBlanks()
        let offset = position
        guard takeWord("not") else { return try comparison() }
        try nest(offset)
        defer { nesting -= 1 }
        let operand = try negation()
        return try make(.unary(.not, operand), offset, over: [operand])
    }

    private mutating func comparison() throws(ExpressionError) -> ExpressionSyntax {
        let left = try binary(0)
        skipBlanks()
        let offset = position
        guard let comparison = takeComparison() else { return left }
        let right = try binary(0)
        let second = position
        if takeComparison() != nil {
            throw ExpressionError(message: "comparisons cannot be chained; write (a < b) and (b < c)", offset: second)
        }
        return try make(.binary(comparison, left, right), offset, over: [left, right])
    }

    private mutating func takeComparison() -> BinaryOperator? {
        skipBlanks()
        for comparison in [BinaryOperator.equal, .notEqual, .lessOrEqual, .greaterOrEqual, .less, .greater]
        where isNext(comparison.rawValue) {
            position += comparison.rawValue.utf8.count
            return comparison
        }
        return nil
    }

    private static let levels: [[BinaryOperator]] = [
        [.bitOr], [.bitXor], [.bitAnd], [.shiftLeft, .shiftRight], [.add, .subtract], [.multiply, .divide, .modulo],
    ]

    private mutating func binary(_ level: Int) throws(ExpressionError) -> ExpressionSyntax {
        guard level < Self.levels.count else { return try unary() }
        var left = try binary(level + 1)
        while true {
            skipBlanks()
            let offset = position
            guard let operation = Self.levels[level].first(where: { isNext($0.rawValue) }) else { return left }
            position += operation.rawValue.utf8.count
            let right = try binary(level + 1)
            left = try make(.binary(operation, left, right), offset, over: [left, right])
        }
    }

    private mutating func unary() throws(ExpressionError) -> ExpressionSyntax {
        skipBlanks()
        let offset = position
        guard let next = peek(), next == "-" || next == "+" || next == "~" else { return try postfix() }
        position += 1
        try nest(offset)
        defer { nesting -= 1 }
        // The smallest Int64 is written as the negative of a number that is not one.
        let operand = try unary()
        switch next {
        case "+": return operand
        case "-": return try make(.unary(.minus, operand), offset, over: [operand])
        default: return try make(.unary(.invert, operand), offset, over: [operand])
        }
    }

    private mutating func postfix() throws(ExpressionError) -> ExpressionSyntax {
        var value = try atom()
        while true {
            skipBlanks()
            let offset = position
            if take("[") {
                let index = try expression()
                guard take("]") else { throw error("\"]\" is missing") }
                value = try make(.element(value, index), offset, over: [value, index])
            } else if take(".") {
                skipBlanks()
                let offset = position
                guard let member = name() else { throw error("a name is missing behind \".\"") }
                if member == "as", take("<") {
                    let type = try typeReference()
                    guard take(">") else { throw error("\">\" is missing behind the type") }
                    value = try make(.cast(value, type), offset, over: [value])
                } else if take("(") {
                    let arguments = try list(until: ")")
                    value = try make(.call(value, member, arguments), offset, over: [value] + arguments)
                } else {
                    value = try make(.member(value, member), offset, over: [value])
                }
            } else {
                return value
            }
        }
    }

    private mutating func list(until end: String) throws(ExpressionError) -> [ExpressionSyntax] {
        var items: [ExpressionSyntax] = []
        while !take(end) {
            if !items.isEmpty {
                guard take(",") else { throw error("\",\" or \"\(end)\" is missing") }
                // A comma behind the last one is allowed.
                if take(end) { break }
            }
            items.append(try expression())
        }
        return items
    }

    private mutating func typeReference() throws(ExpressionError) -> TypeReference {
        var type = TypeReference(parts: [])
        type.isAbsolute = take("::")
        repeat {
            guard let part = name() else { throw error("the name of a type is missing") }
            type.parts.append(part)
        } while take("::")
        if take("[") {
            guard take("]") else { throw error("\"]\" is missing") }
            type.isArray = true
        }
        return type
    }

    // MARK: - atoms

    private mutating func atom() throws(ExpressionError) -> ExpressionSyntax {
        skipBlanks()
        let offset = position
        guard let next = peek() else {
            throw error(position == 0 ? "the expression is empty" : "the expression ends too early")
        }
        if take("(") {
            let inner = try expression()
            guard take(")") else { throw error("\")\" is missing") }
            return inner
        }
        if take("[") {
            let items = try list(until: "]")
            return try make(.array(items), offset, over: items)
        }
        if isDigit(next) { return try number() }
        if next == "\"" || next == "'" { return try texts() }
        if next == "f", let quote = peek(1), quote == "\"" { return try formatted() }
        if isNext("::") { return try enumeration(offset) }
        guard let name = name() else { throw error("\"\(rest)\" is not an expression") }
        switch name {
        case "true": return ExpressionSyntax(kind: .boolean(true), offset: offset)
        case "false": return ExpressionSyntax(kind: .boolean(false), offset: offset)
        case "sizeof", "bitsizeof":
            guard take("<") else { break }
            let type = try typeReference()
            guard take(">") else { throw error("\">\" is missing behind the type") }
            return ExpressionSyntax(kind: .size(type, inBits: name == "bitsizeof"), offset: offset)
        default: break
        }
        if Self.reserved.contains(name) {
            position = offset
            throw error("\"\(name)\" cannot stand here")
        }
        skipBlanks()
        if isNext("::") {
            position = offset
            return try enumeration(offset)
        }
        return ExpressionSyntax(kind: .name(name), offset: offset)
    }

    private mutating func enumeration(_ offset: Int) throws(ExpressionError) -> ExpressionSyntax {
        var type = try typeReference()
        guard type.parts.count >= 2 else {
            throw ExpressionError(message: "a value of an enum is written enum::label", offset: offset)
        }
        let label = type.parts.removeLast()
        return ExpressionSyntax(kind: .enumeration(type, label: label), offset: offset)
    }

    private mutating func number() throws(ExpressionError) -> ExpressionSyntax {
        let offset = position
        var radix = 10
        if peek() == "0", let letter = peek(1) {
            switch letter {
            case "x", "X": radix = 16
            case "b", "B": radix = 2
            case "o", "O": radix = 8
            default: break
            }
        }
        if radix != 10 { position += 2 }
        var digits = takeDigits(isHex: radix == 16)
        if radix == 10 {
            var isReal = false
            if peek() == ".", isDigit(peek(1)) {
                isReal = true
                position += 1
                digits += "." + takeDigits(isHex: false)
            }
            if let letter = peek(), letter == "e" || letter == "E",
                isDigit(peek(1)) || (peek(1) == "-" || peek(1) == "+") && isDigit(peek(2))
            {
                isReal = true
                digits += "e"
                position += 1
                if let sign = peek(), sign == "-" || sign == "+" {
                    digits += String(sign)
                    position += 1
                }
                digits += takeDigits(isHex: false)
            }
            if isReal {
                guard let value = Double(digits) else {
                    throw ExpressionError(message: "\(digits) is not a number", offset: offset)
                }
                return ExpressionSyntax(kind: .real(value), offset: offset)
            }
        }
        guard let value = UInt64(digits, radix: radix), !isLetter(peek()) else {
            throw ExpressionError(
                message: digits.isEmpty || isLetter(peek())
                    ? "not a number" : "\(digits) does not fit a number of 64 bits, or has a digit that is none",
                offset: offset
            )
        }
        return ExpressionSyntax(kind: .integer(WideInteger(value)), offset: offset)
    }

    private mutating func takeDigits(isHex: Bool) -> String {
        var digits = ""
        while let next = peek(), isDigit(next) || next == "_" || isHex && isHexDigit(next) {
            if next != "_" { digits.unicodeScalars.append(next) }
            position += 1
        }
        return digits
    }

    /// One literal, or several side by side, which are one.
    private mutating func texts() throws(ExpressionError) -> ExpressionSyntax {
        let offset = position
        var text = ""
        while let quote = peek(), quote == "\"" || quote == "'" {
            text += try self.text(quote)
            skipBlanks()
        }
        return ExpressionSyntax(kind: .text(text), offset: offset)
    }

    /// In single quotes nothing is escaped.
    private mutating func text(_ quote: Unicode.Scalar) throws(ExpressionError) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let next = peek() {
            position += 1
            if next == quote { return String(text) }
            if next == "\\", quote == "\"" { text.append(try escape()) } else { text.append(next) }
        }
        throw ExpressionError(message: "the text that begins here has no end", offset: start)
    }

    private mutating func escape() throws(ExpressionError) -> Unicode.Scalar {
        let offset = position - 1
        guard let letter = peek() else { throw error("the text has no end") }
        position += 1
        switch letter {
        case "a": return "\u{7}"
        case "b": return "\u{8}"
        case "t": return "\t"
        case "n": return "\n"
        case "v": return "\u{B}"
        case "f": return "\u{C}"
        case "r": return "\r"
        case "e": return "\u{1B}"
        case "'", "\"", "\\": return letter
        case "x", "u":
            let count = letter == "x" ? 2 : 4
            var digits = ""
            while digits.count < count, let next = peek(), isHexDigit(next) {
                digits.unicodeScalars.append(next)
                position += 1
            }
            if digits.count == count, let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code) {
                return scalar
            }
            throw ExpressionError(
                message: "\\\(letter) needs \(count) hexadecimal digits of a character",
                offset: offset
            )
        case "0"..."7":
            var code = letter.value - 48
            var count = 1
            while let next = peek(), ("0"..."7").contains(next), count < 3 {
                code = code * 8 + next.value - 48
                count += 1
                position += 1
            }
            if let scalar = Unicode.Scalar(code) { return scalar }
            throw ExpressionError(message: "no such character", offset: offset)
        default: throw ExpressionError(message: "\\\(letter) is no escape", offset: offset)
        }
    }

    /// `f"text {expression}"`
    private mutating func formatted() throws(ExpressionError) -> ExpressionSyntax {
        let offset = position
        position += 2
        var parts: [ExpressionSyntax] = []
        var text = String.UnicodeScalarView()
        var start = position
        while let next = peek() {
            position += 1
            switch next {
            case "\"":
                if !text.isEmpty { parts.append(ExpressionSyntax(kind: .text(String(text)), offset: start)) }
                return try make(.formatted(parts), offset, over: parts)
            case "\\": text.append(try escape())
            case "{" where peek() == "{", "}" where peek() == "}":
                position += 1
                text.append(next)
            case "{":
                if !text.isEmpty { parts.append(ExpressionSyntax(kind: .text(String(text)), offset: start)) }
                text = String.UnicodeScalarView()
                parts.append(try expression())
                guard take("}") else { throw error("\"}\" is missing") }
                start = position
            default: text.append(next)
            }
        }
        throw ExpressionError(message: "the text that begins here has no end", offset: offset)
    }
}
