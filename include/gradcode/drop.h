/* drop.h - the all-reduce family for programs in which every rank gets the gradient: plain synchronous descent and DropCompute
 * (arXiv 2306.10598).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All ranks of the communicator are workers; each owns one shard of M micro-batches (partitions). An existing loop adopts it so:
 *
 *     gdc_drop_open(comm, &options, &drop);              options.strategy = "drop:tau=0.2" or "sync"
 *     for (each step) {
 *         memset(gradient, 0, d * sizeof *gradient);
 *         gdc_drop_begin(drop);
 *         while (gdc_drop_more(drop, &partition))        one more micro-batch?
 *             add_gradient(partition, model, gradient);
 *         gdc_drop_reduce(drop, gradient, &round);       in place; the sum over all ranks
 *     }
 *     gdc_drop_close(drop);
 *
 * options.strategy = "drop:tau=auto" chooses the threshold by itself, the same on every rank: after 5 + 20 rounds that drop nothing
 * the next gdc_drop_begin shares the times of all ranks by one all-reduce.
 *
 * With local SGD ("local:steps=4", options.local_rate) gdc_drop_more says GDC_DROP_STEP after each mini-batch but the last:
 *
 *         while ((what = gdc_drop_more(drop, &partition)))
 *             if (what == GDC_DROP_STEP) {                   own -= rate * batch / (samples of a mini-batch)
 *                 move(own, batch); add(gradient, batch); clear(batch);
 *             } else
 *                 add_gradient(partition, own, batch);       own: a copy of the model, made at gdc_drop_begin
 *         add(gradient, batch);
 *
 * At least one micro-batch always counts. The sum estimates that over the whole batch: by-max leaves it as it is (a dropped
 * micro-batch counts as zero), by-kept multiplies by wanted/kept. */
#ifndef GRADCODE_DROP_H
#define GRADCODE_DROP_H

#include "gradcode/round.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdc_drop gdc_drop;

/* Collective over comm; duplicates it. Uses of options: strategy (an all-reduce one), partitions, dimension, dtype, samples,
 * round_deadline_s (from entering a reduction: it must exceed the spread of a round), delay, poll_s, faults, act, first_version,
 * local_rate, norms (through gdc_drop_gradient only, where the library sees each partial: an own loop leaves them unknown).
 * EINVAL: bad options, ranks disagree (first_version, samples and, for local steps, local_rate included: each rank counts rounds and
 * samples by itself), a strategy with a master, (d + 1) above INT_MAX. ENOMEM, EMPI. */
GDC_API gdc_status gdc_drop_open(MPI_Comm comm, const gdc_options *options, gdc_drop **drop);

/* Starts a round; the local clock of the threshold starts here. Once, when a strategy that chooses by itself has seen its rounds, it
 * first shares what it has seen: ETIMEDOUT and EMPI as gdc_drop_reduce; ENOMEM on all ranks if one lacks memory (named). */
GDC_API gdc_status gdc_drop_begin(gdc_drop *drop);

enum {
    GDC_DROP_REDUCE = 0, /* go to gdc_drop_reduce */
    GDC_DROP_PIECE =
        1, /* compute *partition (0..k-1; p + q*k: p's q-th extra mini-batch), add its gradient, ask again */
    GDC_DROP_STEP =
        2, /* local SGD only: move the own model by the mini-batch that is complete, ask again; *partition is -1 */
};
/* One of these. Micro-batches computed by such a loop cannot be cut: check=poll is GDC_EINVAL at the reduce (use
 * gdc_drop_gradient). */
GDC_API int gdc_drop_more(gdc_drop *drop, int *partition);
/* All-reduces gradient [d] in place, through two vectors of d + 1 of the handle (gradient is not copied into the first if it is
 * gdc_drop_buffer; the last number counts the samples left out). In float32 that count is exact up to 2^24 and good to 1e-7 above.
 * round may be NULL; round->used is the share of the batch that counted. ETIMEDOUT: a rank did not come within round_deadline_s: the
 * handle is then of no further use but for gdc_drop_close. ENUMERIC: the sum is not finite; names the ranks whose parts were not. EMPI. */
GDC_API gdc_status gdc_drop_reduce(gdc_drop *drop, void *gradient, gdc_round *round);
/* The handle's own [d] vector, for programs that want one copy less. */
GDC_API void *gdc_drop_buffer(gdc_drop *drop);

/* A whole round through a callback (round.h): pieces may be cut (check=poll with poll_s) and delayed (options.delay). A rank whose
 * callback fails takes part all the same, and every rank gets ENUMERIC that names it. */
GDC_API gdc_status gdc_drop_gradient(gdc_drop *drop, const void *model, gdc_partial_fn partial, void *context,
                                     void *gradient, gdc_round *round);

/* What the strategy has chosen by itself, such as "tau=0.123", the same on every rank; "" while it has not, or where all was given.
 * Valid until gdc_drop_close; the text may change in gdc_drop_begin. */
GDC_API const char *gdc_drop_chosen(const gdc_drop *drop);

/* Of this rank. */
GDC_API gdc_status gdc_drop_stats(const gdc_drop *drop, gdc_worker_stats *stats);
/* Collective if no rank was lost, else local. Accepts NULL. */
GDC_API gdc_status gdc_drop_close(gdc_drop *drop);

#ifdef __cplusplus
}
#endif
#endif
