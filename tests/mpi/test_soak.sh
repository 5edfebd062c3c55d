# test_soak.sh - many small rounds beside a slow worker.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

laws 5 1 prog_soak 10000
OPTIONS="--mca btl tcp,self"
laws 5 1 prog_soak 3000
[ "$broken" -eq 0 ]
