# dual.sh - the best of 20 seeded draws is far better conditioned than the first
# SPDX-License-Identifier: BSD-3-Clause
from="ICDCS 2019"
ratios=
for seed in 1 2 3 4 5 6 7; do
    tool plan dual:load=4,tries=1 --workers 20 --seed "$seed"
    first=$(planned worst)
    tool plan dual:load=4 --workers 20 --seed "$seed"
    ratios="$ratios $(calculate "first / best" -v first="$first" -v best="$(planned worst)")"
done
between "worst amplification, n = 20, s = 3, first / best of 20: median of 7 seeds" \
    "$(echo "$ratios" | tr ' ' '\n' | sed '/^$/d' | sort -g | sed -n 4p)" 2 200
