/* plan.h - plans: who computes which partitions in which order, and sends which coded messages when.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Vocabulary. n workers 0..n-1; M partitions per shard; k = n*M partitions; shard w = partitions [w*M, (w+1)*M). A worker's
 * WALK is the order in which it computes partitions. A ROW is a sparse vector of k coefficients; a MESSAGE carries the row's
 * combination of partial gradients. Message (w, i) is due when `after` partitions of the walk of worker w are done.
 *
 * BLOCKS. Some plans send messages shorter than the gradient: the d coordinates are cut into m = gdc_plan_blocks() blocks of
 * ceil(d/m), the last ones being shorter or empty, and a message is one block long. Its row then has m*k coefficients: column
 * u*k + p is block u of partition p, and the message is the sum over columns of coefficient times block. Such messages are decoded
 * block by block. All other plans have one block: the columns are the partitions.
 *
 * A code is a recipe for plans (see codes/README.md). Specs: `uncoded:load=1,message=0`, `fractional:load=2`, `cyclic:load=3`.
 * Plans are immutable after creation and may be shared between threads. */
#ifndef GRADCODE_PLAN_H
#define GRADCODE_PLAN_H

#include "gradcode/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdc_plan gdc_plan;

typedef struct gdc_span {
    int first, count; /* partitions (in rows: columns) [first, first + count) */
} gdc_span;

typedef struct gdc_term {
    gdc_span span; /* one coefficient on a span of columns, all of one block */
    double coefficient;
} gdc_term;

typedef struct gdc_row {
    int after;            /* due when so many partitions of the walk are done */
    int terms;            /* length of term */
    const gdc_term *term; /* spans that do not overlap, in ascending order; owned by the plan */
} gdc_row;

/* Builds the plan of a code. spec is copied. n >= 1 workers, k partitions (a positive multiple of n). seed drives random
 * codes and the placement. EINVAL: unknown code or key, impossible value (the sentence names the nearest valid ones), k not a
 * multiple of n. ENUMERIC: a random code found no usable draw. ENOMEM. */
GDC_API gdc_status gdc_plan_create(const char *spec, int workers, int partitions, uint64_t seed, gdc_plan **plan);
GDC_API void gdc_plan_destroy(gdc_plan *plan); /* accepts NULL */

GDC_API int gdc_plan_workers(const gdc_plan *plan);
GDC_API int gdc_plan_partitions(const gdc_plan *plan);
/* m, the number of blocks that a gradient is cut into; a message is one block long. */
GDC_API int gdc_plan_blocks(const gdc_plan *plan);
/* Length of the walk of a worker: the partitions that it holds. */
GDC_API int gdc_plan_held(const gdc_plan *plan, int worker);
/* i-th partition of the walk of a worker; -1 past its end. O(legs of the worker). */
GDC_API int gdc_plan_walk(const gdc_plan *plan, int worker, int i);
/* Number of messages of a worker, and message i of it (in due order). */
GDC_API int gdc_plan_rows(const gdc_plan *plan, int worker);
GDC_API const gdc_row *gdc_plan_row(const gdc_plan *plan, int worker, int i);
/* A digest of everything above, equal on two ranks iff their plans are. */
GDC_API uint64_t gdc_plan_digest(const gdc_plan *plan);

/* What the rows can do, computed from the rows and never from a formula. A straggler set of size j sends nothing, everybody
 * else sends all of its messages. Amplification of a decode: sum_i |a_i| ||row_i||_1 / k, of the worst block; 1 means no
 * cancellation. */
enum { GDC_QUALITY_MAX = 64 };
typedef struct gdc_quality {
    int tolerance;        /* largest s such that every straggler set of size <= s is decoded */
    int exhaustive;       /* 1: all straggler sets of size <= tolerance + 1 were tried; 0: some were sampled */
    double worst, median; /* amplification over the tried sets of size <= tolerance */
    int sizes;            /* length of recoverable: min(n, GDC_QUALITY_MAX - 1) + 1 */
    double recoverable[GDC_QUALITY_MAX]; /* [j]: fraction of the tried straggler sets of size j that are decoded */
    /* amplification of rounds that end at the earliest decodable message, over at most 1000 seeded arrival orders; with several
     * messages per worker or clusters larger than the above. NAN: never decodable */
    double early_worst, early_median;
} gdc_quality;

/* sets: at most so many straggler sets per size are tried (all of them where there are no more). ENOMEM. */
GDC_API gdc_status gdc_plan_quality(const gdc_plan *plan, int sets, uint64_t seed, gdc_quality *quality);

/* What approximate decoding leaves wrong when j workers send nothing, j = 0 .. sizes - 1 (at most n + 1): the square root of the
 * mean over straggler sets of ||a^T R - 1||^2 / k. optimal [sizes]: a of least squares. fixed [sizes]: one weight for all messages,
 * right on average over all sets of that size; NAN for codes whose rows do not add up to the same on every partition. sets: as
 * above. ENUMERIC, ENOMEM. */
GDC_API gdc_status gdc_plan_residual(const gdc_plan *plan, int sets, uint64_t seed, int sizes, double *optimal,
                                     double *fixed);

/* For listings: the i-th code of the registry, NULL past the end. */
struct gdc_option;
GDC_API const char *gdc_code(int i, const struct gdc_option **options, const char **help);

#ifdef __cplusplus
}
#endif
#endif
