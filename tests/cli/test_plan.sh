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

finish 21
