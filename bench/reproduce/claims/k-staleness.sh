# k-staleness.sh - how stale the gradients of asynchronous strategies are, eight workers
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 1803.01113"
. "$here/k_family.sh"
async="7.0000 3.0000 1.6667 1.0000 0.6000 0.3333 0.1429 0.0000"
batch="7.0000 3.5000 2.3333 1.7500 1.4000 1.1667 1.0000 0.8750"
for case in exp:"$exp_delay" 1+exp:"$shifted_delay" pareto:"$pareto_delay"; do
    run_family "${case#*:}"
    # References have four decimals.
    summary k-async 3
    within "mean staleness, ${case%%:*}, k-async, K = 1 to 8" "$means" "$async" "$(margins "$errors" "5e-5 5e-5 5e-5 5e-5 5e-5 5e-5 5e-5 5e-5")" "4 se"
    summary k-batch-async 3
    within "mean staleness, ${case%%:*}, k-batch-async" "$means" "$batch" "$(margins "$errors" "5e-5 5e-5 5e-5 5e-5 5e-5 5e-5 5e-5 5e-5")" "4 se"
    [ "${case%%:*}" = exp ] || continue
    meets "fresh share, exp, k-async" k-async 4 "0.125 0.250 0.375 0.500 0.625 0.750 0.875 1.000"
    meets "fresh share, exp, k-batch-async" k-batch-async 4 "$("$formulas" fresh k-batch-async 8)"
done

# Exact integers: after J updates, staleness of what entered + ages of what is in flight = (8 - K) J, or 7 J.
set -- --workers 8 --poll 0 --rounds 1000 --delay "$pareto_delay"
for k in 1 2 3 4 5 6 7 8; do
    set -- "$@" -s "k-async:k=$k" -s "k-batch-async:k=$k"
done
simulate "$@"
figures_of "$result" staleness_sum in_flight_last >"$work/sums"
within "(staleness + ages in flight) / updates, pareto, k-async" \
    "$(awk '/^k-async/ { printf "%.6f ", ($2 + $3) / 1000 }' "$work/sums")" "7 6 5 4 3 2 1 0" 0
within "the same, k-batch-async" "$(awk '/^k-batch/ { printf "%.6f ", ($2 + $3) / 1000 }' "$work/sums")" "7 7 7 7 7 7 7 7" 0
