# test_k_family.sh - the K family and AdaSync through the tool: K counted, one sentence on impossible values
# (test_every_strategy.sh: the same under mpirun).
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

common="--rounds 40 --partitions 2 --batch 256 --data synthetic:samples=2000,features=20 --json"
strategies="-s sync -s k-sync:k=3 -s k-batch-sync:k=6 -s k-async:k=2 -s k-batch-async:k=9 -s k-batch-async:k=1,step=adaptive
    -s adasync:base=k-sync,k0=2,every=1e9"

# the share of a batch that enters each update of SPEC is SHARE, in FILE
uses() {
    holds "$2 uses $3 of a batch" is_close "$(figure "$1" "$2" used_fraction)" "$3" 1e-12
    holds "all rounds of $2" [ "$(figure "$1" "$2" rounds_completed)" = 40 ]
}

look_at() {
    uses "$1" k-sync:k=3 .75
    uses "$1" k-batch-sync:k=6 1.5
    uses "$1" k-async:k=2 .5
    uses "$1" k-batch-async:k=9 2.25
    uses "$1" k-batch-async:k=1,step=adaptive .25
    uses "$1" adasync:base=k-sync,k0=2,every=1e9 .5
}

# shellcheck disable=SC2086 # lists
run "$GRADCODE" compare --workers 4 $common $strategies --delay exp:mean=1 --poll 0
holds "virtual: exit code 0 (was $status): $(tail -n 2 "$work/err")" [ "$status" -eq 0 ]
holds "virtual: strict JSON" is_json "$work/out"
look_at "$work/out"
holds "k-sync is faster than sync" is_below "$(figure "$work/out" k-sync:k=3 mean)" "$(figure "$work/out" sync mean)"
holds "adasync has no ideal on a problem" [ "$(figure "$work/out" adasync:base=k-sync,k0=2,every=1e9 ideal_round_s)" = null ]

# With every 1 s K rises as the loss falls.
# shellcheck disable=SC2086 # lists
run "$GRADCODE" train --workers 4 $common -s adasync:base=k-sync,k0=1,every=1 --delay exp:mean=1 --poll 0
holds "adasync's K rises" is_below .3 "$(figure "$work/out" adasync:base=k-sync,k0=1,every=1 used_fraction)"
run "$GRADCODE" simulate --workers 8 --rounds 200 -s k-async:k=8 -s k-sync:k=8 --delay exp:mean=1 --json
holds "k-async for all takes the time of k-sync for all" is_close "$(figure "$work/out" k-async:k=8 mean)" \
    "$(figure "$work/out" k-sync:k=8 mean)" 1e-12

refuses() {
    run "$GRADCODE" compare --workers 8 -s "$1"
    holds "exit code 2 (was $status): $1" [ "$status" -eq 2 ]
    holds "$1: one sentence with '$2': $(head -c 300 "$work/err")" \
        [ "$(wc -l <"$work/err"):$(grep -cF -- "$2" "$work/err")" = 1:1 ]
}
refuses k-sync:k=0 "want 1 to 8, nearest is 1"
refuses k-async:k=9 "want 1 to 8, nearest is 8"
refuses k-batch-async:k=8001 "want 1 to 8000, nearest is 8000"
refuses adasync:base=k-async,k0=9,every=1 "k0=9"
refuses adasync:base=k-sync,k0=8,every=1,rule=quad "want 1 to 7, nearest is 7"
refuses adasync:base=k-sync,k0=2,every=0 "every=0"

finish 26
