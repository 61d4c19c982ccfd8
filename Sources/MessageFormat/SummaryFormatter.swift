import ESProtocol

/// `--format summary`: one line a message.
package struct SummaryFormatter: ReportFormatter {
    private let options: FormatOptions
    private let rows: HexRows
    private var time: TimeFormat
    /// Columns that are filled up with blanks; narrow terminals have none to spare.
    private let isWide: Bool

    package init(_ options: FormatOptions) {
        self.options = options
        rows = HexRows(decodeText: options.decodeText, color: options.color)
        time = TimeFormat(style: options.timeStyle, isUTC: options.isUTC)
        isWide = options.width.map { $0 >= 120 } ?? true
    }

    package mutating func appendLead(number: Int?, time moment: Int64, to out: inout OutputBuffer) {
        let width = isWide ? 6 : 4
        if let number {
            out.begin(.number, options.color)
            out.append(decimal: Int64(number), width: width)
            out.end(.number, options.color)
        } else {
            out.appendSpaces(width - 1)
            out.append(0x2D)
        }
        out.append(literal: "  ")
        guard options.timeStyle != .none else { return }
        out.begin(.quiet, options.color)
        time.append(moment, to: &out)
        out.end(.quiet, options.color)
        out.append(literal: "  ")
    }

    package mutating func continueAfter(first: Int64?, previous: Int64?) {
        time.continueAfter(first: first, previous: previous)
    }

    package var needsBodies: Bool { options.hexDump != .none }

    package mutating func appendMessage(_ message: MessageReport, bytes: RawSpan, to out: inout OutputBuffer) {
        let header = message.header
        appendEndpoints(message.sender, message.receiver, Style.of(message.direction), to: &out)
        out.begin(.type, options.color)
        let typeColumns = out.append(type: header.messageType, message.profile)
        out.end(.type, options.color)
        fill(typeColumns, 29, &out)
        if !options.isQuiet {
            out.append(literal: "id ")
            let start = out.count
            out.append(decimal: Int64(header.messageID))
            fill(out.count - start, 6, &out)
            out.begin(.identifier, options.color)
            let columns = out.append(idsOf: header, bytes, decodeText: options.decodeText)
            out.end(.identifier, options.color)
            fill(columns, 20, &out)
        }
        out.append(decimal: Int64(message.length), width: isWide ? 8 : 0)
        if message.length == 1 { out.append(literal: " byte") } else { out.append(literal: " bytes") }
        if message.status != .complete {
            out.append(literal: "  ")
            out.styled(.damage, options.color) { $0.append(damageOf: message) }
        }
        out.append(0x0A)
        if options.hexDump != .none { appendDump(message, bytes, to: &out) }
    }

    package mutating func appendEvent(_ event: EventReport, to out: inout OutputBuffer) {
        if !event.source.isEmpty { appendEndpoints(.text(event.source), .text(event.destination), .quiet, to: &out) }
        out.styled(.damage, options.color && event.kind.isDamage) { $0.append(sentenceOf: event) }
        out.append(0x0A)
    }

    @inline(__always)
    private func appendEndpoints(
        _ sender: EndpointName,
        _ receiver: EndpointName,
        _ style: Style,
        to out: inout OutputBuffer
    ) {
        out.begin(style, options.color)
        let columns = out.append(endpointsOf: sender, receiver)
        out.end(style, options.color)
        fill(columns, 43, &out)
    }

    /// Blanks behind what took `columns`, up to the next column; at least two.
    @inline(__always)
    private func fill(_ columns: Int, _ width: Int, _ out: inout OutputBuffer) {
        out.appendSpaces(isWide ? max(width - columns, 0) + 2 : 2)
    }

    /// `-x`, `-X`: as tcpdump writes it.
    private func appendDump(_ message: MessageReport, _ bytes: RawSpan, to out: inout OutputBuffer) {
        let secrets = options.secrets(of: message, bytes)
        for piece in MessagePieces(message, byteCount: bytes.byteCount).pieces {
            guard let index = piece.index else {
                out.append(literal: "        0x")
                out.append(hex: UInt64(piece.offset), digits: 4)
                out.append(literal: ":  ")
                out.styled(.damage, options.color) { $0.append(gapOf: piece.length) }
                out.append(0x0A)
                continue
            }
            rows.appendRows(
                bytes,
                index..<index + piece.length,
                end: index + piece.length,
                firstOffset: piece.offset,
                columns: 16,
                withText: options.hexDump == .hexAndText,
                secrets: secrets,
                to: &out
            ) { offset, out in
                out.append(literal: "        0x")
                out.append(hex: UInt64(offset), digits: 4)
                out.append(literal: ":  ")
            }
        }
    }
}

extension OutputBuffer {
    /// `20 bytes were not captured`
    mutating func append(gapOf length: Int) {
        append(byteCount: length)
        append(length == 1 ? " was not captured" : " were not captured")
    }
}

extension EventReport.Kind {
    /// Not a mere notice.
    var isDamage: Bool {
        switch self {
        case .gap, .skipped, .truncated, .limit, .late: true
        case .preface, .layout, .notice, .notES: false
        }
    }
}
