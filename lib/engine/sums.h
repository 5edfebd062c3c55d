/* sums.h - the vectors of one worker: what is being added up, and what is on its way out. No I/O.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ROWS (default walk): a partial goes into every open row of the plan that has its partition: straight in
 * with scale = coefficient if it is in one row of this worker only, else once with scale 1 into a scratch
 * vector that is then added to each. Where the plan has several blocks, a partial always goes through the scratch vector, and
 * block by block into vectors as long as one block. SPANS (policies with an own walk): a partial goes into the PIECE; the
 * next one, or a take, first adds the piece to the ACCUMULATOR. What is taken is exactly the accumulator,
 * accumulator + piece, or the piece (asserted).
 *
 * With norms ROWS puts every partial into the scratch vector.
 *
 * Same plan, same partials: same bits, whether computed step by step here or by gdc_encode_row. */
#ifndef GDC_ENGINE_SUMS_H
#define GDC_ENGINE_SUMS_H

#include "engine/encode.h"

typedef struct gdc_sums gdc_sums;

/* d numbers of dtype per partial, gdc_plan_length() per vector; each vector is buffer_bytes long (>= that, the rest is the transport's)
 * and 64-byte aligned. `spare` vectors beyond those that are open at once may be out at the transport. norms: the
 * squared norm of each partial is taken, before it is encoded. All memory is allocated and touched here. */
gdc_status gdc_sums_create(const gdc_plan *plan, int worker, bool rows, gdc_dtype dtype, size_t d, size_t buffer_bytes,
                           int spare, bool norms, gdc_sums **sums);
void gdc_sums_destroy(gdc_sums *sums); /* accepts NULL; frees also what is out */

/* Makes ready for computing a partition. False: a vector must come back (gdc_sums_give) first. */
bool gdc_sums_open(gdc_sums *sums, int partition);
/* Where the callback adds, and its scale. After a successful gdc_sums_open of the same partition. */
void *gdc_sums_target(gdc_sums *sums, int partition, double *scale);
/* The callback has added. */
void gdc_sums_added(gdc_sums *sums, int partition);
/* What the partial's loss is, after it was added. */
void gdc_sums_tell_loss(gdc_sums *sums, double loss);
/* The running piece is lost. SPANS: the accumulator stays; ROWS: what has part of it cannot be mended: all is
 * thrown away. */
void gdc_sums_cut(gdc_sums *sums);
/* Everything open is thrown away. To be called at each MODEL too: it starts the rows anew. */
void gdc_sums_abandon(gdc_sums *sums);

/* Takes a finished vector out; it is the caller's until gdc_sums_give. */
void *gdc_sums_take_row(gdc_sums *sums, int index);
void *gdc_sums_take_span(gdc_sums *sums, gdc_span span);
/* SPANS: accumulator plus piece, all zeros if nothing was added; *pieces = number of partials in it. */
void *gdc_sums_take_all(gdc_sums *sums, int *pieces);
/* Of the vector that was taken last: the sum of |partial|^2 over the parts that are new in it; NaN without norms. */
double gdc_sums_norm2(const gdc_sums *sums);
/* ... and the sum of their losses; NaN if one was not told. */
double gdc_sums_loss(const gdc_sums *sums);
void gdc_sums_give(gdc_sums *sums, void *vector);

#endif
