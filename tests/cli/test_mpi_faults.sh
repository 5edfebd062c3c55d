# test_mpi_faults.sh - lost workers under mpirun with recovery: who goes on, who is not run, exit codes, and no hang.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

if ! command -v "$MPIRUN" >/dev/null; then
    echo "skipped: no mpirun"
    exit 77
fi

common="--rounds 20 --data synthetic:samples=500,features=10 --delay exp:mean=.003 --give-up 2 --json"
code=gc:code=fractional,load=2

surviving 5 compare $common -s $code --fault kill:worker=2,round=6
holds "a tolerated death: exit code 0 (was $status)" [ "$status" = 0 ]
holds "a tolerated death: finished" last_line_is "gradcode: finished"
holds "a tolerated death: all rounds" [ "$(figure "$work/out" $code rounds_completed)" = 20 ]
holds "a tolerated death: exact" is_below "$(figure "$work/out" $code gradient_error)" 1e-10
holds "a tolerated death: the worker is named" [ "$(figure "$work/out" $code worker)" = 2 ]
holds "mpirun ended by itself (was $mpirun_status)" [ "$mpirun_status" -eq 0 ]

surviving 5 compare $common -s $code -s sync -s drop:tau=1 --fault kill:worker=2,round=6
holds "a death in sync: exit code 3 (was $status)" [ "$status" = 3 ]
holds "a death in sync: its rounds are kept" [ "$(figure "$work/out" sync rounds_completed)" = 6 ]
holds "a death in sync: the code goes on without the worker" [ "$(figure "$work/out" $code rounds_completed)" = 20 ]
holds "a death in sync: the next all-reduce is not run" grep -q '"error": "not run: worker 2 lost"' "$work/out"
holds "a death in sync: the closing line says why" grep -q '^gradcode: failed: sync: round 6: .*2' "$work/err"
holds "a death in sync: strict JSON" is_json "$work/out"

surviving 5 compare $common -s sync --fault kill:worker=0,round=6
holds "the death of the worker that keeps the readings: exit code 3 (was $status)" [ "$status" = 3 ]

surviving 5 compare $common -s $code -s gc:code=uncoded --fault stop:worker=1,round=6
holds "a stop for ever: exit code 3 (was $status)" [ "$status" = 3 ]
holds "a stop for ever: the code does not mind" [ "$(figure "$work/out" $code rounds_completed)" = 20 ]
holds "a stop for ever: who waits for all gives up" grep -q '^gradcode: failed: gc:code=uncoded: .*worker 1' "$work/err"
holds "a stop for ever: mpirun ended by itself (was $mpirun_status)" [ "$mpirun_status" -eq 0 ]

surviving 5 compare $common -s sync -s $code --fault stop:worker=1,round=6,for=.5
holds "a pause: exit code 0 (was $status)" [ "$status" = 0 ]
holds "a pause: finished" last_line_is "gradcode: finished"
holds "a pause: sync waits" [ "$(figure "$work/out" sync rounds_completed)" = 20 ]

surviving 5 train $common --fault kill:worker=0,round=3 --fault kill:worker=1,round=3 --fault kill:worker=2,round=3
holds "too many deaths: exit code 3 (was $status)" [ "$status" = 3 ]
holds "too many deaths: workers and partitions are named" grep -q '^gradcode: failed: .*worker.*partition' "$work/err"
holds "too many deaths: mpirun ended by itself (was $mpirun_status)" [ "$mpirun_status" -eq 0 ]

# mpirun passes a signal on to all ranks, and a second later it kills them.
for spec in sync $code; do
    rm -rf "$work/cut"
    timeout --foreground -k 5 60 "$MPIRUN" --oversubscribe --bind-to none -n 4 "$GRADCODE" train -s "$spec" --rounds 20000 \
        --data synthetic:samples=500,features=10 --delay exp:mean=.003 --out "$work/cut" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    for tenth in $(seq 300); do
        grep -q '^gradcode: begins' "$work/err" && break
        sleep .1
    done
    sleep 1
    kill -TERM $pid # timeout passes it on, in the foreground once: a second one would end mpirun at once
    wait $pid
    holds "interrupted in $spec: the last line says so" last_line_is "gradcode: failed: interrupted"
    holds "interrupted in $spec: rounds are kept" is_below 0 "$(figure "$work/cut/result.json" "$spec" rounds_completed)"
    holds "interrupted in $spec: nobody is called lost" [ "$(figure "$work/cut/result.json" "$spec" lost_workers)" = '[]' ]
done

# Rank 0 ends itself after some seconds, when all are at work: the workers must notice and leave. (If it
# hits the start-up of a busy machine, after the bound on that.)
limit=150
cat >"$work/orphan.sh" <<'ORPHAN'
[ "${OMPI_COMM_WORLD_RANK:?}" = 0 ] && (me=$$; sleep 5; kill -9 $me) &
exec "$@"
ORPHAN
for spec in sync $code; do
    run "$MPIRUN" --oversubscribe --bind-to none --enable-recovery --mca ompi_async_mpi_finalize 1 -n 4 \
        sh "$work/orphan.sh" "$GRADCODE" train -s "$spec" --rounds 1000000 --delay exp:mean=.003
    holds "rank 0 dies under $spec: mpirun ends (was $status)" [ "$status" -eq 0 ]
    refuse_ending() {
        ! grep -q '^gradcode: finished' "$work/err"
    }
    holds "rank 0 dies under $spec: nobody says 'finished'" refuse_ending
done

finish 33
