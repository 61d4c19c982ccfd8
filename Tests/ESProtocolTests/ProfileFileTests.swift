import Testing

@testable import ESProtocol

/// The file in which a user says what an application has of its own.
struct ProfileFileTests {
    private func read(_ text: String) throws -> CustomProfile { try ProfileFile.read(Array(text.utf8)) }

    private let sample = """
        # Our trading server
        [profile]
        name = Trading server
        bodies = 6.5

        [header]
        start-token = ff
        user-id-length = 20   # SetMaxLengthOfUserID(20)

        [client-types]
        20 = Bot
        0 = Desktop client

        [message-types]
        1001 = Quote
        1002 = Order like 202
        1003 = Chat like BroadcastByServer
        2112 = Logon
        110 = Users
        """

    @Test func everythingThatAFileMaySay() throws {
        let custom = try read(sample)
        #expect(custom.name == "Trading server")
        #expect(custom.version == .v65)
        #expect(custom.startToken == .ff)
        #expect(custom.idSlot == 22)
        #expect(custom.types[1002] == .init(name: "Order", bodyType: 202))
        #expect(custom.types[1001] == .init(name: "Quote", bodyType: nil))
        #expect(custom.types[2112] == .init(name: "Logon", bodyType: 112))

        let profile = Profile(custom)
        #expect(profile.layout() == HeaderLayout(startToken: .ff, idSlot: 22))
        #expect(profile.clientTypeName(20) == "Bot")
        #expect(profile.clientTypeName(0) == "Desktop client")
        #expect(profile.clientTypeName(1) == "Silverlight")
        #expect(profile.messageTypeName(1001) == "Quote")
        #expect(profile.messageTypeName(112) == "Logon")
        #expect(profile.messageTypeName(2112, isRequest: false) == "Logon reply")
        #expect(profile.messageTypeName(1002, isRequest: false) == "Order")
        // A name that it gives to one of the framework's types takes the bodies away, unless it says whose it has.
        #expect(profile.messageTypeName(110) == "Users" && profile.bodyType(of: 110) == nil)
    }

    /// Lines may end as on Windows, and begin with a byte order mark.
    @Test func linesFromWindows() throws {
        let text =
            "\u{FEFF}" + sample.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        #expect(try read(text) == read(sample))
    }

    @Test func bodiesFollowTheFile() throws {
        let profile = Profile(try read(sample))
        func title(_ type: UInt16, _ hex: String, isRequest: Bool = true) -> String? {
            let body = bytes(hex)
            let header = header(type, .v65, bodyLength: body.count)
            return BodyDescriber(profile: profile)
                .describe(body: body.span.bytes, bodyOffset: 36, header: header, isRequest: isRequest)?.title
        }
        let logon = "14000000 08000000 4672656555736572 00000000 00000000"
        #expect(title(2112, logon) == "Logon request")
        #expect(title(112, logon) == "Logon request")
        #expect(title(1002, "0a000000 02000000 abcd 07000000") == "InformationBySend")
        // What has no body of the framework is looked at without prejudice.
        #expect(title(1001, "0a000000 02000000 6162 07000000")?.hasSuffix("a guess") == true)
        #expect(title(110, "05000000 ffffffff 07") == nil)
    }

    /// The password of a Logon under another number is one too.
    @Test func aLogonIsOneUnderAnyNumber() throws {
        let profile = Profile(try read(sample))
        #expect(profile.isLogon(2112) && profile.isLogon(112))
        #expect(!profile.isLogon(1001) && !profile.isLogon(116))
        #expect(Profile(.v40).isLogon(116) && !Profile(.v72).isLogon(116))
    }

    @Test func noBodiesAtAll() throws {
        let custom = try read("[profile]\nbodies = none\n[message-types]\n7 = Seven")
        let profile = Profile(custom)
        #expect(profile.messageTypeName(112) == nil && profile.messageTypeName(7) == "Seven")
        #expect(profile.startToken == nil && profile.layout() == nil)
        #expect(profile.messageTypes.map(\.name) == ["Seven"])
    }

    @Test(arguments: [
        ("bodies = 6.5", "1:1: bodies stands before the first [section]"),
        ("[profile]\nbodies = 6.6", "2:10: bodies = 6.6: not one of 4.0, 4.7, 6.5, 7.2, none"),
        ("[profile]\n  boddies = 6.5", "2:3: [profile] has no boddies, only name and bodies"),
        ("[profiles]", "1:1: [profiles] is not one of [profile], [header], [client-types], [message-types]"),
        ("[profile]\nbodies = 6.5\n[profile]", "3:1: [profile] is said twice, first in line 1"),
        ("[profile]\nbodies = 6.5\nbodies = 7.2", "3:1: bodies is said twice, first in line 2"),
        ("[profile]\nname =", "2:7: name has no value"),
        ("[profile]\n= 3", "2:1: nothing stands before the ="),
        ("[profile]\nbodies", "2:1: neither a [section] nor key = value"),
        ("[profile]\nname = x", "2:1: [profile] does not say bodies = 4.0, 4.7, 6.5, 7.2 or none"),
        ("", "1:1: [profile] does not say bodies = 4.0, 4.7, 6.5, 7.2 or none"),
        ("[header]\nstart-token = 07", "2:15: start-token = 07: not one of ff, 0f, ffff"),
        ("[header]\nid-slot = 1", "2:11: id-slot = 1: not a number from 2 to 255"),
        ("[header]\nuser-id-length = 0", "2:18: user-id-length = 0: not a number from 1 to 251"),
        (
            "[header]\nid-slot = 12\nuser-id-length = 11",
            "3:1: id-slot and user-id-length both say how long an id is (line 2 and line 3): only one of them"
        ),
        (
            "[header]\norder = 1",
            "2:1: [header] has no order, only start-token, id-slot and user-id-length: the order of the fields is the framework's"
        ),
        ("[client-types]\n256 = x", "2:1: 256 is not a kind of client (a number up to 255)"),
        ("[message-types]\nLogon = 112", "2:1: Logon is not a type of message (a number up to 65535)"),
        ("[message-types]\n1 = Two words", "2:5: Two words: not a name without blanks, or NAME like TYPE"),
        (
            "[profile]\nbodies = 6.5\n[message-types]\n1 = 价格 like 99",
            "4:13: like 99: not a type of 6.5"
        ),
        (
            "[profile]\nbodies = none\n[message-types]\n1 = A like 112",
            "4:12: like 112, but [profile] says bodies = none"
        ),
        ("[profile]\nname = a\u{7}b", "2:9: a control character"),
    ]) func whatIsWrongIsSaidWithItsPlace(text: String, expected: String) {
        do throws(ProfileFileError) {
            _ = try ProfileFile.read(Array(text.utf8))
            Issue.record("no error in \(text)")
        } catch { #expect(error.description == expected) }
    }

    @Test func textThatIsNotUTF8() {
        do throws(ProfileFileError) {
            _ = try ProfileFile.read(Array("[profile]\nname = ä".utf8) + [0xFF, 0x41])
            Issue.record("no error")
        } catch { #expect(error.description == "2:9: not UTF-8") }
    }

    @Test func noise() {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("[profile]header=bodies 6.5 none\n\r#like 0123\u{FF}ä".utf8)
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...80, using: &generator)).map { _ in letters.randomElement() ?? 0 }
            _ = try? ProfileFile.read(text)
        }
    }
}
