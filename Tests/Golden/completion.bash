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
        --describe) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
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
        options='--sort --csv --hash --extract --name --force -r --read -F --filter-file -c --format --utc --conversation --profile --profile-file --describe --start-token --id-slot --user-id-length --max-message --gap-packets --gap-time --gap-max-time --one-way-time --one-way-bytes --stream-buffer --stream-pieces --total-buffer --max-conversations --idle-time --overlap --verify-checksums -h --help'
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
        --encoding) COMPREPLY=($(compgen -W 'utf-8 gb18030 gbk big5 shift_jis utf-16le' -- "$current")); return ;;
        --conversation) COMPREPLY=(); return ;;
        --from) COMPREPLY=(); return ;;
        --to) COMPREPLY=(); return ;;
        --where) COMPREPLY=(); return ;;
        --until) COMPREPLY=(); return ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")); return ;;
        --profile-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        --describe) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
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
        options='-r --read -i --interface -D --list-interfaces -F --filter-file -w --write -C --file-size -G --rotate-seconds -W --file-count --ring --ring-size -U --packet-buffered -p --no-promiscuous-mode -s --snapshot-length -B --buffer-size -c -Z --relinquish-privileges --format --fields -E --count -q -v -x -X -t --utc -l --color --show-secrets --encoding -n --conversation --from --to --where --until --profile --profile-file --describe --start-token --id-slot --user-id-length --max-message --gap-packets --gap-time --gap-max-time --one-way-time --one-way-bytes --stream-buffer --stream-pieces --total-buffer --max-conversations --idle-time --overlap --verify-checksums --threads --strict --completion --version -h --help'
        [[ $COMP_CWORD == 1 ]] && COMPREPLY=($(compgen -W 'streams protocol ksy' -- "$current")) ;;
    esac
    [[ $current == -* ]] && COMPREPLY=($(compgen -W "$options" -- "$current"))
}
complete -F _esdump esdump
