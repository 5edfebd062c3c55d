# k-times.sh - mean time per update of the K family, eight workers, and its speed-ups
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 1803.01113"
. "$here/k_family.sh"

# speed_up WHAT REFERENCE: waiting for all eight against waiting for nobody.
speed_up()
{
    ratios=$(awk '$1 == "k-sync:k=8" { s = $2 } $1 == "k-batch-async:k=1" { n++; x = s / $2; sum += x; q += x * x }
        END { m = sum / n; printf "%.6f %.6f", m, 4 * sqrt((q / n - m * m) / (n - 1)) }' "$work/family")
    within "$1" "${ratios% *}" "$2" "${ratios#* }" "4 se"
}

eighths="0.125 0.250 0.375 0.500 0.625 0.750 0.875 1.000"
quarters="0.25 0.50 0.75 1.00 1.25 1.50 1.75 2.00"
sync_exp="0.125000 0.267857 0.434524 0.634524 0.884524 1.217857 1.717857 2.717857"

run_family "$exp_delay"
meets "exp(1), k-sync, K = 1 to 8" k-sync 2 "$sync_exp"
meets "exp(1), k-async" k-async 2 "$sync_exp"
meets "exp(1), k-batch-sync" k-batch-sync 2 "$eighths"
meets "exp(1), k-batch-async" k-batch-async 2 "$eighths"
speed_up "exp(1), all of 8 / any 1: round" 21.743

run_family "$shifted_delay"
meets "1+exp(1), k-sync" k-sync 2 "1.125000 1.267857 1.434524 1.634524 1.884524 2.217857 2.717857 3.717857"
meets "1+exp(1), k-batch-sync" k-batch-sync 2 "1.125000 1.267841 1.434186 1.631235 1.864389 2.129264 2.406155 2.670761"
meets "1+exp(1), k-async" k-async 2 "0.25000 0.53332 0.85681 1.24067 1.62464 2.05276 2.63904 3.71786" \
    "1e-5 1e-4 1e-4 1e-4 1e-4 1e-4 1e-4 1e-5"
meets "1+exp(1), k-batch-async" k-batch-async 2 "$quarters"
speed_up "1+exp(1), all of 8 / any 1: round" 14.871

run_family "$pareto_delay"
meets "pareto(2,1), k-sync" k-sync 2 "1.066667 1.148718 1.253147 1.392385 1.591298 1.909557 2.546076 5.092152"
meets "pareto(2,1), k-async" k-async 2 "0.2500 0.5334 0.8569 1.2369 1.5978 2.0720 2.8960 5.0922" \
    "2e-4 2e-4 2e-4 2e-4 3e-4 3e-4 7e-4 1e-4"
meets "pareto(2,1), k-batch-async" k-batch-async 2 "$quarters"
speed_up "pareto(2,1), all of 8 / any 1: round" 20.369
