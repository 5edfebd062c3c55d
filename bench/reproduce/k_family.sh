# k_family.sh - runs of the K family with eight workers, for the claims on its times and its staleness.
# SPDX-License-Identifier: BSD-3-Clause
# Sourced. One piece per mini-batch, interrupted at once, communication free; 50 runs by seed, 600 updates each after 100: standard
# errors are those of independent runs, as updates of an asynchronous strategy are correlated.

exp_delay=exp:mean=1
shifted_delay=shifted-exp:shift=1,mean=1
pareto_delay=pareto:alpha=2,min=1

# run_family DELAY: all strategies and K; one line per run of each to $work/family.
run_family()
{
    set -- --workers 8 --poll 0 --rounds "$(rounds 600)" --warmup 100 --delay "$1"
    for name in k-sync k-batch-sync k-async k-batch-async; do
        for k in 1 2 3 4 5 6 7 8; do
            set -- "$@" -s "$name:k=$k"
        done
    done
    : >"$work/family"
    for seed in $(seq 50); do
        simulate "$@" --seed "$seed"
        figures_of "$result" mean staleness_mean fresh_fraction >>"$work/family"
    done
}

# summary NAME COLUMN: K = 1..8: means over runs, then standard errors, to $means and $errors.
summary()
{
    awk -v name="$1:k=" -v column="$2" '
        index($1, name) == 1 { k = substr($1, length(name) + 1); n[k]++; s[k] += $column; q[k] += $column * $column }
        END {
            for (k = 1; k <= 8; k++) {
                m = n[k] ? s[k] / n[k] : "none"
                v = n[k] > 1 ? (q[k] / n[k] - m * m) / (n[k] - 1) : 0
                printf "%s %.9g\n", (n[k] ? sprintf("%.9g", m) : m), sqrt(v > 0 ? v : 0)
            }
        }' "$work/family" >"$work/summary"
    means=$(cut -d ' ' -f 1 "$work/summary" | tr '\n' ' ')
    errors=$(cut -d ' ' -f 2 "$work/summary" | tr '\n' ' ')
}

# margins ERRORS [REFERENCE_ERRORS]: 4 sqrt(se^2 + se_ref^2), and what the last of six digits hides.
margins()
{
    awk -v e="$1" -v f="${2:-}" 'BEGIN { n = split(e, x, " "); split(f, y, " ")
        for (i = 1; i <= n; i++) printf "%.9g ", 4 * sqrt(x[i] * x[i] + y[i] * y[i]) + 1e-6 }'
}

# meets WHAT NAME COLUMN REFERENCES [REFERENCE_ERRORS]
meets()
{
    summary "$2" "$3"
    within "$1" "$means" "$4" "$(margins "$errors" "${5:-}")" "4 se"
}
