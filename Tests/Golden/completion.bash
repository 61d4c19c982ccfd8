# bash completion for esdump: source it, or put it into bash-completion's folder.
_esdump() {
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    case "$previous" in
        -r|--read) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
        -i|--interface) COMPREPLY=($(compgen -W "$(esdump -D 2>/dev/null | sed -n 's/^[0-9]*\.\([^ ]*\).*/\1/p')" -- "$current")) ;;
        -F|--filter-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
        -w|--write) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
        -C|--file-size) COMPREPLY=() ;;
        -G|--rotate-seconds) COMPREPLY=() ;;
        -W|--file-count) COMPREPLY=() ;;
        -s|--snapshot-length) COMPREPLY=() ;;
        -B|--buffer-size) COMPREPLY=() ;;
        -c) COMPREPLY=() ;;
        -Z|--relinquish-privileges) COMPREPLY=($(compgen -u -- "$current")) ;;
        --format) COMPREPLY=($(compgen -W 'breakdown summary hex json' -- "$current")) ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")) ;;
        --encoding) COMPREPLY=($(compgen -W 'utf-8 gb18030 gbk big5 shift_jis utf-16le' -- "$current")) ;;
        --conversation) COMPREPLY=() ;;
        --from) COMPREPLY=() ;;
        --to) COMPREPLY=() ;;
        --profile) COMPREPLY=($(compgen -W '4.0 4.7 6.5 7.2' -- "$current")) ;;
        --profile-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
        --start-token) COMPREPLY=($(compgen -W 'ffff ff 0f' -- "$current")) ;;
        --id-slot) COMPREPLY=() ;;
        --user-id-length) COMPREPLY=() ;;
        --max-message) COMPREPLY=() ;;
        --gap-packets) COMPREPLY=() ;;
        --gap-time) COMPREPLY=() ;;
        --gap-max-time) COMPREPLY=() ;;
        --one-way-time) COMPREPLY=() ;;
        --one-way-bytes) COMPREPLY=() ;;
        --stream-buffer) COMPREPLY=() ;;
        --stream-pieces) COMPREPLY=() ;;
        --total-buffer) COMPREPLY=() ;;
        --max-conversations) COMPREPLY=() ;;
        --idle-time) COMPREPLY=() ;;
        --sort) COMPREPLY=($(compgen -W 'number client server start duration packets bytes messages users retransmissions gaps ended' -- "$current")) ;;
        --extract) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
        --name) COMPREPLY=() ;;
        --completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$current")) ;;
        streams) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
        *) [[ $COMP_CWORD == 1 ]] && COMPREPLY=($(compgen -W streams -- "$current"))
           [[ $current == -* ]] && COMPREPLY=($(compgen -W '-r --read -i --interface -D --list-interfaces -F --filter-file -w --write -C --file-size -G --rotate-seconds -W --file-count -U --packet-buffered -p --no-promiscuous-mode -s --snapshot-length -B --buffer-size -c -Z --relinquish-privileges --format --count -q -v -x -X -t --utc -l --color --show-secrets --encoding -n --conversation --from --to --profile --profile-file --start-token --id-slot --user-id-length --max-message --gap-packets --gap-time --gap-max-time --one-way-time --one-way-bytes --stream-buffer --stream-pieces --total-buffer --max-conversations --idle-time --sort --csv --hash --extract --name --force --strict --completion --version -h --help' -- "$current")) ;;
    esac
}
complete -F _esdump esdump
