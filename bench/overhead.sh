#!/bin/sh
# overhead.sh - what a round costs beyond its order statistic. Prints pass or fail against the bounds at its end.
# SPDX-License-Identifier: BSD-3-Clause
#
# mpirun -n 9 (8 workers), delays shifted-exp:shift=.005,mean=.02, batch 512, one partition per shard, poll 0.5 ms, 200 rounds; the
# median of RUNS runs (default 5). Bounds:
#   exact strategies               gradient_error < 1e-10
#   fractional load 2, cyclic load 3   mean round <= 1.15 ideal_round_s + 2 ms
#   fractional load 2 with worker W 10 times slower   mean round <= 1.15 x that of the virtual run in which W is dead + 2 ms
set -eu
GDC_SOURCE=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
. "$GDC_SOURCE/apps/packages.sh"
. "$GDC_SOURCE/apps/setup.sh"
. "$GDC_SOURCE/bench/figure.sh"
# shellcheck disable=SC2086 # a list
gdc_install $GDC_RUN_PACKAGES
gdc_environment
gdc_build gradcode_tool
tool=$GDC_SOURCE/build/apps/gradcode
runs=${RUNS:-5}
slow=3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fractional=gc:code=fractional,load=2
cyclic=gc:code=cyclic,load=3
common="--problem softmax --data fashion-mnist --batch 512 --partitions 1 --poll 0.0005 --rounds 200 --quiet
    --delay shifted-exp:shift=.005,mean=.02"

# median: of the numbers on stdin.
median()
{
    sort -g | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'
}

# figures PREFIX SPEC KEY: that of every run.
figures()
{
    for result in "$work/$1".*; do
        figure "$result" "$2" "$3"
    done
}

failed=0
# judge WHAT VALUE BOUND UNIT
judge()
{
    if awk -v v="$2" -v b="$3" 'BEGIN { exit !(v != "" && v + 0 <= b + 0) }'; then verdict=pass; else verdict=FAIL failed=1; fi
    printf '%-58s %12.4g %12.4g  %-4s %s\n' "$1" "$2" "$3" "$4" "$verdict"
}

# measure PREFIX ARGUMENTS...: RUNS runs under mpirun into $work/PREFIX.i
measure()
{
    prefix=$1
    shift
    for i in $(seq "$runs"); do
        # shellcheck disable=SC2086 # a list
        mpirun --bind-to none -n 9 "$tool" compare $common "$@" --json >"$work/$prefix.$i"
    done
}

bound()
{
    awk -v base="$1" 'BEGIN { print 1.15 * base + .002 }'
}

echo "machine: $(gdc_cores) cores; $(uname -srm); commit $(git -C "$GDC_SOURCE" rev-parse --short HEAD 2>/dev/null || echo unknown); median of $runs runs"
measure calm -s sync -s gc:code=uncoded -s "$fractional" -s "$cyclic"
measure slow -s "$fractional" --delay "slow:which=$slow,factor=10"
# shellcheck disable=SC2086 # a list
"$tool" compare --workers 8 --warmup 5 $common -s "$fractional" --delay "slow:which=$slow,factor=10" \
    --fault "kill:worker=$slow,round=0" --json >"$work/virtual.1"

printf '%-58s %12s %12s  %-4s\n' figure value bound unit
for spec in sync gc:code=uncoded "$fractional" "$cyclic"; do
    judge "$spec: largest gradient_error" "$(figures calm "$spec" gradient_error | sort -g | tail -n 1)" 1e-10 ''
done
for spec in "$fractional" "$cyclic"; do
    judge "$spec: mean round" "$(figures calm "$spec" mean | median)" "$(bound "$(figures calm "$spec" ideal_round_s | median)")" s
done
judge "$fractional, worker $slow slow: mean round" "$(figures slow "$fractional" mean | median)" \
    "$(bound "$(figure "$work/virtual.1" "$fractional" mean)")" s
exit "$failed"
