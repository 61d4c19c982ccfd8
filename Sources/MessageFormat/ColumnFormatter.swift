import ESProtocol

/// `--fields`: a line a message, a column a field. Events have no line.
///
/// What a message does not have is an empty column. Nothing that a terminal obeys comes out, and no line feed or tab within a
/// value; secrets are hidden.
package struct ColumnFormatter: ReportFormatter {
    private let columns: ColumnOptions
    private let options: FormatOptions
    private let describer: BodyDescriber
    /// Whether a column needs the fields of the body, and of which types of messages; `nil` for all.
    private let needsBody: Bool
    private let bodyTypes: Set<UInt16>?

    package init(_ columns: ColumnOptions, _ options: FormatOptions) {
        self.columns = columns
        self.options = options
        describer = BodyDescriber(application: options.application)
        var types: Set<UInt16>? = []
        var needsBody = false
        for column in columns.columns {
            guard case .body = column.field else { continue }
            needsBody = true
            if let more = column.messageTypes { types?.formUnion(more) } else { types = nil }
        }
        self.needsBody = needsBody
        bodyTypes = types
    }

    package var needsBodies: Bool { needsBody || columns.columns.contains { $0.field == .bodyBytes } }

    package mutating func appendBegin(to out: inout OutputBuffer) {
        if columns.hasByteOrderMark { out.append(literal: "\u{FEFF}") }
        guard columns.hasHeader else { return }
        var isFirst = true
        for column in columns.columns {
            if !isFirst { out.append(columns.separator) }
            isFirst = false
            appendQuoted(to: &out) { $0.append(text: column.name) }
        }
        out.append(0x0A)
    }

    package mutating func appendLead(number: Int?, time: Int64, to out: inout OutputBuffer) {}

    package mutating func appendEvent(_ event: EventReport, to out: inout OutputBuffer) {}

    package mutating func appendMessage(_ message: MessageReport, bytes: RawSpan, to out: inout OutputBuffer) {
        let secrets = options.secrets(of: message, bytes)
        var fields: [Field] = []
        if needsBody, bodyTypes?.contains(message.header.messageType) ?? true {
            fields = message.bodyFields(in: bytes, describer: describer)
        }
        var isFirst = true
        for column in columns.columns {
            if !isFirst { out.append(columns.separator) }
            isFirst = false
            append(column.field, message, bytes, fields, secrets, to: &out)
        }
        out.append(0x0A)
    }

    // MARK: - Values

    private func append(
        _ name: MessageFieldName,
        _ message: MessageReport,
        _ bytes: RawSpan,
        _ fields: [Field],
        _ secrets: [Range<Int>],
        to out: inout OutputBuffer
    ) {
        let headerLength = min(message.header.layout.headerLength, bytes.byteCount)
        switch name {
        case .property(let property): append(property, message, to: &out)
        case .header(let field): append(field, message.header, bytes, to: &out)
        case .typeName:
            guard let name = message.profile.messageTypeName(message.header.messageType) else { return }
            appendQuoted(to: &out) { $0.append(name) }
        case .headerBytes: appendQuoted(to: &out) { $0.append(hex: bytes, 0..<headerLength, hiding: []) }
        case .bodyBytes:
            guard headerLength < bytes.byteCount else { return }
            appendQuoted(to: &out) { $0.append(hex: bytes, headerLength..<bytes.byteCount, hiding: secrets) }
        case .body(let name): append(name, bytes, fields, secrets, to: &out)
        }
    }

    private func append(_ property: MessageProperty, _ message: MessageReport, to out: inout OutputBuffer) {
        func host(_ endpoint: String) -> String { Self.parts(of: endpoint).host }
        func port(_ endpoint: String) -> String { Self.parts(of: endpoint).port }
        let isDamaged = message.status != .complete
        switch property {
        case .time: appendQuoted(to: &out) { TimeFormat.appendRFC3339(message.time, to: &$0) }
        case .packet: appendQuoted(to: &out) { $0.append(decimal: message.packet) }
        case .conversation: appendQuoted(to: &out) { $0.append(decimal: message.conversation) }
        case .transport: appendQuoted(to: &out) { $0.append(message.isUDP ? "udp" : "tcp") }
        case .direction: appendQuoted(to: &out) { $0.append(message.direction.name) }
        case .source: appendQuoted(to: &out) { $0.append(message.source) }
        case .sourceHost: appendQuoted(to: &out) { $0.append(host(message.source)) }
        case .sourcePort: appendQuoted(to: &out) { $0.append(port(message.source)) }
        case .destination: appendQuoted(to: &out) { $0.append(message.destination) }
        case .destinationHost: appendQuoted(to: &out) { $0.append(host(message.destination)) }
        case .destinationPort: appendQuoted(to: &out) { $0.append(port(message.destination)) }
        case .host: appendValues([host(message.source), host(message.destination)], to: &out)
        case .port: appendValues([port(message.source), port(message.destination)], to: &out)
        case .streamOffset: appendQuoted(to: &out) { $0.append(decimal: message.streamOffset) }
        case .length: appendQuoted(to: &out) { $0.append(decimal: message.length) }
        case .status: appendQuoted(to: &out) { $0.append(message.status.rawValue) }
        case .missing: if isDamaged { appendQuoted(to: &out) { $0.append(decimal: message.missing) } }
        case .gaps: if isDamaged { appendQuoted(to: &out) { $0.append(decimal: message.gaps.count) } }
        }
    }

    /// Address and port of `10.0.0.1:4530` or `[::1]:4530`.
    private static func parts(of endpoint: String) -> (host: String, port: String) {
        guard let colon = endpoint.utf8.lastIndex(of: 0x3A) else { return (endpoint, "") }
        var host = endpoint[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return (String(host), String(endpoint[endpoint.utf8.index(after: colon)...]))
    }

    private func append(_ field: HeaderField, _ header: MessageHeader, _ bytes: RawSpan, to out: inout OutputBuffer) {
        switch field {
        case .startToken: appendQuoted(to: &out) { $0.append(decimal: UInt64(header.layout.startToken.value)) }
        case .clientType:
            guard let clientType = header.clientType else { return }
            appendQuoted(to: &out) { $0.append(decimal: UInt64(clientType)) }
        case .messageType: appendQuoted(to: &out) { $0.append(decimal: UInt64(header.messageType)) }
        case .messageID: appendQuoted(to: &out) { $0.append(decimal: Int64(header.messageID)) }
        case .bodyLength: appendQuoted(to: &out) { $0.append(decimal: Int64(header.bodyLength)) }
        case .userIDLength: appendQuoted(to: &out) { $0.append(decimal: UInt64(header.userIDLength)) }
        case .destUserIDLength: appendQuoted(to: &out) { $0.append(decimal: UInt64(header.destUserIDLength)) }
        case .userID: append(id: header.userIDRange, bytes, to: &out)
        case .destUserID: append(id: header.destUserIDRange, bytes, to: &out)
        }
    }

    private func append(id range: Range<Int>, _ bytes: RawSpan, to out: inout OutputBuffer) {
        let id = bytes.extracting(range.clamped(to: 0..<bytes.byteCount))
        appendQuoted(to: &out) { out in
            id.withUnsafeBytes { _ = out.append(decoded: $0, isID: true, quote: false, options.decodeText) }
        }
    }

    private func append(
        _ name: BodyFieldName,
        _ bytes: RawSpan,
        _ fields: [Field],
        _ secrets: [Range<Int>],
        to out: inout OutputBuffer
    ) {
        var values = fields.filter { name.relation(to: $0.name) == .same && $0.value != .none }
        guard !values.isEmpty else { return }
        switch columns.occurrence {
        case .all: break
        case .first: values.removeSubrange(1...)
        case .last: values.removeSubrange(..<(values.count - 1))
        }
        appendQuoted(to: &out) { out in
            var isFirst = true
            for field in values {
                if !isFirst { out.append(columns.aggregator) }
                isFirst = false
                append(field, bytes, secrets, to: &out)
            }
        }
    }

    private func append(_ field: Field, _ bytes: RawSpan, _ secrets: [Range<Int>], to out: inout OutputBuffer) {
        let range = (field.offset..<field.offset + max(field.length, 0)).clamped(to: 0..<bytes.byteCount)
        if field.holdsSomething,
            field.length > 0 && secrets.overlaps(range) || field.isSecret && !options.showSecrets
        {
            out.append(literal: "(hidden)")
            return
        }
        switch field.value {
        case .none: break
        case .boolean(let value): out.append(value ? "true" : "false")
        case .integer(let value): out.append(decimal: value)
        case .unsigned(let value): out.append(decimal: value)
        case .real(let value): out.append(value.description)
        // The date alone, without what its kind is.
        case .date: out.append(text: String(field.meaning.prefix(23)))
        case .bytes where range.isEmpty: out.append(text: field.meaning)
        case .bytes: out.append(hex: bytes, range, hiding: [])
        case .text(let value) where field.isTextDecoded: out.append(text: value)
        case .text:
            bytes.extracting(range).withUnsafeBytes {
                _ = out.append(decoded: $0, quote: false, options.decodeText)
            }
        }
    }

    private func appendValues(_ values: [String], to out: inout OutputBuffer) {
        let values: ArraySlice<String> =
            switch columns.occurrence {
            case .all: values[...]
            case .first: values.prefix(1)
            case .last: values.suffix(1)
            }
        appendQuoted(to: &out) { out in
            for (index, value) in values.enumerated() {
                if index > 0 { out.append(columns.aggregator) }
                out.append(value)
            }
        }
    }

    /// Puts quotes around what is written, if they are wanted; those in it are doubled.
    private func appendQuoted(to out: inout OutputBuffer, _ write: (inout OutputBuffer) -> Void) {
        guard let quote = columns.quote else { return write(&out) }
        var value = OutputBuffer(capacity: 64)
        write(&value)
        out.append(quote)
        value.withUnsafeBytes { bytes in
            for byte in bytes {
                if byte == quote { out.append(quote) }
                out.append(byte)
            }
        }
        out.append(quote)
    }
}

extension OutputBuffer {
    /// Bytes in hex; those that are to be hidden are `2a`.
    mutating func append(hex bytes: RawSpan, _ range: Range<Int>, hiding secrets: [Range<Int>]) {
        var position = range.lowerBound
        for secret in secrets {
            let hidden = secret.clamped(to: position..<max(range.upperBound, position))
            if hidden.isEmpty { continue }
            append(hex: bytes.extracting(position..<hidden.lowerBound))
            for _ in hidden { append(literal: "2a") }
            position = hidden.upperBound
        }
        if position < range.upperBound { append(hex: bytes.extracting(position..<range.upperBound)) }
    }
}
