import ESClient
import Testing

@Test func theDateIsEightDigits() {
    let now = LocalTime.now()
    #expect(now.date.utf8.count == 8 && now.date.utf8.allSatisfy { (48...57).contains($0) })
    #expect(now.date.hasPrefix("20") && now.milliseconds > 1_700_000_000_000)
}
