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

/// `12`, `12.5` or `.5` as nanoseconds; digits behind the ninth decimal are ignored.
func decimalSeconds(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : ""
    guard !(parts[0].isEmpty && fraction.isEmpty), parts[0].allSatisfy(isDigit), fraction.allSatisfy(isDigit)
    else { return nil }
    guard let whole = parts[0].isEmpty ? 0 : Int64(parts[0]), let billionths = nanoseconds(fraction: fraction) else {
        return nil
    }
    let (product, overflow) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow2) = product.addingReportingOverflow(billionths)
    return overflow || overflow2 ? nil : sum
}

/// The digits behind a decimal point as billionths.
func nanoseconds(fraction: Substring) -> Int64? {
    let digits = fraction.prefix(9)
    return Int64(String(digits) + String(repeating: "0", count: 9 - digits.count))
}

func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
