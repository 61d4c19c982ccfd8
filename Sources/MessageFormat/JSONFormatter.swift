import ESProtocol

/// `--format json`: one object a line, as OUTPUT.md says. Other programs read it.
package struct JSONFormatter: ReportFormatter {
    private let options: FormatOptions
    private let describer: BodyDescriber
    private var time = TimeFormat.RFC3339()
    /// JSON's `file`; to be set when the input changes.
    package var file: String?

    package init(_ options: FormatOptions) {
        self.options = options
        describer = BodyDescriber(application: options.application)
        file = options.file
    }

    package mutating func appendLead(number: Int?, time: Int64, to out: inout OutputBuffer) {
        if let number {
            out.append(literal: "{\"n\":")
            out.append(decimal: number)
        } else {
            out.append(0x7B)
        }
        guard options.hasPackets else { return }
        out.append(number == nil ? "\"time\":\"" : ",\"time\":\"")
        self.time.append(time, to: &out)
        out.append(number == nil ? "\"," : "\"")
    }

    package mutating func appendMessage(_ message: MessageReport, bytes: RawSpan, to out: inout OutputBuffer) {
        if options.hasPackets {
            appendPlace(message.packet, message.conversation, to: &out)
            out.append(message.isUDP ? ",\"transport\":\"udp\"" : ",\"transport\":\"tcp\"")
        }
        out.append(message.direction == .clientToServer ? ",\"direction\":\"c2s\"" : ",\"direction\":\"s2c\"")
        if options.hasPackets { appendEndpoints(message.sender, message.receiver, to: &out) }
        out.append(literal: ",\"stream_offset\":")
        out.append(decimal: message.streamOffset)
        out.append(literal: ",\"length\":")
        out.append(decimal: message.length)
        switch message.status {
        case .complete: out.append(literal: ",\"status\":\"complete\"")
        case .gap: out.append(literal: ",\"status\":\"gap\"")
        case .truncated: out.append(literal: ",\"status\":\"truncated\"")
        }
        if message.status != .complete { appendGaps(message, to: &out) }
        appendHeader(message, bytes, to: &out)
        let headerLength = min(message.header.layout.headerLength, bytes.byteCount)
        out.append(literal: ",\"header_hex\":\"")
        out.append(hex: bytes.extracting(0..<headerLength))
        out.append(literal: "\",\"body_hex\":\"")
        let secrets = options.secrets(of: message, bytes)
        out.append(hex: bytes, headerLength..<bytes.byteCount, hiding: secrets)
        out.append(0x22)
        if !secrets.isEmpty { appendMasked(secrets, headerLength, to: &out) }
        if options.verbosity > 0 { appendFields(message, bytes, secrets, to: &out) }
        out.append(literal: "}\n")
    }

    package mutating func appendEvent(_ event: EventReport, to out: inout OutputBuffer) {
        out.append(literal: "\"event\":\"")
        out.append(event.kind.rawValue)
        out.append(0x22)
        if options.hasPackets {
            appendPlace(event.packet, event.conversation, to: &out)
            if event.isUDP { out.append(literal: ",\"transport\":\"udp\"") }
            appendEndpoints(.text(event.source), .text(event.destination), to: &out)
        } else if let direction = event.direction {
            out.append(direction == .clientToServer ? ",\"direction\":\"c2s\"" : ",\"direction\":\"s2c\"")
        }
        if let offset = event.streamOffset {
            out.append(literal: ",\"stream_offset\":")
            out.append(decimal: offset)
        }
        if let length = event.length {
            out.append(literal: ",\"length\":")
            out.append(decimal: length)
        }
        if !event.reason.isEmpty {
            out.append(literal: ",\"reason\":")
            out.append(json: event.reason)
        }
        if let versions = event.versions {
            out.append(literal: ",\"versions\":[")
            for (index, name) in versions.names.enumerated() {
                if index > 0 { out.append(0x2C) }
                out.append(json: name)
            }
            out.append(0x5D)
        }
        if let looksLike = event.looksLike {
            out.append(literal: ",\"looks_like\":")
            out.append(json: looksLike)
        }
        if !event.firstBytes.isEmpty {
            out.append(literal: ",\"first_bytes\":\"")
            let bytes = event.firstBytes
            let all = 0..<bytes.count
            out.append(
                hex: bytes.span.bytes,
                all,
                hiding: options.showSecrets ? [] : SecretMask.ranges(event, bytes) ?? [all]
            )
            out.append(0x22)
        }
        out.append(literal: "}\n")
    }

    private func appendPlace(_ packet: UInt64, _ conversation: Int, to out: inout OutputBuffer) {
        if let file {
            out.append(literal: ",\"file\":")
            out.append(json: file)
        }
        out.append(literal: ",\"packet\":")
        out.append(decimal: packet)
        out.append(literal: ",\"conversation\":")
        out.append(decimal: conversation)
    }

    private func appendEndpoints(_ sender: EndpointName, _ receiver: EndpointName, to out: inout OutputBuffer) {
        out.append(literal: ",\"src\":")
        out.append(json: sender)
        out.append(literal: ",\"dst\":")
        out.append(json: receiver)
    }

    private func appendGaps(_ message: MessageReport, to out: inout OutputBuffer) {
        out.append(literal: ",\"missing\":")
        out.append(decimal: message.missing)
        out.append(literal: ",\"gaps\":[")
        var isFirst = true
        for gap in message.gaps {
            if !isFirst { out.append(0x2C) }
            isFirst = false
            append(pair: gap.offset, gap.length, to: &out)
        }
        out.append(0x5D)
    }

    private func append(pair first: Int, _ second: Int, to out: inout OutputBuffer) {
        out.append(0x5B)
        out.append(decimal: first)
        out.append(0x2C)
        out.append(decimal: second)
        out.append(0x5D)
    }

    private func appendHeader(_ message: MessageReport, _ bytes: RawSpan, to out: inout OutputBuffer) {
        let header = message.header
        out.append(literal: ",\"es\":{\"start_token\":")
        out.append(decimal: UInt64(header.layout.startToken.value))
        if let clientType = header.clientType {
            out.append(literal: ",\"client_type\":")
            out.append(decimal: UInt64(clientType))
        }
        out.append(literal: ",\"message_type\":")
        out.append(decimal: UInt64(header.messageType))
        if let name = message.profile.messageTypeName(header.messageType) {
            out.append(literal: ",\"message_type_name\":")
            out.append(json: name)
        }
        out.append(literal: ",\"message_id\":")
        out.append(decimal: Int64(header.messageID))
        out.append(literal: ",\"body_length\":")
        out.append(decimal: Int64(header.bodyLength))
        out.append(literal: ",\"user_id\":")
        out.append(json: bytes.extracting(header.userIDRange.clamped(to: 0..<bytes.byteCount)))
        out.append(literal: ",\"dest_user_id\":")
        out.append(json: bytes.extracting(header.destUserIDRange.clamped(to: 0..<bytes.byteCount)))
        out.append(0x7D)
    }

    private func appendMasked(_ secrets: [Range<Int>], _ headerLength: Int, to out: inout OutputBuffer) {
        out.append(literal: ",\"masked\":[")
        var isFirst = true
        for secret in secrets {
            if !isFirst { out.append(0x2C) }
            isFirst = false
            append(pair: secret.lowerBound - headerLength, secret.count, to: &out)
        }
        out.append(0x5D)
    }

    // MARK: - fields

    private func appendFields(
        _ message: MessageReport,
        _ bytes: RawSpan,
        _ secrets: [Range<Int>],
        to out: inout OutputBuffer
    ) {
        var describer = describer
        let fields = MessageFields(message, bytes, describer: &describer)
        var scratch = OutputBuffer(capacity: 256)
        var separator: UInt8 = 0x5B
        out.append(literal: ",\"fields\":")
        if fields.hasHeader {
            for field in HeaderField.allCases {
                guard let range = field.range(in: message.header.layout) else { continue }
                out.append(separator)
                separator = 0x2C
                appendFieldPlace(field.name, range.lowerBound, range.count, to: &out)
                appendValue(field, message.header, bytes, to: &out)
                scratch.removeAll()
                scratch.append(
                    valueOf: field,
                    message,
                    bytes,
                    limit: .max,
                    decodeText: options.decodeText
                )
                appendText(scratch, to: &out)
            }
        }
        for item in fields.body {
            out.append(separator)
            separator = 0x2C
            let name =
                switch item.content {
                case .gap: "gap"
                case .plain: "es.body"
                case .field(let field): field.name
                }
            appendFieldPlace(name, item.offset, item.length, to: &out)
            scratch.removeAll()
            appendValue(item, bytes, secrets, to: &out, text: &scratch)
            appendText(scratch, to: &out)
        }
        out.append(separator == 0x5B ? "[]" : "]")
    }

    private func appendFieldPlace(_ name: String, _ offset: Int, _ length: Int, to out: inout OutputBuffer) {
        out.append(literal: "{\"name\":")
        out.append(json: name)
        out.append(literal: ",\"offset\":")
        out.append(decimal: offset)
        out.append(literal: ",\"length\":")
        out.append(decimal: length)
        out.append(literal: ",\"value\":")
    }

    private func appendText(_ text: borrowing OutputBuffer, to out: inout OutputBuffer) {
        out.append(literal: ",\"text\":")
        text.withUnsafeBytes { out.append(json: $0) }
        out.append(0x7D)
    }

    private func appendValue(
        _ field: HeaderField,
        _ header: MessageHeader,
        _ bytes: RawSpan,
        to out: inout OutputBuffer
    ) {
        switch field {
        case .startToken: out.append(decimal: UInt64(header.layout.startToken.value))
        case .clientType: out.append(decimal: UInt64(header.clientType ?? 0))
        case .messageType: out.append(decimal: UInt64(header.messageType))
        case .messageID: out.append(decimal: Int64(header.messageID))
        case .bodyLength: out.append(decimal: Int64(header.bodyLength))
        case .userIDLength: out.append(decimal: UInt64(header.userIDLength))
        case .destUserIDLength: out.append(decimal: UInt64(header.destUserIDLength))
        case .userID: out.append(json: bytes.extracting(header.userIDRange))
        case .destUserID: out.append(json: bytes.extracting(header.destUserIDRange))
        }
    }

    /// Appends the value, and to `text` what people read.
    private func appendValue(
        _ item: MessageItem,
        _ bytes: RawSpan,
        _ secrets: [Range<Int>],
        to out: inout OutputBuffer,
        text: inout OutputBuffer
    ) {
        guard let index = item.index else {
            out.append(literal: "null")
            text.append(gapOf: item.length)
            return
        }
        let range = index..<index + item.length
        guard case .field(let field) = item.content else {
            appendHexString(bytes, range, secrets, to: &out)
            text.append(byteCount: item.length)
            if secrets.isEmpty { text.append(lookOf: bytes, range, decodeText: options.decodeText) }
            return
        }
        let isHidden =
            item.length > 0 && secrets.overlaps(range) || field.isSecret && !options.showSecrets && field.holdsSomething
        text.append(
            valueOf: field,
            bytes,
            isHidden: isHidden,
            limit: .max,
            decodeText: options.decodeText
        )
        if text.isEmpty { appendPlainText(of: field, range, bytes, secrets, to: &text) }
        if isHidden {
            out.append(literal: "null")
            return
        }
        switch field.value {
        case .none: out.append(literal: "null")
        case .boolean(let value): out.append(value ? "true" : "false")
        case .integer(let value): out.append(decimal: value)
        case .unsigned(let value): out.append(decimal: value)
        case .date(let value): out.append(decimal: value)
        case .real(let value): out.append(value.isFinite ? value.description : "null")
        case .bytes: appendHexString(bytes, range, secrets, to: &out)
        case .text(let value):
            if !field.isTextDecoded, let decode = options.decodeText,
                let decoded = bytes.extracting(range).withUnsafeBytes({ decode($0) })
            {
                out.append(json: decoded)
            } else {
                out.append(json: value)
            }
        }
    }

    /// The text of a field that has no words of its own.
    private func appendPlainText(
        of field: Field,
        _ range: Range<Int>,
        _ bytes: RawSpan,
        _ secrets: [Range<Int>],
        to text: inout OutputBuffer
    ) {
        switch field.value {
        case .none: text.append(literal: "null")
        case .bytes:
            text.append(byteCount: range.count)
            if secrets.isEmpty { text.append(lookOf: bytes, range, decodeText: options.decodeText) }
        default: break
        }
    }

    private func appendHexString(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        _ secrets: [Range<Int>],
        to out: inout OutputBuffer
    ) {
        out.append(0x22)
        out.append(hex: bytes, range, hiding: secrets)
        out.append(0x22)
    }
}
