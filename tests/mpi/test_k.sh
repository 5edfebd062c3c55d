# test_k.sh - the K family on four and eight workers, and over a second transport.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

laws 5 15 prog_k 2
laws 9 15 prog_k 10
OPTIONS="--mca btl tcp,self"
laws 5 15 prog_k 3
[ "$broken" -eq 0 ]
