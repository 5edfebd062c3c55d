# test_wire.sh - the laws of messages, and a worker that sends nonsense.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

laws 5 3 prog_wire
OPTIONS="--mca btl tcp,self"
laws 4 3 prog_wire
[ "$broken" -eq 0 ]
