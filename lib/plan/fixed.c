/* fixed.c - one weight for every message.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/fixed.h"

#include "plan/plan.h"

static const double even = 1e-9; /* largest difference between partitions, relative */

/* The mean over partitions of the sum of all rows. */
static double mean_sum(const gdc_plan *plan)
{
    double sum = 0;
    for (int r = 0; r < gdc_plan_messages(plan); r++)
        for (int t = 0; t < plan->row[r].terms; t++)
            sum += plan->row[r].term[t].coefficient * plan->row[r].term[t].span.count;
    return sum / plan->partitions;
}

bool gdc_fixed_weight(const gdc_plan *plan, gdc_decoder *decoder, double *scratch, double *weight)
{
    double mean = mean_sum(plan);
    if (plan->blocks > 1 || !(mean > 0))
        return false;
    for (int r = 0; r < gdc_plan_messages(plan); r++)
        scratch[r] = 1 / mean;
    *weight = 1 / mean;
    return gdc_decoder_measure(decoder, scratch).residual <= even;
}
