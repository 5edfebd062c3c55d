/* encode.h - a message from the partials of its partitions. No I/O.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_ENGINE_ENCODE_H
#define GDC_ENGINE_ENCODE_H

#include "gradcode/round.h"
#include "plan/plan.h"

/* The row into which a partial goes straight: the only one of its worker that has the partition; -1: it is in several rows, or goes
 * in block by block. */
int gdc_direct_row(const gdc_plan *plan, int worker, int partition);
/* message += the row's combination of the blocks of a partial of d numbers */
void gdc_add_blocks(const gdc_plan *plan, const gdc_row *row, int partition, bool f32, size_t d, const void *partial,
                    void *message);

/* What is told of the partials that are new in a message: in no earlier row of its worker. */
typedef struct gdc_told {
    bool norms;   /* in: take them */
    double loss;  /* sum; NaN: the callback did not tell one */
    double norm2; /* sum of |partial|^2; NaN without norms */
} gdc_told;

/* The same encode path in one go, for a transport that computes late: out = row of message (worker, index),
 * of gdc_plan_length() numbers, or the sum over a span, of d. scratch [d]. Returns the callback's first non-zero code. task
 * carries version, worker and model. told is written. */
int gdc_encode_row(const gdc_plan *plan, int worker, int index, gdc_dtype dtype, size_t d, gdc_partial_fn partial,
                   void *context, gdc_task *task, void *scratch, void *out, gdc_told *told);
int gdc_encode_span(gdc_span span, gdc_dtype dtype, size_t d, gdc_partial_fn partial, void *context, gdc_task *task,
                    void *scratch, void *out, gdc_told *told);

#endif
