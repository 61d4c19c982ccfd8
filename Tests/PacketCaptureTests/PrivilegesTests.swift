import PacketCapture
import Testing

@Suite struct PrivilegesTests {
    @Test func usersAreFoundByName() throws {
        #expect(try Privileges.user(named: "root").userID == 0)
        do throws(CaptureError) {
            _ = try Privileges.user(named: "no such user")
            Issue.record("it was found")
        } catch {
            #expect(error.exitStatus == 2)
            #expect(error.message.contains("no such user"))
        }
    }

    @Test func thereIsNothingToGiveUpWithoutRoot() throws {
        if !Privileges.isRoot { #expect(try Privileges.remainingUser(option: nil) == nil) }
    }
}
