/// The name of a type as it is written: `foo::bar`, `u1[]`.
struct TypeReference: Equatable, Sendable {
    /// It began with `::`.
    var isAbsolute = false
    var parts: [String]
    var isArray = false

    var text: String { (isAbsolute ? "::" : "") + parts.joined(separator: "::") + (isArray ? "[]" : "") }
}

/// An expression as it was written, before any name in it is looked up.
struct ExpressionSyntax: Sendable {
    indirect enum Kind: Sendable {
        case integer(WideInteger)
        case real(Double)
        case text(String)
        /// `f"…"`: the texts and expressions in it.
        case formatted([ExpressionSyntax])
        case boolean(Bool)
        case name(String)
        /// `animal::cat`: type names, the enum, the label.
        case enumeration(TypeReference, label: String)
        case array([ExpressionSyntax])
        case member(ExpressionSyntax, String)
        case call(ExpressionSyntax, String, [ExpressionSyntax])
        case cast(ExpressionSyntax, TypeReference)
        case element(ExpressionSyntax, ExpressionSyntax)
        case unary(UnaryOperator, ExpressionSyntax)
        case binary(BinaryOperator, ExpressionSyntax, ExpressionSyntax)
        case conditional(ExpressionSyntax, ExpressionSyntax, ExpressionSyntax)
        /// `sizeof<type>`, `bitsizeof<type>`.
        case size(TypeReference, inBits: Bool)
    }

    var kind: Kind
    /// Where it begins, in characters of the expression; of an operation, where the operator stands.
    var offset: Int
    /// How deep the expressions in it are nested.
    var depth = 1
}

enum UnaryOperator: String, Sendable {
    case minus = "-"
    case invert = "~"
    case not
}

enum BinaryOperator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case modulo = "%"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and
    case or
}
