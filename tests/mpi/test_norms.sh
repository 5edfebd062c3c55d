# test_norms.sh - squared norms of partials over MPI against a plain loop and the virtual clock.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

laws 5 10 prog_norms
laws 9 10 prog_norms
[ "$broken" -eq 0 ]
