import CaptureAnalysis
import ESProtocol
import NetworkStack
import PacketCapture

/// The general options, in the order of the help text. What only one command takes stands with the command.
let optionList: [OptionDeclaration] = [
    // Where packets come from.
    .value(
        "r",
        "read",
        .init("FILE", .file),
        .input,
        "read packets from FILE (pcap, pcapng, SmartSniff's .ssp), the captures in a folder, or standard input (-); several are merged by time"
    ) {
        (parser, text) throws(UsageError) in
        guard !text.isEmpty else { throw UsageError("-r: the name of the file is empty") }
        guard text != "-" || !parser.options.readFiles.contains("-") else {
            throw UsageError("-r -: standard input can be read only once")
        }
        parser.options.readFiles.append(text)
    },
    .value(
        "i",
        "interface",
        .init("IF", .interface),
        .input,
        "capture on interface IF: its name, its number in the list of -D, or any"
    ) { $0.options.interface = $1 },
    .flag("D", "list-interfaces", .input, "list the interfaces that can be captured on") {
        $0.setAction(.listInterfaces, "-D")
    },
    .value("F", "filter-file", .init("FILE", .file), .input, "read the filter from FILE") {
        $0.options.filterFile = $1
    },
    .value(
        "w",
        "write",
        .init("FILE", .file),
        .input,
        "also write the packets to FILE as pcap, or as pcapng if its name ends in .pcapng; -w - writes them to standard output and no text"
    ) {
        (parser, text) throws(UsageError) in
        guard !text.isEmpty else { throw UsageError("-w: the name of the file is empty") }
        parser.options.writeFile = text
    },
    .value(
        "C",
        "file-size",
        .init("SIZE"),
        .input,
        "with -w: a new file once SIZE is passed, in million bytes or with k, m, g in KiB, MiB, GiB; names get numbers"
    ) { (parser, text) throws(UsageError) in
        parser.options.rotation.size = UInt64(try fileSize(text, for: "-C"))
    },
    .value(
        "G",
        "rotate-seconds",
        .init("S"),
        .input,
        "with -w: a new file every S seconds, named by its time: FILE holds conversions of strftime(3), as in all-%H%M%S.pcap"
    ) { (parser, text) throws(UsageError) in
        parser.options.rotation.seconds = Int64(try integer(text, for: "-G", in: 1...1_000_000_000))
    },
    .value(
        "W",
        "file-count",
        .init("N"),
        .input,
        "with -C: after N files begin again with the first; with -G: end after N files"
    ) { (parser, text) throws(UsageError) in
        parser.options.rotation.count = try integer(text, for: "-W", in: 1...1_000_000_000)
    },
    .value(
        nil,
        "ring",
        .init("TIME"),
        .input,
        "with -w: keep only the packets of the last TIME (90s, 10m, 2h), and write them at the end: when --until matches, at Ctrl-C"
    ) { (parser, text) throws(UsageError) in
        parser.ringTime = try duration(text, for: "--ring")
    },
    .value(
        nil,
        "ring-size",
        .init("SIZE"),
        .input,
        "most bytes that --ring keeps, in a file without a name beside that of -w (default 1g)"
    ) { (parser, text) throws(UsageError) in
        parser.ringSize = try size(text, for: "--ring-size", in: Int(PacketRing.minimumBytes)...(1 << 50))
    },
    .flag("U", "packet-buffered", .input, "with -w: write each packet at once") { $0.options.packetBuffered = true },
    .flag("p", "no-promiscuous-mode", .input, "do not put the interface into promiscuous mode") {
        $0.options.promiscuous = false
    },
    .value(
        "s",
        "snapshot-length",
        .init("N"),
        .input,
        "capture at most N bytes of each packet (default 262144, which 0 also means)"
    ) {
        (parser, text) throws(UsageError) in
        let length = try integer(text, for: "-s", in: 0...262_144)
        parser.options.snapLength = length == 0 ? 262_144 : length
    },
    .value("B", "buffer-size", .init("KIB"), .input, "size of the kernel's capture buffer in KiB") {
        (parser, text) throws(UsageError) in
        parser.options.bufferKiB = try integer(text, for: "-B", in: 1...2_097_151)
    },
    .value("c", nil, .init("N"), .input, "end after N packets that passed the filter") {
        (parser, text) throws(UsageError) in
        parser.options.packetCount = UInt64(try integer(text, for: "-c", in: 1...Int.max))
    },
    .value(
        "Z",
        "relinquish-privileges",
        .init("USER", .user),
        .input,
        "when started as root, become USER once the interface is open"
    ) {
        $0.options.dropToUser = $1
    },

    // What is shown.
    .choice(
        "format",
        "FORMAT",
        .output,
        "breakdown: every field with its bytes (default); summary: a line a message; hex: bytes and text; json: an object a line",
        of: Options.Format.self
    ) {
        $0.format = $1
    },
    .value(
        nil,
        "fields",
        .init("LIST"),
        .output,
        "a line a message with these fields, separated by tabs: time,src,es.message_type_name,es.body.content"
    ) {
        $0.fields.append($1)
    },
    .value(
        "E",
        nil,
        .init("KEY=VALUE"),
        .output,
        "with --fields, as in tshark: header=y, separator=/t, /s or a character, aggregator=, (between values), quote=d, s or n, occurrence=f, l or a, bom=y"
    ) {
        $0.columnSettings.append($1)
    },
    .flag(nil, "count", .output, "show only totals") { $0.options.count = true },
    .flag("q", nil, .output, "less: a short line a message (--format summary without the ids)") {
        $0.options.quiet = true
    },
    .flag("v", nil, .output, "more: long bodies whole, conversations that are not ES by name; with json, the fields") {
        $0.options.verbosity += 1
    },
    .flag("x", nil, .output, "a line for each message, and its bytes in hex") { $0.hexWithoutText = true },
    .flag("X", nil, .output, "a line for each message, and its bytes in hex and text") { $0.hexWithText = true },
    .flag(
        "t",
        nil,
        .output,
        "no times; -tt seconds since 1970; -ttt since the previous message; -tttt date and time; -ttttt since the first"
    ) {
        $0.timeOptions += 1
    },
    .flag(nil, "utc", .output, "times in UTC, not in the local time zone") { $0.options.utc = true },
    .flag("l", nil, .output, "write each line at once (the default on a terminal and for a live capture)") {
        $0.options.lineBuffered = true
    },
    .choice(
        "color",
        "WHEN",
        .output,
        "color: auto (on a terminal unless NO_COLOR is set), always, never",
        of: Options.ColorChoice.self
    ) {
        $0.options.color = $1
    },
    .flag(nil, "show-secrets", .output, "show passwords, which are hidden otherwise") { $0.options.showSecrets = true },
    .value(
        nil,
        "encoding",
        .init("NAME", .choice(["utf-8", "gb18030", "gbk", "big5", "shift_jis", "utf-16le"])),
        .output,
        "encoding of the text beside hex: gb18030, or another name that iconv knows (default UTF-8)"
    ) {
        $0.options.encoding = $1
    },
    .flag("n", nil, .output, "no look-ups of names: always so, accepted for habit's sake") { _ in },

    // What is selected.
    .value(nil, "conversation", .init("N"), .selection, "only conversation number N") {
        (parser, text) throws(UsageError) in
        parser.options.conversation = try integer(text, for: "--conversation", in: 1...Int.max)
    },
    .value(
        nil,
        "from",
        .init("TIME"),
        .selection,
        "only messages that end at TIME or later: 2026-11-30T11:04:05Z, '2026-11-30 11:04:05.25', 11:04:05 (on the capture's first day), or seconds since 1970"
    ) {
        $0.from = $1
    },
    .value(nil, "to", .init("TIME"), .selection, "only messages that end at TIME or before") { $0.to = $1 },

    .value(
        nil,
        "where",
        .init("EXPR"),
        .selection,
        "only messages that match, as in es.message_type == Logon && es.user_id == \"aa01\" (Wireshark's display filters; see the man page)"
    ) {
        $0.messageFilter = $1
    },
    .value(
        nil,
        "until",
        .init("EXPR"),
        .selection,
        "end with the first message that matches; with --ring for the fault that shows once a week"
    ) {
        $0.until = $1
    },

    // The header layout.
    .choice("profile", "VERSION", .layout, "version of the framework: 4.0, 4.7, 6.5 or 7.2", of: Options.Profile.self) {
        $0.options.profile = $1
    },
    .value(
        nil,
        "profile-file",
        .init("FILE", .file),
        .layout,
        "what an application has of its own: its layout, names of its types and of its kinds of client, which bodies they have (see PROFILES)"
    ) {
        (parser, text) throws(UsageError) in
        guard !text.isEmpty else { throw UsageError("--profile-file: the name of the file is empty") }
        parser.options.profileFile = text
    },
    .value(
        nil,
        "describe",
        .init("FILE", .file),
        .layout,
        "the bodies of your own application, described in Kaitai Struct's language (.ksy): names of message types, and their fields (see DESCRIPTIONS)"
    ) {
        (parser, text) throws(UsageError) in
        guard !text.isEmpty else { throw UsageError("--describe: the name of the file is empty") }
        parser.options.describeFile = text
    },
    .choice("start-token", "TOKEN", .layout, "what a header starts with: ffff, ff or 0f", of: StartTokenName.self) {
        $0.options.startToken = $1.token
    },
    .value(nil, "id-slot", .init("N"), .layout, "bytes of a user id field with its length byte: 12, 14, 22 …") {
        (parser, text) throws(UsageError) in
        parser.options.idSlot = UInt8(try integer(text, for: "--id-slot", in: 2...255))
    },
    .value(
        nil,
        "user-id-length",
        .init("N"),
        .layout,
        "the framework's setting MaxLengthOfUserID, from which the field follows"
    ) { (parser, text) throws(UsageError) in
        parser.options.userIDLength = try integer(text, for: "--user-id-length", in: 1...251)
    },
    .value(nil, "max-message", .init("SIZE"), .layout, "a header that declares more is not believed (default 10m)") {
        (parser, text) throws(UsageError) in
        parser.options.maxMessage = try size(text, for: "--max-message", in: 64...Int(Int32.max))
    },

    // Reassembly.
    .value(
        nil,
        "gap-packets",
        .init("N"),
        .reassembly,
        "a hole is a gap after N more packets and the time of --gap-time (default 64)"
    ) { (parser, text) throws(UsageError) in
        parser.options.gapPackets = try integer(text, for: "--gap-packets", in: 0...1_000_000_000)
    },
    .value(nil, "gap-time", .init("S"), .reassembly, "seconds that go with --gap-packets (default 1)") {
        (parser, text) throws(UsageError) in
        parser.options.gapTime = try seconds(text, for: "--gap-time")
    },
    .value(
        nil,
        "gap-max-time",
        .init("S"),
        .reassembly,
        "a hole that an acknowledgement passed is a gap after S seconds (default 3)"
    ) { (parser, text) throws(UsageError) in
        parser.options.gapMaxTime = try seconds(text, for: "--gap-max-time")
    },
    .value(
        nil,
        "one-way-time",
        .init("S"),
        .reassembly,
        "without acknowledgements (one direction captured): a gap after S seconds (default 10)"
    ) { (parser, text) throws(UsageError) in
        parser.options.oneWayTime = try seconds(text, for: "--one-way-time")
    },
    .value(nil, "one-way-bytes", .init("SIZE"), .reassembly, "the same: a gap after SIZE behind it (default 256k)") {
        (parser, text) throws(UsageError) in
        parser.options.oneWayBytes = try size(text, for: "--one-way-bytes", in: 1...(1 << 40))
    },
    .value(
        nil,
        "stream-buffer",
        .init("SIZE"),
        .reassembly,
        "most bytes that wait behind a hole, for each direction (default 4m)"
    ) { (parser, text) throws(UsageError) in
        parser.options.streamBuffer = try size(text, for: "--stream-buffer", in: 1...(1 << 40))
    },
    .value(
        nil,
        "stream-pieces",
        .init("N"),
        .reassembly,
        "most pieces that wait behind holes, for each direction (default 4096)"
    ) { (parser, text) throws(UsageError) in
        parser.options.streamPieces = try integer(text, for: "--stream-pieces", in: 1...1_000_000_000)
    },
    .value(nil, "total-buffer", .init("SIZE"), .reassembly, "most bytes that wait in all (default 256m)") {
        (parser, text) throws(UsageError) in
        parser.options.totalBuffer = try size(text, for: "--total-buffer", in: 1...(1 << 40))
    },
    .value(nil, "max-conversations", .init("N"), .reassembly, "most conversations at a time (default 1000000)") {
        (parser, text) throws(UsageError) in
        parser.options.maxConversations = try integer(text, for: "--max-conversations", in: 1...1_000_000_000)
    },
    .value(
        nil,
        "idle-time",
        .init("S"),
        .reassembly,
        "a conversation without packets is closed after S seconds (default 3600)"
    ) { (parser, text) throws(UsageError) in
        parser.options.idleTime = try seconds(text, for: "--idle-time")
    },

    .choice(
        "overlap",
        "COPY",
        .reassembly,
        "which copy counts of bytes that wait behind a hole and came twice with different content: first (default) or last; bytes that were shown stay",
        of: OverlapPolicy.self
    ) {
        $0.options.overlap = $1
    },
    .flag(
        nil,
        "verify-checksums",
        .reassembly,
        "count wrong checksums of IP, TCP and UDP; those left to the network card are not wrong"
    ) {
        $0.options.verifyChecksums = true
    },

    // Other.
    .value(
        nil,
        "threads",
        .init("N"),
        .other,
        "share the work among N threads; 1: none beside the first (default: the number of processors, at most \(Options.standardThreads))"
    ) { (parser, text) throws(UsageError) in
        parser.options.threads = try integer(text, for: "--threads", in: 1...Options.maximumThreads)
    },
    .flag(nil, "strict", .other, "exit with status 1 if the kernel dropped packets") { $0.options.strict = true },
    .choice("completion", "SHELL", .other, "print a completion script for bash, zsh or fish", of: Options.Shell.self) {
        $0.setAction(.completion($1), "--completion")
    },
    .flag(nil, "help-man", .other, "print the man page (roff)", isHidden: true) { $0.setAction(.manual, "--help-man") },
    .flag(nil, "version", .other, "print the version") { $0.setAction(.version, "--version") },
    .flag("h", "help", .other, "print this") { $0.setAction(.help(command: nil), "--help") },
]

/// The start tokens by the names that `--start-token` takes.
enum StartTokenName: String, CaseIterable, Sendable {
    case ffff
    case ff
    case zeroF = "0f"

    var token: HeaderLayout.StartToken {
        switch self {
        case .ffff: .ffff
        case .ff: .ff
        case .zeroF: .zeroF
        }
    }
}
