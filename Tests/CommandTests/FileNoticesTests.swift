import Testing

@testable import PacketCapture
@testable import esdump

@Suite struct FileNoticesTests {
    private func notes(_ change: (CaptureNotes) -> Void) -> CaptureNotes {
        let notes = CaptureNotes()
        change(notes)
        return notes
    }

    @Test func aFileWithoutRemarksSaysNothing() {
        #expect(fileNotices(CaptureNotes(), path: nil, isVerbose: false) == [])
        #expect(!CaptureNotes().saysSomething)
    }

    @Test func commentsNameWhatTheyAreOn() {
        let notes = notes {
            $0.interfaces = [.init(linkType: 1, snapLength: 0, name: "eth0"), .init(linkType: 1, snapLength: 0)]
            $0.comments = [
                .init(subject: .section, text: "a"), .init(subject: .interface(0), text: "b"),
                .init(subject: .interface(1), text: "c"), .init(subject: .packet(7), text: "登录"),
            ]
        }
        #expect(
            fileNotices(notes, path: "a.pcapng", isVerbose: false) == [
                "a.pcapng: comment on the file: a", "a.pcapng: comment on interface eth0: b",
                "a.pcapng: comment on interface 1: c", "a.pcapng: comment on packet 7: 登录",
            ]
        )
    }

    @Test func manyCommentsAreShownWithV() {
        let notes = notes { notes in
            notes.comments = (1...12).map { .init(subject: .packet($0), text: "x") }
        }
        #expect(fileNotices(notes, path: nil, isVerbose: false).last == "2 more comments; -v shows them")
        #expect(fileNotices(notes, path: nil, isVerbose: true).count == 12)
    }

    @Test func dropsAndTimesAreTold() {
        let notes = notes {
            $0.interfaces = [.init(linkType: 1, snapLength: 0, name: "en0", dropped: 3)]
            $0.clampedTimes = 2
            $0.packetsWithoutTime = 1
            $0.skip(blockType: CaptureNotes.decryptionSecrets)
        }
        let lines = fileNotices(notes, path: nil, isVerbose: false)
        #expect(lines.count == 4 && lines[0] == "3 packets were dropped when interface en0 was captured")
        #expect(lines[1] == "1 block of decryption secrets passed over")
    }
}
