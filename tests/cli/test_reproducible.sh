# test_reproducible.sh - virtual runs: same seed, same bits; tau = inf is sync; without disturbance the ideal is what was measured.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

common="--partitions 4 --batch 512 --rounds 40 --delay shifted-exp:shift=.005,mean=.02 --momentum .9"
strategies="-s sync -s drop:tau=inf -s drop:tau=.08 -s gc:code=uncoded -s gc:code=fractional,load=2 -s gc:code=cyclic,load=3"

result_of() {
    name=$1
    shift
    run "$GRADCODE" compare $common $strategies --out "$work/$name" --quiet "$@"
    holds "exit code 0 (was $status): $*" [ "$status" -eq 0 ]
    holds "the last line is 'finished': $*" last_line_is "gradcode: finished"
    without_machine "$work/$name/result.json" >"$work/$name.result"
}

same() {
    cmp -s "$1" "$2"
}
different() {
    ! cmp -s "$1" "$2"
}

result_of first
result_of second
result_of other --seed 2
result_of polled --poll .001
result_of single --dtype f32
holds "two runs give the same result.json" same "$work/first.result" "$work/second.result"
holds "two runs give the same rounds.csv" same "$work/first/rounds.csv" "$work/second/rounds.csv"
holds "two runs give the same arrivals.csv" same "$work/first/arrivals.csv" "$work/second/arrivals.csv"
holds "another seed gives another result" different "$work/first.result" "$work/other.result"
holds "the result was compared, not an empty file" [ "$(wc -l <"$work/first.result")" -gt 100 ]

# drop:tau=inf against sync: every column of every round, the loss included.
rounds_of() {
    grep "^\"$2\"" "$work/$1/rounds.csv" | sed 's/^"[^"]*"//' >"$work/$1.rounds.$3"
}
for run_name in first polled single; do
    inf="drop:tau=inf"
    [ $run_name = polled ] && inf="drop:tau=inf,check=poll"
    rounds_of $run_name sync sync
    rounds_of $run_name "$inf" inf
    holds "40 rounds of sync ($run_name)" [ "$(wc -l <"$work/$run_name.rounds.sync")" -eq 40 ]
    holds "drop:tau=inf equals sync bitwise ($run_name)" same "$work/$run_name.rounds.sync" "$work/$run_name.rounds.inf"
    holds "their final losses are equal ($run_name)" [ "$(figure "$work/$run_name/result.json" sync loss_final)" = \
        "$(figure "$work/$run_name/result.json" "$inf" loss_final)" ]
done

for spec in sync drop:tau=inf drop:tau=.08 gc:code=uncoded gc:code=fractional,load=2 gc:code=cyclic,load=3; do
    file=$work/first/result.json
    holds "the ideal of $spec is its mean" is_close "$(figure "$file" "$spec" mean)" "$(figure "$file" "$spec" ideal_round_s)" 1e-9
    holds "wall_s of $spec is the sum of its rounds" is_close "$(figure "$file" "$spec" wall_s)" \
        "$(figure "$file" "$spec" mean | awk '{ printf "%.17g", $1 * 40 }')" 1e-9
done
for spec in sync gc:code=uncoded gc:code=fractional,load=2 gc:code=cyclic,load=3; do
    holds "$spec is exact" is_below "$(figure "$work/first/result.json" "$spec" gradient_error)" 1e-10
    holds "$spec follows the loss of sync" is_close "$(figure "$work/first/result.json" "$spec" loss_final)" \
        "$(figure "$work/first/result.json" sync loss_final)" 1e-9
done
not_below() {
    ! is_below "$@"
}
holds "a drop that drops is not exact" not_below "$(figure "$work/first/result.json" drop:tau=.08 gradient_error)" 1e-3
holds "both checks of a drop run when --poll is finer" grep -q '"spec": "drop:tau=.08,check=poll"' "$work/polled/result.json"

run "$GRADCODE" compare $common -s gc:code=uncoded -s sync --json
holds "sync runs first, wherever it was given" [ "$(grep -m 1 '"spec"' "$work/out" | grep -c '"sync"')" -eq 1 ]
run "$GRADCODE" compare $common $strategies --latency .01 --bandwidth 1e6 --json
holds "latency and bandwidth cost time" is_below "$(figure "$work/out" sync ideal_round_s)" "$(figure "$work/out" sync mean)"
holds "the ideal knows neither" [ "$(figure "$work/out" sync ideal_round_s)" = "$(figure "$work/first/result.json" sync ideal_round_s)" ]
run "$GRADCODE" compare $common $strategies --warmup 3 --json
holds "warm-up keeps the ideal equal to the mean" is_close "$(figure "$work/out" gc:code=fractional,load=2 mean)" \
    "$(figure "$work/out" gc:code=fractional,load=2 ideal_round_s)" 1e-9

# With the whole data in every batch the versions do not matter: warm-up must leave no trace in model and momentum.
run "$GRADCODE" compare $common --batch 0 -s sync --warmup 0 --json
cp "$work/out" "$work/cold"
run "$GRADCODE" compare $common --batch 0 -s sync --warmup 7 --json
for key in loss_initial loss_final gradient_error; do
    holds "warm-up leaves no trace in $key" [ "$(figure "$work/out" sync $key)" = "$(figure "$work/cold" sync $key)" ]
done

finish 53
