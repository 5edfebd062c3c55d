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

# worker_figure W KEY: of the first strategy in $work/out.
worker_figure() {
    awk -v worker="\"worker\": $1," -v key="\"$2\": " '
        index($0, "\"workers\": [") { inside = 1 }
        inside && index($0, worker) { ours = 1 }
        ours && (at = index($0, key)) { text = substr($0, at + length(key)); sub(/,$/, "", text); print text; exit }' "$work/out"
}
holds "an erased vector is told of its worker" [ "$(worker_figure 2 erased)" = 1.0 ]
holds "and of no other" [ "$(worker_figure 3 erased)" = 0.0 ]
run "$GRADCODE" train --rounds 5 --fault nan:worker=2,round=1
holds "the notes name it" grep -q 'erased  *gc:code=fractional,load=2: worker 2 (1 vector)' "$work/out"

# Rounds are counted alike in sentences and tables; the ideal covers the rounds that were completed.
run "$GRADCODE" compare $common -s sync --warmup 5 --fault kill:worker=3,round=5
holds "the sentence names the measured round" grep -q 'gradcode: failed: sync: round 5: ' "$work/err"
holds "so does the table" [ "$(figure "$work/out" sync round)" = 5 ]
holds "the ideal is that of five rounds" is_close "$(figure "$work/out" sync ideal_round_s)" "$(figure "$work/out" sync mean)" 1e-9
holds "no overhead where the ideal knows no faults" [ "$(figure "$work/out" sync overhead_s)" = null ]
run "$GRADCODE" compare --rounds 5 --warmup 3 --data synthetic:samples=500,features=10 --rate 1e200 -s sync --json
holds "a failure in the warm-up is called so: $(tail -n 1 "$work/err")" grep -q 'failed: sync: warm-up round [123]: ' "$work/err"

# Interrupted: what is done is kept.
"$GRADCODE" compare --rounds 1000000 --data synthetic:samples=500,features=10 -s sync -s gc:code=uncoded --out "$work/cut" \
    --quiet >"$work/out" 2>"$work/err" &
pid=$!
sleep 2
kill -INT $pid
wait $pid
status=$?
holds "interrupted: exit code 1 (was $status)" [ $status -eq 1 ]
holds "interrupted: the last line says so" last_line_is "gradcode: failed: interrupted"
holds "interrupted: rounds are kept" is_below 0 "$(figure "$work/cut/result.json" sync rounds_completed)"
holds "interrupted: the strategy says so" [ "$(figure "$work/cut/result.json" sync error)" = '"interrupted"' ]
holds "interrupted: the next is not run" grep -q '"error": "not run: interrupted"' "$work/cut/result.json"

run "$GRADCODE" train --rounds 3 --out "$work/kept" --quiet
holds "results are written" [ -s "$work/kept/result.json" ]
run "$GRADCODE" train --rounds 4 --out "$work/kept" --quiet
holds "results are not overwritten: exit code 2 (was $status)" [ "$status" -eq 2 ]
holds "and are still there" grep -q '"rounds": 3' "$work/kept/result.json"
run "$GRADCODE" train --rounds 4 --out "$work/kept" --quiet --overwrite
holds "unless told so" grep -q '"rounds": 4' "$work/kept/result.json"

finish 35
