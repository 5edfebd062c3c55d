#!/bin/sh
# test_stale.sh - the staleness of an asynchronous strategy as exact integers in result.json: after J updates, the staleness that was
# applied and that in flight are together (P - K) J for k-async and (P - 1) J for k-batch-async, on either clock.
# SPDX-License-Identifier: BSD-3-Clause
set -u
. "$GDC_SOURCE/tests/cli/cli.sh"

set -- compare --rounds 40 --warmup 0 --delay exp:mean=0.004 --data synthetic:samples=400,features=10 --rate 0.01 -s sync \
    -s k-async:k=3 -s k-batch-async:k=6 -s k-sync:k=3 --out "$work/o" --overwrite

# of SPEC KEY
of() {
    figure "$work/o/result.json" "$1" "$2"
}

# total COLUMN SPEC: of rounds.csv, counted from behind since specs hold commas.
total() {
    awk -F, -v column="$1" -v spec="\"$2\"," 'index($0, spec) == 1 { sum += $(NF - column) } END { print sum + 0 }' "$work/o/rounds.csv"
}

# check CLOCK: 5 workers.
check() {
    holds "$1: the run ends well" [ $status -eq 0 ]
    holds "$1: k-async" [ $(($(of k-async:k=3 staleness_sum) + $(of k-async:k=3 in_flight_last))) = 80 ]
    holds "$1: k-batch-async" [ $(($(of k-batch-async:k=6 staleness_sum) + $(of k-batch-async:k=6 in_flight_last))) = 160 ]
    for spec in k-async:k=3 k-batch-async:k=6; do
        holds "$1: $spec: rounds.csv adds up to result.json" [ "$(total 3 $spec)" = "$(of $spec staleness_sum)" ]
        mean=$(awk -v sum="$(of $spec staleness_sum)" -v vectors="$(total 5 $spec)" 'BEGIN { print sum / vectors }')
        holds "$1: $spec: the mean is of vectors" is_close "$(of $spec staleness_mean)" "$mean" 1e-5
        holds "$1: $spec: some are fresh, some not" is_below "$(of $spec fresh_fraction)" 1
    done
    holds "$1: three vectors an update" is_close "$(of k-async:k=3 vectors_per_update)" 3 1e-12
    holds "$1: k-sync is never stale" [ "$(of k-sync:k=3 staleness_sum)" = 0 ]
    holds "$1: the table has a column for it" grep -q ' stale ' "$work/out"
}

run "$GRADCODE" "$@" --workers 5
check virtual
parallel 6 "$@"
check mpirun
finish 24
