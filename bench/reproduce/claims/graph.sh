# graph.sh - what a graph code with optimal decoding leaves wrong when workers are late at random
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 2006.09638"
# Each of 80 workers is late with probability .2 on its own: the binomial mixture of the plan's residuals by number of stragglers,
# 1,000 sets of each, and as many graphs as seeds.
: >"$work/errors"
seeds=$(rounds 20)
for seed in $(seq "$seeds"); do
    tool plan graph:degree=4 --workers 80 --seed "$seed"
    awk '/"optimal": \[/ { inside = 1; next } /\]/ { inside = 0 } inside { sub(/,/, ""); print j++, $1 * $1 }' "$result" >>"$work/errors"
done
error=$(awk -v p=.2 -v n=80 '
    function log_choose(n, j,   i, l) { for (i = 1; i <= j; i++) l += log((n - j + i) / i); return l }
    { sum[$1] += $2; seen[$1]++ }
    END { for (j in sum) e += sum[j] / seen[j] * exp(log_choose(n, j) + j * log(p) + (n - j) * log(1 - p)); printf "%.6g", e }' "$work/errors")
between "squared error per part, 40 parts, degree 4, p = .2" "$error" .00145 .00175 .0016
