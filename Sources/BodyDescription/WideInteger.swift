/// A whole number between the smallest Int64 and the greatest UInt64: what fields can hold and expressions compute with.
///
/// Results that do not fit are `nil`; nothing wraps and nothing traps.
struct WideInteger: Hashable, Comparable, Sendable {
    let isNegative: Bool
    /// The number's two's complement.
    let bits: UInt64

    init(_ value: Int64) {
        isNegative = value < 0
        bits = UInt64(bitPattern: value)
    }

    init(_ value: UInt64) {
        isNegative = false
        bits = value
    }

    init(_ value: Int) { self.init(Int64(value)) }

    /// - Returns: `nil` if it does not fit.
    private init?(isNegative: Bool, magnitude: UInt64) {
        if isNegative, magnitude > 0 {
            guard magnitude <= 1 << 63 else { return nil }
            self.isNegative = true
            bits = 0 &- magnitude
        } else {
            self.isNegative = false
            bits = magnitude
        }
    }

    var magnitude: UInt64 { isNegative ? 0 &- bits : bits }
    var isZero: Bool { bits == 0 }

    /// `nil` if it is greater than an Int64 can be.
    var signed: Int64? { isNegative || bits < 1 << 63 ? Int64(bitPattern: bits) : nil }
    /// `nil` if it is greater than an Int can be.
    var int: Int? { signed.flatMap { Int(exactly: $0) } }
    var real: Double { isNegative ? Double(Int64(bitPattern: bits)) : Double(bits) }

    static func < (a: WideInteger, b: WideInteger) -> Bool {
        a.isNegative != b.isNegative ? a.isNegative : a.bits < b.bits
    }

    // MARK: - arithmetic

    var negated: WideInteger? { WideInteger(isNegative: !isNegative, magnitude: magnitude) }

    func adding(_ other: WideInteger) -> WideInteger? {
        adding(other.magnitude, isNegative: other.isNegative)
    }

    func subtracting(_ other: WideInteger) -> WideInteger? {
        adding(other.magnitude, isNegative: !other.isNegative)
    }

    private func adding(_ other: UInt64, isNegative otherIsNegative: Bool) -> WideInteger? {
        if isNegative == otherIsNegative {
            let (sum, overflow) = magnitude.addingReportingOverflow(other)
            return overflow ? nil : WideInteger(isNegative: isNegative, magnitude: sum)
        }
        return magnitude >= other
            ? WideInteger(isNegative: isNegative, magnitude: magnitude - other)
            : WideInteger(isNegative: otherIsNegative, magnitude: other - magnitude)
    }

    func multiplied(by other: WideInteger) -> WideInteger? {
        let (product, overflow) = magnitude.multipliedReportingOverflow(by: other.magnitude)
        return overflow ? nil : WideInteger(isNegative: isNegative != other.isNegative, magnitude: product)
    }

    /// The quotient, rounded towards negative infinity. `nil` also for a division by zero.
    func divided(by other: WideInteger) -> WideInteger? {
        guard !other.isZero else { return nil }
        let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: other.magnitude)
        guard isNegative != other.isNegative else { return WideInteger(isNegative: false, magnitude: quotient) }
        return WideInteger(isNegative: true, magnitude: remainder == 0 ? quotient : quotient + 1)
    }

    /// The remainder, with the divisor's sign. `nil` for a division by zero.
    func modulo(_ other: WideInteger) -> WideInteger? {
        guard !other.isZero else { return nil }
        let remainder = magnitude % other.magnitude
        let isSame = isNegative == other.isNegative || remainder == 0
        return WideInteger(isNegative: other.isNegative, magnitude: isSame ? remainder : other.magnitude - remainder)
    }

    // MARK: - bits

    var inverted: WideInteger? { negated?.subtracting(WideInteger(1)) }

    static func & (a: WideInteger, b: WideInteger) -> WideInteger? {
        fitting(a, b, a.isNegative && b.isNegative, a.bits & b.bits)
    }
    static func | (a: WideInteger, b: WideInteger) -> WideInteger? {
        fitting(a, b, a.isNegative || b.isNegative, a.bits | b.bits)
    }
    static func ^ (a: WideInteger, b: WideInteger) -> WideInteger? {
        fitting(a, b, a.isNegative != b.isNegative, a.bits ^ b.bits)
    }

    /// A negative result whose highest bit is not set would need more than 64 bits.
    private static func fitting(_: WideInteger, _: WideInteger, _ isNegative: Bool, _ bits: UInt64) -> WideInteger? {
        if isNegative { return bits >> 63 == 1 ? WideInteger(Int64(bitPattern: bits)) : nil }
        return WideInteger(bits)
    }

    /// `nil` also for a negative count.
    func shiftedLeft(by count: WideInteger) -> WideInteger? {
        guard !count.isNegative else { return nil }
        if isZero { return self }
        guard count.bits < 64 else { return nil }
        return multiplied(by: WideInteger(UInt64(1) << count.bits))
    }

    /// Keeps the sign. `nil` for a negative count.
    func shiftedRight(by count: WideInteger) -> WideInteger? {
        guard !count.isNegative else { return nil }
        if isNegative { return WideInteger(Int64(bitPattern: bits) >> Int64(min(count.bits, 63))) }
        return WideInteger(count.bits < 64 ? bits >> count.bits : 0)
    }
}

extension WideInteger: CustomStringConvertible {
    var description: String { isNegative ? String(Int64(bitPattern: bits)) : String(bits) }

    /// A number as people write it in some radix, with a sign if there is one; digits of either case.
    init?(_ text: some StringProtocol, radix: Int) {
        var digits = text[...]
        var isNegative = false
        if let first = digits.first, first == "-" || first == "+" {
            isNegative = first == "-"
            digits.removeFirst()
        }
        guard let first = digits.first, first != "-", first != "+", let magnitude = UInt64(digits, radix: radix) else {
            return nil
        }
        self.init(isNegative: isNegative, magnitude: magnitude)
    }

    /// A number as YAML writes it.
    init?(yaml text: String) {
        var digits = text.replacing("_", with: "")
        var sign = ""
        if let first = digits.first, first == "-" || first == "+" {
            sign = String(digits.removeFirst())
        }
        var radix = 10
        for (prefix, base) in [("0x", 16), ("0X", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
            digits.removeFirst(2)
            radix = base
        }
        // "-" alone or a lone underscore is no number; neither is a sign behind a prefix.
        guard text.first != "_", digits.first?.isHexDigit == true else { return nil }
        self.init(sign + digits, radix: radix)
    }
}
