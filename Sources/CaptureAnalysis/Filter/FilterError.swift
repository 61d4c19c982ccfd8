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
    private static let maximumBehind = 160

    /// The filter and a line that points at the place; safe to show on a terminal. Each line ends in a line feed.
    package func place(indent: Int = 2) -> String {
        let utf8 = Array(expression.utf8)
        let start = min(max(range.lowerBound, 0), utf8.count)
        let end = min(max(range.upperBound, start), utf8.count)
        var before = utf8[..<start]
        var lead = ""
        if before.count > Self.maximumBefore {
            // Not in the middle of a character.
            before = before.suffix(Self.maximumBefore).drop { $0 & 0xC0 == 0x80 }
            lead = "…"
        }
        lead += Self.shown(before)
        let marked = Self.shown(utf8[start..<end].prefix(Self.maximumBehind))
        var behind = Self.shown(utf8[end...].prefix(Self.maximumBehind))
        if utf8.count - end > Self.maximumBehind { behind += "…" }
        let blanks = String(repeating: " ", count: indent)
        let pointer = "^" + String(repeating: "~", count: max(DisplayWidth.columns(of: marked) - 1, 0))
        return blanks + lead + marked + behind + "\n" + blanks
            + String(repeating: " ", count: DisplayWidth.columns(of: lead)) + pointer + "\n"
    }

    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        escapingControls(String(decoding: bytes, as: UTF8.self))
    }
}
