/* drop_norms.c - squared norms of partials in an all-reduce: four numbers behind the count.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each rank brings the norms of what it kept, or zeros where it does not know them. They must not spoil the gradient that they
 * travel with: squares that could overflow the type are left out. */
#include "api/drop_handle.h"

#include "engine/norms.h"
#include "engine/samples.h"

#include <float.h>
#include <math.h>

static gdc_norms norms_of(const gdc_drop *drop, double norm2)
{
    const gdc_link *link = &drop->reducer.link;
    gdc_norms norms = {.parts = 0};
    int done = gdc_worker_done(drop->machine), shard = drop->options.partitions;
    double most = link->f32 ? (double)FLT_MAX : DBL_MAX;
    if (drop->steps > 0 || !(norm2 < most / link->ranks)) /* of several models, or not known */
        return norms;
    for (int q = 0; q * shard < done; q++) { /* all in one sum: told with the first */
        gdc_span span = {gdc_own_piece(drop->parts.plan, drop->id, q * shard),
                         done - q * shard < shard ? done - q * shard : shard};
        gdc_norms_add_span(&norms, drop->parts.plan, drop->samples, span, q == 0 ? norm2 : 0);
    }
    return norms;
}

void gdc_drop_put_norms(const gdc_drop *drop, double norm2, void *part)
{
    const gdc_link *link = &drop->reducer.link;
    if (!drop->options.norms)
        return;
    gdc_norms norms = norms_of(drop, norm2);
    const double number[GDC_NORMS_NUMBERS] = {norms.sum, norms.squares, norms.samples, norms.parts};
    for (size_t i = 0; i < GDC_NORMS_NUMBERS; i++) {
        size_t at = link->dimension + 1 + i;
        if (link->f32)
            ((float *)part)[at] = (float)number[i];
        else
            ((double *)part)[at] = number[i];
    }
}

void gdc_drop_take_norms(const gdc_drop *drop, const void *reduced, gdc_round *round)
{
    const gdc_link *link = &drop->reducer.link;
    double number[GDC_NORMS_NUMBERS] = {0};
    for (size_t i = 0; drop->options.norms && i < GDC_NORMS_NUMBERS; i++) {
        size_t at = link->dimension + 1 + i;
        number[i] = link->f32 ? (double)((const float *)reduced)[at] : ((const double *)reduced)[at];
    }
    gdc_norms norms = {.sum = number[0], .squares = number[1], .samples = number[2], .parts = number[3]};
    gdc_norms_tell(&norms, round);
}
