import ESProtocol

/// What the fields of a header hold, in the words of ``MessageHeader/fields(in:profile:isRequest:)`` but without a string for each.
extension OutputBuffer {
    mutating func append(
        valueOf field: HeaderField,
        _ message: MessageReport,
        _ bytes: RawSpan,
        limit: Int,
        decodeText: ((UnsafeRawBufferPointer) -> String?)?
    ) {
        let header = message.header
        switch field {
        case .startToken:
            switch header.layout.startToken {
            case .ffff: append(literal: "0xFFFF")
            case .ff: append(literal: "0xFF")
            case .zeroF: append(literal: "0x0F")
            }
        case .clientType:
            let type = header.clientType ?? 0
            append(decimal: UInt64(type))
            append(literal: " = ")
            append(text: message.profile.clientTypeName(type) ?? "?")
        case .messageType:
            append(decimal: UInt64(header.messageType))
            append(literal: " (0x")
            for shift: UInt16 in [12, 8, 4, 0] {
                let digit = UInt8(truncatingIfNeeded: header.messageType >> shift) & 15
                append(digit + (digit > 9 ? 0x37 : 0x30))
            }
            append(literal: ") ")
            if let name = message.profile.messageTypeName(header.messageType, isRequest: message.isRequest) {
                append(text: name)
            } else {
                append(literal: "not a type of the framework that is known")
            }
        case .messageID: append(decimal: Int64(header.messageID))
        case .bodyLength:
            append(decimal: Int64(header.bodyLength))
            switch header.bodyLength {
            case 0: append(literal: " = no body")
            case 1: append(literal: " = byte of body that follows")
            default: append(literal: " = bytes of body that follow")
            }
        case .userIDLength: append(idLength: header.userIDLength, header.layout)
        case .destUserIDLength: append(idLength: header.destUserIDLength, header.layout)
        case .userID: append(idValue: header.userIDRange, header.layout, bytes, limit, decodeText)
        case .destUserID: append(idValue: header.destUserIDRange, header.layout, bytes, limit, decodeText)
        }
    }

    private mutating func append(idLength length: UInt8, _ layout: HeaderLayout) {
        append(decimal: UInt64(length))
        let room = Int(layout.idSlot) - 1
        if Int(length) > room {
            append(literal: ", more than the ")
            append(decimal: room)
            append(literal: " bytes of the field")
        } else {
            append(literal: " = bytes of the id")
        }
    }

    private mutating func append(
        idValue range: Range<Int>,
        _ layout: HeaderLayout,
        _ bytes: RawSpan,
        _ limit: Int,
        _ decodeText: ((UnsafeRawBufferPointer) -> String?)?
    ) {
        append(shortened: bytes, range, limit: limit, isID: true, decodeText)
        if range.count == 2, bytes.byte(range.lowerBound) == 0x5F, bytes.byte(range.lowerBound + 1) == 0x30 {
            append(literal: " = the server")
        } else if range.count == 1, bytes.byte(range.lowerBound) == 0x2A {
            append(literal: " = everybody")
        }
        let padding = Int(layout.idSlot) - 1 - range.count
        guard padding > 0 else { return }
        append(literal: " + ")
        append(decimal: padding)
        append(padding == 1 ? " padding byte" : " padding bytes")
        for offset in range.upperBound..<range.upperBound + padding where bytes.byte(offset) != 0 {
            append(literal: ", not zero")
            break
        }
    }
}
