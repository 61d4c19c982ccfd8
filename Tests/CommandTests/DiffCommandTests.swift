import TestSupport
import Testing

@testable import esdump

/// The command `diff` as a user runs it.
@Suite struct DiffCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ line: String) throws -> CommandRunner.Outcome {
        try CommandRunner.run(line, environment: ["T=\(folder.path)"])
    }

    /// A copy of a capture with bytes replaced wherever they stand (as many bytes as there were).
    private func change(_ name: String, _ from: [UInt8], _ to: [UInt8], all: Bool = true) throws -> String {
        var bytes = try fileContents("\(CommandRunner.root)/Captures/\(name).pcap")
        var index = 0
        var count = 0
        while index + from.count <= bytes.count, all || count == 0 {
            if Array(bytes[index..<index + from.count]) == from {
                bytes.replaceSubrange(index..<index + from.count, with: to)
                count += 1
            }
            index += 1
        }
        try #require(count > 0 && from.count == to.count)
        return try write(bytes, "changed.pcap")
    }

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        let writer = try RunningCommand("/bin/sh", ["-c", "cat > '\(path)'"])
        try writer.send(bytes)
        writer.closeInput()
        #expect(try writer.finish().status == 0)
        return path
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func theExitStatusIsThatOfDiff() throws {
        let changed = try change("chat-through-server", bytes("hello"), bytes("hellO"))
        #expect(try run("esdump diff Captures/login.pcap Captures/login.pcap").status == 0)
        #expect(try run("esdump diff Captures/chat-through-server.pcap '\(changed)'").status == 1)
        let wrong = [
            "esdump diff Captures/login.pcap", "esdump diff Captures/login.pcap Captures/none.pcap",
            "esdump diff Captures/login.pcap LICENSE", "esdump diff - - < Captures/login.pcap",
            "esdump diff 'Captures/login.pcap#9' 'Captures/login.pcap#1'",
            "esdump diff 'Captures/login.pcap#1' Captures/login.pcap",
            "esdump diff --map-user aa Captures/login.pcap Captures/login.pcap",
            "esdump diff --ignore user Captures/login.pcap Captures/login.pcap",
            "esdump diff --side-by-side --format json Captures/login.pcap Captures/login.pcap",
        ]
        for line in wrong {
            let outcome = try run(line)
            #expect(outcome.status == 2, "\(line): \(outcome.errors)")
            #expect(outcome.errors.hasPrefix("esdump: ") && outcome.output.isEmpty, "\(line)")
        }
    }

    @Test func aCaptureWithoutMessagesIsTrouble() throws {
        let outcome = try run(
            "esdump -r Captures/login.pcap -w $T/none.pcap port 1; esdump diff $T/none.pcap Captures/login.pcap"
        )
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("no ES message"))
    }

    @Test func standardInputCanBeOneOfThem() throws {
        #expect(try run("esdump diff - Captures/login.pcap < Captures/login.pcap").status == 0)
    }

    @Test func theFirstLineSaysWhereTheyDifferFirst() throws {
        let changed = try change("chat-through-server", bytes("hello"), bytes("hellO"), all: false)
        let outcome = try run("esdump diff Captures/chat-through-server.pcap '\(changed)'")
        let first = try #require(outcome.output.split(separator: "\n").first)
        #expect(first.hasPrefix("First difference: A #9, B #9: InformationBySend (202), es.body.content, from byte"))
        #expect(outcome.output.contains("\"hello"))
        #expect(outcome.output.contains("\"hellO"))
    }

    // MARK: - Secrets

    @Test func passwordsAreComparedAndNotShown() throws {
        let password = try #require(try secret())
        let other = String(password.reversed())
        let changed = try change("login-password", bytes(password), bytes(other))
        for options in ["", "--side-by-side", "--format json", "--format html", "--exact"] {
            let outcome = try run("esdump diff \(options) Captures/login-password.pcap '\(changed)'")
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("es.body.password"), "\(options)")
            #expect(outcome.output.contains("hidden"), "\(options)")
            #expect(!outcome.output.contains(password) && !outcome.output.contains(other), "\(options)")
            let hex = password.utf8.map { String($0, radix: 16) }
            #expect(!outcome.output.contains(hex.joined()) && !outcome.output.contains(hex.joined(separator: " ")))
        }
        let shown = try run("esdump diff --show-secrets Captures/login-password.pcap '\(changed)'")
        #expect(shown.output.contains(password) && shown.output.contains(other))
    }

    /// The password of the capture, as the program shows it when asked to.
    private func secret() throws -> String? {
        let outcome = try run("esdump -r Captures/login-password.pcap --show-secrets")
        let lines = outcome.output.split(separator: "\n")
        guard let place = lines.firstIndex(where: { $0.contains("Password") }), lines.count > place + 1 else {
            return nil
        }
        return lines[place + 1].split(separator: "\"").dropFirst().first.map(String.init)
    }

    @Test func redactedNothingOfTheNamesIsLeft() throws {
        let changed = try change("chat-through-server", bytes("hello"), bytes("hellO"))
        let outcome = try run("esdump diff --redact Captures/chat-through-server.pcap '\(changed)'")
        #expect(outcome.status == 1)
        #expect(!outcome.output.contains("aa01") && !outcome.output.contains("bb02"))
    }

    // MARK: - Formats

    @Test func twoColumnsFitTheWidthWithWideCharacters() throws {
        let changed = try change("chat-through-server", bytes("消息"), bytes("息消"))
        let outcome = try run("esdump diff -y Captures/chat-through-server.pcap '\(changed)'")
        #expect(outcome.status == 1)
        let lines = outcome.output.split(separator: "\n").drop { !$0.contains("─┼─") }
        let half = try #require(lines.first).prefix { $0 == "─" }.count - 1
        for line in lines where line.contains("│") || line.contains(" ! ") || line.contains("   #") {
            #expect(columns(line) <= 2 * half + 3, "\(line)")
        }
        // The mark stands in the same column in every line, also behind wide characters.
        let marks = lines.filter { $0.contains(" ! ") }.map { line in
            columns(Substring(line.split(separator: " ! ", maxSplits: 1, omittingEmptySubsequences: false)[0]))
        }
        #expect(marks.count >= 3 && Set(marks) == [half])
    }

    private func columns(_ text: Substring) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ((0x2E80...0xA4CF).contains($1.value) ? 2 : 1) }
    }

    @Test func jsonSaysFirstHowItWent() throws {
        let changed = try change("chat-through-server", bytes("hello"), bytes("hellO"), all: false)
        let outcome = try run("esdump diff --format json Captures/chat-through-server.pcap '\(changed)'")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("{\"result\":\"different\",\"a\":{\"name\":\"Captures/chat-through-server.pcap\""))
        #expect(lines[0].contains("\"changed\":1,\"only_in_a\":0,\"only_in_b\":0,\"reordered\":0"))
        #expect(lines[0].contains("\"first_difference\":{\"difference\":\"changed\",\"a\":{\"n\":9,"))
        #expect(lines[1].hasPrefix("{\"difference\":\"changed\",\"a\":{\"n\":9,"))
        #expect(lines[1].contains("\"name\":\"es.body.content\""))
        let same = try run("esdump diff --format json Captures/login.pcap Captures/login.pcap")
        #expect(same.output.hasPrefix("{\"result\":\"same\"") && same.status == 0)
    }

    @Test func aPageNeedsNothingElseAndEscapesWhatItShows() throws {
        let changed = try change("chat-through-server", bytes("hello"), bytes("<b>&\""))
        let outcome = try run("esdump diff --format html Captures/chat-through-server.pcap '\(changed)'")
        #expect(outcome.output.hasPrefix("<!DOCTYPE html>") && outcome.output.hasSuffix("</html>\n"))
        #expect(outcome.output.contains("&lt;b&gt;&amp;"))
        #expect(!outcome.output.contains("<b>&\""))
        for foreign in ["http:", "https:", "<script", "<link", "@import", "url("] {
            #expect(!outcome.output.contains(foreign), "\(foreign)")
        }
    }

    @Test func colorsAreThereWhenAskedFor() throws {
        let changed = try change("chat-through-server", bytes("hello"), bytes("hellO"))
        for options in ["", "-y"] {
            let line = "esdump diff \(options) Captures/chat-through-server.pcap '\(changed)'"
            #expect(!(try run(line)).output.contains("\u{1B}"))
            #expect(try run("\(line) --color always").output.contains("\u{1B}["))
        }
    }

    // MARK: - What is compared

    @Test func aMessageIsComparedWithAMessage() throws {
        let outcome = try run(
            "esdump diff 'Captures/chat-through-server.pcap#9' 'Captures/chat-through-server.pcap#11'"
        )
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("A #9, B #11"))
        #expect(!outcome.output.contains("es.message_id  "))
        let same = try run("esdump diff 'Captures/login.pcap#1' 'Captures/login.pcap#1'")
        #expect(same.status == 0)
    }

    @Test func aCaptureIsComparedWithAFixture() throws {
        let made = try run(
            "esdump fixtures Captures/chat-through-server.pcap --message 9,10 -o $T/two.hex && esdump diff $T/two.hex Captures/chat-through-server.pcap"
        )
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("46 messages"))
        let changed = try change("chat-through-server", bytes("hello"), bytes("hellO"))
        let outcome = try run("esdump diff '\(changed)' $T/two.hex")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("2 changed"))
    }

    @Test func conversationsAndMessagesCanBeChosen() throws {
        let line = "esdump diff Captures/chat-through-server.pcap Captures/chat-through-server.pcap"
        #expect(try run("\(line) --conversation 1").output.contains("No difference"))
        #expect(try run("\(line) --conversation 1:2").status == 1)
        let filter = "--where 'es.message_type == 202'"
        let shown = try run("esdump -r Captures/chat-through-server.pcap -q \(filter)").output.split(separator: "\n")
            .count
        let filtered = try run("\(line) \(filter)")
        #expect(shown > 0 && shown < 48)
        #expect(filtered.output == "No difference: \(shown) messages are the same.\n")
    }

    @Test func delaysAreToldWhenAskedFor() throws {
        let outcome = try run("esdump diff --timing Captures/login.pcap Captures/login.pcap")
        #expect(outcome.output.contains("From request to answer"))
        #expect(outcome.output.contains("Logon (112)"))
    }

    @Test func aNameThatNothingHasIsTold() throws {
        let outcome = try run(
            "esdump diff --ignore es.body.typo --map-user nobody=none Captures/login.pcap Captures/login.pcap"
        )
        #expect(outcome.errors.contains("--ignore es.body.typo: no message has this field"))
        #expect(outcome.errors.contains("no message has the user nobody"))
    }

    @Test func whatIsDamagedIsComparedAndTrouble() throws {
        let outcome = try run(
            "head -c 600 Captures/chat-through-server.pcap > $T/cut.pcap; esdump diff $T/cut.pcap Captures/chat-through-server.pcap"
        )
        #expect(outcome.status == 2)
        #expect(outcome.output.contains("only in B"))
        #expect(outcome.errors.contains("cut.pcap"))
    }
}
