# stochastic.sh - adding up what arrives: the variance of a shard's factor
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 1905.05383"
# 160 of 200 workers, chosen by exponential times; without replacement the variance p/(d(1-p)) has the factor (n-d)/(n-1).
set -- --workers 200 --poll 0 --rounds "$(rounds 1000)" --delay exp:mean=1
for d in 2 4 8; do
    set -- "$@" -s "approx:wait=160,code=stochastic,load=$d,p=.2"
done
simulate "$@" --out "$work/stochastic"
for d in 2 4 8; do
    ours=$(awk -F , -v spec="approx:wait=160,code=stochastic,load=$d,p=.2" 'index($0, "\"" spec "\"") == 1 { n++; sum += $NF * $NF }
        END { print n ? sum / n : "none" }' "$work/stochastic/rounds.csv")
    near "mean squared residual, n = 200, d = $d, p = .2" "$ours" "$(calculate ".2 / (d * .8) * (200 - d) / 199" -v d=$d)"
done
