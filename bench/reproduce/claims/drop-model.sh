# drop-model.sh - DropCompute: formula and simulation, light tails and log-normal ones
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 2306.10598"
within "expected largest of n normals, n = 16 64 200 2048" "$("$formulas" factor 16 64 200 2048)" "1.801 2.369 2.766 3.454" .001 \
    "1 of the last digit"

# The paper's simulated delay, one piece per round: 1 + min(Z/(2 e^4.5), 5.5).
simulate --workers 1 --rounds "$(rounds 200000)" --delay lognormal:mu=1 -s sync --out "$work/pieces"
moments=$(awk -F , 'NR > 1 { n++; s += $4; q += $4 * $4; clipped += $4 > 6.499999 } END { m = s / n
    printf "%.6f %.6f %.6f", m, sqrt(q / n - m * m), clipped / n }' "$work/pieces/rounds.csv")
within "its delay: mean, deviation, share clipped" "$moments" "1.495 .603 .0019" ".006 .006 .0005" "rounding + 2 se"

# 200 workers, 12 micro-batches, cut at tau.
set -- --workers 200 --partitions 12 --rounds "$(rounds 1000)" --delay lognormal:mu=1 --poll .01 -s sync
taus='15 16 16.5 17 17.5 18 18.5 19 20'
for tau in $taus; do
    set -- "$@" -s "drop:tau=$tau,check=poll"
done
simulate "$@"
best=$(figures_of "$result" speedup_effective | awk '$2 + 0 > best { best = $2 + 0 } END { print best }')
near "best speed-up, log-normal, n = 200, M = 12, poll: simulated" "$best" 1.37
near "the same by the formula, which is too low" "$("$formulas" drop 200 12 1.4957 .6035 poll best | cut -d ' ' -f 3)" 1.25

# Light tails: micro-batches of mean 1.0399 and deviation .0301 (a half-normal jitter of .05).
simulate --workers 64 --partitions 12 --rounds "$(rounds 2000)" --delay none:piece=1 --delay jitter:sd=.05 -s sync \
    -s drop:tau=11.4 -s drop:tau=11.6
for tau in 11.4 11.6; do
    near "share kept at tau = $tau, light tails, against the formula" "$(figure "$result" "drop:tau=$tau" used_fraction)" \
        "$("$formulas" drop 64 12 1.0399 .0301 piece "$tau" | cut -d ' ' -f 1)"
done
near "mean round (s) without dropping, against the formula" "$(figure "$result" sync mean)" \
    "$("$formulas" drop 64 12 1.0399 .0301 piece 1e9 | cut -d ' ' -f 2)"

tool compare --quiet --workers 4 --partitions 4 --rounds 20 --delay exp:mean=1 -s sync -s drop:tau=inf
same "tau = inf is plain synchronous, bit by bit: loss" "$(figure "$result" drop:tau=inf loss_final)" \
    "$(figure "$result" sync loss_final)"
