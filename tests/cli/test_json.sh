# test_json.sh - every JSON parses strictly, and with --json nothing else is on stdout.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

parses() {
    run "$GRADCODE" "$@" --json
    holds "exit code 0 (was $status): gradcode $*" [ "$status" -eq 0 ]
    holds "strict JSON: gradcode $*" is_json "$work/out"
}

parses compare --rounds 3
parses compare --rounds 3 --poll 0.001 --partitions 4 --batch 64 --dtype f32 --delay exp:mean=.01
parses train --rounds 1
parses simulate --rounds 3 --workers 100
parses compare --rounds 4 --data 'synthetic:samples=64,features=3' --target-loss 1e-9 --problem least-squares:l2=.1
parses plan fractional:load=2 --workers 8
parses plan cyclic:load=3 --workers 9 --partitions 2
parses plan uncoded:load=2,message=2 --workers 70 --partitions 4

run "$GRADCODE" compare --rounds 3 --fault nan:worker=2,round=1 --json
holds "exit code 3 (was $status) when a strategy could not finish" [ "$status" -eq 3 ]
holds "strict JSON of a failed run" is_json "$work/out"
holds "the result says that it failed" grep -q '"status": "failed"' "$work/out"

note_of() {
    figure "$work/out" "$1" note
}
run "$GRADCODE" compare --rounds 3 -s drop:0.01 -s drop:tau=inf -s sync --delay exp:mean=.02 --json
holds "a drop that cannot drop says so" [ "$(note_of drop:0.01 | grep -c '^"cannot drop: .*--partitions 1')" -eq 1 ]
holds "one that shall not says nothing" [ "$(note_of drop:tau=inf)" = null ]
run "$GRADCODE" compare --rounds 3 -s drop:tau=.01 --delay exp:mean=.02 --partitions 2 --json
holds "one that can says no more than what its model says" [ "$(note_of drop:tau=.01 | grep -c '^"light-tail model: [^;]*"$')" -eq 1 ]
run "$GRADCODE" compare --rounds 3 --delay exp:mean=.02
holds "the default comparison has four pieces a worker and says so" grep -q '(4 per' "$work/out"
holds "its drop says which tau was chosen" grep -q '^drop:tau=auto (0\.[0-9]*) ' "$work/out"
run "$GRADCODE" compare --rounds 3 -s drop:tau=auto --delay exp:mean=.02 --partitions 4 --poll .001 --json
holds "what was said before a choice is still said after it" \
    [ "$(note_of drop:tau=auto,check=poll | grep -c 'looks at tau every --poll.*; light-tail model: ')" -eq 1 ]
run "$GRADCODE" compare --rounds 3 --delay exp:mean=.02 --partitions 1
holds "unless told otherwise" grep -q '(1 per' "$work/out"
run "$GRADCODE" compare --rounds 3 --delay none:piece=0
holds "delays of nothing: exit code 0 (was $status)" [ "$status" -eq 0 ]
holds "delays of nothing: nothing is dropped" grep -q '^drop:tau=auto (inf) ' "$work/out"
no_nan() {
    ! grep -qw nan "$work/out"
}
holds "delays of nothing: no figure is nan" no_nan
run "$GRADCODE" simulate -s gc:code=uncoded --workers 1000 --rounds 1005 --out "$work/many" --quiet
holds "arrivals.csv ends at a million" [ "$(wc -l <"$work/many/arrivals.csv")" -eq 1000001 ]
holds "result.json counts the rest" grep -q '"arrivals_left_out": 5000,' "$work/many/result.json"
holds "and stderr tells" grep -q '5000 later ones are left out' "$work/err"
holds "timing only: no loss plot" [ ! -e "$work/many/loss.gp" ]

echo '{"a": NaN}' >"$work/bad"
echo '{"a": 1' >"$work/short"
refuse_json() {
    ! is_json "$1"
}
holds "the check refuses NaN" refuse_json "$work/bad"
holds "the check refuses a torn file" refuse_json "$work/short"

finish 35
