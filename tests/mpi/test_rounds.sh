# test_rounds.sh - rounds inside a program that owns MPI, on several numbers of ranks and two transports.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

for ranks in 4 6 9; do
    laws $ranks 22 prog_rounds
done
OPTIONS="--mca btl tcp,self"
laws 4 22 prog_rounds
[ "$broken" -eq 0 ]
