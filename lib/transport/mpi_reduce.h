/* mpi_reduce.h - the all-reduce family's wire: sums over all ranks, never blocking, with a deadline.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who sends what: per round every rank takes part in one MPI_Iallreduce of d + 1 numbers, the gradient and one
 * count, or d + 5 with options.norms (engine/norms.h behind the count); only if the sum is not finite, which all ranks see alike,
 * in a second one of one byte per rank that says whose part was not. A policy that learns from profiled rounds has, once, two
 * more: the table of times, and one of one byte per rank that says who could not learn from it. */
#ifndef GDC_TRANSPORT_MPI_REDUCE_H
#define GDC_TRANSPORT_MPI_REDUCE_H

#include "transport/mpi_idle.h"
#include "transport/mpi_setup.h"

typedef struct gdc_reducer {
    gdc_link link;
    MPI_Datatype type;
    size_t count;      /* numbers that are reduced: d + 1, with norms d + 5 */
    double deadline_s; /* from entering a reduction */
    gdc_idle idle;
    unsigned char *mine, *all; /* [ranks] who has something to complain of */
    bool is_broken;            /* a reduction was given up: its buffers stay with MPI */
} gdc_reducer;

/* Collective, as gdc_link_open. EINVAL: their count above INT_MAX. */
gdc_status gdc_reducer_open(MPI_Comm comm, gdc_status local, const gdc_options *options,
                            const gdc_strategy_parts *parts, gdc_reducer *reducer);
void gdc_reducer_close(gdc_reducer *reducer);

/* Called right after the reduction was started; may be NULL. */
typedef void (*gdc_started_fn)(void *context);

/* sum [count] = the sum over all ranks of part [count]; the two must not overlap (reducing in place takes a
 * slower algorithm: 134 against 56 ms for 1e6 numbers on 8 ranks of 2 cores). ETIMEDOUT: somebody did not come
 * within deadline_s of this rank's entering; the sentence names those of whom it is known. ENUMERIC: not
 * finite; names the ranks whose parts were not. EMPI. */
gdc_status gdc_reducer_sum(gdc_reducer *reducer, const void *part, void *sum, gdc_started_fn started, void *context);
/* The same for a table of doubles [count], once in a while; finite or not is the caller's business. ETIMEDOUT, EMPI. */
gdc_status gdc_reducer_share(gdc_reducer *reducer, const double *part, double *sum, int count);
/* OK if local is on all ranks; else a failure on all of them, which names those where it is not. ETIMEDOUT, EMPI. */
gdc_status gdc_reducer_agree(gdc_reducer *reducer, gdc_status local);

#endif
