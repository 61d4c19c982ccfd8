import ESProtocol
import MessageFormat
import Testing

@testable import esdump

@Suite struct OptionParserTests {
    private func parse(_ words: String...) throws -> Options { try OptionParser.parse(words) }

    private func refusal(_ words: String...) -> String? {
        do throws(UsageError) {
            _ = try OptionParser.parse(words)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func nothingIsTheDefaults() throws {
        let options = try parse()
        #expect(options == Options())
        #expect(options.format == .breakdown)
        #expect(options.snapLength == 262_144)
        #expect(options.maxMessage == 10 * 1024 * 1024)
        #expect(options.streamBuffer == 4_194_304 && options.totalBuffer == 268_435_456)
    }

    @Test func shortOptionsCombine() throws {
        let options = try parse("-nvv", "-tttt", "-c5", "-r-")
        #expect(options.verbosity == 2)
        #expect(options.timeStyle == .dateAndClock)
        #expect(options.packetCount == 5)
        #expect(options.readFile == "-")
    }

    @Test func aValueEndsACluster() throws {
        let options = try parse("-lUw", "out.pcap", "-pi", "eth0")
        #expect(options.lineBuffered && options.packetBuffered && !options.promiscuous)
        #expect(options.writeFile == "out.pcap")
        #expect(options.interface == "eth0")
    }

    @Test func longOptionsTakeValuesBothWays() throws {
        #expect(try parse("--format=json").format == .json)
        #expect(try parse("--format", "summary").format == .summary)
        #expect(try parse("--read=a=b.pcap").readFile == "a=b.pcap")
    }

    @Test func filterIsTheRestOfTheWords() throws {
        let options = try parse("-i", "lo", "port", "4530", "-w", "all.pcap", "and", "host ::1")
        #expect(options.filter == "port 4530 and host ::1")
        #expect(options.writeFile == "all.pcap")
    }

    @Test func twoDashesEndTheOptions() throws {
        #expect(try parse("--", "-v", "--count").filter == "-v --count")
        // A dash alone is a word of the filter: tcp[12] - 5.
        #expect(try parse("tcp[12]", "-", "5").filter == "tcp[12] - 5")
    }

    @Test(arguments: [
        ("-t", TimeStyle.none), ("-tt", .epoch), ("-ttt", .sincePrevious), ("-tttt", .dateAndClock),
        ("-ttttt", .sinceFirst),
    ])
    func timeStyles(word: String, style: TimeStyle) throws {
        #expect(try parse(word).timeStyle == style)
    }

    @Test(arguments: [
        ("0f", HeaderLayout.StartToken.zeroF), ("ff", .ff), ("ffff", .ffff),
    ])
    func startTokens(word: String, token: HeaderLayout.StartToken) throws {
        #expect(try parse("--start-token", word).startToken == token)
    }

    @Test func hexIsAFormat() throws {
        #expect(try parse("-x").format == .summary)
        #expect(try parse("-x").hexDump == .hex)
        #expect(try parse("-X").format == .summary)
        #expect(try parse("-xX").hexDump == .hexAndText)
        #expect(try parse("--format", "hex").hexDump == .none)
        #expect(try parse("-q").format == .summary)
        #expect(try parse("-q", "-X").format == .summary)
        #expect(try parse("-q", "--format", "summary").format == .summary)
        #expect(throws: UsageError.self) { try parse("-q", "--format", "json") }
    }

    @Test func sizesAndTimesTakeUnits() throws {
        #expect(try parse("--max-message", "1M").maxMessage == 1 << 20)
        #expect(try parse("--one-way-bytes=12").oneWayBytes == 12)
        #expect(try parse("--total-buffer", "2g").totalBuffer == 2 << 30)
        #expect(try parse("--gap-time", "0.25").gapTime == 250_000_000)
        #expect(try parse("--gap-max-time=1.0000000019").gapMaxTime == 1_000_000_001)
        #expect(try parse("-s0").snapLength == 262_144)
    }

    @Test(arguments: [("1", 1_000_000), ("20", 20_000_000), ("3k", 3 << 10), ("4M", 4 << 20), ("1g", 1 << 30)])
    func theSizeOfFilesIsInMillionsAsWithTcpdump(text: String, bytes: UInt64) throws {
        #expect(try parse("-w", "a", "-C", text).rotation.size == bytes)
    }

    @Test func severalFilesAreReadInTheOrderOfTheLine() throws {
        #expect(try parse("-r", "b", "-ra", "--read=c").readFiles == ["b", "a", "c"])
        #expect(try parse("streams", "x", "-r", "y").readFiles == ["x", "y"])
    }

    @Test func actions() throws {
        #expect(try parse("-D").action == .listInterfaces)
        #expect(try parse("--version").action == .version)
        #expect(try parse("--completion", "zsh").action == .completion(.zsh))
        #expect(try parse("--version", "-h").action == .help(command: nil))
        // Help is given whatever else stands on the line.
        #expect(try parse("-h", "-i", "lo", "-r", "x").action == .help(command: nil))
    }

    @Test(arguments: [
        (["-i", "lo", "-r", "x"], "-r reads a file, -i captures on an interface: only one of them"),
        (["-r", "-", "-r", "a", "-r-"], "-r -: standard input can be read only once"),
        (["-r", "a", "-r", "b", "-w", "b"], "-r and -w are the same file: writing would destroy what is to be read"),
        (["-r", "a", "-w", "a"], "-r and -w are the same file: writing would destroy what is to be read"),
        (["-D", "-r", "a"], "-D lists interfaces, -r reads a file: only one of them"),
        (["-F", "f", "port", "1"], "the filter comes from -F or from the command line (port 1): only one of them"),
        (
            ["-w", "-", "--format", "json"],
            "-w - writes packets to standard output, and no text: --format has no meaning with it"
        ),
        (["-w-", "--count"], "-w - writes packets to standard output, and no text: --count has no meaning with it"),
        (["-w-", "-X"], "-w - writes packets to standard output, and no text: -x and -X have no meaning with it"),
        (["-q", "-v"], "-q asks for less and -v for more: only one of them"),
        (["-X", "--format", "json"], "-x and -X mean --format hex, which contradicts --format json"),
        (["--count", "--format", "hex"], "--count shows only totals (as text, or with --format json as an object)"),
        (
            ["--id-slot", "12", "--user-id-length", "11"],
            "--id-slot and --user-id-length both say how long an id is: only one of them"
        ),
        (["--profile", "7.2", "--start-token", "ff"], "--profile 7.2 has another start token than --start-token says"),
        (["--from", "20", "--to", "10"], "--from 20 is later than --to 10"),
        (["-tttttt"], "-t: at most five times"),
    ])
    func contradictionsAreRefused(words: [String], reason: String) {
        #expect(throws: UsageError(reason)) { try OptionParser.parse(words) }
    }

    @Test(arguments: [
        (["--frmat", "json"], "unknown option --frmat; did you mean --format?"),
        (["--form"], "unknown option --form; did you mean --format?"),
        (["-format"], "unknown option -format; did you mean --format?"),
        (["--show-secret"], "unknown option --show-secret; did you mean --show-secrets?"),
        (["--zebra"], "unknown option --zebra"),
        (["-R"], "unknown option -R; did you mean -r?"),
        (["-nvJ"], "unknown option -J"),
        (["-r"], "-r needs a value: -r FILE"),
        (["--format"], "--format needs a value: --format FORMAT"),
        (["--count=1"], "--count takes no value (1)"),
        (["--format", "jsno"], "--format jsno: not one of breakdown, summary, hex, json (did you mean json?)"),
        (["--color", "red"], "--color red: not one of auto, always, never"),
        (["-c", "0"], "-c 0: must be at least 1"),
        (["-c", "many"], "-c many: not a whole number"),
        (["-s", "300000"], "-s 300000: must be from 0 to 262144"),
        (
            ["--max-message", "x"],
            "--max-message x: not a size (a number of bytes, or one with k, m or g: 256k)"
        ),
        (["--max-message", "9999999999999g"], "--max-message 9999999999999g: must be from 64 to 2147483647"),
        (["--idle-time", "-1"], "--idle-time -1: not a time in seconds (3, or 0.25)"),
        (["--id-slot", "256"], "--id-slot 256: must be from 2 to 255"),
    ])
    func mistakesAreNamed(words: [String], reason: String) {
        #expect(throws: UsageError(reason)) { try OptionParser.parse(words) }
    }

    @Test func noNameStandsForTwoOptions() {
        let shorts = optionList.compactMap(\.short)
        let longs = optionList.compactMap(\.long)
        #expect(Set(shorts).count == shorts.count)
        #expect(Set(longs).count == longs.count)
    }
}

@Suite struct NearMissTests {
    @Test func distanceCountsChanges() {
        #expect(editDistance("", "abc") == 3)
        #expect(editDistance("format", "format") == 0)
        #expect(editDistance("fromat", "format") == 1)
        #expect(editDistance("frm", "from") == 1)
    }

    @Test func onlyWhatIsNearIsSuggested() {
        #expect(nearest(to: "colour", among: ["color", "count"]) == "color")
        #expect(nearest(to: "profile", among: ["color", "count"]) == nil)
        #expect(nearest(to: "", among: ["color"]) == nil)
    }
}
