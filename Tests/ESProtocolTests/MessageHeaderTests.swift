import TestSupport
import Testing

@testable import ESProtocol

struct MessageHeaderTests {
    @Test func everyNumberIsReadFromItsPlace() {
        var wire = messageBytes(type: 0x1234, id: -7, user: "aa01", dest: "b", body: [1, 2, 3])
        wire[1] = 9
        let header = MessageHeader(reading: wire.span.bytes, layout: HeaderLayout(startToken: .ff, idSlot: 12))
        #expect(header.layout == HeaderLayout(startToken: .ff, idSlot: 12))
        #expect(header.clientType == 9)
        #expect(header.messageType == 0x1234)
        #expect(header.messageID == -7)
        #expect(header.bodyLength == 3)
        #expect(header.userIDLength == 4)
        #expect(header.destUserIDLength == 1)
        #expect(header.messageLength == 39)
        #expect(
            MessageHeader(reading: wire.span.bytes, layout: HeaderLayout(startToken: .ffff, idSlot: 12)).clientType
                == nil
        )
    }

    @Test func aChangedNumberLeavesTheOthers() {
        let wire = messageBytes(body: [1])
        var header = MessageHeader(reading: wire.span.bytes, layout: HeaderLayout(startToken: .zeroF, idSlot: 12))
        let before = header
        header.messageType = 0xFFFF
        header.messageID = .min
        header.bodyLength = -1
        header.layout = HeaderLayout(startToken: .ff, idSlot: 200)
        #expect(header.messageType == 0xFFFF && header.messageID == .min && header.bodyLength == -1)
        #expect(header.layout == HeaderLayout(startToken: .ff, idSlot: 200))
        #expect(header.userIDLength == before.userIDLength && header.destUserIDLength == before.destUserIDLength)
        #expect(header.clientType == before.clientType)
        header.messageType = before.messageType
        header.messageID = before.messageID
        header.bodyLength = before.bodyLength
        header.layout = before.layout
        #expect(header == before)
    }

    /// There are two for each of hundreds of thousands of conversations.
    @Test func aFramerIsSmall() { #expect(MemoryLayout<MessageFramer>.stride <= 64) }
}
