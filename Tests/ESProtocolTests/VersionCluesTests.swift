import Testing

@testable import ESProtocol

/// What messages tell of the version behind a layout that 4.7 and 6.5 share.
struct VersionCluesTests {
    private func versions(_ type: UInt16, _ hex: String, isRequest: Bool = true, clientType: UInt8 = 0) -> String {
        let body = bytes(hex)
        var wire = [UInt8](repeating: 0, count: 36)
        wire[0] = 0xFF
        wire[1] = clientType
        wire[2] = UInt8(type & 255)
        wire[3] = UInt8(type >> 8)
        wire[8] = UInt8(body.count)
        let layout = HeaderLayout(startToken: .ff, idSlot: 12)
        let header = MessageHeader(reading: wire.span.bytes, layout: layout)
        let found = VersionClues.versions(body: body.span.bytes, header: header, isRequest: isRequest)
        // What is not looked at because it cannot tell must not tell.
        if !VersionClues.mayTell(header) { #expect(found.name == "4.7 or 6.5", "\(type)") }
        return found.name
    }

    private let offer = "ffffffff 00 DATE ffffffff ffffffff 0100000000000000"

    @Test func dates() {
        func offered(_ date: String) -> String { versions(301, "1d000000" + offer.replacing("DATE", with: date)) }
        // The ticks of 2026-11-30, of local time; the same day in milliseconds.
        #expect(offered("c07e17e8944edf88") == "4.7")
        #expect(offered("ac3c922aa2010000") == "6.5")
        // Dates that were never set; the one of 4.7 can be one of 1970 in 6.5.
        #expect(offered("0000000000000000") == "4.7 or 6.5")
        #expect(offered("0028d3ed7cc7ffff") == "6.5")
    }

    @Test func bodiesThatDiffer() {
        let address = "18000000 ffffffff 00000000 00000000 ffffffff 00000000 00000000"
        #expect(versions(401, "1c000000" + address) == "4.7")
        #expect(versions(401, "1d000000 01" + address) == "6.5")
        // One byte too many for either.
        #expect(versions(401, "1e000000 0101" + address) == "4.7 or 6.5")
    }

    @Test func typesThatOneOfThemHas() {
        #expect(versions(106, "") == "4.7")
        #expect(versions(199, "") == "6.5")
        #expect(versions(409, "04000000 b3110000", isRequest: false) == "4.7")
        #expect(versions(801, "06000000 02000000 6731") == "6.5")
        // An application of 4.7 may have types of its own up there.
        #expect(versions(801, "") == "4.7 or 6.5")
        #expect(versions(801, "01020304") == "4.7 or 6.5")
        // The answer comes from the server.
        #expect(versions(409, "04000000 b3110000", isRequest: true) == "4.7 or 6.5")
    }

    @Test func kindsOfClient() {
        #expect(versions(104, "", clientType: 7) == "6.5")
        #expect(versions(104, "", clientType: 8) == "6.5")
        #expect(versions(104, "", clientType: 6) == "4.7 or 6.5")
        #expect(versions(104, "", clientType: 9) == "4.7 or 6.5")
    }

    @Test func mostMessagesTellNothing() {
        #expect(versions(112, "14000000 08000000 4672656555736572 00000000 00000000") == "4.7 or 6.5")
        #expect(versions(202, "0a000000 02000000 abcd 07000000") == "4.7 or 6.5")
        #expect(versions(405, "0a000000 02000000 3a3a 01000000", isRequest: false) == "4.7 or 6.5")
        #expect(versions(64000, "01") == "4.7 or 6.5")
    }

    /// Of every body of the table: what only some versions have is looked at.
    @Test func nothingThatTellsIsPassedOver() {
        for (type, body, _) in everyBody where !body.versions.isDisjoint(with: .upTo65) {
            let layout = HeaderLayout(startToken: .ff, idSlot: 12)
            var wire = [UInt8](repeating: 0, count: 36)
            wire[2] = UInt8(type.number & 255)
            wire[3] = UInt8(type.number >> 8)
            let header = MessageHeader(reading: wire.span.bytes, layout: layout)
            if !body.versions.isSuperset(of: .upTo65) { #expect(VersionClues.mayTell(header), "\(type.name)") }
        }
    }
}
