/// The fields of a message header, in the order of their bytes. Each byte of a header is in exactly one of them: the
/// padding with the id that it follows.
public enum HeaderField: UInt8, CaseIterable, Sendable {
    case startToken, clientType, messageType, messageID, bodyLength, userIDLength, userID, destUserIDLength, destUserID

    /// Where it stands; `nil` in a layout that does not have it.
    public func range(in layout: HeaderLayout) -> Range<Int>? {
        let middle = layout.destUserIDOffset
        let range: Range<Int> =
            switch self {
            case .startToken: 0..<layout.startToken.byteCount
            case .clientType: layout.startToken.byteCount..<2
            case .messageType: 2..<4
            case .messageID: 4..<8
            case .bodyLength: 8..<12
            case .userIDLength: 12..<13
            case .userID: 13..<max(middle, 13)
            case .destUserIDLength: middle..<middle + 1
            case .destUserID: middle + 1..<max(layout.headerLength, middle + 1)
            }
        return range.isEmpty ? nil : range
    }

    /// Dotted name, the same everywhere.
    public var name: String {
        switch self {
        case .startToken: "es.start_token"
        case .clientType: "es.client_type"
        case .messageType: "es.message_type"
        case .messageID: "es.message_id"
        case .bodyLength: "es.body_length"
        case .userIDLength: "es.user_id.length"
        case .userID: "es.user_id"
        case .destUserIDLength: "es.dest_user_id.length"
        case .destUserID: "es.dest_user_id"
        }
    }

    /// The protocol's own name.
    public var label: String {
        switch self {
        case .startToken: "StartToken"
        case .clientType: "ClientType"
        case .messageType: "MessageType"
        case .messageID: "MessageID"
        case .bodyLength: "MessageBodyLen"
        case .userIDLength: "UserIDLen"
        case .userID: "UserID"
        case .destUserIDLength: "DestUserIDLen"
        case .destUserID: "DestUserID"
        }
    }
}
