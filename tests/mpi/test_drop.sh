# test_drop.sh - the all-reduce family against a plain loop over MPI_Iallreduce.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

sizes="2 5"
[ "${GDC_TEST_FULL:-0}" = 1 ] && sizes="2 4 5 9"
for ranks in $sizes; do
    laws $ranks 25 prog_drop
done
[ "$broken" -eq 0 ]
