# test_menu.sh - `-s all` runs for every number of workers, each strategy once, and beside strategies that are named.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

has() { grep -qF "\"spec\": \"$1\"" "$work/out"; }
for workers in 1 2 3 4 5 7; do
    run "$GRADCODE" simulate -s all --workers $workers --rounds 3 --delay exp:mean=.1 --json
    holds "all fits $workers workers (was $status): $(tail -n 1 "$work/err")" [ "$status" -eq 0 ]
    holds "dynamic that reaches everything, with $workers workers" has "dynamic:load=$workers"
    holds "what tolerates nothing fits $workers workers too" has gc:code=uncoded
done
for order in '-s all -s sync -s gc:code=cyclic,load=4' '-s sync -s gc:code=cyclic,load=4 -s all'; do
    # shellcheck disable=SC2086
    run "$GRADCODE" simulate $order --workers 6 --rounds 3 --json
    holds "$order (was $status): $(tail -n 1 "$work/err")" [ "$status" -eq 0 ]
    holds "$order runs sync once" [ "$(grep -c '"spec": "sync"' "$work/out")" -eq 1 ]
    holds "$order runs what is named" has gc:code=cyclic,load=4
done
finish 24
