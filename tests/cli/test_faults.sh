# test_faults.sh - on the virtual clock: what a lost worker does to each strategy, exit codes and closing lines.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

common="--rounds 20 --delay exp:mean=.02 --json"

run "$GRADCODE" compare $common -s gc:code=fractional,load=2 --fault kill:worker=3,round=5
holds "a tolerated loss: exit code 0 (was $status)" [ "$status" -eq 0 ]
holds "a tolerated loss: finished" last_line_is "gradcode: finished"
holds "a tolerated loss: all rounds" [ "$(figure "$work/out" gc:code=fractional,load=2 rounds_completed)" = 20 ]
holds "a tolerated loss: exact" is_below "$(figure "$work/out" gc:code=fractional,load=2 gradient_error)" 1e-10
holds "the lost worker is named" [ "$(figure "$work/out" gc:code=fractional,load=2 worker)" = 3 ]
holds "and its round" [ "$(figure "$work/out" gc:code=fractional,load=2 round)" = 5 ]

run "$GRADCODE" compare $common -s sync -s gc:code=uncoded -s gc:code=fractional,load=2 --fault kill:worker=3,round=5
holds "sync cannot finish: exit code 3 (was $status)" [ "$status" -eq 3 ]
holds "sync did the rounds before" [ "$(figure "$work/out" sync rounds_completed)" = 5 ]
holds "the error names the worker" grep -q 'gradcode: failed: sync: .*worker 3' "$work/err"
holds "the others went on" [ "$(figure "$work/out" gc:code=fractional,load=2 error)" = null ]

run "$GRADCODE" train $common --fault kill:worker=0,round=5 --fault kill:worker=1,round=5 --fault kill:worker=2,round=5 \
    --fault kill:worker=3,round=5 --fault kill:worker=4,round=5
holds "too many losses: exit code 3 (was $status)" [ "$status" -eq 3 ]
holds "too many losses: workers and partitions are named" grep -q 'gradcode: failed: .*worker.*partition' "$work/err"

run "$GRADCODE" train $common --fault stop:worker=2,round=5,for=.2
holds "a pause: exit code 0 (was $status)" [ "$status" -eq 0 ]
holds "a pause: exact" is_below "$(figure "$work/out" gc:code=fractional,load=2 gradient_error)" 1e-10

for kind in nan corrupt; do
    run "$GRADCODE" train $common --fault $kind:worker=2,round=5
    holds "$kind: exit code 0 (was $status)" [ "$status" -eq 0 ]
    holds "$kind: exact" is_below "$(figure "$work/out" gc:code=fractional,load=2 gradient_error)" 1e-10
done

run "$GRADCODE" train --rounds 3 --out "$work/kept" --quiet
holds "results are written" [ -s "$work/kept/result.json" ]
run "$GRADCODE" train --rounds 4 --out "$work/kept" --quiet
holds "results are not overwritten: exit code 2 (was $status)" [ "$status" -eq 2 ]
holds "and are still there" grep -q '"rounds": 3' "$work/kept/result.json"
run "$GRADCODE" train --rounds 4 --out "$work/kept" --quiet --overwrite
holds "unless told so" grep -q '"rounds": 4' "$work/kept/result.json"

finish 22
