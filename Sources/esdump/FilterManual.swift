import MessageFormat

/// What the man page says of `--where`, `--until`, `--ring`, `--fields` and `-E`.
let filterManualSections = [
    ManualSection(
        title: "FILTERS ON MESSAGES",
        entries: [
            .paragraph(
                "--where and --until take an expression in the style of Wireshark's display filters: fields compared with values, joined by and (&&), or (||), not (!) and parentheses. and binds tighter than or. A field alone asks whether the message has it. Where a filter is wrong, esdump shows the place."
            ),
            .code("es.message_type == Logon && es.user_id == \"aa01\""),
            .code("es.body.password matches \"^a\\d+$\" or status != complete"),
            .code("dst == 10.0.0.0/8 and es.message_type in {104, 200..299, KickOut}"),
            .item("== eq, != ne, < lt, <= le, > gt, >= ge", "compare. a < b < c is a < b and b < c"),
            .item("contains", "text or bytes are in it"),
            .item(
                "matches, ~",
                "a regular expression (PCRE2) is found in it, whatever the case of letters; (?-i) makes it count. It ends after a million steps, which counts as no match and is told. Both \\d and \\\\d are a digit"
            ),
            .item("in {a, b, 1..5}, not in", "one of some values, or from one to another"),
            .item(
                "any, all",
                "before a comparison: a field that occurs several times (a list) matches if one of its values does; with all, if all do. != and not in hold if they hold of all values, as in Wireshark 4; === and !== are == of all and != of any"
            ),
            .item(
                "len(f), count(f), lower(f), upper(f)",
                "bytes of a value; how often the field is there; letters changed"
            ),
            .item("f[2:4], f[2-5], f[2:], f[:4]", "some of its bytes: four from the third on, and so on"),
            .paragraph(
                "Values: numbers (112, 0x70, -1, 1.5), text between quotes (\"…\" or '…', with \\n, \\x5f, \\u4e2d, \\\\; r\"…\" takes all as it stands), bytes 5f:30 (one byte :5f), times 2026-11-30T11:04:05Z or \"2026-11-30 11:04:05.25\" (local, or with --utc UTC) or seconds since 1970, addresses 10.0.0.1, 10.0.0.0/8, ::1, 10.0.0.1:4530, [::1]:4530, a port; true and false; names of values without quotes: message types (Logon), client types, results (Succeed). On the other side of a comparison may stand a field as well."
            ),
            .paragraph(
                "A comparison with a field that the message does not have is false, != too; not es.user_id == \"x\" is true then. A value that is null is not there; its length is -1. Dates within bodies have no zone and are compared as they stand. Passwords can be asked for (who filters has the capture), but what is shown of them stays hidden."
            ),
            .paragraph(
                "With --where only messages are shown, no gaps and other events; --count counts the messages that match, and packets, conversations, gaps, missing and skipped bytes of all. The fields of JSON's fields go by their names: es.start_token, es.client_type, es.message_type, es.message_id, es.body_length, es.user_id, es.dest_user_id (and .length of these two), es.body.… (es.body.user_list is every element of a list, es.body.user_list[0] the first, es.body.user_list.count their number). And:"
            ),
            .item("es.message_type_name", "the name of the type, if it is known"),
            .item("es.header, es.body", "the bytes of the header, and those of the body that are there"),
        ] + MessageProperty.allCases.map { .item($0.rawValue, $0.help) }
    ),
    ManualSection(
        title: "COLUMNS",
        entries: [
            .paragraph(
                "--fields prints a line a message with the fields of its list, by the names above, separated by tabs. What a message does not have is empty; several values of a field have a comma between them. Control characters in text are written as escapes, bytes as hex, times as in JSON; secrets are (hidden). -E changes that, with the settings of tshark:"
            ),
            .item("header=y", "a line of names first"),
            .item("separator=/t", "between columns: /t, /s (a blank) or a character"),
            .item("aggregator=,", "between the values of a field: /s or a character"),
            .item("occurrence=f|l|a", "the first value of a field, the last, all (default)"),
            .item("quote=d|s|n", "around the values of a field; doubled within them"),
            .item("bom=y", "the bytes EF BB BF first"),
        ]
    ),
    ManualSection(
        title: "WAITING FOR A MESSAGE",
        entries: [
            .code("esdump -i eth0 port 4530 --ring 10m --until 'es.body.logon_result == Failed' -w fault.pcap -q"),
            .paragraph(
                "--until ends with the first message that matches; what was found until then is shown. --ring keeps the packets of the last minutes and writes them to the file of -w at the end: when the message came, at Ctrl-C, at the end of the input. The minutes are those up to the last packet, by the packets' own times. At most --ring-size bytes are kept (48 for each packet counted in), in a file without a name in the folder of -w, which is gone with the program; what must be given up before its time is told. Standard error says whether the message came; the exit status is 0 either way."
            ),
        ]
    ),
]
