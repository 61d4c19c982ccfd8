/// A message that owns its bytes. ``bytes()`` and ``init(parsing:layout:)`` are each other's inverse for every valid message.
public struct Message: Equatable, Sendable {
    /// An id in its slot: a length byte, the id and padding.
    public struct ID: Equatable, Sendable, ExpressibleByStringLiteral {
        /// The id's bytes, UTF-8.
        public var bytes: [UInt8] {
            didSet { padding = [] }
        }
        /// The bytes behind the id if they are not all zero; otherwise empty.
        public private(set) var padding: [UInt8] = []

        public init(_ text: String) { bytes = Array(text.utf8) }
        public init(stringLiteral text: String) { self.init(text) }
        public init(bytes: [UInt8]) { self.bytes = bytes }

        /// The text; what is not UTF-8 in it has become U+FFFD.
        public var text: String { String(decoding: bytes, as: UTF8.self) }

        init(parsing span: RawSpan, slot: Range<Int>, isDestination: Bool) throws(MessageError) {
            let length = Int(span.byte(at: slot.lowerBound))
            guard length < slot.count else {
                throw .idLength(says: length, room: slot.count - 1, isDestination: isDestination)
            }
            let start = slot.lowerBound + 1
            bytes = span.array(start, length)
            let padding = span.array(start + length, slot.count - 1 - length)
            if padding.contains(where: { $0 != 0 }) { self.padding = padding }
        }

        func write(slot: Int, isDestination: Bool, to output: inout [UInt8]) throws(MessageError) {
            guard bytes.count < slot, bytes.count <= 255 else {
                throw .idLength(says: bytes.count, room: slot - 1, isDestination: isDestination)
            }
            output.append(UInt8(bytes.count))
            output.append(contentsOf: bytes)
            let room = slot - 1 - bytes.count
            if padding.count == room {
                output.append(contentsOf: padding)
            } else {
                for _ in 0..<room { output.append(0) }
            }
        }
    }

    public var layout: HeaderLayout
    /// The sender's kind of client; not written in the layout of 4.0, which has none.
    public var clientType: UInt8
    public var messageType: UInt16
    public var messageID: Int32
    public var userID: ID
    public var destUserID: ID
    public var body: [UInt8]

    public init(
        layout: HeaderLayout,
        clientType: UInt8 = 0,
        messageType: UInt16,
        messageID: Int32,
        userID: ID,
        destUserID: ID,
        body: [UInt8] = []
    ) {
        self.layout = layout
        self.clientType = clientType
        self.messageType = messageType
        self.messageID = messageID
        self.userID = userID
        self.destUserID = destUserID
        self.body = body
    }

    /// Reads one whole message.
    public init(parsing bytes: RawSpan, layout: HeaderLayout) throws(MessageError) {
        guard layout.idSlot >= 1 else { throw .slot }
        guard bytes.byteCount >= layout.headerLength else {
            throw .header(needs: layout.headerLength, there: bytes.byteCount)
        }
        let header = MessageHeader(reading: bytes, layout: layout)
        let token = bytes.unsigned(at: 0, layout.startToken.byteCount)
        guard token == UInt64(layout.startToken.value) else {
            throw .startToken(UInt16(truncatingIfNeeded: token), expected: layout.startToken.value)
        }
        let there = bytes.byteCount - layout.headerLength
        guard Int(header.bodyLength) == there else { throw .bodyLength(says: Int(header.bodyLength), there: there) }
        self.layout = layout
        clientType = header.clientType ?? 0
        messageType = header.messageType
        messageID = header.messageID
        let middle = layout.destUserIDOffset
        userID = try ID(parsing: bytes, slot: 12..<middle, isDestination: false)
        destUserID = try ID(parsing: bytes, slot: middle..<layout.headerLength, isDestination: true)
        body = bytes.array(layout.headerLength, there)
    }

    /// Reads one whole message.
    public init(parsing bytes: [UInt8], layout: HeaderLayout) throws(MessageError) {
        try self.init(parsing: bytes.span.bytes, layout: layout)
    }

    /// The message as it goes over the wire.
    public func bytes() throws(MessageError) -> [UInt8] {
        guard layout.idSlot >= 1 else { throw .slot }
        guard let bodyLength = Int32(exactly: body.count) else {
            throw .bodyLength(says: body.count, there: body.count)
        }
        var output: [UInt8] = []
        output.reserveCapacity(layout.headerLength + body.count)
        output.append(layout.startToken.firstByte)
        output.append(layout.startToken == .ffff ? 0xFF : clientType)
        func put(_ value: UInt32, _ count: Int) {
            for index in 0..<count { output.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * index))) }
        }
        put(UInt32(messageType), 2)
        put(UInt32(bitPattern: messageID), 4)
        put(UInt32(bitPattern: bodyLength), 4)
        try userID.write(slot: Int(layout.idSlot), isDestination: false, to: &output)
        try destUserID.write(slot: Int(layout.idSlot), isDestination: true, to: &output)
        output.append(contentsOf: body)
        return output
    }
}

/// Why bytes are no message of a layout, or a message cannot be written in it.
public enum MessageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The layout's id slot has no room for a length byte.
    case slot
    case header(needs: Int, there: Int)
    case startToken(UInt16, expected: UInt16)
    /// An id's length byte, or an id to be written, is longer than its field.
    case idLength(says: Int, room: Int, isDestination: Bool)
    /// The body length in the header is not what follows.
    case bodyLength(says: Int, there: Int)

    public var description: String {
        switch self {
        case .slot: "an id slot of 0 bytes"
        case .header(let needs, let there): "the header needs \(needs) bytes, \(there) are there"
        case .startToken(let found, let expected):
            "start token 0x\(String(found, radix: 16, uppercase: true)), not 0x\(String(expected, radix: 16, uppercase: true))"
        case .idLength(let says, let room, let isDestination):
            "\(isDestination ? "DestUserID" : "UserID") of \(says) bytes, the field has \(room)"
        case .bodyLength(let says, let there): "MessageBodyLen says \(says) bytes, \(there) are there"
        }
    }
}
