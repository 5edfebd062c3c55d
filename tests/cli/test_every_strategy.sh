#!/bin/sh
# test_every_strategy.sh - every strategy on real images under mpirun, side by side, with delays that are slept: all rounds are done, and
# the invariants of each kind hold. The default: one kind of delay, few rounds and images; GDC_TEST_FULL=1: 50 rounds on all images under
# three kinds, with pieces so long that a busy machine is hardly late for them (some 20 minutes).
# SPDX-License-Identifier: BSD-3-Clause
set -u
. "$GDC_SOURCE/tests/cli/cli.sh"

if ! command -v "$MPIRUN" >/dev/null; then
    echo "skipped: no mpirun"
    exit 77
fi
if [ ! -d /usr/share/datasets/fashion-mnist ]; then
    echo "skipped: dataset-fashion-mnist is not installed"
    exit 77
fi

workers=8
seed=${GDC_TEST_SEED:-$(date +%s)}
if [ "${GDC_TEST_FULL:-0}" = 1 ]; then
    rounds=50 images=0 limit=2400 unit=20 kinds="lognormal slow gilbert"
else
    rounds=8 images=2000 limit=240 unit=3 kinds=lognormal
fi
echo "seed $seed"

# Typical pieces take unit ms, a shard's four at best four times that; each kind has a tau that drops a part of them.
ms() {
    awk -v factor="$1" -v unit=$unit 'BEGIN { print factor * unit / 1000 }'
}
delays_of() {
    case $1 in
    lognormal) echo "--delay lognormal:mu=$(ms 1)" ;;
    slow) echo "--delay none:piece=$(ms 1.2) --delay jitter:sd=.2 --delay slow:workers=2,factor=3" ;;
    gilbert) echo "--delay none:piece=$(ms 1.2) --delay jitter:sd=.2 --delay gilbert:in=.1,out=.3,factor=4" ;;
    esac
}

# Beside one instance of each (-s all): other K, every base of AdaSync, and the further forms of a drop, of local steps and of dynamic.
k_family="k-sync:k=5 k-sync:k=6,cancel=0 k-batch-sync:k=11 k-async:k=3 k-async:k=6,step=adaptive k-batch-async:k=11
    k-batch-async:k=2,step=drop"
adaptive="adasync:base=k-batch-sync,k0=3,every=.1 adasync:base=k-async,k0=1,every=.1,rule=empirical
    adasync:base=k-batch-async,k0=2,every=.1"
others="ignore:s=2 dynamic:load=3,early=2 dynamic:load=2,reproducible=1 gc:code=fractional,load=2"

drops_of() {
    echo "drop:tau=$1 drop:tau=$1,norm=by-kept drop:tau=$1,resample=batch,most=6 drop:tau=inf"
}

# each SPEC...: as arguments of the tool
each() {
    for spec; do
        printf ' -s %s' "$spec"
    done
}

# of SPEC KEY
of() {
    figure "$file" "$1" "$2"
}

# The K of a strategy, given or chosen.
k_of() {
    case $1 in
    *k=auto*) of "$1" chosen | sed 's/.*k=\([0-9]*\).*/\1/' ;;
    *) echo "$1" | sed 's/.*[:,]k=\([0-9]*\).*/\1/' ;;
    esac
}

ratio() {
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.17g", a / b }'
}

# uses SPEC SHARE
uses() {
    holds "$kind: $1 uses $2 of a batch ($(of "$1" used_fraction))" is_close "$(of "$1" used_fraction)" "$2" 1e-9
}

# grown SPEC: the staleness that was applied after the first measured round, and by how much that in flight has grown since. (Not from
# the very first update on: on a busy machine a worker may be late for it.)
grown() {
    awk -F, -v spec="\"$1\"," 'index($0, spec) == 1 {
        if (seen++) sum += $(NF - 3); else first = $(NF - 2)
        last = $(NF - 2) } END { print seen ? sum + last - first : "none" }' "$work/o/rounds.csv"
}

# staleness SPEC TIMES: together they are TIMES for each update, exactly.
staleness() {
    holds "$kind: $1: the staleness identity ($(grown "$1"))" [ "$(grown "$1")" = $(($2 * (rounds - 1))) ]
}

# With step=drop a vector that is too stale is one of the K, but does not enter.
check_k() {
    case $1 in
    *step=drop*)
        holds "$kind: $1 takes at most K=$2 vectors an update" is_below "$(of "$1" vectors_per_update)" "$2.000001"
        return
        ;;
    esac
    holds "$kind: $1 takes K=$2 vectors an update" is_close "$(of "$1" vectors_per_update)" "$2" 1e-9
    uses "$1" "$(ratio "$2" $workers)"
    case $1 in
    k-async:*) staleness "$1" $((workers - $2)) ;;
    k-batch-async:*) staleness "$1" $((workers - 1)) ;;
    *) holds "$kind: $1 is never stale" [ "$(of "$1" staleness_sum)" = 0 ] ;;
    esac
}

check_exact() {
    holds "$kind: $1 has the exact gradient ($(of "$1" gradient_error))" is_below "$(of "$1" gradient_error)" 1e-9
    holds "$kind: $1 has the loss of sync" is_close "$(of "$1" loss_final)" "$(of sync loss_final)" 1e-9
    uses "$1" 1
}

check_any() {
    holds "$kind: $1 is not in error: $(of "$1" error)" [ "$(of "$1" error)" = null ]
    holds "$kind: all rounds of $1 ($(of "$1" rounds_completed))" [ "$(of "$1" rounds_completed)" = $rounds ]
    holds "$kind: nobody was lost in $1" [ "$(of "$1" lost_workers)" = '[]' ]
    holds "$kind: the loss falls with $1 ($(of "$1" loss_initial), $(of "$1" loss_final))" \
        is_below "$(of "$1" loss_final)" "$(of "$1" loss_initial)"
}

check_strategy() {
    check_any "$1"
    [ "$(of "$1" exact)" = true ] && check_exact "$1"
    case $1 in
    k-*) check_k "$1" "$(k_of "$1")" ;;
    ignore:s=auto) uses "$1" "$(ratio $((workers - $(of "$1" chosen | tr -cd 0-9))) $workers)" ;;
    ignore:s=2) uses "$1" .75 ;;
    local:steps=2) uses "$1" 2 ;;
    drop:tau=inf*) check_exact "$1" ;;
    approx:*) holds "$kind: $1 leaves out little ($(of "$1" used_fraction))" is_below .6 "$(of "$1" used_fraction)" ;;
    esac
}

# The same on the virtual clock; a chosen tau is given.
twin_of() {
    chosen=$(of "$1" chosen | tr -d '"')
    case $1 in
    *tau=auto*) echo "$1" | sed "s/tau=auto/$chosen/" ;;
    *) echo "$1" ;;
    esac
}

# What a drop keeps of what there is to keep (of two local steps, of six micro-batches instead of four) is what its twin keeps, unless
# the machine was too busy for the delays: pieces overran, or, which is not counted as that, sleepers woke up late.
check_drop() {
    kept=$(of "$1" used_fraction)
    virtual=$(figure "$work/out" "$(twin_of "$1")" used_fraction)
    overrun=$(of "$1" overrun_share)
    late=$(ratio "$(of "$1" overhead_s)" "$(of "$1" mean)")
    case $1 in
    local:*) most=2 ;;
    *most=6*) most=1.5 ;;
    *) most=1 ;;
    esac
    kept=$(ratio "$kept" $most)
    virtual=$(ratio "$virtual" $most)
    echo "$kind: $1 keeps $kept, virtual $virtual; $overrun overran, $late of a round was late"
    if is_below "$overrun" .01 && is_below "$late" .03; then
        holds "$kind: $1 keeps $kept, virtual $virtual" is_close "$kept" "$virtual" "$(ratio .03 "$virtual")"
    else
        echo "not compared: the machine was too busy for the delays of $1"
    fi
}

check_drops() {
    dropping=$(sed -n 's/^ *"spec": "\(drop:.*\)",$/\1/p; s/^ *"spec": "\(local:.*tau=.*\)",$/\1/p' "$file" | grep -v tau=inf)
    twins=$(for spec in $dropping; do twin_of "$spec"; done)
    # shellcheck disable=SC2046,SC2086 # lists
    run "$GRADCODE" compare --workers $workers $common $delays $(each $twins) --json
    holds "$kind: the virtual run of its drops (was $status): $(tail -n 1 "$work/err")" [ "$status" -eq 0 ]
    for spec in $dropping; do
        check_drop "$spec"
    done
}

for kind in $kinds; do
    delays=$(delays_of $kind)
    tau=$(ms 5)
    common="--problem softmax --data fashion-mnist:samples=$images --batch 512 --partitions 4 --rounds $rounds --rate .02
        --warmup 5 --seed $seed --poll .001"
    # shellcheck disable=SC2046,SC2086 # lists
    parallel $((workers + 1)) compare $common $delays -s all \
        $(each $k_family $adaptive $others $(drops_of $tau) local:steps=2,tau=$(ms 8)) --out "$work/o" --overwrite
    holds "$kind: exit code 0 (was $status): $(tail -n 2 "$work/err")" [ "$status" -eq 0 ]
    holds "$kind: the last line is 'finished'" last_line_is "gradcode: finished"
    sed '/^      "workers": \[/,/^      \]/d' "$work/o/result.json" >"$work/mpi" # all but the figures of single workers
    file=$work/mpi
    specs=$(sed -n 's/^ *"spec": "\(.*\)",$/\1/p' "$file")
    for spec in $specs; do
        check_strategy "$spec"
    done
    check_drops
done
finish 230
