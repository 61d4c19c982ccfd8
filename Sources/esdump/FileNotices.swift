import PacketCapture

/// What a capture file says beside its packets: comments, drops, time stamps that could not be taken as they are.
/// - Parameter path: named if there are several files.
func fileNotices(_ notes: CaptureNotes, path: String?, isVerbose: Bool) -> [String] {
    let place = path.map { "\($0): " } ?? ""
    var lines: [String] = []
    let shown = isVerbose ? notes.comments.count : 10
    for comment in notes.comments.prefix(shown) {
        let subject =
            switch comment.subject {
            case .section: "the file"
            case .interface(let index): interfaceName(notes, index)
            case .packet(let number): "packet \(number)"
            }
        lines.append("\(place)comment on \(subject): \(withoutEmptyEnd(comment.text))")
    }
    if notes.comments.count > shown {
        lines.append("\(place)\(notes.comments.count - shown) more comments; -v shows them")
    }
    if notes.commentsNotKept > 0 { lines.append("\(place)\(notes.commentsNotKept) comments were too many to be kept") }
    for (index, interface) in notes.interfaces.enumerated() {
        guard let dropped = interface.dropped, dropped > 0 else { continue }
        lines.append("\(place)\(dropped) packets were dropped when \(interfaceName(notes, index)) was captured")
    }
    if let count = notes.skippedBlocks[CaptureNotes.decryptionSecrets] {
        lines.append("\(place)\(count) block\(count == 1 ? "" : "s") of decryption secrets passed over")
    }
    let clamped = notes.clampedTimes
    if clamped > 0 {
        let times =
            clamped == 1
            ? "1 time stamp lies beyond the years 1677 to 2262 and was"
            : "\(clamped) time stamps lie beyond the years 1677 to 2262 and were"
        lines.append("\(place)\(times) set to the nearest time that fits")
    }
    if notes.packetsWithoutTime > 0 {
        lines.append(
            "\(place)\(notes.packetsWithoutTime) packets have no time stamp; they are given that of the packet before"
        )
    }
    return lines
}

private func interfaceName(_ notes: CaptureNotes, _ index: Int) -> String {
    let name = notes.interfaces.indices.contains(index) ? notes.interfaces[index].name : nil
    return name.map { "interface \($0)" } ?? "interface \(index)"
}

/// Some writers end a comment with a zero or with the end of a line.
private func withoutEmptyEnd(_ text: String) -> String {
    let end = text.unicodeScalars.lastIndex { $0.value > 0x20 }
    return end.map { String(text.unicodeScalars[...$0]) } ?? ""
}
