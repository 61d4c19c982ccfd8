import Testing

@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct HelpTests {
    /// Compares with a file in Tests/Golden; with UPDATE_GOLDEN set, writes it.
    private func expectGolden(_ text: String, _ name: String, sourceFile: String = #filePath) throws {
        let folder = sourceFile.split(separator: "/").dropLast(2).joined(separator: "/")
        let path = "/\(folder)/Golden/\(name)"
        if environmentVariable("UPDATE_GOLDEN") != nil {
            let file = try #require(fopen(path, "w"))
            fputs(text, file)
            fclose(file)
        }
        #expect(try contents(path) == text, "\(path); UPDATE_GOLDEN=1 writes it anew")
    }

    private func contents(_ path: String) throws -> String {
        let file = try #require(fopen(path, "r"), "\(path) is missing")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func help() throws { try expectGolden(helpText(), "help.txt") }
    @Test func manual() throws { try expectGolden(manualText(), "esdump.1") }
    @Test(arguments: Options.Shell.allCases) func completion(shell: Options.Shell) throws {
        try expectGolden(completionScript(for: shell), "completion.\(shell.rawValue)")
    }

    @Test func helpFitsItsWidth() {
        for width in [60, 80, 100] {
            for line in helpText(width: width).split(separator: "\n") where !line.contains("capture, field by field") {
                #expect(line.count <= max(width, 80), "\(line)")
            }
        }
    }

    @Test func everyOptionIsSaidEverywhere() {
        let help = helpText()
        let manual = manualText()
        for option in optionList where !option.isHidden {
            #expect(help.contains(spelling(option)))
            if let long = option.long {
                #expect(manual.contains("--\(long)".split(separator: "-").joined(separator: "\\-")), "\(long)")
                for shell in Options.Shell.allCases {
                    #expect(completionScript(for: shell).contains(long), "\(long) in \(shell)")
                }
            }
        }
    }

    @Test(arguments: Command.all.map(\.name)) func helpOfACommand(name: String) throws {
        try expectGolden(helpText(of: name), "help-\(name).txt")
        let command = try #require(Command.named(name))
        for option in command.options where !option.isHidden {
            #expect(helpText(of: name).contains(spelling(option)))
            for shell in Options.Shell.allCases {
                #expect(completionScript(for: shell).contains(option.long ?? ""), "\(option.name) in \(shell)")
            }
        }
        for width in [60, 80, 100] {
            for line in helpText(of: name, width: width).split(separator: "\n") {
                #expect(line.count <= width, "\(line)")
            }
        }
        #expect(helpText().contains(command.summary.split(separator: " ")[0]) && manualText().contains(name))
    }

    @Test func wrappingKeepsWords() {
        #expect(wrap("one two three", width: 7) == ["one two", "three"])
        #expect(wrap("a-very-long-word b", width: 5) == ["a-very-long-word", "b"])
    }
}
