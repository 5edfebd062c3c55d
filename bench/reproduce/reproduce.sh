#!/bin/sh
# reproduce.sh - the ledger: claims of the papers and of the reference simulations, our value beside each, pass or FAIL.
# SPDX-License-Identifier: BSD-3-Clause
#
#     sh bench/reproduce/reproduce.sh                 all claims
#     sh bench/reproduce/reproduce.sh graph mmc       these
#     sh bench/reproduce/reproduce.sh list            what there is
#     --markdown                                      the table as README.md has it
#
# GRADCODE=PATH takes another tool, with its build's bench/reproduce_formulas. SHARE=10 runs a tenth of the rounds: a quick look,
# in which figures may miss. Exit code: 0 all pass, 1 some do not, 2 bad usage.
set -eu
GDC_SOURCE=$(CDPATH='' cd "$(dirname "$0")/../.." && pwd)
here=$GDC_SOURCE/bench/reproduce
. "$GDC_SOURCE/apps/setup.sh"
. "$GDC_SOURCE/bench/figure.sh"
. "$here/judge.sh"
. "$here/run_tool.sh"

all_claims()
{
    for file in "$here"/claims/*.sh; do
        basename "$file" .sh
    done
}

markdown=0
claims=
for word in "$@"; do
    case $word in
    --markdown) markdown=1 ;;
    list)
        for name in $(all_claims); do
            printf '%-18s %s\n' "$name" "$(sed -n "1s/^# $name.sh - //p" "$here/claims/$name.sh")"
        done
        exit 0
        ;;
    *)
        [ -f "$here/claims/$word.sh" ] || {
            echo "reproduce.sh: no claim $word: want one of $(all_claims | tr '\n' ' ')" >&2
            exit 2
        }
        claims="$claims $word"
        ;;
    esac
done
find_tool
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
result=$work/result.json
ledger=$work/ledger
: >"$ledger"

# show_entry: the seven fields of an entry.
show_entry()
{
    if [ "$markdown" = 1 ]; then
        printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$@"
    else
        printf '%-18s %-20s %-52s %-10s %-10s %-16s %s\n' "$@"
    fi
}

show_entry claim source what ours reference accepted verdict
[ "$markdown" = 0 ] || echo '|---|---|---|---|---|---|---|'
for claim in ${claims:-$(all_claims)}; do
    printf 'reproduce: %s ...' "$claim" >&2
    began=$(date +%s)
    from=
    set +e
    (
        set -e
        . "$here/claims/$claim.sh"
    )
    code=$?
    set -e
    [ "$code" -eq 0 ] || entry "runs to its end" "exit code $code" 0 equal FAIL
    printf ' %s s\n' $(($(date +%s) - began)) >&2
done
awk -F '\t' '{ n[$NF]++ } END { printf "%d pass, %d do not\n", n["pass"], n["FAIL"]; exit n["FAIL"] > 0 || n["pass"] == 0 }' "$ledger"
