/// Numbers and what they are, as the meaning of a field.
///
/// Nearly all of them are small and come again with every message: those are made once.
package enum BodyWords {
    private static let numbers = (0..<1024).map { make(Int64($0), "") }
    private static let byteCounts = (0..<1024).map { make(Int64($0), $0 == 1 ? " byte" : " bytes", isGrouped: true) }
    private static let elementCounts = (0..<256).map { make(Int64($0), $0 == 1 ? " element" : " elements") }
    private static let objectLengths = (0..<1024).map { make(Int64($0), " = bytes of the object that follow") }
    private static let indices = (0..<256).map { "[\($0)]" }

    /// `7`
    package static func number(_ value: Int64) -> String {
        value >= 0 && value < 1024 ? numbers[Int(value)] : make(value, "")
    }

    /// `7 bytes`
    package static func bytes(_ count: Int) -> String {
        count >= 0 && count < 1024 ? byteCounts[count] : make(Int64(count), " bytes", isGrouped: true)
    }

    /// `7 elements`
    static func elements(_ count: Int) -> String {
        count >= 0 && count < 256 ? elementCounts[count] : make(Int64(count), " elements", isGrouped: true)
    }

    /// `7 = bytes of the object that follow`
    static func objectLength(_ count: Int) -> String {
        count >= 0 && count < 1024 ? objectLengths[count] : make(Int64(count), " = bytes of the object that follow")
    }

    /// `[7]`
    static func index(_ index: Int) -> String {
        index >= 0 && index < 256 ? indices[index] : "[\(index)]"
    }

    /// `the first 12 of 24 bytes`
    package static func firstBytes(_ there: Int, of count: Int) -> String { "the first \(there) of \(count) bytes" }

    /// `4 are left`
    static func left(_ count: Int) -> String { "\(count) \(count == 1 ? "is" : "are") left" }

    /// - Parameter isGrouped: commas between thousands, as prose has them.
    private static func make(_ value: Int64, _ suffix: StaticString, isGrouped: Bool = false) -> String {
        if isGrouped, value >= 1000 {
            let rest = value % 1000
            let digits = (rest < 10 ? "00" : rest < 100 ? "0" : "") + make(rest, suffix)
            return make(value / 1000, "", isGrouped: true) + "," + digits
        }
        var magnitude = value.magnitude
        var digits = value < 0 ? 2 : 1
        var probe = magnitude / 10
        while probe > 0 {
            digits += 1
            probe /= 10
        }
        let count = digits + suffix.utf8CodeUnitCount
        return String(unsafeUninitializedCapacity: count) { buffer in
            for index in stride(from: digits - 1, through: value < 0 ? 1 : 0, by: -1) {
                buffer[index] = 48 + UInt8(truncatingIfNeeded: magnitude % 10)
                magnitude /= 10
            }
            if value < 0 { buffer[0] = 45 }
            suffix.withUTF8Buffer { letters in
                for index in letters.indices { buffer[digits + index] = letters[index] }
            }
            return count
        }
    }
}
