#compdef esdump
# zsh completion for esdump: save it as _esdump in a folder of $fpath.
case $words[2] in
streams)
_arguments -s -S \
    '--sort=[order of the list\: number, client, server, start, duration, packets, bytes, messages, users, retransmissions, gaps, ended; quantities from the largest down (default number)]:KEY:(number client server start duration packets bytes messages users retransmissions gaps ended)' \
    '--csv[comma-separated values, with a line of names first (--format json\: an object a line)]' \
    '--hash[with --csv or --format json\: the SHA-256 of each direction'\''s payload]' \
    '--extract=[write each direction'\''s payload to a file in DIR, and what is missing to DIR/index.jsonl]:DIR:_files' \
    '--name=[names of these files\: %A %a source address and port, %B %b destination, %C%c count, %# conversation, %T %t start (default %A.%a-%B.%b%C%c)]:TEMPLATE: ' \
    '--force[with --extract\: replace files that are there]' \
    '-r+[read packets from FILE (pcap, pcapng, SmartSniff'\''s .ssp), the captures in a folder, or standard input (-); several are merged by time]:FILE:_files' \
    '--read=[read packets from FILE (pcap, pcapng, SmartSniff'\''s .ssp), the captures in a folder, or standard input (-); several are merged by time]:FILE:_files' \
    '-F+[read the filter from FILE]:FILE:_files' \
    '--filter-file=[read the filter from FILE]:FILE:_files' \
    '-c+[end after N packets that passed the filter]:N: ' \
    '--format=[breakdown\: every field with its bytes (default); summary\: a line a message; hex\: bytes and text; json\: an object a line]:FORMAT:(breakdown summary hex json)' \
    '--utc[times in UTC, not in the local time zone]' \
    '--conversation=[only conversation number N]:N: ' \
    '--profile=[version of the framework\: 4.0, 4.7, 6.5 or 7.2]:VERSION:(4.0 4.7 6.5 7.2)' \
    '--profile-file=[what an application has of its own\: its layout, names of its types and of its kinds of client, which bodies they have (see PROFILES)]:FILE:_files' \
    '--start-token=[what a header starts with\: ffff, ff or 0f]:TOKEN:(ffff ff 0f)' \
    '--id-slot=[bytes of a user id field with its length byte\: 12, 14, 22 …]:N: ' \
    '--user-id-length=[the framework'\''s setting MaxLengthOfUserID, from which the field follows]:N: ' \
    '--max-message=[a header that declares more is not believed (default 10m)]:SIZE: ' \
    '--gap-packets=[a hole is a gap after N more packets and the time of --gap-time (default 64)]:N: ' \
    '--gap-time=[seconds that go with --gap-packets (default 1)]:S: ' \
    '--gap-max-time=[a hole that an acknowledgement passed is a gap after S seconds (default 3)]:S: ' \
    '--one-way-time=[without acknowledgements (one direction captured)\: a gap after S seconds (default 10)]:S: ' \
    '--one-way-bytes=[the same\: a gap after SIZE behind it (default 256k)]:SIZE: ' \
    '--stream-buffer=[most bytes that wait behind a hole, for each direction (default 4m)]:SIZE: ' \
    '--stream-pieces=[most pieces that wait behind holes, for each direction (default 4096)]:N: ' \
    '--total-buffer=[most bytes that wait in all (default 256m)]:SIZE: ' \
    '--max-conversations=[most conversations at a time (default 1000000)]:N: ' \
    '--idle-time=[a conversation without packets is closed after S seconds (default 3600)]:S: ' \
    '--overlap=[which copy counts of bytes that wait behind a hole and came twice with different content\: first (default) or last; bytes that were shown stay]:COPY:(first last)' \
    '--verify-checksums[count wrong checksums of IP, TCP and UDP; those left to the network card are not wrong]' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file:_files' ;;
diff)
_arguments -s -S \
    '--format=[text (default); json\: an object a line; html\: a page that needs nothing else]:FORMAT:(text json html)' \
    '-y[A on the left, B on the right, in the width of the terminal]' \
    '--side-by-side[A on the left, B on the right, in the width of the terminal]' \
    '-U+[messages that are the same around each difference (default 3)]:N: ' \
    '--context=[messages that are the same around each difference (default 3)]:N: ' \
    '--timing[the time from each request to its answer, in both]' \
    '--conversation=[only conversation N of A, and M (or also N) of B]:N[:M]: ' \
    '--max-kept=[most bytes of messages that are kept of each capture (default 1g)]:SIZE: ' \
    '--ignore=[a field that may differ, with what is below it\: es.message_id, es.body.content, es.body; may be repeated]:FIELD: ' \
    '--map-user=[user AA of A is user BB in B, and must be; may be repeated]:AA=BB: ' \
    '--ignore-heartbeats[leave heartbeats out]' \
    '--exact[nothing may differ but what --ignore and --map-user say\: no renaming, no renumbering, no date]' \
    '--utc[times in UTC, not in the local time zone]' \
    '--color=[color\: auto (on a terminal unless NO_COLOR is set), always, never]:WHEN:(auto always never)' \
    '--show-secrets[show passwords, which are hidden otherwise]' \
    '--redact[replace user ids, passwords and addresses by others of the same length]' \
    '--describe=[the bodies of your own application, described in Kaitai Struct'\''s language (.ksy)\: names of message types, and their fields (see DESCRIPTIONS)]:FILE:_files' \
    '--encoding=[encoding of the text beside hex\: gb18030, or another name that iconv knows (default UTF-8)]:NAME:(utf-8 gb18030 gbk big5 shift_jis utf-16le)' \
    '--where=[only messages that match, as in es.message_type == Logon && es.user_id == \"aa01\" (Wireshark'\''s display filters; see the man page)]:EXPR: ' \
    '--profile=[version of the framework\: 4.0, 4.7, 6.5 or 7.2]:VERSION:(4.0 4.7 6.5 7.2)' \
    '--profile-file=[what an application has of its own\: its layout, names of its types and of its kinds of client, which bodies they have (see PROFILES)]:FILE:_files' \
    '--start-token=[what a header starts with\: ffff, ff or 0f]:TOKEN:(ffff ff 0f)' \
    '--id-slot=[bytes of a user id field with its length byte\: 12, 14, 22 …]:N: ' \
    '--user-id-length=[the framework'\''s setting MaxLengthOfUserID, from which the field follows]:N: ' \
    '--max-message=[a header that declares more is not believed (default 10m)]:SIZE: ' \
    '--gap-packets=[a hole is a gap after N more packets and the time of --gap-time (default 64)]:N: ' \
    '--gap-time=[seconds that go with --gap-packets (default 1)]:S: ' \
    '--gap-max-time=[a hole that an acknowledgement passed is a gap after S seconds (default 3)]:S: ' \
    '--one-way-time=[without acknowledgements (one direction captured)\: a gap after S seconds (default 10)]:S: ' \
    '--one-way-bytes=[the same\: a gap after SIZE behind it (default 256k)]:SIZE: ' \
    '--stream-buffer=[most bytes that wait behind a hole, for each direction (default 4m)]:SIZE: ' \
    '--stream-pieces=[most pieces that wait behind holes, for each direction (default 4096)]:N: ' \
    '--total-buffer=[most bytes that wait in all (default 256m)]:SIZE: ' \
    '--max-conversations=[most conversations at a time (default 1000000)]:N: ' \
    '--idle-time=[a conversation without packets is closed after S seconds (default 3600)]:S: ' \
    '--overlap=[which copy counts of bytes that wait behind a hole and came twice with different content\: first (default) or last; bytes that were shown stay]:COPY:(first last)' \
    '--verify-checksums[count wrong checksums of IP, TCP and UDP; those left to the network card are not wrong]' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file:_files' ;;
decode)
_arguments -s -S \
    '--input=[what the input is\: hex, rows (with offsets), list (of numbers), escapes (\\xff in a string), base64, json, raw; escapes and base64 are read only so]:FORM:(hex rows list escapes base64 json raw)' \
    '--c2s[the messages went from client to server]' \
    '--s2c[the messages went from server to client]' \
    '--format=[breakdown\: every field with its bytes (default); summary\: a line a message; hex\: bytes and text; json\: an object a line]:FORMAT:(breakdown summary hex json)' \
    '-q[less\: a short line a message (--format summary without the ids)]' \
    '*-v[more\: long bodies whole, conversations that are not ES by name; with json, the fields]' \
    '-x[a line for each message, and its bytes in hex]' \
    '-X[a line for each message, and its bytes in hex and text]' \
    '-l[write each line at once (the default on a terminal and for a live capture)]' \
    '--color=[color\: auto (on a terminal unless NO_COLOR is set), always, never]:WHEN:(auto always never)' \
    '--show-secrets[show passwords, which are hidden otherwise]' \
    '--redact[replace user ids, passwords and addresses by others of the same length]' \
    '--describe=[the bodies of your own application, described in Kaitai Struct'\''s language (.ksy)\: names of message types, and their fields (see DESCRIPTIONS)]:FILE:_files' \
    '--encoding=[encoding of the text beside hex\: gb18030, or another name that iconv knows (default UTF-8)]:NAME:(utf-8 gb18030 gbk big5 shift_jis utf-16le)' \
    '-n[no look-ups of names\: always so, accepted for habit'\''s sake]' \
    '--profile=[version of the framework\: 4.0, 4.7, 6.5 or 7.2]:VERSION:(4.0 4.7 6.5 7.2)' \
    '--profile-file=[what an application has of its own\: its layout, names of its types and of its kinds of client, which bodies they have (see PROFILES)]:FILE:_files' \
    '--start-token=[what a header starts with\: ffff, ff or 0f]:TOKEN:(ffff ff 0f)' \
    '--id-slot=[bytes of a user id field with its length byte\: 12, 14, 22 …]:N: ' \
    '--user-id-length=[the framework'\''s setting MaxLengthOfUserID, from which the field follows]:N: ' \
    '--max-message=[a header that declares more is not believed (default 10m)]:SIZE: ' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file:_files' ;;
encode)
_arguments -s -S \
    '--type=[make a message of this type\: Logon, 112 …]:TYPE: ' \
    '--user=[its UserID, the sender\: aa01, in 7.2 also 9#aa01; _0 is the server]:ID: ' \
    '--dest=[its DestUserID (default _0)]:ID: ' \
    '--id=[its MessageID (default 1)]:N: ' \
    '--client-type=[its ClientType, 0 to 255]:N: ' \
    '--set=[a field of the body\: password=x, p2p_address.public_ip=192.0.2.7, content=hex\:01ff; for a list once for each element, user_list=aa01; body=… for a body that is a list itself]:NAME=VALUE: ' \
    '--null=[a field of the body that is null]:NAME: ' \
    '--body-hex=[the whole body, for types that are an application'\''s own]:HEX: ' \
    '--body-file=[the whole body, from a file as it is]:FILE:_files' \
    '--c2s[a message from client to server\: requests and replies have different bodies]' \
    '--s2c[a message from server to client (also if --user is _0)]' \
    '--as=[hex (default), raw, annotated (rows with the breakdown), json, or source\: swift, c, objc, csharp, java, python, javascript, go]:FORM:(annotated hex raw json swift c objc csharp java python javascript go)' \
    '--profile=[version of the framework\: 4.0, 4.7, 6.5 or 7.2]:VERSION:(4.0 4.7 6.5 7.2)' \
    '--start-token=[what a header starts with\: ffff, ff or 0f]:TOKEN:(ffff ff 0f)' \
    '--id-slot=[bytes of a user id field with its length byte\: 12, 14, 22 …]:N: ' \
    '--user-id-length=[the framework'\''s setting MaxLengthOfUserID, from which the field follows]:N: ' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file:_files' ;;
fixtures)
_arguments -s -S \
    '--message=[only these messages, by number\: 3,7-9,12-]:LIST: ' \
    '--direction=[only messages that went this way\: c2s or s2c]:WAY:(c2s s2c)' \
    '--as=[annotated (default), hex, raw, json, or source\: swift, c, objc, csharp, java, python, javascript, go]:FORM:(annotated hex raw json swift c objc csharp java python javascript go)' \
    '--as-test=[a Swift test\: swift-testing or xctest]:LIBRARY:(swift-testing xctest)' \
    '--dir=[a file for each message in DIR]:DIR:_files' \
    '-o+[all messages in FILE]:FILE:_files' \
    '--output=[all messages in FILE]:FILE:_files' \
    '--force[replace files that are there]' \
    '-r+[read packets from FILE (pcap, pcapng, SmartSniff'\''s .ssp), the captures in a folder, or standard input (-); several are merged by time]:FILE:_files' \
    '--read=[read packets from FILE (pcap, pcapng, SmartSniff'\''s .ssp), the captures in a folder, or standard input (-); several are merged by time]:FILE:_files' \
    '-F+[read the filter from FILE]:FILE:_files' \
    '--filter-file=[read the filter from FILE]:FILE:_files' \
    '-c+[end after N packets that passed the filter]:N: ' \
    '--utc[times in UTC, not in the local time zone]' \
    '--show-secrets[show passwords, which are hidden otherwise]' \
    '--redact[replace user ids, passwords and addresses by others of the same length]' \
    '--describe=[the bodies of your own application, described in Kaitai Struct'\''s language (.ksy)\: names of message types, and their fields (see DESCRIPTIONS)]:FILE:_files' \
    '--conversation=[only conversation number N]:N: ' \
    '--from=[only messages that end at TIME or later\: 2026-11-30T11\:04\:05Z, '\''2026-11-30 11\:04\:05.25'\'', 11\:04\:05 (on the capture'\''s first day), or seconds since 1970]:TIME: ' \
    '--to=[only messages that end at TIME or before]:TIME: ' \
    '--where=[only messages that match, as in es.message_type == Logon && es.user_id == \"aa01\" (Wireshark'\''s display filters; see the man page)]:EXPR: ' \
    '--profile=[version of the framework\: 4.0, 4.7, 6.5 or 7.2]:VERSION:(4.0 4.7 6.5 7.2)' \
    '--profile-file=[what an application has of its own\: its layout, names of its types and of its kinds of client, which bodies they have (see PROFILES)]:FILE:_files' \
    '--start-token=[what a header starts with\: ffff, ff or 0f]:TOKEN:(ffff ff 0f)' \
    '--id-slot=[bytes of a user id field with its length byte\: 12, 14, 22 …]:N: ' \
    '--user-id-length=[the framework'\''s setting MaxLengthOfUserID, from which the field follows]:N: ' \
    '--max-message=[a header that declares more is not believed (default 10m)]:SIZE: ' \
    '--gap-packets=[a hole is a gap after N more packets and the time of --gap-time (default 64)]:N: ' \
    '--gap-time=[seconds that go with --gap-packets (default 1)]:S: ' \
    '--gap-max-time=[a hole that an acknowledgement passed is a gap after S seconds (default 3)]:S: ' \
    '--one-way-time=[without acknowledgements (one direction captured)\: a gap after S seconds (default 10)]:S: ' \
    '--one-way-bytes=[the same\: a gap after SIZE behind it (default 256k)]:SIZE: ' \
    '--stream-buffer=[most bytes that wait behind a hole, for each direction (default 4m)]:SIZE: ' \
    '--stream-pieces=[most pieces that wait behind holes, for each direction (default 4096)]:N: ' \
    '--total-buffer=[most bytes that wait in all (default 256m)]:SIZE: ' \
    '--max-conversations=[most conversations at a time (default 1000000)]:N: ' \
    '--idle-time=[a conversation without packets is closed after S seconds (default 3600)]:S: ' \
    '--overlap=[which copy counts of bytes that wait behind a hole and came twice with different content\: first (default) or last; bytes that were shown stay]:COPY:(first last)' \
    '--verify-checksums[count wrong checksums of IP, TCP and UDP; those left to the network card are not wrong]' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file:_files' ;;
replay)
_arguments -s -S \
    '--to=[the server that is sent to; there is no default]:HOST:PORT: ' \
    '--conversation=[the conversation whose client is replayed]:N: ' \
    '--message=[only these messages of the client, by number\: 3,7-9,12-]:LIST: ' \
    '--speed=[pauses N times as short as in the capture (2, 0.5), or max\: none (default 1)]:N: ' \
    '--timeout=[seconds that the connection and each answer may take (default 5)]:S: ' \
    '--heartbeats=[heartbeats and pings of the server\: ignore (default), or answer]:WHAT:(ignore answer)' \
    '--yes[send without asking]' \
    '--format=[text (default)\: captured on the left, what came now on the right; json\: an object a line; html\: a page]:FORMAT:(text json html)' \
    '-U+[messages that are the same around each difference (default\: all)]:N: ' \
    '--context=[messages that are the same around each difference (default\: all)]:N: ' \
    '--timing[the time from each request to its answer, then and now]' \
    '--ignore=[a field that may differ, with what is below it\: es.message_id, es.body.content, es.body; may be repeated]:FIELD: ' \
    '--map-user=[user AA of A is user BB in B, and must be; may be repeated]:AA=BB: ' \
    '--ignore-heartbeats[leave heartbeats out]' \
    '--exact[nothing may differ but what --ignore and --map-user say\: no renaming, no renumbering, no date]' \
    '-r+[read packets from FILE (pcap, pcapng, SmartSniff'\''s .ssp), the captures in a folder, or standard input (-); several are merged by time]:FILE:_files' \
    '--read=[read packets from FILE (pcap, pcapng, SmartSniff'\''s .ssp), the captures in a folder, or standard input (-); several are merged by time]:FILE:_files' \
    '--utc[times in UTC, not in the local time zone]' \
    '--color=[color\: auto (on a terminal unless NO_COLOR is set), always, never]:WHEN:(auto always never)' \
    '--show-secrets[show passwords, which are hidden otherwise]' \
    '--redact[replace user ids, passwords and addresses by others of the same length]' \
    '--describe=[the bodies of your own application, described in Kaitai Struct'\''s language (.ksy)\: names of message types, and their fields (see DESCRIPTIONS)]:FILE:_files' \
    '--encoding=[encoding of the text beside hex\: gb18030, or another name that iconv knows (default UTF-8)]:NAME:(utf-8 gb18030 gbk big5 shift_jis utf-16le)' \
    '--where=[only messages that match, as in es.message_type == Logon && es.user_id == \"aa01\" (Wireshark'\''s display filters; see the man page)]:EXPR: ' \
    '--profile=[version of the framework\: 4.0, 4.7, 6.5 or 7.2]:VERSION:(4.0 4.7 6.5 7.2)' \
    '--profile-file=[what an application has of its own\: its layout, names of its types and of its kinds of client, which bodies they have (see PROFILES)]:FILE:_files' \
    '--start-token=[what a header starts with\: ffff, ff or 0f]:TOKEN:(ffff ff 0f)' \
    '--id-slot=[bytes of a user id field with its length byte\: 12, 14, 22 …]:N: ' \
    '--user-id-length=[the framework'\''s setting MaxLengthOfUserID, from which the field follows]:N: ' \
    '--max-message=[a header that declares more is not believed (default 10m)]:SIZE: ' \
    '--gap-packets=[a hole is a gap after N more packets and the time of --gap-time (default 64)]:N: ' \
    '--gap-time=[seconds that go with --gap-packets (default 1)]:S: ' \
    '--gap-max-time=[a hole that an acknowledgement passed is a gap after S seconds (default 3)]:S: ' \
    '--one-way-time=[without acknowledgements (one direction captured)\: a gap after S seconds (default 10)]:S: ' \
    '--one-way-bytes=[the same\: a gap after SIZE behind it (default 256k)]:SIZE: ' \
    '--stream-buffer=[most bytes that wait behind a hole, for each direction (default 4m)]:SIZE: ' \
    '--stream-pieces=[most pieces that wait behind holes, for each direction (default 4096)]:N: ' \
    '--total-buffer=[most bytes that wait in all (default 256m)]:SIZE: ' \
    '--max-conversations=[most conversations at a time (default 1000000)]:N: ' \
    '--idle-time=[a conversation without packets is closed after S seconds (default 3600)]:S: ' \
    '--overlap=[which copy counts of bytes that wait behind a hole and came twice with different content\: first (default) or last; bytes that were shown stay]:COPY:(first last)' \
    '--verify-checksums[count wrong checksums of IP, TCP and UDP; those left to the network card are not wrong]' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file:_files' ;;
protocol)
_arguments -s -S \
    '--ksy[write the bodies as a .ksy file]' \
    '--direction=[only bodies that go to the server (request) or come from it (reply)]:WAY:(request reply)' \
    '--format=[breakdown\: every field with its bytes (default); summary\: a line a message; hex\: bytes and text; json\: an object a line]:FORMAT:(breakdown summary hex json)' \
    '--profile=[version of the framework\: 4.0, 4.7, 6.5 or 7.2]:VERSION:(4.0 4.7 6.5 7.2)' \
    '--profile-file=[what an application has of its own\: its layout, names of its types and of its kinds of client, which bodies they have (see PROFILES)]:FILE:_files' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file:_files' ;;
ksy)
_arguments -s -S \
    '--format=[breakdown\: every field with its bytes (default); summary\: a line a message; hex\: bytes and text; json\: an object a line]:FORMAT:(breakdown summary hex json)' \
    '--show-secrets[show passwords, which are hidden otherwise]' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file:_files' ;;
server)
_arguments -s -S \
    '--port=[port to listen on (default 4530; 0\: any that is free)]:PORT: ' \
    '--listen=[address or name of a host to listen on, as often as needed; 0.0.0.0 and \:\: are all (default 127.0.0.1 and \:\:1)]:ADDRESS: ' \
    '--users=[users and hashes of their passwords; others may not log on]:FILE:_files' \
    '--add-user=[ask for a password, write its hash to the file of --users, and end]:NAME: ' \
    '--answers=[answers to questions, by type (default\: what was asked)]:FILE:_files' \
    '--group=[a group and its members, as often as needed (default\: everybody is in every group)]:NAME=USER,...: ' \
    '--second-logon=[a second logon of a user\: replace (the first is pushed out, default) or refuse]:WHAT:(replace refuse)' \
    '--echo-heartbeats[hand heartbeats back to their sender]' \
    '--peer-to-peer[let clients find each other for direct connections]' \
    '--allow-kick-out[let clients kick out each other]' \
    '--max-connections=[connections at a time (default 1000)]:N: ' \
    '--logon-time=[time for the logon (default 10)]:S: ' \
    '--heartbeat-time=[time without a sign of life (default 30)]:S: ' \
    '--format=[breakdown\: every field with its bytes (default); summary\: a line a message; hex\: bytes and text; json\: an object a line]:FORMAT:(breakdown summary hex json)' \
    '-q[less\: a short line a message (--format summary without the ids)]' \
    '*-v[more\: long bodies whole, conversations that are not ES by name; with json, the fields]' \
    '-x[a line for each message, and its bytes in hex]' \
    '-X[a line for each message, and its bytes in hex and text]' \
    '*-t[no times; -tt seconds since 1970; -ttt since the previous message; -tttt date and time; -ttttt since the first]' \
    '--utc[times in UTC, not in the local time zone]' \
    '-l[write each line at once (the default on a terminal and for a live capture)]' \
    '--color=[color\: auto (on a terminal unless NO_COLOR is set), always, never]:WHEN:(auto always never)' \
    '--show-secrets[show passwords, which are hidden otherwise]' \
    '--redact[replace user ids, passwords and addresses by others of the same length]' \
    '--describe=[the bodies of your own application, described in Kaitai Struct'\''s language (.ksy)\: names of message types, and their fields (see DESCRIPTIONS)]:FILE:_files' \
    '--encoding=[encoding of the text beside hex\: gb18030, or another name that iconv knows (default UTF-8)]:NAME:(utf-8 gb18030 gbk big5 shift_jis utf-16le)' \
    '-n[no look-ups of names\: always so, accepted for habit'\''s sake]' \
    '--profile=[version of the framework\: 4.0, 4.7, 6.5 or 7.2]:VERSION:(4.0 4.7 6.5 7.2)' \
    '--id-slot=[bytes of a user id field with its length byte\: 12, 14, 22 …]:N: ' \
    '--user-id-length=[the framework'\''s setting MaxLengthOfUserID, from which the field follows]:N: ' \
    '--max-message=[a header that declares more is not believed (default 10m)]:SIZE: ' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file:_files' ;;
chat)
_arguments -s -S \
    '--user=[the user who logs on]:NAME: ' \
    '--server=[the server (default localhost\:4530)]:HOST:PORT: ' \
    '--ask-password[ask for the password]' \
    '--password-file=[file whose first line is the password]:FILE:_files' \
    '--system-token=[what the application agreed on with its server]:TEXT: ' \
    '--type=[InformationType of the messages that are sent (default 1)]:N: ' \
    '--acknowledge[have each message acknowledged, and say if it was not]' \
    '--profile=[version of the framework\: 4.0, 4.7, 6.5 or 7.2]:VERSION:(4.0 4.7 6.5 7.2)' \
    '--id-slot=[bytes of a user id field with its length byte\: 12, 14, 22 …]:N: ' \
    '--user-id-length=[the framework'\''s setting MaxLengthOfUserID, from which the field follows]:N: ' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file:_files' ;;
*)
_arguments -s -S \
    '-r+[read packets from FILE (pcap, pcapng, SmartSniff'\''s .ssp), the captures in a folder, or standard input (-); several are merged by time]:FILE:_files' \
    '--read=[read packets from FILE (pcap, pcapng, SmartSniff'\''s .ssp), the captures in a folder, or standard input (-); several are merged by time]:FILE:_files' \
    '-i+[capture on interface IF\: its name, its number in the list of -D, or any]:IF:($(esdump -D 2>/dev/null | sed -n '\''s/^[0-9]*\.\([^ ]*\).*/\1/p'\''))' \
    '--interface=[capture on interface IF\: its name, its number in the list of -D, or any]:IF:($(esdump -D 2>/dev/null | sed -n '\''s/^[0-9]*\.\([^ ]*\).*/\1/p'\''))' \
    '-D[list the interfaces that can be captured on]' \
    '--list-interfaces[list the interfaces that can be captured on]' \
    '-F+[read the filter from FILE]:FILE:_files' \
    '--filter-file=[read the filter from FILE]:FILE:_files' \
    '-w+[also write the packets to FILE as pcap, or as pcapng if its name ends in .pcapng; -w - writes them to standard output and no text]:FILE:_files' \
    '--write=[also write the packets to FILE as pcap, or as pcapng if its name ends in .pcapng; -w - writes them to standard output and no text]:FILE:_files' \
    '-C+[with -w\: a new file once SIZE is passed, in million bytes or with k, m, g in KiB, MiB, GiB; names get numbers]:SIZE: ' \
    '--file-size=[with -w\: a new file once SIZE is passed, in million bytes or with k, m, g in KiB, MiB, GiB; names get numbers]:SIZE: ' \
    '-G+[with -w\: a new file every S seconds, named by its time\: FILE holds conversions of strftime(3), as in all-%H%M%S.pcap]:S: ' \
    '--rotate-seconds=[with -w\: a new file every S seconds, named by its time\: FILE holds conversions of strftime(3), as in all-%H%M%S.pcap]:S: ' \
    '-W+[with -C\: after N files begin again with the first; with -G\: end after N files]:N: ' \
    '--file-count=[with -C\: after N files begin again with the first; with -G\: end after N files]:N: ' \
    '--ring=[with -w\: keep only the packets of the last TIME (90s, 10m, 2h), and write them at the end\: when --until matches, at Ctrl-C]:TIME: ' \
    '--ring-size=[most bytes that --ring keeps, in a file without a name beside that of -w (default 1g)]:SIZE: ' \
    '-U[with -w\: write each packet at once]' \
    '--packet-buffered[with -w\: write each packet at once]' \
    '-p[do not put the interface into promiscuous mode]' \
    '--no-promiscuous-mode[do not put the interface into promiscuous mode]' \
    '-s+[capture at most N bytes of each packet (default 262144, which 0 also means)]:N: ' \
    '--snapshot-length=[capture at most N bytes of each packet (default 262144, which 0 also means)]:N: ' \
    '-B+[size of the kernel'\''s capture buffer in KiB (default 32768)]:KIB: ' \
    '--buffer-size=[size of the kernel'\''s capture buffer in KiB (default 32768)]:KIB: ' \
    '-c+[end after N packets that passed the filter]:N: ' \
    '-Z+[when started as root, become USER once the interface is open]:USER:_users' \
    '--relinquish-privileges=[when started as root, become USER once the interface is open]:USER:_users' \
    '--format=[breakdown\: every field with its bytes (default); summary\: a line a message; hex\: bytes and text; json\: an object a line]:FORMAT:(breakdown summary hex json)' \
    '--fields=[a line a message with these fields, separated by tabs\: time,src,es.message_type_name,es.body.content]:LIST: ' \
    '*-E+[with --fields, as in tshark\: header=y, separator=/t, /s or a character, aggregator=, (between values), quote=d, s or n, occurrence=f, l or a, bom=y]:KEY=VALUE: ' \
    '--count[show only totals]' \
    '-q[less\: a short line a message (--format summary without the ids)]' \
    '*-v[more\: long bodies whole, conversations that are not ES by name; with json, the fields]' \
    '-x[a line for each message, and its bytes in hex]' \
    '-X[a line for each message, and its bytes in hex and text]' \
    '*-t[no times; -tt seconds since 1970; -ttt since the previous message; -tttt date and time; -ttttt since the first]' \
    '--utc[times in UTC, not in the local time zone]' \
    '-l[write each line at once (the default on a terminal and for a live capture)]' \
    '--color=[color\: auto (on a terminal unless NO_COLOR is set), always, never]:WHEN:(auto always never)' \
    '--show-secrets[show passwords, which are hidden otherwise]' \
    '--redact[replace user ids, passwords and addresses by others of the same length]' \
    '--describe=[the bodies of your own application, described in Kaitai Struct'\''s language (.ksy)\: names of message types, and their fields (see DESCRIPTIONS)]:FILE:_files' \
    '--encoding=[encoding of the text beside hex\: gb18030, or another name that iconv knows (default UTF-8)]:NAME:(utf-8 gb18030 gbk big5 shift_jis utf-16le)' \
    '-n[no look-ups of names\: always so, accepted for habit'\''s sake]' \
    '--conversation=[only conversation number N]:N: ' \
    '--from=[only messages that end at TIME or later\: 2026-11-30T11\:04\:05Z, '\''2026-11-30 11\:04\:05.25'\'', 11\:04\:05 (on the capture'\''s first day), or seconds since 1970]:TIME: ' \
    '--to=[only messages that end at TIME or before]:TIME: ' \
    '--where=[only messages that match, as in es.message_type == Logon && es.user_id == \"aa01\" (Wireshark'\''s display filters; see the man page)]:EXPR: ' \
    '--until=[end with the first message that matches; with --ring for the fault that shows once a week]:EXPR: ' \
    '--profile=[version of the framework\: 4.0, 4.7, 6.5 or 7.2]:VERSION:(4.0 4.7 6.5 7.2)' \
    '--profile-file=[what an application has of its own\: its layout, names of its types and of its kinds of client, which bodies they have (see PROFILES)]:FILE:_files' \
    '--start-token=[what a header starts with\: ffff, ff or 0f]:TOKEN:(ffff ff 0f)' \
    '--id-slot=[bytes of a user id field with its length byte\: 12, 14, 22 …]:N: ' \
    '--user-id-length=[the framework'\''s setting MaxLengthOfUserID, from which the field follows]:N: ' \
    '--max-message=[a header that declares more is not believed (default 10m)]:SIZE: ' \
    '--gap-packets=[a hole is a gap after N more packets and the time of --gap-time (default 64)]:N: ' \
    '--gap-time=[seconds that go with --gap-packets (default 1)]:S: ' \
    '--gap-max-time=[a hole that an acknowledgement passed is a gap after S seconds (default 3)]:S: ' \
    '--one-way-time=[without acknowledgements (one direction captured)\: a gap after S seconds (default 10)]:S: ' \
    '--one-way-bytes=[the same\: a gap after SIZE behind it (default 256k)]:SIZE: ' \
    '--stream-buffer=[most bytes that wait behind a hole, for each direction (default 4m)]:SIZE: ' \
    '--stream-pieces=[most pieces that wait behind holes, for each direction (default 4096)]:N: ' \
    '--total-buffer=[most bytes that wait in all (default 256m)]:SIZE: ' \
    '--max-conversations=[most conversations at a time (default 1000000)]:N: ' \
    '--idle-time=[a conversation without packets is closed after S seconds (default 3600)]:S: ' \
    '--overlap=[which copy counts of bytes that wait behind a hole and came twice with different content\: first (default) or last; bytes that were shown stay]:COPY:(first last)' \
    '--verify-checksums[count wrong checksums of IP, TCP and UDP; those left to the network card are not wrong]' \
    '--threads=[share the work among N threads; 1\: none beside the first (default\: the number of processors, at most 4)]:N: ' \
    '--strict[exit with status 1 if the kernel dropped packets]' \
    '--completion=[print a completion script for bash, zsh or fish]:SHELL:(bash zsh fish)' \
    '--version[print the version]' \
    '-h[print this]' \
    '--help[print this]' \
    '1:command or filter:(streams diff decode encode fixtures replay protocol ksy server chat)' \
    '*:file or filter:_files' ;;
esac
