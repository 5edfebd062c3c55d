# test_drop_auto.sh - automatic thresholds and local SGD on several numbers of ranks.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

for ranks in 2 5 9; do
    laws $ranks 14 prog_drop_auto
    laws $ranks 5 prog_peers
done
[ "$broken" -eq 0 ]
