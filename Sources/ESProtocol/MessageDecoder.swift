/// Cuts what one end of a session receives into messages.
///
/// A session has no gaps and begins with a header, so it is strict where ``MessageFramer`` searches: the first byte that is wrong
/// ends it. It holds at most one message beside what was pushed, and allocates nothing for bytes that have not come.
public struct MessageDecoder: Sendable {
    /// Why bytes are no message. The session cannot go on.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// What stands where a header must be is none: its first bytes (at most 16), and the offset in the stream.
        case notAHeader([UInt8], offset: Int64)
        /// A header that declares a longer body than is allowed.
        case bodyTooLong(Int, limit: Int, offset: Int64)

        public var description: String {
            switch self {
            case .notAHeader(let bytes, let offset):
                "no header at byte \(offset) of the stream: "
                    + bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined(separator: " ")
            case .bodyTooLong(let length, let limit, let offset):
                "the header at byte \(offset) of the stream declares a body of \(length) bytes, more than \(limit)"
            }
        }
    }

    /// The layout; found from the first header unless it was given.
    public private(set) var layout: HeaderLayout?
    /// The longest body that is accepted, in bytes.
    public let maximumBody: Int
    /// Offset in the stream of the next message.
    public private(set) var streamOffset: Int64 = 0

    private var buffer: [UInt8] = []
    private var start = 0
    private var failure: Failure?

    /// - Parameter layout: `nil` finds it from the first header, which must have a sender or a receiver.
    public init(layout: HeaderLayout?, maximumBody: Int) {
        self.layout = layout
        self.maximumBody = max(maximumBody, 0)
    }

    /// Bytes that have come and are not a whole message yet.
    public var pendingByteCount: Int { buffer.count - start }

    /// Takes the next bytes. All messages are taken out with ``next()`` before more bytes come.
    public mutating func push(_ bytes: some Collection<UInt8>) {
        guard failure == nil else { return }
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 17)
            start = 0
        } else if start > 1 << 16 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// - Returns: the next message; `nil` if its end has not come yet.
    public mutating func next() throws(Failure) -> Message? {
        if let failure { throw failure }
        do throws(Failure) {
            return try decode()
        } catch {
            failure = error
            buffer = []
            start = 0
            throw error
        }
    }

    private mutating func decode() throws(Failure) -> Message? {
        let there = buffer.count - start
        guard there > 0 else { return nil }
        if layout == nil { layout = try findLayout() }
        // Garbage is seen at once, and not when it is as long as a header.
        if let token = layout?.startToken.firstByte, buffer[start] != token { throw notAHeader }
        guard there >= 12 else { return nil }
        let length = Int(bodyLength)
        guard length >= 0 else { throw notAHeader }
        guard length <= maximumBody else {
            throw .bodyTooLong(length, limit: maximumBody, offset: streamOffset)
        }
        guard let layout, there >= layout.headerLength else { return nil }
        let total = layout.headerLength + length
        // The ids too, before the body is waited for.
        guard
            HeaderCheck.inSync(buffer.span.bytes, at: start, layout: layout, maximumMessage: total) == .header
        else { throw notAHeader }
        guard there >= total else { return nil }
        guard
            let message = try? Message(
                parsing: buffer.span.bytes.extracting(start..<start + total),
                layout: layout
            )
        else { throw notAHeader }
        start += total
        streamOffset += Int64(total)
        return message
    }

    private var bodyLength: Int32 { buffer.span.bytes.int32(at: start + 8) }

    private var notAHeader: Failure { .notAHeader(Array(buffer[start...].prefix(16)), offset: streamOffset) }

    /// The layout that the first header shows: the first byte behind the sender's id that is not zero is the length of the
    /// receiver's (PROTOCOL.md section 9).
    /// - Returns: `nil` if too little of it has come.
    private func findLayout() throws(Failure) -> HeaderLayout? {
        let bytes = buffer[start...]
        guard let first = bytes.first, first == 0xFF || first == 0x0F else { throw notAHeader }
        guard bytes.count > 12 else { return nil }
        let token: HeaderLayout.StartToken =
            first == 0x0F ? .zeroF : bytes[start + 1] == 0xFF ? .ffff : .ff
        let behind = 13 + Int(bytes[start + 12])
        // No user id of a session that begins so is longer.
        let end = 12 + 64
        guard behind < end else { throw notAHeader }
        guard bytes.count > behind else { return nil }
        for offset in behind..<min(end, bytes.count) where bytes[start + offset] != 0 {
            guard offset >= 14 else { throw notAHeader }
            return HeaderLayout(startToken: token, idSlot: UInt8(offset - 12))
        }
        if bytes.count >= end { throw notAHeader }
        return nil
    }
}
