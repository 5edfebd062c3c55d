/* norms.h - squared norms of partials, as workers tell them before encoding (arXiv 2103.02351): what a round knows of its noise.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A part is a partition's sum over its b_j samples, p_j. With E|p_j|^2 = b_j^2 |G|^2 + b_j S the sums of |p_j|^2, of b_j^2 and of
 * b_j are all that an estimate needs, however unequal the parts are and however often a part is told. */
#ifndef GDC_ENGINE_NORMS_H
#define GDC_ENGINE_NORMS_H

#include "gradcode/round.h"

enum { GDC_NORMS_NUMBERS = 4 };
typedef struct gdc_norms {
    double sum;              /* of |p_j|^2 */
    double squares, samples; /* of b_j^2, of b_j */
    double parts;
} gdc_norms;

/* What was told of the parts that are new in a message: of a row of the plan, or of a span. samples [k] of each partition; NULL:
 * one each. Nothing is added where norm2 is NaN or infinite. */
void gdc_norms_add_row(gdc_norms *norms, const gdc_plan *plan, const double *samples, int worker, int index,
                       double norm2);
void gdc_norms_add_span(gdc_norms *norms, const gdc_plan *plan, const double *samples, gdc_span span, double norm2);
/* Writes norm2, part_samples and parts of a round. */
void gdc_norms_tell(const gdc_norms *norms, gdc_round *round);

#endif
