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

echo '{"a": NaN}' >"$work/bad"
echo '{"a": 1' >"$work/short"
refuse_json() {
    ! is_json "$1"
}
holds "the check refuses NaN" refuse_json "$work/bad"
holds "the check refuses a torn file" refuse_json "$work/short"

finish 21
