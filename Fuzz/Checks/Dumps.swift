import DumpText

/// Text as people paste it: whatever it is, it is read or refused with a place that is in it, and no byte is invented. And
/// bytes that are written as a dump come back, whatever the text beside them reads like.
@Sendable func checkDumps(_ bytes: [UInt8]) throws(Finding) {
    let lineCount = bytes.reduce(1) { $0 + ($1 == 0x0A || $1 == 0x0D ? 1 : 0) }
    for form in [nil] + Dump.Form.allCases.map(Optional.some) {
        let dump: Dump
        do throws(DumpError) { dump = try DumpReader.read(bytes, as: form) } catch {
            try require(!error.reason.isEmpty, "an error without a reason")
            try require(error.line.map { (1...lineCount).contains($0) } ?? true, "an error in line \(error.line ?? 0)")
            try require(error.column.map { $0 >= 1 } ?? true, "an error in column \(error.column ?? 0)")
            continue
        }
        for piece in dump.pieces {
            try require(piece.bytes.count + piece.missing == piece.length, "a piece has a wrong length")
            var last = -1
            for place in piece.places {
                try require(place.offset >= last, "places out of order")
                try require(place.line >= 1 && place.column >= 1, "a place before the text")
                last = place.offset
            }
        }
        // Only a star stands for more than its own digits.
        if !bytes.contains(0x2A) {
            let limit = form == .escapes ? bytes.count * 2 : bytes.count
            try require(dump.byteCount <= limit, "\(dump.byteCount) bytes from a text of \(bytes.count)")
        }
    }
    try checkRows(bytes)
}

/// Rows with offsets and text, as `hexdump -C` and Wireshark have them.
private func checkRows(_ bytes: [UInt8]) throws(Finding) {
    let bytes = Array(bytes.prefix(256))
    guard bytes.count > 16 else { return }
    for (bar, width) in [("|", 16), ("", 16), ("", 8)] {
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: width) {
            let row = bytes[start..<min(start + width, bytes.count)]
            var hex = row.map { digits(UInt64($0), 2) }.joined(separator: " ")
            hex += String(repeating: " ", count: width * 3 - 1 - hex.utf8.count)
            let shown = row.map { $0 >= 0x20 && $0 < 0x7F ? $0 : 0x2E }
            text += "\(digits(UInt64(start), 8))  \(hex)   \(bar)\(String(decoding: shown, as: UTF8.self))\(bar)\n"
        }
        if bar == "|" { text += digits(UInt64(bytes.count), 8) + "\n" }
        do throws(DumpError) {
            let dump = try DumpReader.read(Array(text.utf8))
            try requireSame(dump, bytes, text)
        } catch {
            throw Finding("\(error): \(text)")
        }
    }
}

private func requireSame(_ dump: Dump, _ bytes: [UInt8], _ text: String) throws(DumpError) {
    guard dump.pieces.map(\.bytes) == [bytes] else { throw DumpError("comes back as \(dump.pieces.map(\.bytes))") }
}

private func digits(_ value: UInt64, _ count: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
}

/// Bytes as a dump, for a beginning.
func dumpRows(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var text = ""
    for start in stride(from: bytes.startIndex, to: min(bytes.endIndex, bytes.startIndex + 256), by: 16) {
        let row = bytes[start..<min(start + 16, bytes.endIndex)]
        text +=
            "\(digits(UInt64(start - bytes.startIndex), 8))  \(row.map { digits(UInt64($0), 2) }.joined(separator: " "))\n"
    }
    return Array(text.utf8)
}
