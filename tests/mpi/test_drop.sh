# test_drop.sh - the all-reduce family against a plain loop over MPI_Iallreduce.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

for ranks in 2 4 5 9; do
    laws $ranks 25 prog_drop
done
[ "$broken" -eq 0 ]
