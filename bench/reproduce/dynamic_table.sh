# dynamic_table.sh - one row of the table of redundancy against dropping: 64 workers, 12 pieces a shard.
# SPDX-License-Identifier: BSD-3-Clause
# Sourced. Mean time of a round in pieces of one second, and of a used batch where samples are dropped; free communication; a late
# worker's running piece delays its next round. Accepted: |x - ref| <= .02 ref + 2 sqrt(h^2 + h_ref^2), h = 95 % half-width from
# batch means of 2,000 rounds; where the reference does not tell its own, it is taken to be ours.
#     delays="--delay ..."   the scenario
#     nominal=SECONDS        dynamic's typical time of a piece, which was fixed for the table

pieces=12
workers=64

# table_run SPEC...: as many rounds as the table has.
table_run()
{
    simulate --workers $workers --partitions $pieces --rounds "$table_rounds" "$@"
}

# cell WHAT SPEC REFERENCE[:HALF-WIDTH] [KEY]: judges the strategy in $result.
cell()
{
    half=$(calculate "h / u" -v h="$(figure "$result" "$2" ci95)" -v u="$(figure "$result" "$2" used_fraction)")
    case $3 in
    *:*) theirs=${3#*:} ;;
    *) theirs=$half ;;
    esac
    within "$1" "$(figure "$result" "$2" "${4:-mean}")" "${3%:*}" \
        "$(calculate ".02 * r + 2 * sqrt(h * h + t * t)" -v r="${3%:*}" -v h="$half" -v t="$theirs")"
}

# least_of SPEC...: to $least the spec of least time per used batch, over the rounds that $table_rounds says.
least_of()
{
    candidates=
    for spec in "$@"; do
        candidates="$candidates -s $spec"
    done
    # shellcheck disable=SC2086 # lists
    table_run $delays $candidates
    least=$(figures_of "$result" effective_round_s | awk '$2 != "null" && (best == "" || $2 + 0 < best) { best = $2 + 0; spec = $1 }
        END { print spec }')
}

# tune NAME FIRST LAST FACTOR STEP: the best parameter by a coarse grid at a fifth of the rounds, FIRST LAST by STEP or, if that is
# 0, by FACTOR, and a fine one around it at all of them; $result then has the best.
tune()
{
    table_rounds=$(rounds 400)
    # shellcheck disable=SC2046 # a list
    least_of $(awk -v name="$1" -v x="$2" -v last="$3" -v factor="$4" -v step="$5" 'BEGIN {
        for (; x <= last; x = step ? x + step : x * factor) printf "%s=%.4g ", name, x }')
    centre=${least##*=}
    table_rounds=$(rounds 2000)
    # shellcheck disable=SC2046 # a list
    least_of $(awk -v name="$1" -v x="$centre" -v last="$3" -v factor="$4" -v step="$5" 'BEGIN {
        for (i = -4; i <= 4; i++) {
            value = step ? x + i * (step / 4 < 1 ? 1 : step / 4) : x * factor ^ (i / 4)
            if (value >= 1 && value <= last) printf "%s=%.4g ", name, value } }')
}

# The table had groups of r neighbours, the last of them larger; `fractional` builds replication classes instead.
write_groups()
{
    awk -v n=$workers -v r="$1" 'BEGIN {
        groups = int(n / r)
        for (w = 0; w < n; w++) {
            g = int(w / r); if (g >= groups) g = groups - 1
            last = g == groups - 1 ? n : (g + 1) * r
            for (c = 0; c < n; c++) printf "%s%d", (c ? "," : ""), (c >= g * r && c < last)
            printf "\n"
        } }' >"$work/groups$1.csv"
}

# ratio WHAT VALUE LOW HIGH REFERENCE: of a strategy's round to the best drop's effective one, at most 2 % above HIGH.
ratio()
{
    between "$1 / drop" "$(calculate "a / b" -v a="$2" -v b="$dropping")" "$3" "$(calculate "1.02 * h" -v h="$4")" "$5"
}

# The best time of which no strategy can be ahead: all pieces of the round are dealt to whoever is free, nobody is ever idle.
bound()
{
    # shellcheck disable=SC2086 # a list
    simulate --workers $workers --partitions 1 --poll 0 --rounds "$(rounds 500)" $delays -s "k-batch-sync:k=$((workers * pieces))"
    cell "bound" "k-batch-sync:k=$((workers * pieces))" "$1"
}

# of_drop REFERENCE[:HALF-WIDTH]: the reference of a ratio.
of_drop()
{
    calculate "a / b" -v a="${1%:*}" -v b="$drop_reference" | cut -c 1-5
}

# tuned_row K-SYNC DROP: the two at their best parameters.
tuned_row()
{
    drop_reference=${2%:*}
    tune k-sync:k 4 $workers 0 4
    cell "k-sync, best k ($least)" "$least" "$1" effective_round_s
    tune drop:tau 6 130 1.12 0
    cell "drop, best tau ($least)" "$least" "$2" effective_round_s
    dropping=$(figure "$result" "$least" effective_round_s)
}

# static_row SYNC FRC2 FRC3 FORWARD3 TWO-ENDED3
static_row()
{
    write_groups 3
    table_rounds=$(rounds 2000)
    frc=gc:code=fractional,load=2,permute=0
    groups="gc:code=file,path=$work/groups3.csv"
    walk=gc:code=uncoded,load=3,message=1,permute=0,walk
    # shellcheck disable=SC2086 # a list
    table_run $delays -s sync -s $frc -s "$groups" -s $walk=forward -s $walk=two-ended
    cell "sync" sync "$1"
    waiting=$(figure "$result" sync mean)
    cell "FRC r = 2" $frc "$2"
    cell "FRC r = 3" "$groups" "$3"
    cell "forward r = 3" $walk=forward "$4"
    cell "two-ended r = 3" $walk=two-ended "$5"
}

# dynamic_row R2 R3 R4 RN: after tuned_row.
dynamic_row()
{
    own="permute=0,nominal=$nominal"
    # shellcheck disable=SC2086 # a list
    table_run $delays -s "dynamic:load=2,$own" -s "dynamic:load=3,$own" -s "dynamic:load=4,$own" -s "dynamic:load=$workers,$own"
    cell "dynamic r = 2" "dynamic:load=2,$own" "$1"
    cell "dynamic r = 3" "dynamic:load=3,$own" "$2"
    cell "dynamic r = 4" "dynamic:load=4,$own" "$3"
    cell "dynamic r = N" "dynamic:load=$workers,$own" "$4"
    # In words: exact at .1 to 1.12 times the effective time of dropping, up to 1.33 with r = 4 and 1.54 with r = 3.
    ratio "dynamic r = N" "$(figure "$result" "dynamic:load=$workers,$own" mean)" .1 1.12 "$(of_drop "$4")"
    ratio "dynamic r = 4" "$(figure "$result" "dynamic:load=4,$own" mean)" .1 1.33 "$(of_drop "$3")"
    ratio "dynamic r = 3" "$(figure "$result" "dynamic:load=3,$own" mean)" .1 1.54 "$(of_drop "$2")"
}
