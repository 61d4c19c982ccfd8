/// The man page, for `man`: roff with the man macros.
func manualText() -> String {
    var text = """
        .TH ESDUMP 1 "" "esdump \(version)" "User Commands"
        .SH NAME
        esdump \\- show the messages of the ESFramework protocol in a capture
        .SH SYNOPSIS
        .B esdump
        [\\fIOPTION\\fR]... [\\fIFILTER\\fR]
        .br
        .B esdump
        \\fICOMMAND\\fR [\\fIOPTION\\fR]... ...
        .SH DESCRIPTION
        \(roff(manualDescription.joined(separator: "\n\n")).replacingBlankLines(with: ".PP"))
        .SH OPTIONS
        Options and the words of the filter may stand in any order; \\-\\- ends the options.

        """
    for group in OptionDeclaration.Group.allCases where group != .command {
        text += ".SS \"\(roff(group.rawValue))\"\n"
        for option in optionList where option.group == group && !option.isHidden { text += manualEntry(option) }
    }
    text += ".SH COMMANDS\nWith each command \\-\\-help tells which of the options above it takes too.\n"
    for command in Command.all {
        text += ".SS \"\(roff(command.usage))\"\n"
        for paragraph in command.description { text += ".PP\n\(roffLine(paragraph))\n" }
        for option in command.options where !option.isHidden { text += manualEntry(option) }
    }
    for section in filterManualSections + manualSections {
        text += ".SH \(section.title)\n"
        for entry in section.entries {
            switch entry {
            case .paragraph(let words): text += ".PP\n\(roffLine(words))\n"
            case .item(let name, let meaning): text += ".TP\n.B \(roffLine(name))\n\(roffLine(meaning))\n"
            case .code(let line): text += ".PP\n.RS 4\n.nf\n\(roffLine(line))\n.fi\n.RE\n"
            }
        }
    }
    return text
}

/// A part of a section of the man page.
enum ManualEntry: Sendable {
    case paragraph(String)
    case item(String, String)
    case code(String)
}

/// A section of the man page.
struct ManualSection: Sendable {
    let title: String
    let entries: [ManualEntry]
}

private let manualDescription = [
    """
    esdump reads packets from a file or from an interface, puts the bytes of each TCP connection in order, finds \
    the messages of the ESFramework protocol in them and shows each one, every byte with its meaning.
    """,
    """
    Bytes that were not captured, bytes that belong to no message and messages that are cut short are named as \
    what they are, beside the messages. Which generation of the framework wrote a stream is found from the stream.
    """,
    """
    Without -r and -i, the first interface that is up is used. FILTER is a pcap filter (pcap-filter(7)). Passwords \
    are hidden unless --show-secrets is given; -w writes what was captured.
    """,
]

private let manualSections = [
    ManualSection(
        title: "JSON OUTPUT",
        entries: [
            .paragraph(
                "With --format json, one object a line. Numbers are JSON numbers, bytes are lower-case hex. A message has:"
            ),
            .item("n", "number of the message in the output, from 1"),
            .item("time", "time of the packet that completes it (or ends it), RFC 3339, UTC, nine decimals"),
            .item("file", "with several inputs: the name of the file that this packet is in, without its folder"),
            .item("packet", "number of that packet in the input, from 1; of several inputs as merged"),
            .item(
                "conversation",
                "number of the conversation, from 1; a new SYN on the same addresses begins a new one"
            ),
            .item("transport", "tcp or udp"),
            .item("direction", "c2s (client to server) or s2c"),
            .item("src, dst", "a.b.c.d:port or [v6]:port"),
            .item(
                "stream_offset",
                "of its first byte in its direction; 0 is the byte after the SYN, or the first one seen"
            ),
            .item("length", "of header and declared body, whether or not all of it was captured"),
            .item(
                "status",
                "complete; gap: bytes inside it were never captured; truncated: the stream ends inside it"
            ),
            .item(
                "missing, gaps",
                "if not complete: how many bytes are missing, and where: [[offset, length], ...] within the message"
            ),
            .item(
                "es",
                "object with start_token, client_type (absent in 4.0), message_type, message_type_name (if known), message_id, body_length, user_id, dest_user_id"
            ),
            .item("header_hex, body_hex", "the bytes that were there, in order"),
            .item(
                "masked",
                "[[offset, length], ...] within the bytes of body_hex: secrets, written as 2a; absent with --show-secrets"
            ),
            .item(
                "fields",
                "with -v: [{\"name\", \"offset\", \"length\", \"value\", \"text\"}, ...], every byte exactly once"
            ),
            .paragraph(
                "Any other line is an event: it has event, time, packet, conversation, src, dst and, where it covers bytes, stream_offset and length; and, where there is one, reason. The values of event:"
            ),
            .item("gap", "bytes that were never captured"),
            .item("skipped", "bytes that belong to no message"),
            .item("truncated", "the bytes of a header that the end of the stream cuts short"),
            .item("limit", "a header that declares more than --max-message, or another limit that was reached"),
            .item(
                "preface",
                "bytes of another protocol before the first message; over UDP those of the peer-to-peer channel"
            ),
            .item("not-es", "all bytes of a direction without a message; looks_like (if known) and first_bytes"),
            .item("late", "a segment that came after its hole had been given up"),
            .item(
                "layout, notice",
                "what was found out or is to be said; covers no bytes. layout has versions, those that are left open"
            ),
            .paragraph(
                "With --count: packets, conversations, complete messages, damaged messages, gaps, missing bytes, skipped bytes, not-es conversations, then counts by type and direction; as one object with --format json (blanks become _). missing bytes are those of the gaps, without what truncated messages lack."
            ),
        ]
    ),
    ManualSection(
        title: "PROFILES",
        entries: [
            .paragraph(
                "The file of --profile-file says what an application has of its own. It has sections, lines key = value, and # before a comment:"
            ),
            .code("[profile]"),
            .code("name = Trading server"),
            .code("bodies = 6.5"),
            .code("[header]"),
            .code("start-token = ff"),
            .code("user-id-length = 20"),
            .code("[client-types]"),
            .code("20 = Bot"),
            .code("[message-types]"),
            .code("1001 = Quote"),
            .code("1002 = Order like 202"),
            .item(
                "bodies",
                "the version that all types have which are not listed: 4.0, 4.7, 6.5, 7.2, or none; must be there"
            ),
            .item("start-token", "ff, 0f or ffff; otherwise that of the version, or as found from the stream"),
            .item("id-slot, user-id-length", "as the options; otherwise found from the stream"),
            .item("[client-types]", "names by number, instead of the framework's"),
            .item(
                "[message-types]",
                "names without blanks by number; behind like the number or name of the type whose bodies it has. A name of the framework's brings its bodies, any other name takes them away"
            ),
        ]
    ),
    ManualSection(
        title: "DESCRIPTIONS",
        entries: [
            .paragraph(
                "The file of --describe says what an application puts into its messages, in the language of Kaitai Struct (.ksy). Its fields are shown wherever fields are shown, under es.body. Keys that begin with -esdump- say whose body a type describes; other tools pass over them. The page Documentation/describing-bodies.md explains it with examples; esdump ksy tries a description on any file. Its names of message types and of values can be asked for in --where, as in es.message_type == enter_room; a name that it gives to a number of the framework replaces that of the framework."
            ),
            .code("meta: {id: app, endian: le, encoding: UTF-8}"),
            .code("types:"),
            .code("  enter_room:"),
            .code("    -esdump-message-type: 1001"),
            .code("    -esdump-direction: request"),
            .code("    seq:"),
            .code("      - {id: room, type: u4}"),
            .code("      - {id: name, type: strz}"),
            .code("enums:"),
            .code("  message_type: {1001: enter_room}"),
            .item(
                "-esdump-message-type",
                "of a type: a number, a label as message_type::enter_room, a list, or _ for all others"
            ),
            .item("-esdump-information-type", "the same for what messages 201 to 208 carry"),
            .item("-esdump-direction", "request, reply, or both (the default)"),
            .item("-esdump-profile", "the versions of the framework; all by default"),
            .item("-esdump-title", "what the body is called"),
            .item(
                "-esdump-name, -esdump-secret, -esdump-date",
                "of a field: its name, whether it is hidden, and how a date is written (ticks, milliseconds)"
            ),
            .item(
                "message_type, information_type",
                "enums at the top of the file with these names give names to numbers"
            ),
        ]
    ),
    ManualSection(
        title: "SIGNALS",
        entries: [
            .paragraph(
                "SIGINT and SIGTERM end the reading, and what was found so far is shown; a second one ends at once. SIGUSR1 (and SIGINFO where there is one) prints the statistics of the capture."
            )
        ]
    ),
    ManualSection(
        title: "ENVIRONMENT",
        entries: [
            .item("NO_COLOR", "if set and not empty, no color unless --color always is given"),
            .item("TZ", "the local time zone"),
        ]
    ),
    ManualSection(
        title: "EXIT STATUS",
        entries: [
            .item("0", "all was read, whatever the streams hold: gaps and damage in streams are data"),
            .item(
                "1",
                "the file is damaged or cut short (all that could be read was shown), the output could not be written, or packets were dropped and --strict was given"
            ),
            .item("2", "wrong usage, no such file, not a capture, no permission, a filter that does not compile"),
            .paragraph(
                "diff and replay: 0 there is no difference, 1 there is one, 2 wrong usage, a file that cannot be read to its end, no messages, no connection."
            ),
        ]
    ),
    ManualSection(
        title: "EXAMPLES",
        entries: [
            .code("esdump -r login.pcap"),
            .code("esdump -i eth0 port 4530"),
            .code("ssh server 'tcpdump -U -w - port 4530' | esdump -r -"),
            .code("esdump -r day.pcap --count --format json"),
            .code("esdump streams day.pcap --sort bytes"),
            .code("esdump protocol Logon"),
            .code("esdump -r day.pcap --where 'es.body.logon_result != Succeed' --fields time,src,es.dest_user_id"),
            .code("esdump diff original.pcap mine.pcap"),
            .code("esdump replay login.pcap --to 127.0.0.1:4530 --speed max"),
        ]
    ),
    ManualSection(title: "SEE ALSO", entries: [.paragraph("tcpdump(1), pcap-filter(7)")]),
]

private func manualEntry(_ option: OptionDeclaration) -> String {
    ".TP\n\(roffSpelling(option))\n\(roffLine(option.help))\n"
}

/// The names in bold, the value in italics.
private func roffSpelling(_ option: OptionDeclaration) -> String {
    var names: [String] = []
    if let short = option.short { names.append("\\fB\\-\(short)\\fR") }
    if let long = option.long { names.append("\\fB\(roff("--\(long)"))\\fR") }
    return names.joined(separator: ", ") + (option.value.map { " \\fI\($0.name)\\fR" } ?? "")
}

/// A text with roff's own characters escaped.
private func roff(_ text: String) -> String {
    var result = ""
    for character in text {
        switch character {
        case "\\": result += "\\e"
        case "-": result += "\\-"
        case "…": result += "..."
        default: result.append(character)
        }
    }
    return result
}

/// The same for a whole line, which must not begin like a command.
private func roffLine(_ text: String) -> String {
    let line = roff(text)
    return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
}

extension String {
    fileprivate func replacingBlankLines(with line: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? line[...] : $0 }
            .joined(separator: "\n")
    }
}
