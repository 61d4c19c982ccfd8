import Testing

@testable import CaptureAnalysis

struct ConversationRecordTests {
    /// What hundreds of thousands of conversations cost each, beside what the reassembler and the framers keep.
    @Test func aRecordIsSmall() {
        #expect(MemoryLayout<ConversationRecord>.stride <= 64)
        #expect(MemoryLayout<ConversationStatus>.stride == 1)
        #expect(MemoryLayout<VersionKnowledge>.stride <= 6)
    }
}
