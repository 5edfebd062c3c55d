#!/bin/sh
# test_slowest.sh - an all-reduce hides who was slow; the report names the worker, with work and waiting apart.
# SPDX-License-Identifier: BSD-3-Clause
set -u
. "$GDC_SOURCE/tests/cli/cli.sh"

# 200 ms more on worker 2, in an all-reduce and through a master.
set -- compare -s sync -s gc:code=uncoded --rounds 6 --warmup 1 --delay none:piece=0.005 --delay slow:which=2,factor=41 \
    --data synthetic:samples=400,features=20

# worker_figure W KEY: of the first strategy in $work/o/result.json.
worker_figure() {
    awk -v worker="\"worker\": $1," -v key="\"$2\": " '
        index($0, "\"workers\": [") { inside = 1 }
        inside && index($0, worker) { ours = 1 }
        ours && (at = index($0, key)) { text = substr($0, at + length(key)); sub(/,$/, "", text); print text; exit }' "$work/o/result.json"
}

check() {
    holds "$1: the run ends well" [ $status -eq 0 ]
    holds "$1: the table names worker 2" grep -q 'slowest  *worker 2 in' "$work/out"
    holds "$1: worker 2 worked" is_below 1.2 "$(worker_figure 2 busy_s)"
    holds "$1: worker 2 hardly waited" is_below "$(worker_figure 2 wait_s)" 0.3
    holds "$1: worker 0 hardly worked" is_below "$(worker_figure 0 busy_s)" 0.3
    holds "$1: worker 0 waited" is_below 0.9 "$(worker_figure 0 wait_s)"
}

run "$GRADCODE" "$@" --workers 4 --out "$work/o"
check virtual
parallel 5 "$@" --out "$work/o" --overwrite
check mpirun
finish 12
