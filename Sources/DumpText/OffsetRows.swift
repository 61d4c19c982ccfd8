/// Reads dumps whose rows begin with an offset.
///
/// The offsets say how many bytes a row has: what stands behind them is the text beside, even if it reads like hex
/// (`deadbeef`). The base of the offsets (hex, octal, decimal) is the one in which they agree with the rows.
struct OffsetRows {
    private let lines: [TextLine]
    private var rows: [OffsetRow] = []
    private var values: [Int] = []
    private var base = 16
    /// Of a full row, where that is known.
    private var width: Int?
    /// Where the text beside begins in the rows that are full.
    private var textColumn: Int?
    /// Bytes of a group that stand in reverse order; 1 if none do.
    private var wordSize = 1
    private var isFixture = false
    private var stars = false
    private var notes: [String] = []

    /// A star may stand for so many bytes in all.
    private static let maximumRepeated = 64 << 20

    /// - Returns: `nil` if the text is no such dump.
    init?(_ lines: [TextLine]) {
        self.lines = lines
        collect()
        guard rows.contains(where: { !$0.groups.isEmpty }), decideBase() else { return nil }
        values = rows.map { $0.value(lines[$0.line], base: base) ?? 0 }
        findSides()
        findWords()
        findWidth()
    }

    // MARK: - What the rows are

    private mutating func collect() {
        var star = false
        var direction: Dump.Direction?
        for (index, line) in lines.enumerated() {
            let characters = line.characters
            guard let first = characters.firstIndex(where: { $0 != 0x20 && $0 != 9 }) else { continue }
            if characters[first] == 0x23 {
                if let found = Self.direction(line) { direction = found }
                if Self.isFixtureMark(line) { isFixture = true }
                continue
            }
            if characters[first] == 0x2A, characters[first...].allSatisfy({ $0 == 0x2A || $0 == 0x20 }) {
                star = true
                continue
            }
            // Under a row of the breakdown, bytes go on without an offset.
            if first >= 6, !rows.isEmpty, let last = rows.last, last.line + last.continuation.count + 1 == index,
                let groups = Self.continuation(line)
            {
                rows[rows.count - 1].continuation.append((index, groups))
                continue
            }
            guard var row = OffsetRow(line, line: index) else { continue }
            row.followsStar = star
            if row.direction == nil { row.direction = direction }
            star = false
            rows.append(row)
        }
        stars = rows.contains { $0.followsStar }
    }

    /// Bytes and nothing else, two digits each.
    private static func continuation(_ line: TextLine) -> [OffsetRow.Group]? {
        var groups: [OffsetRow.Group] = []
        for token in line.tokens() {
            guard token.range.count == 2, OffsetRow.append(line, token, to: &groups) else { return nil }
        }
        return groups.isEmpty ? nil : groups
    }

    /// What a heading or a comment says of the rows behind it.
    private static func direction(_ line: TextLine) -> Dump.Direction? {
        let words = line.tokens().map { line.text($0.range) }
        for (index, word) in words.enumerated() {
            if word == "c2s" { return .clientToServer }
            if word == "s2c" { return .serverToClient }
            guard word == "to", index + 1 < words.count else { continue }
            if words[index + 1] == "server" { return .clientToServer }
            if words[index + 1] == "client" { return .serverToClient }
        }
        return nil
    }

    private static func isFixtureMark(_ line: TextLine) -> Bool {
        let words = line.tokens().prefix(4).map { line.text($0.range) }
        return words.first == "#" && words.contains("esdump") && words.contains("fixture")
    }

    /// Finds the base in which the offsets count what the rows have.
    private mutating func decideBase() -> Bool {
        let withBytes = rows.filter { !$0.groups.isEmpty }
        if withBytes.count == 1, rows.count == 1 {
            // One row: an offset that cannot be anything else.
            let row = rows[0]
            guard let value = row.value(lines[row.line], base: 16), row.isPlainlyOffset else { return false }
            guard row.hasColon || value == 0 && row.offset.count >= 4 else { return false }
            let groupDigits = row.groups[0].range.count
            return row.hasColon || groupDigits != row.offset.count
        }
        var best = 0
        for candidate in [16, 8, 10] {
            let score = agreement(base: candidate)
            if score > best {
                best = score
                base = candidate
            }
        }
        // In the breakdown alone offsets are short; everywhere else they cannot be taken for bytes.
        if base != 10 { rows.removeAll { !$0.isPlainlyOffset } }
        // At least every second row must follow from the one before.
        return best > 0 && best >= rows.count - 1 && rows.contains { !$0.groups.isEmpty }
    }

    /// Two points for each row whose bytes are exactly as many as the offsets say, one where there may be text beside.
    private func agreement(base: Int) -> Int {
        var score = 0
        // What each side sent is counted by itself.
        var before: [(value: Int, count: Int)?] = [nil, nil]
        var restarts = 0
        let least = rows.map(\.indent).min() ?? 0
        for row in rows {
            guard base == 10 || row.isPlainlyOffset else { continue }
            guard let value = row.value(lines[row.line], base: base) else { return 0 }
            let count = row.byteCount + (base == 10 ? row.continuedByteCount : 0)
            let side = row.direction == nil && row.indent >= least + 3 ? 1 : 0
            if let last = before[side] {
                let difference = value - last.value
                if difference <= 0 {
                    restarts += value == 0 ? 1 : 0
                    score -= value == 0 ? 0 : 1
                } else if difference == last.count {
                    score += 2
                } else if difference < last.count || row.followsStar {
                    score += 1
                } else if base != 10, row.offset.count >= 4, [8, 16, 32].contains(difference) {
                    // The offsets of full rows, whatever is wrong with this one.
                    score += 1
                } else if !row.isMarker, last.count == 0 || difference % last.count != 0 {
                    score -= 1
                }
            } else if side == 1 {
                restarts += 1
            }
            before[side] = (value, count)
        }
        // Only messages of one row each.
        if score == 0, restarts > 0, restarts == rows.count - 1, base == 16, rows.allSatisfy(\.isPlainlyOffset),
            rows.allSatisfy({ row in row.hasColon || row.groups.first?.range.count != row.offset.count })
        {
            return rows.count
        }
        return score > 0 ? score + restarts : 0
    }

    /// Wireshark and others indent what the other side sent, and count it by itself.
    private mutating func findSides() {
        guard rows.allSatisfy({ $0.direction == nil }), let least = rows.map(\.indent).min() else { return }
        let other = rows.indices.filter { rows[$0].indent >= least + 3 }
        guard let firstOther = other.first, other.count < rows.count, values[firstOther] == 0,
            let first = rows.indices.first(where: { rows[$0].indent < least + 3 }), values[first] == 0
        else { return }
        for index in other { rows[index].side = 1 }
    }

    /// `hexdump` and `od -x` print words of two or four bytes in the order of the machine.
    private mutating func findWords() {
        guard let first = rows.first(where: { !$0.groups.isEmpty }), first.offset.count == 7, !first.hasColon,
            !first.hasPrefix
        else { return }
        let digits = first.groups[0].range.count
        if digits == 4 || digits == 8,
            rows.allSatisfy({ $0.groups.allSatisfy { $0.range.count == digits } && $0.rest == nil })
        {
            wordSize = digits / 2
        }
    }

    private mutating func findWidth() {
        for index in rows.indices {
            guard let next = following(index), !rows[next].followsStar else { continue }
            // Rows may be of any length, as those of a fixture are.
            let count = values[next] - values[index]
            if count <= rows[index].byteCount { width = max(width ?? 0, count) }
        }
        guard base != 10, let width else { return }
        var columns: [Int: Int] = [:]
        for index in rows.indices {
            guard let next = following(index), values[next] - values[index] == width,
                let column = columnBehind(rows[index], bytes: width)
            else { continue }
            columns[column, default: 0] += 1
        }
        textColumn = columns.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// Where the first thing behind a row's first bytes begins.
    private func columnBehind(_ row: OffsetRow, bytes: Int) -> Int? {
        var count = 0
        for group in row.groups {
            if count >= bytes { return group.range.lowerBound }
            count += group.count
        }
        return row.rest
    }

    /// The next row of the same side, if it goes on from this one.
    private func following(_ index: Int) -> Int? {
        var next = index + 1
        while next < rows.count, rows[next].side != rows[index].side { next += 1 }
        guard next < rows.count, values[next] > values[index], rows[next].direction == rows[index].direction else {
            return nil
        }
        // Rows of the other side in between: then it goes on only if the offsets agree.
        if next > index + 1, values[next] - values[index] > rows[index].byteCount { return nil }
        return next
    }

    // MARK: - Reading

    mutating func read() throws(DumpError) -> Dump {
        var dump = Dump(form: .rows, description: description)
        var piece = Dump.Piece()
        var isOpen = false
        var repeated = 0
        for index in rows.indices {
            let row = rows[index]
            let next = following(index)
            let isNew =
                index == 0 || rows[index - 1].side != row.side || rows[index - 1].direction != row.direction
                || values[index] <= values[index - 1]
            if isNew {
                if isOpen, !piece.chunks.isEmpty { dump.pieces.append(piece) }
                piece = Dump.Piece()
                piece.firstOffset = values[index]
                piece.side = row.side
                piece.direction = row.direction
                isOpen = true
            }
            if row.groups.isEmpty, !row.isMarker { continue }
            piece.places.append(
                Dump.Place(
                    offset: piece.length,
                    line: lines[row.line].number,
                    column: lines[row.line].column(row.groups.first?.range.lowerBound ?? row.offset.lowerBound)
                )
            )
            guard let next else {
                if row.isMarker { continue }
                append(row, try lastRowCount(row), to: &piece)
                continue
            }
            let count = values[next] - values[index]
            guard rows[next].followsStar else {
                try append(row, exactly: count, to: &piece)
                continue
            }
            let own = min(try lastRowCount(row), count)
            append(row, own, to: &piece)
            repeated += count - own
            guard repeated <= Self.maximumRepeated, own > 0 else {
                throw lines[rows[next].line].error(
                    rows[next].offset.lowerBound,
                    "the * before this row would stand for \(count - own) bytes"
                )
            }
            let pattern = bytes(of: row, own)
            if pattern.count == own {
                piece.append((own..<count).lazy.map { pattern[$0 % own] })
            } else {
                piece.appendMissing(count - own, .hidden)
            }
        }
        if !piece.chunks.isEmpty { dump.pieces.append(piece) }
        dump.notes = notes
        return dump
    }

    /// Appends the first bytes of a row.
    private func append(_ row: OffsetRow, _ count: Int, to piece: inout Dump.Piece) {
        var left = count
        for (line, groups) in [(row.line, row.groups)] + row.continuation {
            for group in groups where left > 0 {
                let taken = min(group.count, left)
                left -= taken
                if group.isHidden {
                    piece.appendMissing(1, .hidden)
                } else {
                    piece.append(bytes(of: group, lines[line]).prefix(taken))
                }
            }
        }
    }

    /// The first bytes of a row; fewer if some are hidden.
    private func bytes(of row: OffsetRow, _ count: Int) -> [UInt8] {
        var all: [UInt8] = []
        for group in row.groups where !group.isHidden && all.count < count { all += bytes(of: group, lines[row.line]) }
        return Array(all.prefix(count))
    }

    private func bytes(of group: OffsetRow.Group, _ line: TextLine) -> [UInt8] {
        let bytes = hexBytes(line.characters[group.range]) ?? []
        return wordSize > 1 ? bytes.reversed() : bytes
    }

    /// Appends a row that has so many bytes by the offset of the next one.
    private mutating func append(_ row: OffsetRow, exactly count: Int, to piece: inout Dump.Piece) throws(DumpError) {
        if row.isMarker { return piece.appendMissing(count, .notInTheText) }
        let inRow = bytesBeforeText(row)
        let available = inRow + (base == 10 ? row.continuedByteCount : 0)
        if available >= count { return append(row, count, to: &piece) }
        if base != 10, count <= width ?? count { throw shortRow(row, has: available, needs: count) }
        append(row, available, to: &piece)
        piece.appendMissing(count - available, .notInTheText)
    }

    private func shortRow(_ row: OffsetRow, has: Int, needs: Int) -> DumpError {
        let line = lines[row.line]
        if let rest = row.rest, let token = line.tokens(from: rest).first, rest < textColumn ?? .max {
            let word = line.text(token.range)
            if line.characters[token.range].allSatisfy({ hexValue($0) != nil }) {
                return line.error(rest, "an odd number of hex digits: \(word)")
            }
            if token.range.count <= 2 { return line.error(rest, "\(word) is no byte in hex") }
        }
        return line.error(
            row.groups.first?.range.lowerBound ?? 0,
            "this row has \(has) bytes, and by the offset of the next one it should have \(needs)"
        )
    }

    /// Bytes of a row that stand before the column where other rows have their text.
    private func bytesBeforeText(_ row: OffsetRow) -> Int {
        guard let textColumn, base != 10 else { return row.byteCount }
        var count = 0
        for group in row.groups where group.range.lowerBound < textColumn { count += group.count }
        return count
    }

    /// Bytes of a row behind which no offset tells.
    ///
    /// What is behind them may be text that reads like hex. It is text if it is what the bytes before it look like; otherwise
    /// a wide gap divides them.
    private func lastRowCount(_ row: OffsetRow) throws(DumpError) -> Int {
        let line = lines[row.line]
        let limit = min(bytesBeforeText(row), base == 10 ? .max : width ?? .max)
        var ends: [Int] = []
        var count = 0
        for group in row.groups {
            count += group.count
            ends.append(count)
        }
        let all = bytes(of: row, count)
        // A row of the breakdown that goes on below has no text column.
        if all.count == count, row.continuation.isEmpty || base != 10 {
            for index in row.groups.indices.reversed() where ends[index] <= max(limit, 1) {
                let behind = row.groups[index].range.upperBound
                if Self.isText(line.characters[behind...], of: all.prefix(ends[index])) { return ends[index] }
            }
        }
        count = 0
        for (index, group) in row.groups.enumerated() {
            if index > 0, let gap = group.gap, gap > 2 || gap == 2 && count != 8 {
                // The middle of sixteen may be wide as well.
                if !(count == 8 && row.groups[index...].reduce(0, { $0 + $1.count }) <= 8 && gap <= 4) { break }
            }
            if count + group.count > limit { break }
            count += group.count
        }
        if count < limit || width == nil, count < row.byteCount + 1, let rest = row.rest, rest < textColumn ?? .max {
            try checkOdd(line, rest, behind: row.groups.last)
        }
        return count + (base == 10 ? row.continuedByteCount : 0)
    }

    /// Digits directly behind the bytes that are no bytes.
    private func checkOdd(_ line: TextLine, _ rest: Int, behind last: OffsetRow.Group?) throws(DumpError) {
        guard let last, base != 10, rest == last.range.upperBound + 1, let token = line.tokens(from: rest).first,
            token.range.upperBound == line.characters.count, token.range.count % 2 == 1,
            line.characters[token.range].allSatisfy({ hexValue($0) != nil })
        else { return }
        throw line.error(rest, "an odd number of hex digits: \(line.text(token.range))")
    }

    /// Whether a text is what bytes look like: the same letters and digits.
    private static func isText(_ text: ArraySlice<UInt8>, of bytes: ArraySlice<UInt8>) -> Bool {
        func isWord(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        let words = text.lazy.filter(isWord)
        guard words.first != nil else { return false }
        return words.elementsEqual(bytes.lazy.filter(isWord))
    }

    // MARK: - Words

    private var description: String {
        guard let first = rows.first(where: { !$0.groups.isEmpty }) else { return "rows with offsets" }
        if isFixture { return "a fixture of esdump" }
        let line = lines[first.line]
        if wordSize > 1 {
            return "words of \(wordSize) bytes with offsets, as hexdump or od -x prints them; their bytes are swapped"
        }
        if rows.contains(where: { $0.direction != nil && $0.indent > 0 }), base == 16 {
            return "the hex dump of esdump --format hex"
        }
        if base == 10 {
            return first.offset.count < 7
                ? "the breakdown of esdump" : "a hex dump with decimal offsets, as od -A d -t x1 prints it"
        }
        if base == 8 { return "a hex dump with octal offsets, as od -t x1 prints it" }
        if first.hasPrefix { return "a hex dump with offsets, as tcpdump -x and esdump -x print it" }
        if first.hasColon { return "a hex dump with offsets, as xxd prints it" }
        if let rest = first.rest, line.characters[rest] == 0x7C {
            return "a hex dump with offsets and text, as hexdump -C prints it"
        }
        let beside = rows.contains { $0.rest != nil } || textColumn != nil ? " and text" : ""
        if first.offset.count == 4 { return "a hex dump with offsets\(beside), as Wireshark shows it" }
        return "a hex dump with offsets\(beside)"
    }
}
