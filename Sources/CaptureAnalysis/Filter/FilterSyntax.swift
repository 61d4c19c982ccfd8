/// A filter as it is written, before it is known what its words mean.
indirect enum FilterSyntax {
    case any([FilterSyntax])
    case all([FilterSyntax])
    case not(FilterSyntax)
    case comparison(FilterOperand, FilterComparison, FilterOperand)
    case membership(FilterOperand, [FilterSetElement], isNegated: Bool)
    /// The field alone: whether the message has it.
    case presence(FilterOperand)
}

/// What stands on a side of a comparison.
struct FilterOperand {
    indirect enum Content {
        /// A field, a number, a name …: a word.
        case word(String)
        case string(FilterToken)
        /// Some of the bytes.
        case slice(FilterOperand, FilterSlice)
        /// `len(…)` and the like.
        case call(FilterFunction, FilterOperand)
    }

    var content: Content
    /// Offsets in the UTF-8 of the filter.
    var range: Range<Int>
}

/// Bytes of a value: from `start` on, `length` of them or all that are left.
struct FilterSlice: Equatable, Sendable {
    var start: Int
    var length: Int?
}

/// What can be asked of a value.
enum FilterFunction: String, CaseIterable, Sendable {
    /// Bytes of a text or of bytes.
    case length = "len"
    /// How often the field is there.
    case count
    case lower
    case upper
}

/// How two values are compared.
struct FilterComparison: Equatable, Sendable {
    enum Relation: String, Sendable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case contains
        case matches

        /// The same with the sides exchanged; `nil` if they cannot be.
        var mirrored: Relation? {
            switch self {
            case .equal, .notEqual: self
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            case .contains, .matches: nil
            }
        }

        var isOrdering: Bool {
            switch self {
            case .less, .lessOrEqual, .greater, .greaterOrEqual: true
            case .equal, .notEqual, .contains, .matches: false
            }
        }
    }

    var relation: Relation
    /// Whether it must hold of all values of a field that occurs several times, and not only of one.
    var isForAll: Bool
    /// Where the operator stands.
    var range: Range<Int>

    static func == (left: Self, right: Self) -> Bool {
        left.relation == right.relation && left.isForAll == right.isForAll
    }
}

/// An element of a set: a value, or all from one to another.
struct FilterSetElement {
    var low: FilterOperand
    var high: FilterOperand?
}
