import ESProtocol
import Testing

@testable import esdump

@Suite struct ProtocolPageTests {
    /// On a terminal nothing is broken inside of a word, and only what has no blank is too long.
    @Test(arguments: [40, 60, 80, 100, 200]) func linesFit(width: Int) {
        let page = ProtocolPage(width: width, direction: nil)
        let types = MessageTypeDescription.all
        let text = page.list(types) + page.details(types)
        let words = Set(text.split { $0 == " " || $0 == "\n" })
        for line in text.split(separator: "\n") {
            #expect(!line.hasSuffix(" "), "\(line)")
            if width >= 100 { #expect(line.count <= width, "\(line)") }
        }
        for type in types { #expect(words.contains(Substring(type.name)), "\(type.name)") }
    }

    @Test func aNameFromAFileCannotReachTheTerminal() throws {
        let custom = CustomProfile(
            name: "x",
            version: .v65,
            types: [9: CustomProfile.MessageType(name: "a\u{1B}[2Jb", bodyType: nil)]
        )
        let types = Profile(custom).messageTypes
        let page = ProtocolPage(width: 80, direction: nil)
        #expect(!(page.list(types) + page.details(types)).contains("\u{1B}"))
    }

    @Test func oneDirection() throws {
        let logon = try #require(MessageTypeDescription.find(112, version: .v65))
        let requests = ProtocolPage(width: nil, direction: .request).details([logon])
        #expect(requests.contains("system_token") && !requests.contains("failure_cause"))
        let replies = ProtocolPage(width: nil, direction: .reply).list([logon])
        #expect(!replies.contains("SystemToken") && replies.contains("FailureCause"))
    }
}
