import MessageFormat
import Testing

@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// Serialized, and in the one suite that sets the time zone of the process.
@Suite(.serialized) struct TimeArgumentTests {
    private static let second: Int64 = 1_000_000_000
    /// 2026-11-30 11:04:05 UTC.
    private static let moment: Int64 = 1_796_036_645

    private func instant(_ text: String, utc: Bool = true) throws -> Int64? {
        guard case .instant(let time) = try TimeArgument(text, for: "--from", utc: utc) else { return nil }
        return time
    }

    private func withZone(_ zone: String, _ body: () throws -> Void) throws {
        let before = environmentVariable("TZ")
        setenv("TZ", zone, 1)
        tzset()
        defer {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
        try body()
    }

    @Test(arguments: [
        "2026-11-30T11:04:05Z", "2026-11-30t11:04:05z", "2026-11-30 11:04:05", "2026-11-30T19:04:05+08:00",
        "2026-11-30 06:04:05-0500", "1796036645", "1796036645.0",
    ])
    func oneMomentInManyForms(text: String) throws {
        #expect(try instant(text) == Self.moment * Self.second)
    }

    @Test func fractionsReachToNanoseconds() throws {
        #expect(try instant("2026-11-30 11:04:05.25") == Self.moment * Self.second + 250_000_000)
        #expect(try instant("2026-11-30T11:04:05.1234567899Z") == Self.moment * Self.second + 123_456_789)
        #expect(try instant("1796036645.000000001") == Self.moment * Self.second + 1)
    }

    @Test func datesAroundLeapDays() throws {
        #expect(try instant("1970-01-01 00:00:00") == 0)
        #expect(try instant("2000-02-29 00:00:00") == 951_782_400 * Self.second)
        #expect(try instant("2100-03-01 00:00:00") == 4_107_542_400 * Self.second)
        #expect(try instant("2016-12-31 23:59:60") == 1_483_228_800 * Self.second)
    }

    @Test(arguments: [
        "", "yesterday", "25:00:00", "11:04", "11:60:00", "2026-02-29 00:00:00", "2026-13-01 00:00:00",
        "2026-11-30T11:04:05+8", "2026-11-30 11:04:05.", "11:04:05x", "-5", "1e9", "2026-11-30", ".",
        "99999999999999999999", "١١:٠٤:٠٥",
    ])
    func otherTextIsRefused(text: String) {
        #expect(throws: UsageError.self) { try TimeArgument(text, for: "--to", utc: true) }
    }

    @Test func timeWithoutZoneIsLocal() throws {
        try withZone("CST-8") { () throws -> Void in
            let local = try instant("2026-11-30 19:04:05", utc: false)
            let utc = try instant("2026-11-30 11:04:05", utc: true)
            let zoned = try instant("2026-11-30 11:04:05Z", utc: false)
            #expect([local, utc, zoned] == Array(repeating: Self.moment * Self.second, count: 3))
        }
    }

    @Test func timeOfDayIsMeantOnTheFirstDay() throws {
        let first = Self.moment * Self.second + 7
        let time = try TimeArgument("23:00:00.5", for: "--from", utc: true)
        #expect(time == .timeOfDay(82_800 * Self.second + 500_000_000, .offset(0)))
        #expect(time.instant(firstPacket: first) == 1_796_079_600 * Self.second + 500_000_000)
        // 11:04 UTC is already the first of December in a zone that is fourteen hours ahead.
        let ahead = try TimeArgument("00:30:00+14:00", for: "--from", utc: false)
        #expect(ahead.instant(firstPacket: first) == 1_796_034_600 * Self.second)
        try withZone("CST-8") { () throws -> Void in
            let local = try TimeArgument("00:00:00", for: "--from", utc: false)
            #expect(local.instant(firstPacket: first) == 1_795_968_000 * Self.second)
        }
    }
}
