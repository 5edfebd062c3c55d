# critical.sh - critical step sizes of delayed, noisy descent; M and sigma^2 out of gradients with known noise
# SPDX-License-Identifier: BSD-3-Clause
from="arXiv 2103.02351"
below_rule=0
while read -r noise reference; do
    ours=$("$formulas" step "$noise" 0 1 2 4 8 16 32)
    within "critical step, M = $noise, tau = 0 1 2 4 8 16 32" "$ours" "$reference" .000006 "last digit"
    for pair in 0:1 1:2 2:3 4:4 8:5 16:6 32:7; do
        step=$(echo "$ours" | cut -d ' ' -f "${pair#*:}")
        [ "$(calculate "1.5 / (1 + M + tau) < step" -v M="$noise" -v tau="${pair%:*}" -v step="$step")" = 1 ] ||
            below_rule=$((below_rule + 1))
    done
done <<'STEPS'
0 2.00000 1.00000 0.61803 0.34730 0.18454 0.09516 0.04833
1 1.00000 0.61803 0.44504 0.28463 0.16516 0.08973 0.04688
4 0.40000 0.30623 0.25182 0.18816 0.12636 0.07671 0.04304
16 0.11765 0.10634 0.09758 0.08455 0.06780 0.04949 0.03262
STEPS
within "of these 28, how many does the step 1.5/(1 + M + tau) exceed" "$below_rule" 0 0
near "M and sigma^2 estimated, 4,000 updates at each of 5 levels" "$("$formulas" noise 4000)" "3 12" 5
