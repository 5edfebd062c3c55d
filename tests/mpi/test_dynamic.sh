# test_dynamic.sh - leased work between processes, on two transports; a worker that stops, one that dies.
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/ranks.sh"

laws 5 8 prog_dynamic
OPTIONS="--mca btl tcp,self"
laws 5 4 prog_dynamic few
OPTIONS="--enable-recovery --mca ompi_async_mpi_finalize 1"
laws 5 1 prog_dynamic kill
[ "$broken" -eq 0 ]
