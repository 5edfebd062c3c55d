#!/bin/sh
# test_all.sh - `-s all`: one of every strategy and code side by side, in a report that is still read at 100 columns
# (test_menu.sh: for every number of workers).
# SPDX-License-Identifier: BSD-3-Clause
set -u
. "$GDC_SOURCE/tests/cli/cli.sh"

fits_the_page() {
    awk 'length > 100 { long = 1 } END { exit NR > 100 || long }' "$work/out"
}

says_once() {
    [ "$(grep -c -- "$1" "$work/out")" = 1 ]
}

run "$GRADCODE" compare -s all --workers 16 --rounds 30 --delay lognormal:mu=.02 --target-loss .1
holds "the run ends well (was $status)" [ "$status" -eq 0 ]
holds "a page of at most 100 lines of at most 100 columns" fits_the_page
holds "drops can drop" grep -q '(4 per' "$work/out"
for spec in 'drop:tau=auto (0\.' 'ignore:s=auto ([0-9]*)' 'k-sync:k=auto ([0-9]*)' 'k-batch-async:k=auto ([0-9]*)' adasync:base=k-sync; do
    holds "the row of $spec" says_once "^$spec"
done
for note in round speed-up stale residual communication 'data memory' slowest tuned; do
    holds "one note on $note" says_once "^  $note  "
done

# name COLUMN: of what `gradcode help WHAT` lists
names_of() {
    "$GRADCODE" help "$1" | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'
}
run "$GRADCODE" compare -s all --workers 16 --rounds 2 --delay lognormal:mu=.02 --json
for name in $(names_of strategies); do
    holds "$name is among them" grep -q "\"spec\": \"$name[:\"]" "$work/out"
done
for name in $(names_of codes | grep -v '^file$'); do
    holds "the code $name is among them" grep -q "\"spec\": \".*code=$name[,\"]" "$work/out"
done

run "$GRADCODE" compare -s all --workers 5 --rounds 3 --delay exp:mean=.02 --poll .01
holds "with drops run both ways (was $status): $(tail -n 1 "$work/err")" [ "$status" -eq 0 ]
holds "with drops run both ways: the page" fits_the_page
finish 39
