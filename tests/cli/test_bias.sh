#!/bin/sh
# test_bias.sh - a class of the data that only a chronically slow worker holds: a drop leaves it behind, exact schemes do not, and the
# report shows both.
# SPDX-License-Identifier: BSD-3-Clause
set -u
. "$GDC_SOURCE/tests/cli/cli.sh"

# Sorted by class, eight near-equal classes on eight workers: worker 7 holds nearly all of class 7.
set -- compare --workers 8 --partitions 4 --rounds 80 --data synthetic:samples=1600,features=20,classes=8 --shuffle class \
    --delay none:piece=0.01 --delay slow:which=7,factor=10 -s sync -s drop:tau=0.045 -s gc:code=fractional,load=2 \
    -s gc:code=cyclic,load=3 --out "$work/o" --overwrite

# of SPEC KEY
of() {
    figure "$work/o/result.json" "$1" "$2"
}

# The mean over the classes of a strategy's class_loss.
class_mean() {
    awk -v spec="\"spec\": \"$1\"," '
        index($0, "\"spec\": ") { ours = index($0, spec) > 0 }
        index($0, "]") { inside = 0 }
        inside && ours { sub(/,$/, "", $1); sum += $1; count++ }
        index($0, "\"class_loss\": [") { inside = 1 }
        END { print count == 8 ? sum / count : "none" }' "$work/o/result.json"
}

check() {
    holds "$1: the run ends well" [ $status -eq 0 ]
    holds "$1: class 7 is the one left behind" [ "$(of drop:tau=0.045 worst_class)" = 7 ]
    gap=$(of drop:tau=0.045 class_loss_gap)
    holds "$1: the drop's gap is large ($gap)" is_below 0.5 "$gap"
    holds "$1: and far above that of the whole" is_below "$(of drop:tau=0.045 loss_final)" \
        "$(awk -v loss="$(of sync loss_final)" -v gap="$gap" 'BEGIN { print loss + gap / 2 }')"
    share=$(of drop:tau=0.045 least_worker_share)
    holds "$1: the slow worker's shard is hardly used ($share)" is_close "$share" 0.25 1e-9
    for spec in gc:code=fractional,load=2 gc:code=cyclic,load=3; do
        gap=$(of "$spec" class_loss_gap)
        holds "$1: $spec leaves no class behind ($gap)" is_below "$gap" 1e-9
        holds "$1: $spec uses every shard" is_close "$(of "$spec" least_worker_share)" 1 1e-9
    done
    holds "$1: sync is what the gap is measured from" [ "$(of sync class_loss_gap)" = 0.0 ]
    holds "$1: near-equal classes average to the whole ($(class_mean sync))" is_close "$(class_mean sync)" "$(of sync loss_final)" 0.05
    holds "$1: the reading says so in one sentence" [ "$(grep -c 'Bias: with drop:tau=0.045 the loss of class 7' "$work/out")" = 1 ]
}

run "$GRADCODE" "$@" --problem softmax
check softmax
run "$GRADCODE" "$@" --problem mlp:hidden=16
check mlp

# The same samples dealt out at random: the same drop hardly tells the classes apart.
run "$GRADCODE" compare --workers 8 --partitions 4 --rounds 80 --data synthetic:samples=1600,features=20,classes=8 --problem softmax \
    --delay none:piece=0.01 --delay slow:which=7,factor=10 -s sync -s drop:tau=0.045 --out "$work/o" --overwrite
holds "shuffled: the run ends well" [ $status -eq 0 ]
holds "shuffled: the gap is small ($(of drop:tau=0.045 class_loss_gap))" is_below "$(of drop:tau=0.045 class_loss_gap)" 0.1
holds "shuffled: no word of bias" [ "$(grep -c 'Bias' "$work/out")" = 0 ]
finish 27
