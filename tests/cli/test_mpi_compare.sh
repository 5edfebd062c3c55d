# test_mpi_compare.sh - a whole comparison under mpirun: exact, bitwise where it must be, clocks that agree. No durations are tested.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

if ! command -v "$MPIRUN" >/dev/null; then
    echo "skipped: no mpirun"
    exit 77
fi

common="--rounds 20 --partitions 2 --batch 256 --data synthetic:samples=2000,features=20 --delay exp:mean=.002 --poll .0005 --json"
strategies="-s gc:code=uncoded -s sync -s drop:tau=inf -s drop:tau=.003 -s gc:code=fractional,load=2 -s gc:code=cyclic,load=3 \
    -s approx:wait=4,code=graph -s approx:wait=3,code=stochastic,p=.25"

parallel 5 compare $common $strategies --out "$work/mpi"
holds "exit code 0 (was $status): $(tail -n 2 "$work/err")" [ "$status" -eq 0 ]
holds "the last line is 'finished'" last_line_is "gradcode: finished"
holds "strict JSON on stdout and nothing else" is_json "$work/out"
holds "the clock is mpi" grep -q '"clock": "mpi"' "$work/out"
file=$work/mpi/result.json
holds "the MPI library is named" grep -q '"mpi": "..*"' "$file"
for spec in sync drop:tau=inf,check=piece drop:tau=inf,check=poll drop:tau=.003,check=piece drop:tau=.003,check=poll \
    gc:code=uncoded gc:code=fractional,load=2 gc:code=cyclic,load=3 approx:wait=4,code=graph \
    approx:wait=3,code=stochastic,p=.25; do
    holds "all rounds of $spec" [ "$(figure "$file" "$spec" rounds_completed)" = 20 ]
    holds "wall_s of $spec is the sum of its rounds" is_close "$(figure "$file" "$spec" wall_s)" \
        "$(figure "$file" "$spec" mean | awk '{ printf "%.17g", $1 * 20 }')" .01
    holds "nobody was lost in $spec" [ "$(figure "$file" "$spec" lost_workers)" = '[]' ]
done
for spec in sync gc:code=uncoded gc:code=fractional,load=2 gc:code=cyclic,load=3 approx:wait=4,code=graph; do
    holds "$spec is exact" is_below "$(figure "$file" "$spec" gradient_error)" 1e-10
    holds "$spec follows the loss of sync" is_close "$(figure "$file" "$spec" loss_final)" "$(figure "$file" sync loss_final)" 1e-9
done
spec=approx:wait=3,code=stochastic,p=.25
holds "$spec is not" is_below 1e-3 "$(figure "$file" "$spec" gradient_error)"
holds "$spec leaves out little" is_below .9 "$(figure "$file" "$spec" used_fraction)"
holds "drop:tau=inf equals sync bitwise" [ "$(figure "$file" sync loss_final)" = "$(figure "$file" drop:tau=inf,check=poll loss_final)" ]

run "$GRADCODE" compare $common $strategies --workers 4 --warmup 5
holds "the virtual run of the same command" [ "$status" -eq 0 ]
for spec in sync gc:code=fractional,load=2; do
    holds "the ideal of $spec is the same on both clocks" [ "$(figure "$work/out" "$spec" ideal_round_s)" = \
        "$(figure "$file" "$spec" ideal_round_s)" ]
    holds "$spec learns the same on both clocks" is_close "$(figure "$work/out" "$spec" loss_final)" \
        "$(figure "$file" "$spec" loss_final)" 1e-9
done

parallel 2 train --rounds 3 -s sync --json
holds "one worker: exit code 0 (was $status)" [ "$status" -eq 0 ]
parallel 4 train --rounds 5 --dtype f32 --json --warmup 0
holds "without delays and warm-up, in f32: exit code 0 (was $status)" [ "$status" -eq 0 ]
holds "no drawn durations, no ideal" [ "$(figure "$work/out" gc:code=fractional,load=2 ideal_round_s)" = null ]

finish 52
