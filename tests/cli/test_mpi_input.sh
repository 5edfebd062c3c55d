# test_mpi_input.sh - bad input under mpirun without recovery: one sentence, from rank 0 alone, and mpirun's exit code is 2.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/cli.sh"

if ! command -v "$MPIRUN" >/dev/null; then
    echo "skipped: no mpirun"
    exit 77
fi

refuses() {
    word=$1
    shift
    parallel "$@"
    holds "exit code 2 (was $status): mpirun -n $*" [ "$status" -eq 2 ]
    holds "one sentence: mpirun -n $*" [ "$(grep -c '^gradcode: ' "$work/err")" -eq 1 ]
    holds "it says '$word': mpirun -n $*" grep -q "^gradcode: failed: .*$word" "$work/err"
    holds "nothing on stdout: mpirun -n $*" [ ! -s "$work/out" ]
}

refuses 'at least 2' 1 compare
refuses '--workers 8' 4 compare --workers 8
refuses '--workers 3' 4 train --workers 8
refuses '--poll 0' 3 compare --poll 0
refuses bandwidth 3 compare --bandwidth 1e9
refuses simulate 3 simulate
refuses wrokers 3 compare --wrokers 2
refuses snyc 3 compare -s snyc
refuses load 3 compare -s gc:code=fractional,load=9
refuses missing.csv 3 compare --data "csv:$work/missing.csv"
refuses worker 3 compare --fault kill:worker=5,round=0
refuses batch 3 compare --batch 1

parallel 3 help codes
holds "help comes once: exit code 0 (was $status)" [ "$status" -eq 0 ]
holds "help comes once" [ "$(grep -c '^Codes' "$work/out")" -eq 1 ]

finish 50
