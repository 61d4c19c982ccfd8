import Testing

@testable import esdump

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Command lines and what they must print: the files in Tests/Golden whose first line begins with `$ `.
///
/// A file holds one or more commands, run by sh in the folder of the package with the time zone UTC. Behind each stands
/// what it prints: standard output as it is, then the lines of standard error after `2> `, then `[exit 2]` with its
/// status. `%` at the end of the output says that its last line has no end. `$T` is an empty folder, fresh for each file.
/// With UPDATE_GOLDEN=1 the files are written anew; look at the difference then.
@Suite struct GoldenTests {
    static let folder = CommandRunner.root + "/Tests/Golden"

    static let files: [String] = {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".txt"), (try? contents(name))?.hasPrefix("$ ") == true { names.append(name) }
        }
        return names.sorted()
    }()

    static func contents(_ name: String) throws -> String {
        let file = try #require(fopen("\(folder)/\(name)", "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: files) func prints(name: String) throws {
        let expected = try Self.contents(name)
        let temporary = try TemporaryFolder()
        var actual = ""
        for line in expected.split(separator: "\n") where line.hasPrefix("$ ") {
            let command = String(line.dropFirst(2))
            let outcome = try CommandRunner.run(command, environment: ["T=\(temporary.path)"])
            actual += "\(line)\n" + Self.text(outcome).replacing(temporary.path, with: "$T")
        }
        if environmentVariable("UPDATE_GOLDEN") != nil {
            let file = try #require(fopen("\(Self.folder)/\(name)", "w"))
            fputs(actual, file)
            fclose(file)
            return
        }
        if actual != expected {
            Issue.record("\(Self.firstDifference(actual, expected)) (UPDATE_GOLDEN=1 writes it anew)")
        }
    }

    private static func text(_ outcome: CommandRunner.Outcome) -> String {
        var text = outcome.output
        if !text.isEmpty, !text.hasSuffix("\n") { text += "%\n" }
        for line in outcome.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            text += "2> \(line)\n"
        }
        if let rest = outcome.errors.split(separator: "\n", omittingEmptySubsequences: false).last, !rest.isEmpty {
            text += "2> \(rest)%\n"
        }
        return text + "[exit \(outcome.status)]\n\n"
    }

    /// The command and the first line that is not as expected.
    private static func firstDifference(_ actual: String, _ expected: String) -> String {
        let actual = actual.split(separator: "\n", omittingEmptySubsequences: false)
        let expected = expected.split(separator: "\n", omittingEmptySubsequences: false)
        var command = ""
        for index in 0..<max(actual.count, expected.count) {
            let printed = index < actual.count ? actual[index] : "(end)"
            let wanted = index < expected.count ? expected[index] : "(end)"
            if printed.hasPrefix("$ ") { command = String(printed) }
            if printed != wanted { return "\(command)\nline \(index + 1) is\n\(printed)\nand should be\n\(wanted)" }
        }
        return "no difference"
    }

    @Test func thereAreSome() { #expect(Self.files.count > 10) }

    @Test func everyCaptureHasOne() throws {
        let all = try Self.files.map { try Self.contents($0) }.joined()
        let captures = try CommandRunner.run("cd Captures && ls *.pcap*").output
        for capture in captures.split(separator: "\n") {
            #expect(all.contains("$ esdump -r Captures/\(capture)"), "\(capture)")
        }
    }
}
