/* comm_check.h - what every call that takes a communicator asks first.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_API_COMM_CHECK_H
#define GDC_API_COMM_CHECK_H

#include "gradcode/status.h"

#include <mpi.h>

/* EINVAL: MPI is not up, or this is no intra-communicator. The only errors that other ranks cannot learn of. */
gdc_status gdc_comm_check(const char *call, MPI_Comm comm);

#endif
