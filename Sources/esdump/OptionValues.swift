import MessageFormat

/// A whole number within limits.
func integer(_ text: String, for option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
    guard let number = Int(text) else { throw UsageError("\(option) \(text): not a whole number") }
    try check(number, text, for: option, in: range)
    return number
}

/// A number of bytes: `1500`, `256k`, `10m`, `1g` (powers of 1024).
func size(_ text: String, for option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
    var digits = text[...]
    var factor = 1
    switch digits.last {
    case "k", "K": factor = 1 << 10
    case "m", "M": factor = 1 << 20
    case "g", "G": factor = 1 << 30
    default: break
    }
    if factor > 1 { digits.removeLast() }
    guard let number = Int(digits), number >= 0 else {
        throw UsageError("\(option) \(text): not a size (a number of bytes, or one with k, m or g: 256k)")
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    try check(overflow ? Int.max : bytes, text, for: option, in: range)
    return bytes
}

/// A size as tcpdump's -C takes it: millions of bytes, or with k, m or g a power of 1024.
func fileSize(_ text: String, for option: String) throws(UsageError) -> Int {
    if text.last.map(isDigit) == true { return try integer(text, for: option, in: 1...1_000_000_000) * 1_000_000 }
    return try size(text, for: option, in: 1...(1 << 50))
}

private func check(_ number: Int, _ text: String, for option: String, in range: ClosedRange<Int>) throws(UsageError) {
    if range.contains(number) { return }
    let limits =
        range.upperBound == Int.max
        ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    throw UsageError("\(option) \(text): must be \(limits)")
}

/// Seconds, with a fraction if need be, as nanoseconds.
func seconds(_ text: String, for option: String) throws(UsageError) -> Int64 {
    guard let nanoseconds = decimalSeconds(text[...]), nanoseconds <= 1_000_000_000 * 1_000_000_000 else {
        throw UsageError("\(option) \(text): not a time in seconds (3, or 0.25)")
    }
    return nanoseconds
}

/// A time that something lasts, as nanoseconds: `90`, `90s`, `10m`, `2h`, `7d`.
func duration(_ text: String, for option: String) throws(UsageError) -> Int64 {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let factor = text.last.flatMap { units[$0] }
    let number = factor == nil ? text[...] : text.dropLast()
    guard let nanoseconds = decimalSeconds(number), nanoseconds > 0, nanoseconds <= Int64.max / (factor ?? 1) else {
        throw UsageError("\(option) \(text): not a duration (90s, 10m, 2h, 7d)")
    }
    return nanoseconds * (factor ?? 1)
}

extension TimeArgument {
    /// The time of an option.
    init(_ text: String, for option: String, utc: Bool) throws(UsageError) {
        guard let time = TimeArgument(text, utc: utc) else {
            throw UsageError(
                "\(option) \(text): not a time (2026-11-30T11:04:05Z, '2026-11-30 11:04:05.25', 11:04:05, "
                    + "or seconds since 1970)"
            )
        }
        self = time
    }
}
