/* schedule_round.c - is a round of a random schedule right, and could it have been?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/schedule_round.h"

#include "gradcode/decoder.h"

#include <math.h>

bool is_exact_round(const schedule_round *r)
{
    double version = (double)r->round.version;
    bool right = true;
    for (int p = 0; p < r->k; p++)
        right = right && fabs(r->sum[p] - version) <= r->tolerance * version;
    return right;
}

bool is_whole_or_left_out(void *context, const schedule_round *round)
{
    (void)context;
    for (int p = 0; p < round->k; p++)
        if (round->sum[p] != 0 && round->sum[p] != (double)round->round.version)
            return false;
    return true;
}

bool is_decodable(const gdc_plan *plan, const bool *lost)
{
    gdc_decoder *decoder;
    if (gdc_decoder_create(plan, &decoder) != GDC_OK)
        return false;
    for (int w = 0; w < plan->workers; w++)
        for (int i = 0; i < gdc_plan_rows(plan, w); i++)
            if (!lost[plan->row_at[w] + i])
                gdc_decoder_offer(decoder, w, i);
    bool can = gdc_decoder_complete(decoder);
    gdc_decoder_destroy(decoder);
    return can;
}
