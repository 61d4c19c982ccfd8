import CaptureAnalysis
import ESProtocol
import Foundation
import MessageFormat
import TestSupport
import Testing

@Suite struct ComparisonTests {
    /// A conversation of two users by way of the server.
    private func chat() throws -> RecordedMessages {
        var chat = RecordedMessages()
        try chat.add(112, id: 1, from: "aa01", to: "_0", body: [12, 0, 0, 0] + [UInt8](repeating: 0, count: 12))
        try chat.add(
            112,
            id: 1,
            from: "_0",
            to: "aa01",
            body: [11, 0, 0, 0] + [UInt8](repeating: 0, count: 11),
            direction: .serverToClient
        )
        try chat.add(104, id: 0, from: "aa01", to: "_0")
        for id in Int32(2)...6 { try chat.say("message \(id)", id: id) }
        try chat.add(206, id: 9, from: "bb02", to: "aa01", direction: .serverToClient)
        return chat
    }

    private func compare(
        _ a: RecordedMessages,
        _ b: RecordedMessages,
        _ options: ComparisonOptions = ComparisonOptions()
    ) -> CaptureComparison {
        CaptureComparison(a.captured(), b.captured(), options: options)
    }

    // MARK: - The same

    @Test func aCaptureIsTheSameAsItself() throws {
        for name in ["login", "login-password", "chat-through-server", "login-7.2", "hole-in-body"] {
            let capture = try RecordedMessages.own(name)
            let comparison = CaptureComparison(capture, capture)
            #expect(!comparison.isDifferent, "\(name): \(comparison.differences)")
            #expect(comparison.renamings.isEmpty)
            #expect(comparison.conversations.allSatisfy { $0.renumberings.isEmpty && $0.a == $0.b })
        }
    }

    static let recordedTwice = ["login", "login-password", "chat-through-server"]

    @Test(arguments: recordedTwice) func aScenarioRecordedTwiceIsTheSame(name: String) throws {
        let shared = ExpectedCaptures.root.deletingLastPathComponent().appendingPathComponent("shared/captures")
        guard FileManager.default.fileExists(atPath: shared.path) else { return }
        let comparison = CaptureComparison(
            try RecordedMessages.capture(shared.appendingPathComponent("4.7.3/\(name).pcap").path),
            try RecordedMessages.capture(shared.appendingPathComponent("6.5/\(name).pcap").path)
        )
        #expect(!comparison.isDifferent, "\(comparison.differences)")
        #expect(comparison.renamings.isEmpty && comparison.allowed.isEmpty)
    }

    @Test func portsOfClientsAndTheOrderOfConversationsDoNotMatter() throws {
        var a = RecordedMessages()
        for user in [1, 2, 3] {
            let name = Message.ID("user\(user)")
            try a.add(104, id: 0, from: name, to: "_0", conversation: user)
            try a.say("from \(user)", id: 2, from: name, conversation: user)
        }
        var b = a
        b.clientPorts = [50000, 50001, 50002]
        for index in b.list.indices { b.list[index].conversation = 4 - b.list[index].conversation }
        let comparison = compare(a, b)
        #expect(!comparison.isDifferent)
        #expect(comparison.conversations.map(\.b) == [3, 2, 1])
    }

    @Test func theOtherDirectionMayComeEarlierOrLater() throws {
        let a = try chat()
        var b = a
        let answer = b.list.removeLast()
        b.list.insert(answer, at: 2)
        #expect(!compare(a, b).isDifferent)
    }

    // MARK: - What was planted

    /// Every byte of every message, one at a time: each is told as a change of that message and no other.
    @Test(arguments: ["login", "login-password"]) func aChangedByteIsFoundInItsMessage(name: String) throws {
        let a = try RecordedMessages.own(name)
        let original = RecordedMessages(a)
        for (place, one) in original.list.enumerated() {
            for offset in one.bytes.indices {
                // What the header says of lengths, token and layout makes another message of it.
                guard offset >= 1, !(8..<13).contains(offset), offset != 24 else { continue }
                var changed = original
                changed.list[place].bytes[offset] ^= 0x21
                let comparison = CaptureComparison(a, changed.captured())
                let differences = comparison.differences
                let isFound =
                    differences.count == 1 && differences[0].hasPrefix("changed \(place + 1) \(place + 1) ")
                    || offset < 4 && differences == ["only in A \(place + 1)", "only in B \(place + 1)"]
                #expect(isFound, "message \(place + 1), offset \(offset): \(differences)")
            }
        }
    }

    @Test func exactlyWhatWasPlantedIsFound() throws {
        let a = try RecordedMessages.own("chat-through-server")
        let original = RecordedMessages(a)
        var b = original
        // The content of one message, the type of another, one message less and one more.
        b.list[8].bytes[44] ^= 0x01
        b.list[20].bytes[2] = 202
        let removed = b.list.remove(at: 30)
        var extra = removed
        extra.bytes[2] = 150
        b.list.insert(extra, at: 40)
        let comparison = CaptureComparison(a, b.captured())
        #expect(
            comparison.differences.sorted() == [
                "changed 21 21 es.message_type", "changed 9 9 es.body.content", "only in A 31", "only in B 41",
            ]
        )
    }

    @Test func theFirstDifferenceIsTheOneThatComesFirst() throws {
        let a = try chat()
        var b = a
        b.list[6].bytes[50] ^= 1
        b.list[4].bytes[45] ^= 1
        let comparison = compare(a, b)
        let first = try #require(comparison.first)
        let entry = comparison.conversations[first.conversation].entries[first.entry]
        #expect(entry.a == 4 && entry.b == 4)
    }

    @Test func bytesInsideABodyAreNamed() throws {
        let a = try chat()
        var b = a
        b.list[4].bytes[46] = UInt8(ascii: "X")
        var comparison = compare(a, b)
        let entry = try #require(comparison.conversations[0].entries.first { $0.kind == .changed })
        let change = try #require(comparison.changes(of: entry).first)
        #expect(change.name == "es.body.content")
        #expect(change.bytesA == 46..<47 && change.bytesB == 46..<47)
    }

    @Test func aLongerTextIsOneChangeAndItsLengthsAreNone() throws {
        let a = try chat()
        var b = RecordedMessages()
        b.list = Array(a.list[..<4])
        try b.say("message 3, and more", id: 3)
        b.list += a.list[5...]
        #expect(compare(a, b).differences == ["changed 5 5 es.body.content"])
    }

    @Test func aMessageThatWasMovedIsReordered() throws {
        let a = try chat()
        var b = a
        let moved = b.list.remove(at: 3)
        b.list.insert(moved, at: 6)
        #expect(compare(a, b).differences == ["reordered 4 7"])
    }

    @Test func ofSeveralAcknowledgementsTheMissingOneIsNamed() throws {
        var a = RecordedMessages()
        for id in Int32(1)...5 { try a.add(206, id: id, from: "bb02", to: "aa01", direction: .serverToClient) }
        for missing in 0..<5 {
            var b = a
            b.list.remove(at: missing)
            #expect(compare(a, b).differences == ["only in A \(missing + 1)"])
        }
    }

    @Test func aMessageOfTwoFoldsIsToldFromItsNeighbours() throws {
        let a = try chat()
        var b = a
        b.list.remove(at: 5)
        b.list.remove(at: 3)
        #expect(compare(a, b).differences == ["only in A 4", "only in A 6"])
    }

    @Test func bytesThatWereNotCapturedAreADifference() throws {
        let whole = try RecordedMessages.own("hole-in-body")
        var complete = RecordedMessages(whole)
        let place = try #require(whole.messages.firstIndex { $0.status == .gap })
        let header = whole.messages[place].header
        complete.list[place].bytes += [UInt8](
            repeating: 0,
            count: header.messageLength - complete.list[place].bytes.count
        )
        let differences = CaptureComparison(whole, complete.captured()).differences
        #expect(differences.count == 1 && differences[0].hasPrefix("changed \(place + 1) \(place + 1) status"))
    }

    @Test func aMessageWithAHoleStandsWhereItIsInTheStream() throws {
        let capture = try RecordedMessages.own("hole-in-body")
        let place = try #require(capture.messages.firstIndex { $0.status == .gap })
        let comparison = CaptureComparison(capture, try RecordedMessages.own("ends-inside-body"))
        let number = capture.messages[place].number
        #expect(comparison.differences.contains { $0.hasPrefix("changed \(number) ") && $0.contains(" status") })
    }

    // MARK: - Message ids

    @Test func idsThatAreAllHigherAreOneRenumbering() throws {
        let a = try chat()
        var b = a
        for index in b.list.indices
        where b.list[index].direction == .clientToServer && b.list[index].header.messageID > 0 {
            b.list[index].bytes[4] += 7
        }
        b.list[1].bytes[4] += 7
        let comparison = compare(a, b)
        #expect(!comparison.isDifferent, "\(comparison.differences)")
        let renumberings = comparison.conversations[0].renumberings
        #expect(renumberings.map(\.offset) == [7])
        #expect(renumberings.map(\.messages) == [6])
    }

    @Test func afterAMessageMoreTheIdsBehindItAreNoChange() throws {
        let a = try chat()
        var b = RecordedMessages()
        b.list = Array(a.list[..<5])
        try b.say("put in", id: 4)
        for one in a.list[5...] {
            var one = one
            if one.direction == .clientToServer { one.bytes[4] += 1 }
            b.list.append(one)
        }
        let comparison = compare(a, b)
        #expect(comparison.differences == ["only in B 6"])
        #expect(comparison.conversations[0].renumberings.map(\.offset) == [1])
    }

    @Test func oneIdThatIsWrongIsAChange() throws {
        let a = try chat()
        for place in [0, 1, 4, 7, 8] {
            var b = a
            b.list[place].bytes[4] += 1
            #expect(compare(a, b).differences == ["changed \(place + 1) \(place + 1) es.message_id"])
        }
    }

    @Test func exactlyComparedIdsAreChanges() throws {
        let a = try chat()
        var b = a
        for index in 3...7 { b.list[index].bytes[4] += 7 }
        var options = ComparisonOptions()
        options.isExact = true
        #expect(compare(a, b, options).differences.count == 5)
    }

    // MARK: - Names

    private func renamed(_ messages: RecordedMessages, _ names: [String: String]) throws -> RecordedMessages {
        var result = messages
        for index in result.list.indices {
            var message = try Message(parsing: result.list[index].bytes, layout: result.list[index].layout)
            if let name = names[message.userID.text] { message.userID = Message.ID(name) }
            if let name = names[message.destUserID.text] { message.destUserID = Message.ID(name) }
            result.list[index].bytes = try message.bytes()
        }
        return result
    }

    @Test func aUserWhoIsAlwaysAnotherIsOneRenaming() throws {
        let a = try chat()
        let comparison = compare(a, try renamed(a, ["aa01": "cc"]))
        #expect(!comparison.isDifferent, "\(comparison.differences)")
        #expect(comparison.renamings.map { "\($0.a) \($0.b)" } == ["aa01 cc"])
    }

    @Test func usersWhoChangedPlacesAreTwoRenamings() throws {
        let a = try chat()
        let comparison = compare(a, try renamed(a, ["aa01": "bb02", "bb02": "aa01"]))
        #expect(!comparison.isDifferent, "\(comparison.differences)")
        #expect(Set(comparison.renamings.map { "\($0.a) \($0.b)" }) == ["aa01 bb02", "bb02 aa01"])
    }

    @Test func aUserWhoIsAnotherOnceIsAChange() throws {
        let a = try chat()
        var b = a
        var message = try Message(parsing: b.list[5].bytes, layout: b.list[5].layout)
        message.destUserID = "cc03"
        b.list[5].bytes = try message.bytes()
        let comparison = compare(a, b)
        #expect(comparison.differences == ["changed 6 6 es.dest_user_id"])
        #expect(comparison.renamings.isEmpty)
    }

    @Test func aUserWhoIsToBeAnotherMustBe() throws {
        let a = try chat()
        var options = ComparisonOptions()
        options.users = [("aa01", "cc")]
        options.isExact = true
        #expect(!compare(a, try renamed(a, ["aa01": "cc"]), options).isDifferent)
        // Here it is not renamed, and that is the difference.
        #expect(compare(a, a, options).differences.count == a.list.count)
    }

    @Test func aLoginIDIsItsUser() throws {
        let layout = HeaderLayout(startToken: .zeroF, idSlot: 14)
        var (a, b) = (RecordedMessages(), RecordedMessages())
        try a.add(104, id: 0, from: "9#aa01", to: "_0", layout: layout, clientType: 9)
        try a.add(104, id: 0, from: "9#aa01", to: "_0", layout: layout, clientType: 9)
        try b.add(104, id: 0, from: "aa01", to: "_0", layout: layout, clientType: 9)
        try b.add(104, id: 0, from: "aa01", to: "_0", layout: layout, clientType: 9)
        let comparison = compare(a, b)
        #expect(!comparison.isDifferent, "\(comparison.differences)")
        #expect(comparison.renamings.isEmpty)
        #expect(comparison.allowed == ["es.user_id": 2])
    }

    // MARK: - Options

    @Test func whatIsIgnoredIsNoDifference() throws {
        let a = try chat()
        var b = a
        b.list[4].bytes[46] ^= 1
        b.list[5].bytes[4] += 3
        var options = ComparisonOptions()
        options.ignoredFields = ["es.body", "es.message_id", "es.typo"]
        let comparison = compare(a, b, options)
        #expect(!comparison.isDifferent)
        #expect(comparison.unmetIgnored == ["es.typo"])
    }

    @Test func heartbeatsCanBeLeftOut() throws {
        let a = try chat()
        var b = a
        try b.add(104, id: 0, from: "aa01", to: "_0")
        #expect(compare(a, b).differences == ["only in B 10"])
        var options = ComparisonOptions()
        options.ignoresHeartbeats = true
        #expect(!compare(a, b, options).isDifferent)
    }

    // MARK: - Other layouts

    @Test func acrossLayoutsTheMeaningIsCompared() throws {
        let shared = ExpectedCaptures.root.deletingLastPathComponent().appendingPathComponent("shared/captures")
        guard FileManager.default.fileExists(atPath: shared.path) else { return }
        for name in ["login", "login-password"] {
            let comparison = CaptureComparison(
                try RecordedMessages.capture(shared.appendingPathComponent("6.5/\(name).pcap").path),
                try RecordedMessages.capture(shared.appendingPathComponent("7.2/\(name).pcap").path)
            )
            #expect(!comparison.isDifferent, "\(comparison.differences)")
            #expect(comparison.conversations.allSatisfy { $0.layouts?.b.startToken == .zeroF })
        }
    }

    @Test func aDateInABodyMayDiffer() throws {
        var (a, b) = (RecordedMessages(), RecordedMessages())
        // GetClientTimeResponse: {Time}, milliseconds since 1970.
        try a.add(210, id: 5, from: "aa01", to: "_0", body: [8, 0, 0, 0, 0, 0x10, 0x5E, 0x5F, 0x9A, 1, 0, 0])
        try b.add(210, id: 5, from: "aa01", to: "_0", body: [8, 0, 0, 0, 0, 0x20, 0x5E, 0x5F, 0x9A, 1, 0, 0])
        let comparison = compare(a, b)
        #expect(!comparison.isDifferent)
        #expect(comparison.allowed == ["es.body.time": 1])
        var options = ComparisonOptions()
        options.isExact = true
        #expect(compare(a, b, options).differences == ["changed 1 1 es.body.time"])
    }

    // MARK: - Much

    @Test func manyMessagesTakeLittleTime() throws {
        var random = SeededGenerator(seed: 5)
        var (a, b) = (RecordedMessages(), RecordedMessages())
        for id in Int32(1)...2000 {
            try a.say("text \(UInt16.random(in: 0..<900, using: &random))", id: id)
            try b.say("text \(UInt16.random(in: 0..<900, using: &random))", id: id)
        }
        let start = ContinuousClock.now
        let comparison = compare(a, b)
        #expect(comparison.isDifferent)
        let total = comparison.conversations[0].entries.reduce(0) { $0 + ($1.a >= 0 ? 1 : 0) }
        #expect(total == 2000)
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
