/* engine.h - the engine over MPI: round.h plus the calls that name a communicator.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GRADCODE_ENGINE_H
#define GRADCODE_ENGINE_H

#include "gradcode/round.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over comm (>= 2 ranks): the rank options->root is the master, worker w is the w-th of the others. The communicator is
 * duplicated, MPI_ERRORS_RETURN is set on the duplicate, and everything collective happens here. options must agree on all
 * ranks; a disagreement is the same error everywhere. Never initialises or finalises MPI.
 * EINVAL: bad options or spec, ranks disagree, an all-reduce strategy (use drop.h), float32 against the prediction without
 * force, counts above INT_MAX 64-byte units. ENOMEM, EMPI. */
GDC_API gdc_status gdc_open(MPI_Comm comm, const gdc_options *options, gdc_engine **engine);
/* The same for a Fortran communicator handle. */
GDC_API gdc_status gdc_open_f(MPI_Fint comm, const gdc_options *options, gdc_engine **engine);

/* MPI_Finalize with a bounded end, for the last line of a program that may have lost workers: if finalising takes longer than
 * guard_s > 0, the process leaves by _exit(code). guard_s <= 0: no bound, as is right while nobody is missing, since finalising
 * waits for the slowest rank to come. Returns code otherwise. */
GDC_API int gdc_mpi_finalize(double guard_s, int code);

#ifdef __cplusplus
}
#endif
#endif
