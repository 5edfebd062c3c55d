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

finish 100
