# test_edges.sh - refusals and erring workers.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

for ranks in 4 5; do
    laws $ranks 23 prog_edges
done
[ "$broken" -eq 0 ]
