/// What is known of a message beside its bytes, by the names that JSON, filters and columns use.
package enum MessageProperty: String, CaseIterable, Sendable {
    case time
    case packet
    case conversation
    case transport
    case direction
    /// Address and port of the sender.
    case source = "src"
    case sourceHost = "src.host"
    case sourcePort = "src.port"
    case destination = "dst"
    case destinationHost = "dst.host"
    case destinationPort = "dst.port"
    /// Of sender and receiver: a name with two values.
    case host
    case port
    case streamOffset = "stream_offset"
    case length
    case status
    /// Bytes that are missing; of a complete message there is none.
    case missing
    /// How many gaps there are; of a complete message there is none.
    case gaps

    /// What it says, for a list of all.
    package var help: String {
        switch self {
        case .time: "when the packet came that completes the message"
        case .packet: "number of that packet"
        case .conversation: "number of the conversation"
        case .transport: "tcp or udp"
        case .direction: "c2s (to the server) or s2c"
        case .source: "sender: address and port, or one of them"
        case .sourceHost: "address of the sender"
        case .sourcePort: "port of the sender"
        case .destination: "receiver: address and port, or one of them"
        case .destinationHost: "address of the receiver"
        case .destinationPort: "port of the receiver"
        case .host: "address of either"
        case .port: "port of either"
        case .streamOffset: "offset of the first byte in its stream"
        case .length: "bytes of header and declared body"
        case .status: "complete, gap or truncated"
        case .missing: "bytes that are missing, if any"
        case .gaps: "number of gaps, if any"
        }
    }
}
