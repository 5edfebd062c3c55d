/* samples.c - counts samples of spans.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "engine/samples.h"

double gdc_samples_in(const double *samples, int partitions, gdc_span span)
{
    if (!samples)
        return span.count;
    double sum = 0;
    for (int i = 0; i < span.count; i++)
        sum += samples[(span.first + i) % partitions];
    return sum;
}

int gdc_own_piece(const gdc_plan *plan, int worker, int i)
{
    int held = gdc_plan_held(plan, worker);
    return gdc_plan_walk(plan, worker, i % held) + i / held * gdc_plan_partitions(plan);
}

double gdc_own_samples(const gdc_plan *plan, int worker, const double *samples, int pieces)
{
    if (!samples)
        return pieces;
    double sum = 0;
    for (int i = 0; i < pieces; i++)
        sum += samples[gdc_own_piece(plan, worker, i) % gdc_plan_partitions(plan)];
    return sum;
}
