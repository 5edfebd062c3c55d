/* norms.c - squared norms of partials.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/norms.h"

#include "plan/plan.h"

#include <math.h>

static void add_part(gdc_norms *n, int partitions, const double *samples, int partition)
{
    double b = samples ? samples[partition % partitions] : 1;
    n->squares += b * b;
    n->samples += b;
    n->parts++;
}

void gdc_norms_add_span(gdc_norms *n, const gdc_plan *plan, const double *samples, gdc_span span, double norm2)
{
    if (!isfinite(norm2))
        return;
    n->sum += norm2;
    for (int i = 0; i < span.count; i++)
        add_part(n, gdc_plan_partitions(plan), samples, span.first + i);
}

void gdc_norms_add_row(gdc_norms *n, const gdc_plan *plan, const double *samples, int worker, int index, double norm2)
{
    const gdc_row *row = gdc_plan_row(plan, worker, index);
    if (!isfinite(norm2))
        return;
    n->sum += norm2;
    for (int i = index > 0 ? gdc_plan_row(plan, worker, index - 1)->after : 0; i < row->after; i++) {
        int partition = gdc_plan_walk(plan, worker, i);
        if (gdc_row_has(plan, row, partition))
            add_part(n, gdc_plan_partitions(plan), samples, partition);
    }
}

void gdc_norms_tell(const gdc_norms *n, gdc_round *round)
{
    round->parts = (uint64_t)n->parts;
    round->norm2 = n->parts > 0 && isfinite(n->sum) ? n->sum / n->squares : NAN;
    round->part_samples = n->parts > 0 ? n->squares / n->samples : NAN;
}
