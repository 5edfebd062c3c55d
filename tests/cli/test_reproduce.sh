# test_reproduce.sh - the reproduction ledger: its judge tells right from wrong, and its cheapest claims hold.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"
: "${GDC_SOURCE:?want the top of the source tree}"
export GRADCODE
folder=$GDC_SOURCE/bench/reproduce

# ---- the judge ----
. "$folder/judge.sh"
claim=judge
from='a test'
ledger=$work/ledger
show_entry() {
    :
}

# judges VERDICT FUNCTION ARGUMENTS...
judges() {
    wanted=$1
    shift
    : >"$ledger"
    "$@"
    holds "'$*' is judged $wanted: $(cat "$ledger")" [ "$(awk -F '\t' '{ print NF, $NF }' "$ledger")" = "7 $wanted" ]
}
judges pass within one 1.5 1.4 .11
judges FAIL within one 1.5 1.4 .09
judges FAIL within one 1.4 1.5 .09
judges pass within list "1 2 3" "1 2.1 3" "0 .11 0"
judges FAIL within list "1 2 3" "1 2.1 3" "0 .09 0"
judges FAIL within list "1 2" "1 2 3" 1
judges FAIL within list "1 2 3 4" "1 2 3" 1
judges FAIL within nothing "" 1 1
judges FAIL within null null 0 1
judges FAIL within nan nan 1 1e9
judges FAIL within margin 1 1 nan
judges pass near percent 1.019 1
judges FAIL near percent 1.021 1
judges FAIL near percent -.979 -1
judges pass near percent -.981 -1
judges FAIL near percent 1.019 1 1
judges pass between both 1e-11 - 1e-10
judges FAIL between both 1e-9 - 1e-10
judges FAIL between both .9 1 -
judges FAIL between both null - 1
judges FAIL between both "" 0 1
judges pass same text abc abc
judges FAIL same text abc abd
judges FAIL same text "" ""

# ---- the ledger ----
run sh "$folder/reproduce.sh" list
holds "every claim is listed with what it says" \
    [ "$(awk 'NF > 3' "$work/out" | wc -l):$(wc -l <"$work/out")" = \
        "$(find "$folder/claims" -name '*.sh' | wc -l):$(find "$folder/claims" -name '*.sh' | wc -l)" ]
run sh "$folder/reproduce.sh" no-such-claim
holds "an unknown claim: exit code 2 (was $status)" [ "$status" -eq 2 ]
export SHARE=2
run sh "$folder/reproduce.sh" adasync fractional drop-limits
holds "claims that hold: exit code 0 (was $status): $(grep FAIL "$work/out")" [ "$status" -eq 0 ]
holds "nine entries" [ "$(tail -n 1 "$work/out")" = "9 pass, 0 do not" ]

# A wrong reference, and a claim that cannot be run, are told by the exit code.
cp -R "$GDC_SOURCE/bench" "$work/bench"
mkdir "$work/apps"
cp "$GDC_SOURCE/apps/setup.sh" "$work/apps"
sed 's/2.6667/2.7667/' "$folder/claims/adasync.sh" >"$work/bench/reproduce/claims/adasync.sh"
run sh "$work/bench/reproduce/reproduce.sh" --markdown adasync
holds "a wrong reference: exit code 1 (was $status)" [ "$status" -eq 1 ]
holds "and FAIL in its entry alone" [ "$(grep -c '| FAIL |$' "$work/out"):$(grep -c '| pass |$' "$work/out")" = 1:2 ]
sed 's/drop-limits/none/; s/drop:tau=13/drop:tau=no/' "$folder/claims/drop-limits.sh" >"$work/bench/reproduce/claims/none.sh"
sed -i 's/dynamic:load=3/dynamic:load=-3/' "$work/bench/reproduce/claims/none.sh"
run sh "$work/bench/reproduce/reproduce.sh" none
holds "a claim that cannot be run: exit code 1 (was $status)" [ "$status" -eq 1 ]
holds "and says so" grep -q 'runs to its end' "$work/out"

# Every claim is in the ledger that README.md shows, and nothing else is.
sed -En 's/^\| ([a-z0-9-]*) \| .* \| (pass|FAIL) \|$/\1/p' "$folder/README.md" | sort -u >"$work/shown"
holds "README.md shows every claim: $(sh "$folder/reproduce.sh" list | cut -d ' ' -f 1 | sort | diff - "$work/shown" | tr '\n' ' ')" \
    [ "$(sh "$folder/reproduce.sh" list | cut -d ' ' -f 1 | sort)" = "$(cat "$work/shown")" ]
finish 33
