import DumpText
import TestSupport
import Testing

/// What people paste: dumps of one message in many styles, made by the programs themselves, in Dumps.
///
/// The message is a Logon of a user whose name is `deadbeef` and whose password is `cafe`: in a text column they read like hex.
@Suite struct PastedDumpTests {
    static let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Dumps"

    static let files = (try? fileNames(in: folder)) ?? []

    static let message: [UInt8] = [
        0xff, 0x00, 0x70, 0x00, 0x01, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0x08, 0x64, 0x65, 0x61, 0x64, 0x62,
        0x65,
        0x65, 0x66, 0x00, 0x00, 0x00, 0x02, 0x5f, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18,
        0x00,
        0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x46, 0x72, 0x65, 0x65, 0x55, 0x73, 0x65, 0x72, 0x04, 0x00, 0x00, 0x00,
        0x63,
        0x61, 0x66, 0x65, 0x00, 0x00, 0x00, 0x00,
    ]

    /// Escapes and Base64 are read only if they are asked for.
    private func form(_ name: String) -> Dump.Form? {
        name.contains(".escapes") ? .escapes : name.contains(".base64") ? .base64 : nil
    }

    @Test func thereAreManyStyles() { #expect(Self.files.count > 40) }

    @Test(arguments: files) func everyStyleIsTheSameMessage(_ name: String) throws {
        let dump = try DumpReader.read(try fileContents("\(Self.folder)/\(name)"), as: form(name))
        #expect(dump.pieces.count == 1)
        #expect(dump.pieces.first?.bytes == Self.message)
        #expect(dump.pieces.first?.missing == 0)
    }

    /// What forums, mail and editors make of a text.
    static let changes: [(String, @Sendable (String) -> String)] = [
        ("CRLF", { $0.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n") }),
        ("a byte order mark", { "\u{FEFF}" + $0 }),
        ("blank lines between", { $0.replacing("\r\n", with: "\n").replacing("\n", with: "\n\n") }),
        (
            "quoted",
            { $0.replacing("\r\n", with: "\n").split(separator: "\n").map { "> \($0)" }.joined(separator: "\n") }
        ),
        ("no-break spaces", { $0.replacing("\n", with: "\r").replacing(" ", with: "\u{A0}") }),
        ("words above and below", { "I get this from the server:\n\n\($0)\n\nWhat is it? Thanks." }),
        ("a blank before each line", { " " + $0.replacing("\n", with: "\n ") }),
        ("blanks behind each line", { $0.replacing("\r\n", with: "\n").replacing("\n", with: "   \n") }),
    ]

    @Test(arguments: files, changes.indices) func surroundingsChangeNothing(_ name: String, _ change: Int) throws {
        guard form(name) == nil, name != "utf-16.txt" else { return }
        let text = String(decoding: try fileContents("\(Self.folder)/\(name)"), as: UTF8.self)
        // A number that was broken into lines cannot have others between.
        if name == "broken-lines.txt", change == 2 || change == 3 { return }
        let changed = Self.changes[change].1(text)
        let dump = try DumpReader.read(Array(changed.utf8))
        #expect(dump.pieces.map(\.bytes) == [Self.message], "\(Self.changes[change].0): \(dump.description)")
    }

    @Test(arguments: files) func upperCaseIsTheSame(_ name: String) throws {
        guard form(name) == nil, name != "utf-16.txt" else { return }
        // Only the digits of bytes; a text column in capitals is no longer what the bytes are, and does not matter.
        let text = String(decoding: try fileContents("\(Self.folder)/\(name)"), as: UTF8.self)
        let dump = try DumpReader.read(Array(text.uppercased().utf8))
        #expect(dump.pieces.map(\.bytes) == [Self.message])
    }

    @Test func rawBytesAreTakenAsTheyAre() throws {
        let dump = try DumpReader.read(Self.message)
        #expect(dump.form == .raw)
        #expect(dump.pieces.map(\.bytes) == [Self.message])
    }

    @Test func itSaysWhatItTookTheTextFor() throws {
        func description(_ name: String) throws -> String {
            try DumpReader.read(try fileContents("\(Self.folder)/\(name).txt")).description
        }
        #expect(try description("xxd") == "a hex dump with offsets, as xxd prints it")
        #expect(try description("hexdump-C") == "a hex dump with offsets and text, as hexdump -C prints it")
        #expect(try description("od-t-x1") == "a hex dump with octal offsets, as od -t x1 prints it")
        #expect(try description("wireshark") == "a hex dump with offsets and text, as Wireshark shows it")
        #expect(try description("c") == "a list of numbers")
        #expect(try description("plain") == "hex digits")
    }
}
