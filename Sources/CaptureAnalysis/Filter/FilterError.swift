import MessageFormat

/// What is wrong with a filter, and where.
package struct FilterError: Error, Equatable, Sendable {
    package var message: String
    /// The whole filter.
    package var expression: String
    /// What the message speaks of, as offsets in the UTF-8 of the filter; at the end for something that is missing.
    package var range: Range<Int>

    /// What of a long filter is shown before the place.
    private static let maximumBefore = 50

    /// The filter and a line that points at the place; safe to show on a terminal. Each line ends in a line feed.
    package func place(indent: Int = 2) -> String {
        let utf8 = Array(expression.utf8)
        let start = min(max(range.lowerBound, 0), utf8.count)
        let end = min(max(range.upperBound, start), utf8.count)
        var out = OutputBuffer(capacity: 256)
        out.append(repeating: 0x20, count: indent)
        var before = utf8[..<start]
        var columns = 0
        if before.count > Self.maximumBefore {
            // Not in the middle of a character.
            before = before.suffix(Self.maximumBefore).drop { $0 & 0xC0 == 0x80 }
            out.append("…")
            columns = 1
        }
        columns += before.withUnsafeBytes { out.append(text: $0) }
        let marked = max(utf8[start..<end].withUnsafeBytes { out.append(text: $0) }, 1)
        let behind = utf8[end...].prefix(160)
        _ = behind.withUnsafeBytes { out.append(text: $0) }
        if behind.count < utf8.count - end { out.append("…") }
        out.append(0x0A)
        out.append(repeating: 0x20, count: indent + columns)
        out.append(0x5E)
        out.append(repeating: 0x7E, count: min(marked, 200) - 1)
        out.append(0x0A)
        return out.string()
    }
}
