import ESServer
import Testing

@Suite struct UserIDCheckTests {
    @Test(arguments: ["a", "aa01", "用户01", "a.b-c_d@e", "Ünïcödé"])
    func ordinaryIDsAreTaken(id: String) {
        #expect(UserIDCheck.objection(Array(id.utf8), maximumLength: 64) == nil)
    }

    @Test(arguments: ["", "_0", "_a", "*", "a*", "9#a", "a b", "a\u{1B}[31m", "a\n", "\u{202E}a", "a\u{200B}", "a:b"])
    func idsThatMeanSomethingElseOrHideSomethingAreNot(id: String) {
        #expect(UserIDCheck.objection(Array(id.utf8), maximumLength: 64) != nil)
    }

    @Test func bytesThatAreNoTextAndLongOnesAreNot() {
        #expect(UserIDCheck.objection([0x61, 0xFF], maximumLength: 64) == "a user id that is not UTF-8")
        #expect(UserIDCheck.objection(Array("abcde".utf8), maximumLength: 4) == "a user id of 5 bytes")
    }
}
