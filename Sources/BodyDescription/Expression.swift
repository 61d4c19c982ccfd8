/// An expression whose names are resolved and whose types are checked, ready to be computed.
indirect enum Expression: Sendable {
    case constant(Value)
    /// A parameter, field or instance of the object itself, by its slot.
    case own(Int)
    case ownObject
    case root
    case parent
    case io
    case index
    /// `_`
    case element
    /// A parameter, field or instance of another object, by its name.
    case member(Expression, String)
    case rootOf(Expression)
    case parentOf(Expression)
    case ioOf(Expression)
    case method(ValueMethod, Expression)
    case toIntegerWithRadix(Expression, Expression)
    case substring(Expression, Expression, Expression)
    case decode(Expression, TextCoding)
    case array([Expression])
    /// An array of numbers that is meant as bytes.
    case byteArray([Expression])
    case item(Expression, Expression)
    case unary(UnaryOperator, Expression)
    case binary(BinaryOperator, Expression, Expression)
    case conditional(Expression, Expression, Expression)
    case cast(Expression, StaticType)
    /// `f"…"`
    case joined([Expression])
}

/// What can be asked of a value.
enum ValueMethod: String, Sendable {
    case length
    case size
    case first
    case last
    case min
    case max
    case toText = "to_s"
    case toInteger = "to_i"
    case reverse
    case eof
    case position = "pos"
}
