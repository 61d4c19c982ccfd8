# bash completion for esdump: source it, or put it into bash-completion's folder.
_esdump() {
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" options
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    case "${COMP_WORDS[1]}" in
    streams)
        case "$previous" in
        --sort) COMPREPLY=($(compgen -W 'number client server start duration packets bytes messages users retransmissions gaps ended' -- "$current")); return ;;
        --extract) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --name) COMPREPLY=(); return ;;
        -r|--read) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        -F|--filter-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        -c) COMPREPLY=(); return ;;
        --format) COMPREPLY=($(compgen -W 'breakdown summary hex json' -- "$current")); return ;;
        --conversation) COMPREPLY=(); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --profile-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --start-token) COMPREPLY=($(compgen -W 'ffff ff 0f' -- "$current")); return ;;
        --id-slot) COMPREPLY=(); return ;;
        --user-id-length) COMPREPLY=(); return ;;
        --max-message) COMPREPLY=(); return ;;
        --gap-packets) COMPREPLY=(); return ;;
        --gap-time) COMPREPLY=(); return ;;
        --gap-max-time) COMPREPLY=(); return ;;
        --one-way-time) COMPREPLY=(); return ;;
        --one-way-bytes) COMPREPLY=(); return ;;
        --stream-buffer) COMPREPLY=(); return ;;
        --stream-pieces) COMPREPLY=(); return ;;
        --total-buffer) COMPREPLY=(); return ;;
        --max-conversations) COMPREPLY=(); return ;;
        --idle-time) COMPREPLY=(); return ;;
        --overlap) COMPREPLY=($(compgen -W 'first last' -- "$current")); return ;;
        esac
        options='--sort --csv --hash --extract --name --force -r --read -F --filter-file -c --format --utc --conversation --profile --profile-file --start-token --id-slot --user-id-length --max-message --gap-packets --gap-time --gap-max-time --one-way-time --one-way-bytes --stream-buffer --stream-pieces --total-buffer --max-conversations --idle-time --overlap --verify-checksums -h --help'
        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return; } ;;
    diff)
        case "$previous" in
        --format) COMPREPLY=($(compgen -W 'text json html' -- "$current")); return ;;
        -U|--context) COMPREPLY=(); return ;;
        --conversation) COMPREPLY=(); return ;;
        --max-kept) COMPREPLY=(); return ;;
        --ignore) COMPREPLY=(); return ;;
        --map-user) COMPREPLY=(); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --describe) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --encoding) COMPREPLY=($(compgen -W 'utf-8 gb18030 gbk big5 shift_jis utf-16le' -- "$current")); return ;;
        --where) COMPREPLY=(); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --profile-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --start-token) COMPREPLY=($(compgen -W 'ffff ff 0f' -- "$current")); return ;;
        --id-slot) COMPREPLY=(); return ;;
        --user-id-length) COMPREPLY=(); return ;;
        --max-message) COMPREPLY=(); return ;;
        --gap-packets) COMPREPLY=(); return ;;
        --gap-time) COMPREPLY=(); return ;;
        --gap-max-time) COMPREPLY=(); return ;;
        --one-way-time) COMPREPLY=(); return ;;
        --one-way-bytes) COMPREPLY=(); return ;;
        --stream-buffer) COMPREPLY=(); return ;;
        --stream-pieces) COMPREPLY=(); return ;;
        --total-buffer) COMPREPLY=(); return ;;
        --max-conversations) COMPREPLY=(); return ;;
        --idle-time) COMPREPLY=(); return ;;
        --overlap) COMPREPLY=($(compgen -W 'first last' -- "$current")); return ;;
        esac
        options='--format -y --side-by-side -U --context --timing --conversation --max-kept --ignore --map-user --ignore-heartbeats --exact --utc --color --show-secrets --redact --describe --encoding --where --profile --profile-file --start-token --id-slot --user-id-length --max-message --gap-packets --gap-time --gap-max-time --one-way-time --one-way-bytes --stream-buffer --stream-pieces --total-buffer --max-conversations --idle-time --overlap --verify-checksums -h --help'
        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return; } ;;
    decode)
        case "$previous" in
        --input) COMPREPLY=($(compgen -W 'hex rows list escapes base64 json raw' -- "$current")); return ;;
        --format) COMPREPLY=($(compgen -W 'breakdown summary hex json' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --describe) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --encoding) COMPREPLY=($(compgen -W 'utf-8 gb18030 gbk big5 shift_jis utf-16le' -- "$current")); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --profile-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --start-token) COMPREPLY=($(compgen -W 'ffff ff 0f' -- "$current")); return ;;
        --id-slot) COMPREPLY=(); return ;;
        --user-id-length) COMPREPLY=(); return ;;
        --max-message) COMPREPLY=(); return ;;
        esac
        options='--input --c2s --s2c --format -q -v -x -X -l --color --show-secrets --redact --describe --encoding -n --profile --profile-file --start-token --id-slot --user-id-length --max-message -h --help'
        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return; } ;;
    encode)
        case "$previous" in
        --type) COMPREPLY=(); return ;;
        --user) COMPREPLY=(); return ;;
        --dest) COMPREPLY=(); return ;;
        --id) COMPREPLY=(); return ;;
        --client-type) COMPREPLY=(); return ;;
        --set) COMPREPLY=(); return ;;
        --null) COMPREPLY=(); return ;;
        --body-hex) COMPREPLY=(); return ;;
        --body-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --as) COMPREPLY=($(compgen -W 'annotated hex raw json swift c objc csharp java python javascript go' -- "$current")); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --start-token) COMPREPLY=($(compgen -W 'ffff ff 0f' -- "$current")); return ;;
        --id-slot) COMPREPLY=(); return ;;
        --user-id-length) COMPREPLY=(); return ;;
        esac
        options='--type --user --dest --id --client-type --set --null --body-hex --body-file --c2s --s2c --as --profile --start-token --id-slot --user-id-length -h --help'
        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return; } ;;
    fixtures)
        case "$previous" in
        --message) COMPREPLY=(); return ;;
        --direction) COMPREPLY=($(compgen -W 'c2s s2c' -- "$current")); return ;;
        --as) COMPREPLY=($(compgen -W 'annotated hex raw json swift c objc csharp java python javascript go' -- "$current")); return ;;
        --as-test) COMPREPLY=($(compgen -W 'swift-testing xctest' -- "$current")); return ;;
        --dir) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        -o|--output) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        -r|--read) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        -F|--filter-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        -c) COMPREPLY=(); return ;;
        --describe) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --conversation) COMPREPLY=(); return ;;
        --from) COMPREPLY=(); return ;;
        --to) COMPREPLY=(); return ;;
        --where) COMPREPLY=(); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --profile-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --start-token) COMPREPLY=($(compgen -W 'ffff ff 0f' -- "$current")); return ;;
        --id-slot) COMPREPLY=(); return ;;
        --user-id-length) COMPREPLY=(); return ;;
        --max-message) COMPREPLY=(); return ;;
        --gap-packets) COMPREPLY=(); return ;;
        --gap-time) COMPREPLY=(); return ;;
        --gap-max-time) COMPREPLY=(); return ;;
        --one-way-time) COMPREPLY=(); return ;;
        --one-way-bytes) COMPREPLY=(); return ;;
        --stream-buffer) COMPREPLY=(); return ;;
        --stream-pieces) COMPREPLY=(); return ;;
        --total-buffer) COMPREPLY=(); return ;;
        --max-conversations) COMPREPLY=(); return ;;
        --idle-time) COMPREPLY=(); return ;;
        --overlap) COMPREPLY=($(compgen -W 'first last' -- "$current")); return ;;
        esac
        options='--message --direction --as --as-test --dir -o --output --force -r --read -F --filter-file -c --utc --show-secrets --redact --describe --conversation --from --to --where --profile --profile-file --start-token --id-slot --user-id-length --max-message --gap-packets --gap-time --gap-max-time --one-way-time --one-way-bytes --stream-buffer --stream-pieces --total-buffer --max-conversations --idle-time --overlap --verify-checksums -h --help'
        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return; } ;;
    replay)
        case "$previous" in
        --to) COMPREPLY=(); return ;;
        --conversation) COMPREPLY=(); return ;;
        --message) COMPREPLY=(); return ;;
        --speed) COMPREPLY=(); return ;;
        --timeout) COMPREPLY=(); return ;;
        --heartbeats) COMPREPLY=($(compgen -W 'ignore answer' -- "$current")); return ;;
        --format) COMPREPLY=($(compgen -W 'text json html' -- "$current")); return ;;
        -U|--context) COMPREPLY=(); return ;;
        --ignore) COMPREPLY=(); return ;;
        --map-user) COMPREPLY=(); return ;;
        -r|--read) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --describe) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --encoding) COMPREPLY=($(compgen -W 'utf-8 gb18030 gbk big5 shift_jis utf-16le' -- "$current")); return ;;
        --where) COMPREPLY=(); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --profile-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --start-token) COMPREPLY=($(compgen -W 'ffff ff 0f' -- "$current")); return ;;
        --id-slot) COMPREPLY=(); return ;;
        --user-id-length) COMPREPLY=(); return ;;
        --max-message) COMPREPLY=(); return ;;
        --gap-packets) COMPREPLY=(); return ;;
        --gap-time) COMPREPLY=(); return ;;
        --gap-max-time) COMPREPLY=(); return ;;
        --one-way-time) COMPREPLY=(); return ;;
        --one-way-bytes) COMPREPLY=(); return ;;
        --stream-buffer) COMPREPLY=(); return ;;
        --stream-pieces) COMPREPLY=(); return ;;
        --total-buffer) COMPREPLY=(); return ;;
        --max-conversations) COMPREPLY=(); return ;;
        --idle-time) COMPREPLY=(); return ;;
        --overlap) COMPREPLY=($(compgen -W 'first last' -- "$current")); return ;;
        esac
        options='--to --conversation --message --speed --timeout --heartbeats --yes --format -U --context --timing --ignore --map-user --ignore-heartbeats --exact -r --read --utc --color --show-secrets --redact --describe --encoding --where --profile --profile-file --start-token --id-slot --user-id-length --max-message --gap-packets --gap-time --gap-max-time --one-way-time --one-way-bytes --stream-buffer --stream-pieces --total-buffer --max-conversations --idle-time --overlap --verify-checksums -h --help'
        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return; } ;;
    protocol)
        case "$previous" in
        --direction) COMPREPLY=($(compgen -W 'request reply' -- "$current")); return ;;
        --format) COMPREPLY=($(compgen -W 'breakdown summary hex json' -- "$current")); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --profile-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        esac
        options='--ksy --direction --format --profile --profile-file -h --help'
        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return; } ;;
    ksy)
        case "$previous" in
        --format) COMPREPLY=($(compgen -W 'breakdown summary hex json' -- "$current")); return ;;
        esac
        options='--format --show-secrets -h --help'
        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return; } ;;
    server)
        case "$previous" in
        --port) COMPREPLY=(); return ;;
        --listen) COMPREPLY=(); return ;;
        --users) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --add-user) COMPREPLY=(); return ;;
        --answers) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --group) COMPREPLY=(); return ;;
        --second-logon) COMPREPLY=($(compgen -W 'replace refuse' -- "$current")); return ;;
        --max-connections) COMPREPLY=(); return ;;
        --logon-time) COMPREPLY=(); return ;;
        --heartbeat-time) COMPREPLY=(); return ;;
        --format) COMPREPLY=($(compgen -W 'breakdown summary hex json' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --describe) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --encoding) COMPREPLY=($(compgen -W 'utf-8 gb18030 gbk big5 shift_jis utf-16le' -- "$current")); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --id-slot) COMPREPLY=(); return ;;
        --user-id-length) COMPREPLY=(); return ;;
        --max-message) COMPREPLY=(); return ;;
        esac
        options='--port --listen --users --add-user --answers --group --second-logon --echo-heartbeats --peer-to-peer --allow-kick-out --max-connections --logon-time --heartbeat-time --format -q -v -x -X -t --utc -l --color --show-secrets --redact --describe --encoding -n --profile --id-slot --user-id-length --max-message -h --help'
        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return; } ;;
    chat)
        case "$previous" in
        --user) COMPREPLY=(); return ;;
        --server) COMPREPLY=(); return ;;
        --password-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --system-token) COMPREPLY=(); return ;;
        --type) COMPREPLY=(); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --id-slot) COMPREPLY=(); return ;;
        --user-id-length) COMPREPLY=(); return ;;
        esac
        options='--user --server --ask-password --password-file --system-token --type --acknowledge --profile --id-slot --user-id-length -h --help'
        [[ $current == -* ]] || { compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return; } ;;
    *)
        case "$previous" in
        -r|--read) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        -i|--interface) COMPREPLY=($(compgen -W "$(esdump -D 2>/dev/null | sed -n 's/^[0-9]*\.\([^ ]*\).*/\1/p')" -- "$current")); return ;;
        -F|--filter-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        -w|--write) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        -C|--file-size) COMPREPLY=(); return ;;
        -G|--rotate-seconds) COMPREPLY=(); return ;;
        -W|--file-count) COMPREPLY=(); return ;;
        --ring) COMPREPLY=(); return ;;
        --ring-size) COMPREPLY=(); return ;;
        -s|--snapshot-length) COMPREPLY=(); return ;;
        -B|--buffer-size) COMPREPLY=(); return ;;
        -c) COMPREPLY=(); return ;;
        -Z|--relinquish-privileges) COMPREPLY=($(compgen -u -- "$current")); return ;;
        --format) COMPREPLY=($(compgen -W 'breakdown summary hex json' -- "$current")); return ;;
        --fields) COMPREPLY=(); return ;;
        -E) COMPREPLY=(); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --describe) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --encoding) COMPREPLY=($(compgen -W 'utf-8 gb18030 gbk big5 shift_jis utf-16le' -- "$current")); return ;;
        --conversation) COMPREPLY=(); return ;;
        --from) COMPREPLY=(); return ;;
        --to) COMPREPLY=(); return ;;
        --where) COMPREPLY=(); return ;;
        --until) COMPREPLY=(); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --profile-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --start-token) COMPREPLY=($(compgen -W 'ffff ff 0f' -- "$current")); return ;;
        --id-slot) COMPREPLY=(); return ;;
        --user-id-length) COMPREPLY=(); return ;;
        --max-message) COMPREPLY=(); return ;;
        --gap-packets) COMPREPLY=(); return ;;
        --gap-time) COMPREPLY=(); return ;;
        --gap-max-time) COMPREPLY=(); return ;;
        --one-way-time) COMPREPLY=(); return ;;
        --one-way-bytes) COMPREPLY=(); return ;;
        --stream-buffer) COMPREPLY=(); return ;;
        --stream-pieces) COMPREPLY=(); return ;;
        --total-buffer) COMPREPLY=(); return ;;
        --max-conversations) COMPREPLY=(); return ;;
        --idle-time) COMPREPLY=(); return ;;
        --overlap) COMPREPLY=($(compgen -W 'first last' -- "$current")); return ;;
        --threads) COMPREPLY=(); return ;;
        --completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$current")); return ;;
        esac
        options='-r --read -i --interface -D --list-interfaces -F --filter-file -w --write -C --file-size -G --rotate-seconds -W --file-count --ring --ring-size -U --packet-buffered -p --no-promiscuous-mode -s --snapshot-length -B --buffer-size -c -Z --relinquish-privileges --format --fields -E --count -q -v -x -X -t --utc -l --color --show-secrets --redact --describe --encoding -n --conversation --from --to --where --until --profile --profile-file --start-token --id-slot --user-id-length --max-message --gap-packets --gap-time --gap-max-time --one-way-time --one-way-bytes --stream-buffer --stream-pieces --total-buffer --max-conversations --idle-time --overlap --verify-checksums --threads --strict --completion --version -h --help'
        [[ $COMP_CWORD == 1 ]] && COMPREPLY=($(compgen -W 'streams diff decode encode fixtures replay protocol ksy server chat' -- "$current")) ;;
    esac
    [[ $current == -* ]] && COMPREPLY=($(compgen -W "$options" -- "$current"))
}
complete -F _esdump esdump
