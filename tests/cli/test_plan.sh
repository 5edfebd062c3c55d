# test_plan.sh - gradcode plan: what it prints is what the rows can do, in text and in JSON.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

# tolerates S CODE WORKERS
tolerates() {
    run "$GRADCODE" plan "$2" --workers "$3" --json
    holds "tolerance $1: plan $2 --workers $3" grep -q "^  \"tolerance\": $1,\$" "$work/out"
    holds "every worker is listed: plan $2 --workers $3" [ "$(grep -c '"worker": ' "$work/out")" -eq "$3" ]
}

tolerates 0 uncoded 5
tolerates 1 fractional:load=2 8
tolerates 2 fractional:load=3 6
tolerates 2 cyclic:load=3 7
tolerates 3 cyclic:load=4 8
tolerates 2 dual:load=4,shorten=2 8
holds "the number of blocks is told" grep -q '^  "blocks": 2,$' "$work/out"
holds "and the block of every term" [ "$(grep -c '"block": 1' "$work/out")" -ge 8 ]
run "$GRADCODE" plan fractional:load=2 --workers 8 --json
holds "0/1 codes cancel nothing" grep -q '"worst": 1.0' "$work/out"
holds "small sets are tried exhaustively" grep -q '"exhaustive": true' "$work/out"

run "$GRADCODE" plan fractional:load=2 --workers 6 --partitions 3
holds "the text shows every worker" [ "$(grep -c '^worker ' "$work/out")" -eq 6 ]
holds "the text shows the messages" [ "$(grep -c 'message 0 after 6' "$work/out")" -eq 6 ]
holds "the text says the tolerance" grep -q '^tolerance  1 straggler' "$work/out"
run "$GRADCODE" plan fractional:load=2 --workers 200
holds "a long text is shortened" [ "$(wc -l <"$work/out")" -lt 120 ]
holds "and says so" grep -q 'more workers' "$work/out"

run "$GRADCODE" plan erasurehead:load=2 --workers 4
holds "approx's residual beside the share of sets: 2 of 4 lost" grep -q '^   2  0.6667    0.4082    0.5774$' "$work/out"
holds "and with nobody left" grep -q '^   4  0.0000    1.0000    1.0000$' "$work/out"
run "$GRADCODE" plan cyclic:load=2 --workers 4
holds "no fixed weights: a dash" grep -q '^   1  1.0000    0.0000         -$' "$work/out"
printf '1,1\n1,1\n' >"$work/code.csv"
printf '1,2\n1,2\n' >"$work/none.csv"
run "$GRADCODE" plan "file:$work/code.csv" --workers 2
holds "a matrix that is a code" grep -q '^tolerance  1 straggler' "$work/out"
run "$GRADCODE" plan "file:$work/none.csv" --workers 2
holds "a matrix that is none" grep -q '^tolerance  none: .*(residual 0.316)' "$work/out"
holds "nothing that is not a number in the text" [ "$(grep -c nan "$work/out")" -eq 0 ]
run "$GRADCODE" plan "file:$work/none.csv" --workers 2 --json
holds "nor in the JSON" is_json "$work/out"

finish 29
