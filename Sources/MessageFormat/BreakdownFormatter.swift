import ESProtocol

/// The default: every field of a message on its own line, with its offset, its bytes, its name and what it means.
package struct BreakdownFormatter: ReportFormatter {
    private let options: FormatOptions
    private var describer: BodyDescriber
    private let rows: HexRows
    private let columns: BreakdownColumns
    private var writer: FieldWriter
    private var time: TimeFormat

    package init(_ options: FormatOptions) {
        self.options = options
        describer = BodyDescriber(application: options.application)
        rows = HexRows(decodeText: options.decodeText, color: options.color)
        columns = BreakdownColumns(width: options.width)
        writer = FieldWriter(options, rows)
        time = TimeFormat(style: options.timeStyle, isUTC: options.isUTC)
    }

    package mutating func appendLead(number: Int?, time moment: Int64, to out: inout OutputBuffer) {
        appendPlainLead(number: number, time: moment, &time, options, to: &out)
    }

    package mutating func continueAfter(first: Int64?, previous: Int64?) {
        time.continueAfter(first: first, previous: previous)
    }

    package mutating func appendMessage(_ message: MessageReport, bytes: RawSpan, to out: inout OutputBuffer) {
        appendHeading(message, bytes, to: &out)
        let secrets = options.secrets(of: message, bytes)
        let fields = MessageFields(message, bytes, describer: &describer)
        writer.begin(columns.fitting(fields.items), secrets: secrets)
        if !options.isQuiet, fields.hasHeader { writer.appendHeader(message, bytes, to: &out) }
        if let body = fields.opaqueBody {
            appendBodyTitle(fields, message, bytes, secrets, to: &out)
            writer.appendOpaque(body, bytes, to: &out)
        } else if !fields.items.isEmpty {
            appendBodyTitle(fields, message, bytes, secrets, to: &out)
            writer.appendBody(fields.items, bytes, to: &out)
        }
        out.append(0x0A)
    }

    package mutating func appendEvent(_ event: EventReport, to out: inout OutputBuffer) {
        appendEventWithBytes(event, options, rows, columns: columns.plainBytes, to: &out) { offset, out in
            out.styled(.offset, options.color) { $0.append(decimal: Int64(offset), width: BreakdownColumns.offset) }
            out.append(literal: "  ")
        }
        out.append(0x0A)
    }

    private func appendBodyTitle(
        _ fields: MessageFields,
        _ message: MessageReport,
        _ bytes: RawSpan,
        _ secrets: [Range<Int>],
        to out: inout OutputBuffer
    ) {
        out.append(literal: " ")
        out.styled(.label, options.color) { $0.append(literal: "body") }
        out.append(literal: "  ")
        if let title = fields.bodyTitle {
            out.append(text: title)
            out.append(literal: ", ")
        }
        out.append(byteCount: Int64(message.header.bodyLength))
        if secrets.isEmpty, let unknown = fields.opaqueBeginning {
            out.append(lookOf: bytes, unknown, decodeText: options.decodeText)
        }
        out.append(0x0A)
    }

    // MARK: - the heading

    private func appendHeading(_ message: MessageReport, _ bytes: RawSpan, to out: inout OutputBuffer) {
        if options.width == nil, !options.color {
            out.append(endpointsOf: message.sender, message.receiver)
            out.append(literal: "  ")
            out.append(type: message.header.messageType, message.profile)
            out.append(literal: "  id ")
            out.append(decimal: Int64(message.header.messageID))
            out.append(literal: "  ")
            out.append(idsOf: message.header, bytes, decodeText: options.decodeText)
            out.append(literal: "  ")
            out.append(byteCount: message.length)
            out.append(message.direction == .clientToServer ? "  to server" : "  to client")
            if message.status != .complete {
                out.append(literal: "  ")
                out.append(damageOf: message)
            }
            out.append(0x0A)
            return
        }
        // How far the lead has come is not known here, as it is written apart; four digits are allowed for.
        var column = 6 + (options.timeStyle == .none ? 0 : options.timeStyle.columns + 2)
        var piece = OutputBuffer(capacity: 256)
        let direction = Style.of(message.direction)
        func flush(_ style: Style, _ piece: inout OutputBuffer, _ column: inout Int, _ out: inout OutputBuffer) {
            let width = piece.width(from: 0)
            if let limit = options.width, column + width > limit, column > 5 {
                out.trimBlanks()
                out.append(literal: "\n     ")
                column = 5
            }
            out.styled(style, options.color) { $0.append(piece) }
            column += width + 2
            piece.removeAll()
        }
        func gap(_ out: inout OutputBuffer) { out.append(literal: "  ") }
        piece.append(endpointsOf: message.sender, message.receiver)
        flush(direction, &piece, &column, &out)
        piece.append(type: message.header.messageType, message.profile)
        gap(&out)
        flush(.type, &piece, &column, &out)
        piece.append(literal: "id ")
        piece.append(decimal: Int64(message.header.messageID))
        gap(&out)
        flush(.label, &piece, &column, &out)
        piece.append(idsOf: message.header, bytes, decodeText: options.decodeText)
        gap(&out)
        flush(.identifier, &piece, &column, &out)
        piece.append(byteCount: message.length)
        gap(&out)
        flush(.label, &piece, &column, &out)
        piece.append(message.direction == .clientToServer ? "to server" : "to client")
        gap(&out)
        flush(direction, &piece, &column, &out)
        if message.status != .complete {
            piece.append(damageOf: message)
            gap(&out)
            flush(.damage, &piece, &column, &out)
        }
        out.append(0x0A)
    }
}

/// Where the columns of the breakdown stand.
struct BreakdownColumns {
    /// Columns of the offset.
    static let offset = 5
    /// Columns of a field's name and the blanks behind it; a longer one moves its value to the right.
    private(set) var label = 16
    /// Bytes of a field that stand in one row.
    var fieldBytes: Int
    /// Bytes of a row of hex and text.
    var plainBytes: Int
    /// Too narrow for columns: name and value come first, the bytes below.
    var isStacked: Bool
    /// Columns left for the value; `nil` if there is no end.
    private(set) var value: Int?
    private var width: Int?

    init(width: Int?) {
        fieldBytes = 8
        plainBytes = 16
        isStacked = false
        guard let width else { return }
        plainBytes = width < 73 ? 8 : 16
        isStacked = width < 72
        self.width = width
        setValue()
    }

    private mutating func setValue() {
        guard let width else { return }
        value = max(width - (isStacked ? 7 : Self.offset + 2 + HexRows.width(fieldBytes) + 3 + label), 16)
    }

    /// The same with room for the longest of a message's names, as far as the terminal has it.
    func fitting(_ body: [MessageItem]) -> BreakdownColumns {
        var longest = 0
        for item in body {
            guard case .field(let field) = item.content else { continue }
            longest = max(longest, field.label.utf8.count + 2 * max(field.depth - 1, 0))
        }
        // The names of the header fit as it is.
        if longest + 2 <= label { return self }
        var result = self
        let room = width.map { $0 - (Self.offset + 2 + HexRows.width(fieldBytes) + 3) - 22 } ?? 40
        result.label = max(min(longest + 2, room), label)
        result.setValue()
        return result
    }
}
