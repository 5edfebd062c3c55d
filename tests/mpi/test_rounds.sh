# test_rounds.sh - rounds inside a program that owns MPI, on several numbers of ranks and two transports.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

sizes="6"
[ "${GDC_TEST_FULL:-0}" = 1 ] && sizes="4 6 9"
for ranks in $sizes; do
    laws $ranks 22 prog_rounds
done
OPTIONS="--mca btl tcp,self"
laws 4 22 prog_rounds
[ "$broken" -eq 0 ]
