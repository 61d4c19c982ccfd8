/// A number in a filter or in a message: whole ones of 64 bits with and without sign, and others.
enum FilterNumber: Equatable, Sendable {
    case integer(Int64)
    /// More than `Int64.max`.
    case unsigned(UInt64)
    case real(Double)

    init(_ value: UInt64) {
        self = value <= UInt64(Int64.max) ? .integer(Int64(value)) : .unsigned(value)
    }

    /// `112`, `-1`, `0x70`, `1.5`, `1e3`.
    init?(_ text: String) {
        let isNegative = text.hasPrefix("-")
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            guard let value = UInt64(digits.dropFirst(2), radix: 16), digits.dropFirst(2).first != "+" else {
                return nil
            }
            guard let number = Self.signed(value, isNegative) else { return nil }
            self = number
        } else if let first = digits.utf8.first, (0x30...0x39).contains(first) {
            if let value = UInt64(digits), let number = Self.signed(value, isNegative) {
                self = number
            } else if digits.utf8.allSatisfy({
                (0x30...0x39).contains($0) || [0x2E, 0x65, 0x45, 0x2B, 0x2D].contains($0)
            }),
                let value = Double(text), value.isFinite
            {
                self = .real(value)
            } else {
                return nil
            }
        } else {
            return nil
        }
    }

    private static func signed(_ value: UInt64, _ isNegative: Bool) -> FilterNumber? {
        guard isNegative else { return FilterNumber(value) }
        return Int64(exactly: 0 - Int64(truncatingIfNeeded: value & 0x7FFF_FFFF_FFFF_FFFF)).flatMap {
            value <= UInt64(Int64.max) ? .integer($0) : nil
        }
    }

    private var real: Double {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        }
    }

    /// Less than 0, 0 or more, as this is smaller, equal or larger; `nil` if one of them is no number (NaN).
    func compared(to other: FilterNumber) -> Int? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): return left < right ? -1 : left == right ? 0 : 1
        case (.unsigned(let left), .unsigned(let right)): return left < right ? -1 : left == right ? 0 : 1
        case (.unsigned, .integer): return 1
        case (.integer, .unsigned): return -1
        default:
            let (left, right) = (real, other.real)
            if left.isNaN || right.isNaN { return nil }
            return left < right ? -1 : left == right ? 0 : 1
        }
    }

    /// The whole numbers of 64 bits that are at most (or at least) this; used for the ends of ranges.
    /// - Returns: `nil` if there are none.
    var floor: Int64? {
        switch self {
        case .integer(let value): value
        case .unsigned: .max
        case .real(let value):
            value >= 0x1p63 ? .max : value < -0x1p63 ? nil : Int64(value.rounded(.down))
        }
    }

    var ceiling: Int64? {
        switch self {
        case .integer(let value): value
        case .unsigned: nil
        case .real(let value):
            value >= 0x1p63 ? nil : value <= -0x1p63 ? .min : Int64(value.rounded(.up))
        }
    }
}
