#!/bin/sh
# which.sh - which code when: speed-up over plain synchronous descent by code and kind of delay, on the virtual clock.
# SPDX-License-Identifier: BSD-3-Clause
#
# 16 workers, 12 partitions per shard, ROUNDS rounds (default 2000), free communication, running pieces carried over. The first
# figure is the speed-up of the mean round over sync, the second the vectors per round that the master must take in.
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

codes='uncoded fractional,load=2 fractional,load=4 circulant,load=4 mmc,load=4,clusters=4 mmc,load=4,clusters=4,orders=2+4
uncoded,load=2,walk=two-ended,message=1 uncoded,load=4,walk=two-ended,message=1'

# row NAME DELAYS...
row()
{
    name=$1
    shift
    set -- "$@" -s sync
    for code in $codes; do
        set -- "$@" -s "gc:code=$code"
    done
    "$tool" simulate --quiet --workers 16 --partitions 12 --rounds "${ROUNDS:-2000}" "$@" --json >"$work/result" 2>"$work/err" || {
        cat "$work/err" >&2
        exit 1
    }
    for code in $codes; do
        printf '%-12s %-42s %8.2f %10.1f\n' "$name" "$code" "$(figure "$work/result" "gc:code=$code" speedup_vs_sync)" \
            "$(figure "$work/result" "gc:code=$code" messages_per_round)"
    done
}

printf '%-12s %-42s %8s %10s\n' delays code 'speed-up' vectors
row lognormal --delay lognormal:mu=1
row 'one slow' --delay none:piece=1 --delay jitter:sd=.05 --delay slow:workers=1,factor=10
row burst --delay none:piece=1 --delay jitter:sd=.05 --delay burst:p=.05,factor=10
row gilbert --delay none:piece=1 --delay jitter:sd=.05 --delay gilbert:in=.03,out=.3,factor=5
row stall --delay none:piece=1 --delay jitter:sd=.05 --delay stall:p=.0041667,extra=200
row heavy-tail --delay pareto:alpha=2,min=.5
