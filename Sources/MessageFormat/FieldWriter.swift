import ESProtocol

/// Writes the rows of one message's fields.
struct FieldWriter {
    private let options: FormatOptions
    private let rows: HexRows
    private let headerRows = HeaderRows()
    private var columns: BreakdownColumns
    /// What is to be hidden of the message.
    private var secrets: [Range<Int>] = []
    /// How many more bytes of the body may be shown.
    private var remaining = 0
    /// Bytes of one long field that are shown when a body is shortened: what comes behind it matters too.
    private static let longField = 64
    /// Bytes of contents that are shown as one text; longer ones have their text beside each row.
    private static let longText = 512

    init(_ options: FormatOptions, _ rows: HexRows) {
        self.options = options
        self.rows = rows
        columns = BreakdownColumns(width: options.width)
    }

    /// Prepares for the next message.
    mutating func begin(_ columns: BreakdownColumns, secrets: [Range<Int>]) {
        self.columns = columns
        self.secrets = secrets
        remaining = options.verbosity > 0 ? .max : max(options.maximumBodyBytes, 0)
    }

    /// Writes a body of which nothing is known.
    mutating func appendOpaque(_ range: Range<Int>, _ bytes: RawSpan, to out: inout OutputBuffer) {
        let shown = take(range.count)
        let end = range.upperBound
        appendRows(range.lowerBound..<range.lowerBound + shown, end: end, range.lowerBound, secrets, bytes, to: &out)
        if shown < range.count { appendLeftOut(range.count - shown, to: &out) }
    }

    /// Writes the items of a body until the bytes that may be shown are used up; then how many were left out.
    mutating func appendBody(_ items: [MessageItem], _ bytes: RawSpan, to out: inout OutputBuffer) {
        var left = 0
        var leftGaps = 0
        for at in items.indices {
            let item = items[at]
            let next = at + 1 < items.count ? items[at + 1].contents : nil
            if item.index == nil, remaining == 0, left > 0 {
                leftGaps += item.length
            } else if item.index != nil, remaining == 0, item.length > 0 {
                left += item.length
            } else {
                left += append(item, before: next, bytes, to: &out)
            }
        }
        guard left > 0 else { return }
        appendLeftOut(left, gaps: leftGaps, to: &out)
    }

    private func appendLeftOut(_ left: Int, gaps leftGaps: Int = 0, to out: inout OutputBuffer) {
        out.appendSpaces(BreakdownColumns.offset + 2)
        out.styled(.quiet, options.color) { out in
            out.append(literal: "… ")
            out.append(grouped: Int64(left))
            out.append(left == 1 ? " more byte" : " more bytes")
            if leftGaps > 0 {
                out.append(literal: ", and ")
                out.append(gapOf: leftGaps)
            }
            out.append(literal: " (-v shows all)")
        }
        out.append(0x0A)
    }

    /// Writes the rows of the header's fields.
    func appendHeader(_ message: MessageReport, _ bytes: RawSpan, to out: inout OutputBuffer) {
        let limit = options.verbosity > 0 ? Int.max : Self.longField
        for field in HeaderField.allCases {
            guard let range = field.range(in: message.header.layout) else { continue }
            if isPlain {
                let row = range.lowerBound..<min(range.lowerBound + columns.fieldBytes, range.upperBound)
                bytes.extracting(row).withUnsafeBytes {
                    let width = min(columns.label, HeaderRows.widest)
                    headerRows.append(field, offset: row.lowerBound, $0, width: width, rows.plain, to: &out)
                }
                out.append(valueOf: field, message, bytes, limit: limit, decodeText: options.decodeText)
                endPlain(row, end: range.upperBound, [], bytes, to: &out)
                continue
            }
            appendField(
                field.label,
                0,
                Self.style(of: field),
                range.lowerBound,
                range,
                range.count,
                [],
                bytes,
                to: &out
            ) { $0.append(valueOf: field, message, bytes, limit: limit, decodeText: options.decodeText) }
        }
    }

    /// Writes one item of a body.
    /// - Parameter next: The contents that follow, if the item is their length.
    /// - Returns: How many of its bytes were left out without a word.
    private mutating func append(
        _ item: MessageItem,
        before next: Field?,
        _ bytes: RawSpan,
        to out: inout OutputBuffer
    ) -> Int {
        guard let index = item.index else {
            appendOffset(item.offset, to: &out)
            out.styled(.damage, options.color) { $0.append(gapOf: item.length) }
            out.append(0x0A)
            return 0
        }
        // Empty contents are told of by the length in front; what a description computes has no bytes and is shown.
        if item.length == 0 {
            guard case .field(let field) = item.content, field.holdsSomething else { return 0 }
        }
        let range = index..<index + item.length
        guard case .field(let field) = item.content else {
            let shown = take(item.length)
            appendRows(index..<index + shown, end: range.upperBound, item.offset, secrets, bytes, to: &out)
            return item.length - shown
        }
        let isSecret = field.isSecret && !options.showSecrets
        let hidden = isSecret ? [range] : secrets
        let isHidden = hidden.overlaps(range) || isSecret && item.length == 0
        let shown = item.length > Self.longField + 16 ? take(min(item.length, wanted)) : take(item.length)
        if item.contents != nil, item.length > columns.fieldBytes, !isHidden,
            item.length > Self.longText || !OutputBuffer.isReadable(bytes, range, options.decodeText)
        {
            appendRows(index..<index + shown, end: range.upperBound, item.offset, hidden, bytes, to: &out)
            if shown < item.length { appendLeftOut(item.length - shown, to: &out) }
            return 0
        }
        appendField(
            field.label,
            2 * max(field.depth - 1, 0),
            Self.style(of: field),
            item.offset,
            range,
            shown,
            hidden,
            bytes,
            to: &out
        ) { value in
            let start = value.count
            value.append(
                valueOf: field,
                bytes,
                isHidden: isHidden,
                limit: options.verbosity > 0 ? .max : Self.longField,
                decodeText: options.decodeText
            )
            if let next, secrets.isEmpty, !next.isSecret {
                value.append(
                    lookOf: bytes,
                    next.offset..<next.offset + next.length,
                    decodeText: options.decodeText
                )
            }
            if shown < range.count {
                value.append(value.count == start ? "" : ", ")
                value.append(grouped: Int64(range.count - shown))
                value.append(range.count - shown == 1 ? " more byte" : " more bytes")
                value.append(literal: " (-v shows all)")
            }
        }
        return 0
    }

    /// Bytes of a long field that are wanted.
    private var wanted: Int { remaining == .max ? .max : Self.longField }

    /// Takes bytes from those that may be shown.
    private mutating func take(_ count: Int) -> Int {
        guard remaining != .max else { return count }
        let shown = min(count, remaining)
        remaining -= shown
        return shown
    }

    private func appendRows(
        _ range: Range<Int>,
        end: Int,
        _ offset: Int,
        _ secrets: [Range<Int>],
        _ bytes: RawSpan,
        to out: inout OutputBuffer
    ) {
        if isPlain, options.decodeText == nil, secrets.isEmpty, range.upperBound <= end, end <= bytes.byteCount {
            bytes.withUnsafeBytes {
                let columns = columns.plainBytes
                rows.plain.appendRows($0, range, end: end, firstOffset: offset, columns: columns, to: &out) {
                    $1.append(offset: $0)
                }
            }
            return
        }
        rows.appendRows(
            bytes,
            range,
            end: end,
            firstOffset: offset,
            columns: columns.plainBytes,
            withText: true,
            secrets: secrets,
            to: &out
        ) { appendOffset($0, to: &$1) }
    }

    private func appendOffset(_ offset: Int, to out: inout OutputBuffer) {
        if !options.color { return out.append(offset: offset) }
        out.styled(.offset, options.color) { $0.append(decimal: Int64(offset), width: BreakdownColumns.offset) }
        out.append(literal: "  ")
    }

    // MARK: - one field

    /// Writes the rows of one field.
    /// - Parameters:
    ///   - range: All of its bytes; the first `shown` of them are shown.
    ///   - value: Writes what it holds, on one line.
    private func appendField(
        _ label: String,
        _ indent: Int,
        _ style: Style,
        _ offset: Int,
        _ range: Range<Int>,
        _ shown: Int,
        _ hidden: [Range<Int>],
        _ bytes: RawSpan,
        to out: inout OutputBuffer,
        value appendValueText: (inout OutputBuffer) -> Void
    ) {
        if isPlain {
            let row = beginPlain(offset, range, shown, hidden, bytes, to: &out)
            out.appendSpaces(3 + indent)
            let width = out.append(text: label)
            out.appendSpaces(max(columns.label - width, 1))
            appendValueText(&out)
            endPlain(row, end: range.lowerBound + shown, hidden, bytes, to: &out)
            return
        }
        var value = OutputBuffer(capacity: 256)
        appendValueText(&value)
        let lines = Self.wrap(value, columns.value.map { max($0 - indent, 16) })
        if columns.isStacked {
            appendStacked(
                label,
                offset,
                range.lowerBound..<range.lowerBound + shown,
                hidden,
                style,
                indent,
                value,
                bytes,
                to: &out
            )
            return
        }
        var index = range.lowerBound
        let end = index + shown
        var line = 0
        while index < end || line < lines.count {
            if line == 0 { appendOffset(offset, to: &out) } else { out.appendSpaces(BreakdownColumns.offset + 2) }
            let row = index..<min(index + columns.fieldBytes, end)
            let hasText = line == 0 || line < lines.count
            rows.appendHex(
                bytes,
                row,
                columns: hasText ? columns.fieldBytes : 0,
                secrets: hidden,
                style: style,
                to: &out
            )
            index = row.upperBound
            if hasText {
                out.append(literal: "   ")
                appendLabel(line == 0 ? label : "", indent, isLast: lines.isEmpty, to: &out)
                if line < lines.count { appendValue(value, lines[line], style, to: &out) }
                out.trimBlanks()
            }
            out.append(0x0A)
            line += 1
        }
    }

    /// Neither colours nor a width: nothing has to be measured or wrapped.
    private var isPlain: Bool { options.width == nil && !options.color }

    /// Offset and bytes of a field's first row.
    /// - Returns: the bytes.
    private func beginPlain(
        _ offset: Int,
        _ range: Range<Int>,
        _ shown: Int,
        _ hidden: [Range<Int>],
        _ bytes: RawSpan,
        to out: inout OutputBuffer
    ) -> Range<Int> {
        appendOffset(offset, to: &out)
        let row = range.lowerBound..<range.lowerBound + min(columns.fieldBytes, shown)
        rows.appendHex(bytes, row, columns: columns.fieldBytes, secrets: hidden, to: &out)
        return row
    }

    /// Ends a field's first row, behind its value, and writes the others.
    private func endPlain(
        _ first: Range<Int>,
        end: Int,
        _ hidden: [Range<Int>],
        _ bytes: RawSpan,
        to out: inout OutputBuffer
    ) {
        out.trimBlanks()
        out.append(0x0A)
        var row = first
        while row.upperBound < end {
            row = row.upperBound..<min(row.upperBound + columns.fieldBytes, end)
            out.appendSpaces(BreakdownColumns.offset + 2)
            rows.appendHex(bytes, row, columns: 0, secrets: hidden, to: &out)
            out.append(0x0A)
        }
    }

    /// For narrow terminals: name and value, the bytes below.
    private func appendStacked(
        _ label: String,
        _ offset: Int,
        _ range: Range<Int>,
        _ hidden: [Range<Int>],
        _ style: Style,
        _ indent: Int,
        _ value: borrowing OutputBuffer,
        _ bytes: RawSpan,
        to out: inout OutputBuffer
    ) {
        appendOffset(offset, to: &out)
        out.appendSpaces(indent)
        let limit = max((columns.value ?? 40) - indent, 16)
        let labelWidth = label.utf8.count
        let fitsBeside = labelWidth > 0 && labelWidth + 2 + value.width(from: 0) <= limit
        if labelWidth > 0 {
            out.styled(.label, options.color) { $0.append(text: label) }
            if fitsBeside { out.append(literal: "  ") }
        }
        if labelWidth == 0 || fitsBeside {
            appendLines(value, Self.wrap(value, limit), style, indent, firstIsOpen: true, to: &out)
        } else {
            appendLines(value, Self.wrap(value, limit), style, indent, firstIsOpen: false, to: &out)
        }
        out.append(0x0A)
        var index = range.lowerBound
        while index < range.upperBound {
            let row = index..<min(index + columns.fieldBytes, range.upperBound)
            out.appendSpaces(BreakdownColumns.offset + 2)
            rows.appendHex(bytes, row, columns: 0, secrets: hidden, style: style, to: &out)
            out.append(0x0A)
            index = row.upperBound
        }
    }

    private func appendLines(
        _ value: borrowing OutputBuffer,
        _ lines: [Range<Int>],
        _ style: Style,
        _ indent: Int,
        firstIsOpen: Bool,
        to out: inout OutputBuffer
    ) {
        var isOpen = firstIsOpen
        for line in lines {
            if !isOpen {
                out.append(0x0A)
                out.appendSpaces(BreakdownColumns.offset + 2 + indent)
            }
            isOpen = false
            appendValue(value, line, style, to: &out)
        }
    }

    private func appendLabel(_ label: String, _ indent: Int, isLast: Bool, to out: inout OutputBuffer) {
        out.appendSpaces(indent)
        var width = 0
        out.styled(.label, options.color) { width = $0.append(text: label) }
        if !isLast { out.appendSpaces(max(columns.label - width, 1)) }
    }

    private func appendValue(
        _ value: borrowing OutputBuffer,
        _ range: Range<Int>,
        _ style: Style,
        to out: inout OutputBuffer
    ) {
        guard options.color, let code = style.code else {
            out.append(value, range)
            return
        }
        out.append(literal: "\u{1B}[")
        out.append(code)
        out.append(0x6D)
        out.append(value, range)
        out.append(literal: "\u{1B}[0m")
    }

    private static func style(of field: HeaderField) -> Style {
        switch field {
        case .startToken, .clientType: .token
        case .messageType: .type
        case .userID, .destUserID: .identifier
        case .bodyLength, .userIDLength, .destUserIDLength: .length
        case .messageID: .body
        }
    }

    private static func style(of field: Field) -> Style { field.name.hasSuffix(".length") ? .length : .body }

    /// Cuts text into lines of at most `width` columns, at blanks where there are any.
    static func wrap(_ text: borrowing OutputBuffer, _ width: Int?) -> [Range<Int>] {
        if text.isEmpty { return [] }
        guard let width else { return [0..<text.count] }
        return text.withUnsafeBytes { bytes in
            guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return [] }
            var lines: [Range<Int>] = []
            var start = 0
            var index = 0
            var column = 0
            var blank: Int?
            while index < bytes.count {
                let next = UTF8Reader.read(base + index, count: bytes.count - index)
                let columns = DisplayWidth.columns(of: next.scalar)
                if column + columns > width, index > start {
                    let end = blank ?? index
                    lines.append(start..<end)
                    start = blank.map { $0 + 1 } ?? index
                    index = start
                    column = 0
                    blank = nil
                    continue
                }
                if next.scalar == 0x20, index > start { blank = index }
                column += columns
                index += next.length
            }
            if start < bytes.count { lines.append(start..<bytes.count) }
            return lines
        }
    }
}
