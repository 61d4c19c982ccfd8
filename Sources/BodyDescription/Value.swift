/// What a field or an expression holds while a description is followed.
enum Value: Sendable {
    /// A field whose condition did not hold.
    case null
    case integer(WideInteger)
    case real(Double)
    case boolean(Bool)
    case text(String)
    case bytes(ArraySlice<UInt8>)
    /// A number of an enum, by its index in the program; the number need not have a name.
    case enumeration(Int, WideInteger)
    case array([Value])
    /// Index of ``Interpreter/objects``.
    case object(Int)
    /// Index of ``Interpreter/streams``.
    case stream(Int)
    /// Not read yet.
    case unset
    /// An instance that is being computed: who asks for it now goes in a circle.
    case computing

    /// What it is, for messages.
    var kind: String {
        switch self {
        case .null: "nothing (its condition does not hold)"
        case .integer: "an integer"
        case .real: "a real number"
        case .boolean: "a boolean"
        case .text: "text"
        case .bytes: "bytes"
        case .enumeration: "a value of an enum"
        case .array: "an array"
        case .object: "an object"
        case .stream: "a stream"
        case .unset, .computing: "not read yet"
        }
    }

    static func integer(_ value: Int) -> Value { .integer(WideInteger(value)) }
}
