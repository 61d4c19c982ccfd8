import Testing

@testable import CaptureAnalysis

/// What is said of a filter that does not compile, and where it points.
@Suite struct FilterErrorTests {
    private func failure(_ expression: String) -> FilterError? {
        do throws(FilterError) {
            _ = try MessageFilter(compiling: expression)
            return nil
        } catch { return error }
    }

    /// Each with the part that is pointed at, and words of the message.
    @Test(arguments: [
        ("es.message_typ == 1", "es.message_typ", "did you mean es.message_type?"),
        ("user_id == \"a\"", "user_id", "did you mean es.user_id?"),
        ("password == \"a\"", "password", "did you mean es.body.password?"),
        ("es.message_type == \"abc\"", "\"abc\"", "there is no message type abc"),
        ("es.message_type == Heartbaet", "Heartbaet", "did you mean HeartBeat?"),
        ("es.message_id == \"7\"", "\"7\"", "without quotes"),
        ("es.message_id == abc", "abc", "is a number"),
        ("es.user_id == aa01", "aa01", "between quotes: \"aa01\""),
        ("es.user_id == 12", "12", "between quotes"),
        ("es.body contains 12", "12", "5f:30"),
        ("es.message_type contains \"Log\"", "contains", "es.message_type_name"),
        ("es.message_id matches \"1\"", "matches", "text and bytes"),
        ("es.user_id matches aa", "aa", "between quotes"),
        ("es.user_id matches \"a(b\"", "\"", "does not compile"),
        ("status == partial", "partial", "one of complete, gap, truncated"),
        ("status < complete", "<", "no order"),
        ("src == nowhere", "nowhere", "not an address"),
        ("src.host == 10.0.0.1:80", "10.0.0.1:80", "not an address"),
        ("time > yesterday", "yesterday", "not a time"),
        ("time > 2026-02-30T00:00:00Z", "2026-02-30T00:00:00Z", "not a time"),
        ("es.message_type = 1", "=", "=="),
        ("es.message_id == 1 & es.message_id == 2", "&", "&&"),
        ("es.message_id ==", "", "at the end"),
        ("es.message_id == 1 es.message_id", "es.message_id", "“and”, “or” or the end"),
        ("(es.message_id == 1", "(", "not closed"),
        ("es.message_id == 1)", ")", "the end"),
        ("es.user_id == \"a", "\"a", "not closed"),
        ("es.user_id == \"\\q\"", "\\q", "escape"),
        ("es.message_type in 5", "5", "expected {"),
        ("es.message_type in {5 6}", "6", "expected , or }"),
        ("es.message_type in {9..5}", "9..5", "lower value"),
        ("Logon", "Logon", "es.message_type == Logon"),
        ("112", "112", "a field must stand"),
        ("\"a\" == \"b\"", "\"a\"", "a field must stand"),
        ("\"a\" contains es.user_id", "contains", "on the left"),
        ("es.body.p2p_address == 1", "es.body.p2p_address", "es.body.p2p_address.private_ip"),
        ("es.user_id == es.message_id", "es.user_id == es.message_id", "is text"),
        ("size(es.user_id) == 1", "size", "len, count, lower, upper"),
        ("len(es.message_id) == 1", "es.message_id", "text and bytes"),
        ("es.user_id[a:b] == \"x\"", "a:b", "[2:4]"),
        ("n == 1", "n", "only when a message is shown"),
        ("", "", "empty"),
        ("es.user_id == 中", "中", "between quotes"),
        ("es.message_type == and", "and", "operator"),
    ]) func pointsAtThePlace(expression: String, place: String, words: String) throws {
        let error = try #require(failure(expression), "\(expression) compiles")
        #expect(error.message.contains(words), "\(error.message)")
        #expect(String(decoding: Array(expression.utf8)[error.range], as: UTF8.self) == place)
    }

    @Test func aLineBelowPointsAtThePlace() throws {
        let error = try #require(failure("es.user_id == \"中文\" && es.user == 1"))
        #expect(error.place() == "  es.user_id == \"中文\" && es.user == 1\n                          ^~~~~~~\n")
        let long = try #require(failure(String(repeating: "es.message_id == 1 || ", count: 30) + "x"))
        let lines = long.place().split(separator: "\n")
        #expect(lines[0].count < 80 && lines[0].hasSuffix("|| x") && lines[1].count == lines[0].count)
        let control = try #require(failure("es.user_id == \"\u{1B}[31m\" x"))
        #expect(!control.place().unicodeScalars.contains("\u{1B}"))
    }

    @Test func depthAndLengthAreLimited() throws {
        let deep = String(repeating: "(", count: 5000) + "1" + String(repeating: ")", count: 5000)
        #expect(failure(deep)?.message.contains("nested deeper") == true)
        let nots = String(repeating: "!", count: 5000) + "es.message_id == 1"
        #expect(failure(nots)?.message.contains("nested deeper") == true)
        let calls = String(repeating: "lower(", count: 1000) + "es.user_id"
        #expect(failure(calls)?.message.contains("nested deeper") == true)
        #expect(failure(String(repeating: " ", count: 70_000) + "es.message_id")?.message.contains("64 KiB") == true)
        let wide = (0..<1000).map { "es.message_id == \($0)" }.joined(separator: " || ")
        #expect(failure(wide) == nil)
    }

    @Test func misspelledBodyFieldsAreHintedAt() throws {
        #expect(
            try MessageFilter(compiling: "es.body.pasword == 1").hints.first?.message.contains("es.body.password")
                == true
        )
        #expect(try MessageFilter(compiling: "es.body.password == \"a\" || es.body.my_own_thing").hints.isEmpty)
    }
}
