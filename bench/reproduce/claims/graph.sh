# graph.sh - what a graph code with optimal decoding leaves wrong when workers are late at random
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 2006.09638"
# Each of 80 workers is late with probability .2 on its own: the binomial mixture, over 2 to 34 late workers, of rounds that end
# with so many missing. Exponential times make all sets of them equally likely.
set -- --workers 80 --poll 0 --rounds "$(rounds 3200)" --delay exp:mean=1
for late in $(seq 2 34); do
    set -- "$@" -s "approx:wait=$((80 - late)),code=graph,degree=4"
done
simulate "$@" --out "$work/graph"
error=$(awk -F '[=,:"]' -v p=.2 -v n=80 '
    function log_choose(n, j,   i, l) { for (i = 1; i <= j; i++) l += log((n - j + i) / i); return l }
    /approx/ { j = n - $4; sum[j] += $NF * $NF; rounds[j]++ }
    END {
        for (j = 0; j <= n; j++)
            if (rounds[j])
                e += sum[j] / rounds[j] * exp(log_choose(n, j) + j * log(p) + (n - j) * log(1 - p))
        printf "%.6g", e
    }' "$work/graph/rounds.csv")
between "squared error per part, 40 parts, degree 4, p = .2" "$error" .00145 .00175 .0016
