#!/bin/sh
# test_loss_curve.sh - coded descent follows plain synchronous descent: the same losses to 1e-9 over 100 rounds of softmax on
# Fashion-MNIST, whatever arrived when.
# SPDX-License-Identifier: BSD-3-Clause
set -u
. "$GDC_SOURCE/tests/cli/cli.sh"
images=/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz
[ -f "$images" ] || {
    echo "skipped: no $images (package dataset-fashion-mnist)"
    exit 77
}

# losses SPEC: round and loss of the sampled rounds.
losses() {
    awk -v spec="$1" '
        NR == 1 { next }
        index($0, spec) != 1 && index($0, "\"" spec "\"") != 1 { next }
        { rest = $0; sub(/^("[^"]*"|[^,]*),/, "", rest); split(rest, f, ","); if (f[6] != "") print f[1], f[6] }' "$work/o/rounds.csv"
}

run "$GRADCODE" compare --workers 8 --rounds 100 --batch 4096 --problem softmax --data fashion-mnist --rate 0.2 \
    --delay exp:mean=0.1 -s sync -s gc:code=fractional,load=2 -s gc:code=cyclic,load=3 -s drop:tau=0.05 --partitions 2 --out "$work/o"
holds "the run ends well" [ $status -eq 0 ]
losses sync >"$work/sync"
holds "enough rounds are sampled" [ "$(wc -l <"$work/sync")" -ge 10 ]
holds "the loss falls" awk 'NR == 1 { first = $2 } { last = $2 } END { exit !(last < 0.5 * first) }' "$work/sync"

# gap FILE: the largest relative difference from sync.
gap() {
    paste "$work/sync" "$1" | awk '$1 != $3 { print "rounds differ"; exit } { d = ($4 - $2) / $2; if (d < 0) d = -d; if (d > g) g = d } END { print g + 0 }'
}
for spec in gc:code=fractional,load=2 gc:code=cyclic,load=3; do
    losses "$spec" >"$work/coded"
    holds "$spec follows sync ($(gap "$work/coded"))" is_below "$(gap "$work/coded")" 1e-9
done
losses drop:tau=0.05 >"$work/dropped"
holds "dropping does not" is_below 1e-6 "$(gap "$work/dropped")"
finish 6
