import DumpText
import Testing

/// What offsets say of the rows of a dump.
@Suite struct DumpRowTests {
    private func read(_ text: String) throws(DumpError) -> Dump { try DumpReader.read(Array(text.utf8)) }

    private func reason(_ text: String) -> String? {
        do throws(DumpError) {
            _ = try read(text)
            return nil
        } catch { return error.description }
    }

    @Test func aStarRepeatsTheRowBefore() throws {
        let dump = try read(
            """
            00000000  ff 00 70 00 01 00 00 00  18 00 00 00 04 61 61 30  |..p..........aa0|
            00000010  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|
            *
            00000050  01 02                                             |..|
            00000052
            """
        )
        let piece = try #require(dump.pieces.first)
        #expect(piece.length == 0x52)
        #expect(piece.bytes[0x10..<0x50].allSatisfy { $0 == 0 })
        #expect(piece.bytes.suffix(2) == [1, 2])
    }

    @Test func aStarThatWouldFillTheMemoryIsRefused() {
        let text = "0000000 ff 00 00 00\n*\n7fffffffff\n"
        #expect(reason(text)?.contains("would stand for") == true || reason(text) != nil)
        let rows =
            "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\nffffffff0  01  |.|\n"
        #expect(reason(rows)?.contains("the * before this row would stand for") == true)
    }

    @Test func aTextColumnThatReadsLikeHexIsNoData() throws {
        let dump = try read(
            """
            0000   64 65 61 64 62 65 65 66 63 61 66 65 62 61 62 65   deadbeefcafebabe
            0010   64 65 61 64 62 65 65 66                           deadbeef
            """
        )
        #expect(dump.pieces.map(\.bytes) == [Array("deadbeefcafebabedeadbeef".utf8)])
        // Of one row alone.
        let one = try read("0000   64 65 61 64 62 65 65 66   deadbeef")
        #expect(one.pieces.map(\.bytes) == [Array("deadbeef".utf8)])
        // Forums shrink the blanks.
        let shrunk = try read("0000 64 65 61 64 62 65 65 66 deadbeef")
        #expect(shrunk.pieces.map(\.bytes) == [Array("deadbeef".utf8)])
    }

    @Test func twoTextColumnsWithABlankBetweenAreNoData() throws {
        // SmartSniff parts the text in the middle.
        let dump = try read("00000000  61 62 63 64 65 66 61 62   63 64 65 66 61 62 63 64    abcdefab cdefabcd")
        #expect(dump.pieces.map(\.bytes) == [Array("abcdefabcdefabcd".utf8)])
    }

    @Test func rowsThatAreNotThereAreMissingBytes() throws {
        let dump = try read(
            """
            00000000  ff 00 70 00 01 00 00 00  18 00 00 00 04 61 61 30  ..p..........aa0
            00000030  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  ................
            00000040  01 02
            """
        )
        let piece = try #require(dump.pieces.first)
        #expect(piece.chunks.map(\.length) == [16, 32, 18])
        #expect(piece.missing == 32)
    }

    @Test func whatIsHiddenIsMissing() throws {
        let dump = try read(
            """
            → 00000000  ff 00 70 00 ** ** 00 00  18 00 00 00 04 61 61 30  ..p.**.......aa0
            → 00000010  31 32 33 34                                       1234
            """
        )
        let piece = try #require(dump.pieces.first)
        #expect(piece.missing == 2)
        #expect(piece.length == 20)
        #expect(piece.direction == .clientToServer)
    }

    @Test func offsetsThatBeginAgainBeginAPiece() throws {
        let dump = try read(
            """
            00000000  ff 00 70 00 01 00 00 00  18 00 00 00 04 61 61 30  ..p..........aa0
            00000010  31 32                                             12
            00000000  ff 00 68 00                                       ..h.
            """
        )
        #expect(dump.pieces.map(\.length) == [18, 4])
    }

    @Test func theSideThatIsIndentedIsTheOther() throws {
        let dump = try read(
            """
            00000000  ff 00 70 00 01 00 00 00  18 00 00 00 04 61 61 30  ..p..........aa0
            00000010  31 32                                             12
                00000000  ff 00 70 00                                       ..p.
            00000012  33 34                                             34
            """
        )
        #expect(dump.pieces.map(\.side) == [0, 1, 0])
        #expect(dump.pieces.map(\.length) == [18, 4, 2])
    }

    @Test func numbersThatAreNoOffsetsAreData() throws {
        let dump = try read("0000 7000 0100\n0000 1800 0000")
        #expect(dump.form == .hex)
        #expect(dump.pieces.map(\.length) == [12])
    }

    // MARK: - Errors

    @Test func anOddNumberOfDigitsIsSaidWithItsPlace() {
        #expect(reason("ff 00 7") == "line 1, column 7: an odd number of hex digits (1): 7")
        #expect(reason("ff00700") == "line 1, column 1: an odd number of hex digits (7): ff00700")
        #expect(
            reason("ff 00\n\n  70 001 00")?.hasPrefix("line 3, column 6: an odd number of hex digits (3): 001") == true
        )
        let row = "0000   ff 00 70 00 0 00 00 00 18 00 00 00 04 61 61 30   ..p..........aa0\n0010   31 32   12"
        #expect(reason(row) == "line 1, column 20: an odd number of hex digits: 0")
    }

    @Test func aRowThatIsTooShortIsSaidWithItsPlace() {
        let rows = """
            0000   ff 00 70 00 01 00 00 00 18 00 00 00 04 61 61 30   ..p..........aa0
            0010   31 00 00 00 00 00 00 00 02 5f 30 00 00 00 00      1........_0....
            0020   00 00 00 00 14 00 00 00 08 00 00 00 46 72 65 65   ............Free
            """
        #expect(
            reason(rows)
                == "line 2, column 8: this row has 15 bytes, and by the offset of the next one it should have 16"
        )
    }

    @Test func aNumberThatIsNoByteIsSaidWithItsPlace() {
        #expect(reason("{ 0xff, 0x100 }") == "line 1, column 9: more than a byte holds: 0x100")
        #expect(reason("[\n 0xff,\n 0x00, -129 ]") == "line 3, column 8: less than a byte holds: -129")
    }

    @Test func textWithoutBytesIsSaid() {
        #expect(reason("Hello, what is this?")?.hasPrefix("no bytes found") == true)
        #expect(reason("  \n\t\n") == "there is nothing to decode: the input is blank")
        #expect(reason("") == "there is nothing to decode: the input is empty")
        #expect(reason("\"\\xff\\x00\"")?.contains("--input escapes") == true)
    }

    @Test func wordsAreNotTakenForBytes() throws {
        let dump = try read("Made on 2026-11-30 at 11:04:05, a decade ago, by user 12345678:\nff 00 70 00\nadd a face")
        #expect(dump.pieces.map(\.bytes) == [[0xff, 0x00, 0x70, 0x00]])
    }

    @Test func placesAreThoseOfTheText() throws {
        let dump = try read("Look:\n\n0000   ff 00 70 00 01 00 00 00 18 00 00 00 04 61 61 30   ...\n0010   31 32   12")
        #expect(dump.pieces[0].places == [.init(offset: 0, line: 3, column: 8), .init(offset: 16, line: 4, column: 8)])
        #expect(dump.pieces[0].place(of: 17)?.line == 4)
    }

    @Test func escapesAndBase64SayWhatIsWrong() {
        func reason(_ text: String, _ form: Dump.Form) -> String? {
            do throws(DumpError) {
                _ = try DumpReader.read(Array(text.utf8), as: form)
                return nil
            } catch { return error.description }
        }
        #expect(reason("\"\\xf\"", .escapes) == "line 1, column 2: \\x needs two hex digits")
        #expect(reason("\"\\777\"", .escapes) == "line 1, column 2: the octal escape is more than a byte holds")
        #expect(reason("\"abc", .escapes)?.hasSuffix("the string does not end") == true)
        #expect(reason("/wBw\nA!==", .base64) == "line 2, column 2: a character that is none of Base64")
        #expect(reason("/wBwA", .base64)?.hasSuffix("Base64 ends inside a byte") == true)
    }

    @Test func escapesAreRead() throws {
        let dump = try DumpReader.read(Array(#"b"\xff\0p\n" "\101\u{4e2d}\"""#.utf8), as: .escapes)
        #expect(dump.pieces.map(\.bytes) == [[0xff, 0, 0x70, 0x0a, 0x41, 0xe4, 0xb8, 0xad, 0x22]])
    }

    @Test func arraysAreAPieceEach() throws {
        let text = """
            char peer0_0[] = { /* Packet 4 */
            0xff, 0x00 };
            char peer1_0[] = { /* Packet 6 */
            0x0f, 1, 'a' };
            """
        let dump = try read(text)
        #expect(dump.pieces.map(\.bytes) == [[0xff, 0x00], [0x0f, 0x01, 0x61]])
        #expect(dump.pieces.map(\.side) == [0, 1])
    }

    // MARK: - JSON

    @Test func jsonIsReadAndItsEventsAreLeftOut() throws {
        let text = """
            {"time":"x","event":"gap","packet":4}
            {"n":1,"direction":"s2c","status":"gap","missing":2,"gaps":[[3,2]],"es":{},"header_hex":"ff0070","body_hex":"00ff"}
            """
        let dump = try read(text)
        #expect(dump.pieces.map(\.direction) == [.serverToClient])
        #expect(dump.pieces[0].chunks == [.bytes([0xff, 0, 0x70]), .missing(2, .notInTheText), .bytes([0, 0xff])])
        #expect(dump.notes == ["1 event is no message"])
    }

    @Test func whatIsMaskedInJSONIsMissing() throws {
        let text = #"{"n":1,"es":{},"header_hex":"ff00","body_hex":"012a2a02","masked":[[1,2]]}"#
        #expect(try read(text).pieces[0].chunks == [.bytes([0xff, 0, 1]), .missing(2, .hidden), .bytes([2])])
    }

    @Test func brokenJSONIsSaidWithItsPlace() {
        #expect(
            reason("{\"es\":{},\n \"header_hex\": \"ff0\", \"body_hex\":\"\"}")
                == "line 1: JSON: header_hex has an odd number of hex digits (3)"
        )
        #expect(reason("{\"es\":\n[1,]}") == "line 2, column 4: JSON: no value")
        #expect(reason("{\"a\":" + String(repeating: "[", count: 5000)) != nil)
    }
}
