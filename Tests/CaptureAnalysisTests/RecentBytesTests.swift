import MessageFormat
import Testing

@testable import CaptureAnalysis

@Suite struct RecentBytesTests {
    private let key = RecentBytes.Key(conversation: 1, side: 0)

    private func note(_ recent: inout RecentBytes, _ bytes: [UInt8], at offset: Int64) {
        recent.note(key, bytes.span.bytes, offset: offset)
    }

    private func difference(_ recent: RecentBytes, _ bytes: [UInt8], at offset: Int64) -> Range<Int64>? {
        recent.difference(key, bytes.span.bytes, offset: offset)
    }

    @Test func differencesAreFoundAcrossPieces() {
        var recent = RecentBytes(capacity: 64)
        note(&recent, [1, 2, 3, 4], at: 100)
        note(&recent, [5, 6, 7, 8], at: 104)
        #expect(difference(recent, [3, 4, 5, 6], at: 102) == nil)
        #expect(difference(recent, [3, 9, 5, 9, 7, 8, 9], at: 102) == 103..<106)
        #expect(difference(recent, [9], at: 99) == nil)
        let other = RecentBytes.Key(conversation: 1, side: 1)
        let again: [UInt8] = [9]
        #expect(recent.difference(other, again.span.bytes, offset: 100) == nil)
    }

    @Test func oldBytesAreForgottenAndNeverMistaken() {
        var recent = RecentBytes(capacity: 10, maximumEntries: 3)
        for index in 0..<20 {
            note(&recent, [UInt8](repeating: UInt8(index), count: 1 + index % 4), at: Int64(index * 4))
            // What is still known is known rightly, whatever has been overwritten.
            for earlier in 0...index {
                let again = [UInt8](repeating: UInt8(earlier), count: 1 + earlier % 4)
                #expect(difference(recent, again, at: Int64(earlier * 4)) == nil)
            }
            #expect(difference(recent, [255], at: Int64(index * 4)) == Int64(index * 4)..<Int64(index * 4) + 1)
        }
        #expect(difference(recent, [255], at: 0) == nil)
        note(&recent, [UInt8](repeating: 0, count: 11), at: 1000)
        #expect(difference(recent, [255], at: 1000) == nil)
    }

    @Test func aRetransmissionWithOtherBytesIsSaid() {
        var bench = PacketBench()
        bench.handshake()
        let first = message(id: 1, body: 20)
        bench.send(0, first)
        var second = first
        second[40] ^= 1
        bench.segment(0, at: 0, second)
        bench.segment(0, at: 0, first)
        bench.fin()
        let output = bench.finish()
        #expect(output.messages.count == 1)
        #expect(
            output.events(.notice).map(\.reason) == [
                "what came again differs at stream offset 40; the first copy counts"
            ]
        )
    }
}
