/// What is known of an expression's value before any data is read.
indirect enum StaticType: Equatable, Sendable {
    /// Known only when it is there.
    case any
    case integer
    case real
    case boolean
    case text
    case bytes
    case enumeration(Int)
    /// An object of a described type.
    case user(Int)
    /// An object of some described type.
    case structure
    case stream
    case array(StaticType)

    var isNumber: Bool { self == .integer || self == .real || self == .any }
    var isInteger: Bool { self == .integer || self == .any }
    var isBoolean: Bool { self == .boolean || self == .any }
    var isObject: Bool {
        switch self {
        case .user, .structure: true
        default: false
        }
    }

    /// What a value is that is one or the other.
    func merged(_ other: StaticType) -> StaticType {
        if self == other { return self }
        switch (self, other) {
        case (.integer, .real), (.real, .integer): return .real
        case (.array(let a), .array(let b)): return .array(a.merged(b))
        default: return isObject && other.isObject ? .structure : .any
        }
    }

    /// `==` makes sense between the two.
    func isComparable(to other: StaticType) -> Bool {
        switch (self, other) {
        case (.any, _), (_, .any): true
        case (.user, _), (_, .user), (.structure, _), (_, .structure), (.stream, _), (_, .stream), (.array, _),
            (_, .array):
            false
        case (.integer, .real), (.real, .integer): true
        default: self == other
        }
    }
}
