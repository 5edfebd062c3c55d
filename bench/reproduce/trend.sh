# trend.sh - loss against time of fixed K and of AdaSync on a problem: the trends of the papers.
# SPDX-License-Identifier: BSD-3-Clause
# Sourced; $problem says which. Their set-up: 8 workers, mini-batches of 32 (a batch of 256), step .12, an extra delay of none, or
# exponential of mean .02 or .05 s. Their computing time is not known: .05 s for a mini-batch are assumed here. On the virtual
# clock, interrupted at once, 12,000 images; means over two seeds; 40 s of the clock.
# The loss at a deadline is the mean of those sampled in the tenth of the time that ends there: models of small K are noisy.

base=.05
horizon=40
seeds="1 2"
fixed="k-sync:k=1 k-sync:k=2 k-sync:k=4 k-sync:k=8"

# train_for ROUNDS SPEC DELAY: losses at the ten deadlines, to $work/curves; one line per seed.
train_for()
{
    for seed in $seeds; do
        tool compare --quiet --workers 8 --batch 256 --rate .12 --poll 0 --problem "$problem" --data fashion-mnist:samples=12000 \
            --target-loss 1e-9 --rounds "$1" -s "$2" --delay "$3" --seed "$seed" --out "$work/trend" --overwrite
        awk -F , -v spec="$2" -v horizon=$horizon '
            /^"/ {
                sub(/^"[^"]*",/, "")
                if ($6 == "" || $2 > horizon) next
                window = int($2 / horizon * 10); if (window > 9) window = 9
                sum[window] += $6; n[window]++
            }
            END {
                printf "%s", spec
                for (i = 0; i < 10; i++) printf " %s", (n[i] ? sum[i] / n[i] : "none")
                printf "\n"
            }' "$work/trend/rounds.csv" >>"$work/curves"
    done
}

# curves DELAY MEAN: all fixed K and adasync, each for the horizon; MEAN of the exponential part.
curves()
{
    : >"$work/curves"
    order=$("$formulas" order-exp "$2" 8)
    for spec in $fixed; do
        update=$(calculate "b + m" -v b=$base -v m="$(echo "$order" | cut -d ' ' -f "${spec##*=}")")
        train_for "$(rounds "$(calculate "int(t / u) + 1" -v t=$horizon -v u="$update")")" "$spec" "$1"
    done
    update=$(calculate "b + m" -v b=$base -v m="$(echo "$order" | cut -d ' ' -f 2)")
    train_for "$(rounds "$(calculate "int(t / u) + 1" -v t=$horizon -v u="$update")")" "$adaptive" "$1"
}

# tails: spec and mean loss over the second half of the time, over all seeds.
tails()
{
    awk '{ for (i = 7; i <= 11; i++) { sum[$1] += $i; n[$1]++ } } END { for (s in sum) printf "%s %.4f\n", s, sum[s] / n[s] }' \
        "$work/curves" | sort
}

# kept_up: at how many of ten deadlines the adaptive one is within 2 % of every fixed K, or ahead.
kept_up()
{
    awk -v adaptive="$adaptive" '
        { runs[$1]++; for (i = 2; i <= 11; i++) sum[$1, i] += $i }
        END {
            for (i = 2; i <= 11; i++) {
                good = 1
                for (s in runs)
                    if (s != adaptive && sum[adaptive, i] / runs[adaptive] > 1.02 * sum[s, i] / runs[s]) good = 0
                count += good
            }
            print count
        }' "$work/curves"
}

# trend MEAN: with an extra delay.
trend()
{
    curves "shifted-exp:shift=$base,mean=$1" "$1"
    between "extra delay exp $1 s: loss of K = 4 / the least of all K ($(tails | awk '/^k/ { sub(/.*=/, "", $1)
        printf "%s%s: %s", sep, $1, $2; sep = ", " }'))" \
        "$(tails | awk '/^k/ { if (best == "" || $2 < best) best = $2 } /k=4 / { four = $2 } END { print four / best }')" - 1.02 1
    between "extra delay exp $1 s: deadlines of 10 at which AdaSync is as good as every K" "$(kept_up)" 6 - most
}

# floors: without extra delay every K takes the same time, and what differs is the noise.
floors()
{
    : >"$work/curves"
    for spec in $fixed; do
        train_for "$(rounds "$(calculate "int(t / b)" -v t=$horizon -v b=$base)")" "$spec" "none:piece=$base"
    done
    same "no extra delay: K from the highest loss to the lowest ($(tails | awk '{ sub(/.*=/, "", $1); printf "%s%s: %s", sep, $1, $2; sep = ", " }'))" \
        "$(tails | sort -k 2 -gr | sed 's/ .*//; s/.*=//' | tr '\n' ' ' | sed 's/ $//')" "1 2 4 8"
}

adaptive=adasync:base=k-sync,k0=2,every=2
