import ESProtocol

/// `--format hex`: every message as a dump of its bytes, each row with the direction in front.
package struct HexFormatter: ReportFormatter {
    private let options: FormatOptions
    private let rows: HexRows
    private var time: TimeFormat
    private let columns: Int

    package init(_ options: FormatOptions) {
        self.options = options
        rows = HexRows(decodeText: options.decodeText, color: options.color)
        time = TimeFormat(style: options.timeStyle, isUTC: options.isUTC)
        // A row of sixteen takes 78 columns, one of eight 45.
        columns = options.width.map { $0 < 78 ? 8 : 16 } ?? 16
    }

    package mutating func appendLead(number: Int?, time moment: Int64, to out: inout OutputBuffer) {
        appendPlainLead(number: number, time: moment, &time, options, to: &out)
    }

    package mutating func continueAfter(first: Int64?, previous: Int64?) {
        time.continueAfter(first: first, previous: previous)
    }

    package mutating func appendMessage(_ message: MessageReport, bytes: RawSpan, to out: inout OutputBuffer) {
        let style = Style.of(message.direction)
        out.styled(style, options.color) { $0.append(endpointsOf: message.sender, message.receiver) }
        out.append(literal: "  ")
        out.styled(.type, options.color) { $0.append(type: message.header.messageType, message.profile) }
        out.append(literal: "  ")
        out.append(byteCount: message.length)
        if message.status != .complete {
            out.append(literal: "  ")
            out.styled(.damage, options.color) { $0.append(damageOf: message) }
        }
        out.append(0x0A)
        let secrets = options.secrets(of: message, bytes)
        let arrow = message.direction == .clientToServer ? "→ " : "← "
        for piece in MessagePieces(message, byteCount: bytes.byteCount).pieces {
            guard let index = piece.index else {
                appendRowLead(arrow, style, piece.offset, to: &out)
                out.styled(.damage, options.color) { $0.append(gapOf: piece.length) }
                out.append(0x0A)
                continue
            }
            rows.appendRows(
                bytes,
                index..<index + piece.length,
                end: index + piece.length,
                firstOffset: piece.offset,
                columns: columns,
                withText: true,
                secrets: secrets,
                to: &out
            ) { appendRowLead(arrow, style, $0, to: &$1) }
        }
        out.append(0x0A)
    }

    package mutating func appendEvent(_ event: EventReport, to out: inout OutputBuffer) {
        let style = event.direction.map(Style.of) ?? .quiet
        let arrow = event.direction.map { $0 == .clientToServer ? "→ " : "← " } ?? "  "
        appendEventWithBytes(event, options, rows, columns: columns, to: &out) {
            appendRowLead(arrow, style, $0, to: &$1)
        }
        out.append(0x0A)
    }

    private func appendRowLead(_ arrow: String, _ style: Style, _ offset: Int, to out: inout OutputBuffer) {
        out.styled(style, options.color) { $0.append(arrow) }
        out.styled(.offset, options.color) { $0.append(hex: UInt64(offset), digits: 8) }
        out.append(literal: "  ")
    }
}

/// The lead of the breakdown and the dump: `#1   11:04:05.250317  `, blanks instead of the number for an event.
func appendPlainLead(
    number: Int?,
    time moment: Int64,
    _ time: inout TimeFormat,
    _ options: FormatOptions,
    to out: inout OutputBuffer
) {
    if let number {
        out.styled(.number, options.color) { out in
            out.append(0x23)
            out.append(decimal: number)
        }
        let width = OutputBuffer.digitCount(UInt64(max(number, 0))) + 1
        out.appendSpaces(max(5 - width, 1))
    } else {
        out.appendSpaces(5)
    }
    guard options.timeStyle != .none else { return }
    out.styled(.quiet, options.color) { time.append(moment, to: &$0) }
    out.append(literal: "  ")
}

/// An event's line, and its bytes as far as they are at hand and may be shown.
///
/// What was skipped on its way to a server may be the end of a Logon whose beginning is missing, and nothing in it tells:
/// its bytes are shown only with `--show-secrets`. The line always says how many there are.
func appendEventWithBytes(
    _ event: EventReport,
    _ options: FormatOptions,
    _ rows: HexRows,
    columns: Int,
    to out: inout OutputBuffer,
    lead: (Int, inout OutputBuffer) -> Void
) {
    if !event.source.isEmpty {
        out.styled(.quiet, options.color) { $0.append(endpointsOf: .text(event.source), .text(event.destination)) }
        out.append(literal: "  ")
    }
    out.styled(.damage, options.color && event.kind.isDamage) { $0.append(sentenceOf: event) }
    let all = event.bytes.isEmpty ? event.firstBytes : event.bytes
    guard !all.isEmpty else {
        out.append(0x0A)
        return
    }
    guard let secrets = options.showSecrets ? [] : SecretMask.ranges(event, all) else {
        out.styled(.hidden, options.color) {
            $0.append(literal: " (bytes hidden, they may hold a password; --show-secrets)")
        }
        out.append(0x0A)
        return
    }
    out.append(0x0A)
    let shown = options.verbosity > 0 ? all.count : min(all.count, 64)
    rows.appendRows(
        all.span.bytes,
        0..<shown,
        end: all.count,
        firstOffset: 0,
        columns: columns,
        withText: true,
        secrets: secrets,
        to: &out,
        lead: lead
    )
    let length = max(event.length ?? 0, Int64(all.count))
    let left = length - Int64(shown)
    if left > 0 {
        out.appendSpaces(7)
        out.append(literal: "… ")
        out.append(grouped: left)
        out.append(shown < all.count ? " more bytes (-v shows more)" : " more bytes")
        out.append(0x0A)
    }
}
