# test_help.sh - help knows every command, and everything that its own topics list.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

helps() {
    run "$GRADCODE" "$@"
    holds "exit code 0 (was $status): gradcode $*" [ "$status" -eq 0 ]
    holds "text on stdout: gradcode $*" [ "$(wc -l <"$work/out")" -ge 2 ]
    holds "nothing on stderr: gradcode $*" [ ! -s "$work/err" ]
}

helps help
helps --help
run "$GRADCODE" help
commands=$(awk '/^Commands/ { inside = 1; next } !NF { inside = 0 } inside { print $1 }' "$work/out")
for command in $commands; do
    helps help "$command"
    helps "$command" --help
done
for topic in strategies codes delays problems data faults; do
    helps help $topic
    cp "$work/out" "$work/topic"
    for name in $(awk '/^  [a-z]/ && !/\|/ { print $1 }' "$work/topic"); do
        helps help "$name"
        holds "help $name names it" grep -q "^  $name " "$work/out"
    done
done

run "$GRADCODE" --version
holds "the version is one line" grep -qx 'gradcode [0-9][0-9.]*' "$work/out"
lacks() {
    ! grep -q "$1" "$work/out"
}
for command in simulate plan; do
    run "$GRADCODE" help $command
    holds "$command has nothing to do with ranks" lacks 'ranks - 1'
done
run "$GRADCODE" help compare
holds "compare says what pieces are for" grep -q 'pieces.*between which a drop can stop' "$work/out"

# What cannot be printed is a failure.
for words in help 'help codes' 'compare --help' --version 'plan fractional:load=2 --workers 4' 'plan uncoded --workers 4 --json' \
    'compare --rounds 2'; do
    timeout 60 "$GRADCODE" $words >/dev/full 2>"$work/err" </dev/null
    status=$?
    holds "a full device: exit code 1 (was $status): gradcode $words" [ $status -eq 1 ]
    holds "a full device: a sentence: gradcode $words" grep -q '^gradcode: failed: .*stdout' "$work/err"
done

finish 119
