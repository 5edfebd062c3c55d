#!/bin/sh
# which.sh - which strategy when: speed-up over plain synchronous descent by strategy and kind of delay, on the virtual clock.
# SPDX-License-Identifier: BSD-3-Clause
#
# 16 workers, 12 partitions per shard, ROUNDS rounds (default 2000), free communication, running pieces carried over. The first
# figure is the speed-up by effective round (mean round / share of the samples used) over sync, the second that share, the third the
# vectors per round that travel.
set -eu
GDC_SOURCE=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
. "$GDC_SOURCE/bench/figure.sh"
tool=${GRADCODE:-$GDC_SOURCE/build/apps/gradcode}
[ -x "$tool" ] || {
    echo "which.sh: no $tool: run sh apps/demo.sh first, or set GRADCODE" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

specs='gc:code=fractional,load=2 gc:code=fractional,load=4 gc:code=circulant,load=4 gc:code=mmc,load=4,clusters=4
gc:code=mmc,load=4,clusters=4,orders=2+4 gc:code=uncoded,load=2,walk=two-ended,message=1
gc:code=uncoded,load=4,walk=two-ended,message=1 dynamic:load=2 dynamic:load=4 dynamic:load=16 drop:tau=auto k-sync:k=auto
k-batch-sync:k=auto'

# row NAME DELAYS...
row()
{
    name=$1
    shift
    set -- "$@" -s sync
    for spec in $specs; do
        set -- "$@" -s "$spec"
    done
    "$tool" simulate --quiet --workers 16 --partitions 12 --rounds "${ROUNDS:-2000}" "$@" --json >"$work/result" 2>"$work/err" || {
        cat "$work/err" >&2
        exit 1
    }
    for spec in $specs; do
        printf '%-12s %-47s %8.2f %8.2f %10.1f\n' "$name" "$spec" "$(figure "$work/result" "$spec" speedup_effective)" \
            "$(figure "$work/result" "$spec" used_fraction)" "$(figure "$work/result" "$spec" messages_per_round)"
    done
}

printf '%-12s %-47s %8s %8s %10s\n' delays strategy 'speed-up' used vectors
row lognormal --delay lognormal:mu=1
row 'one slow' --delay none:piece=1 --delay jitter:sd=.05 --delay slow:workers=1,factor=10
row burst --delay none:piece=1 --delay jitter:sd=.05 --delay burst:p=.05,factor=10
row gilbert --delay none:piece=1 --delay jitter:sd=.05 --delay gilbert:in=.03,out=.3,factor=5
row stall --delay none:piece=1 --delay jitter:sd=.05 --delay stall:p=.0041667,extra=200
row heavy-tail --delay pareto:alpha=2,min=.5
