/* ring.c - writes plans of one row per worker over neighbouring shards.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/ring.h"

#include "plan/code.h"

#include <stdlib.h>

void gdc_ring_walk(gdc_plan_writer *writer, gdc_span ring, int first, int held)
{
    int left = ring.first + ring.count - first, straight = held < left ? held : left;
    gdc_plan_add_leg(writer, (gdc_span){first, straight}, false);
    if (straight < held)
        gdc_plan_add_leg(writer, (gdc_span){ring.first, held - straight}, false);
}

static void add_worker(gdc_plan_writer *writer, int n, int k, int load, int position, const double *coefficient,
                       gdc_term *term)
{
    int shard = k / n;
    for (int t = 0; t < load; t++)
        term[t] = (gdc_term){gdc_shard(n, k, (position + t) % n), coefficient[t]};
    gdc_ring_walk(writer, (gdc_span){0, k}, position * shard, load * shard);
    gdc_plan_add_row(writer, load * shard, load, term);
    gdc_plan_end_worker(writer);
}

gdc_status gdc_ring_build(int n, int k, int load, bool permute, uint64_t seed, const double *coefficient,
                          gdc_plan **plan)
{
    int *position_of;
    gdc_plan_writer *writer;
    gdc_term *term = calloc((size_t)load, sizeof *term);
    if (term == NULL)
        return gdc_fail(GDC_ENOMEM, "plan: no memory for rows of %d shards", load);
    gdc_status status = gdc_code_placement(permute, n, seed, NULL, &position_of);
    if (status != GDC_OK) {
        free(term);
        return status;
    }
    status = gdc_plan_writer_create(n, k, &writer);
    for (int w = 0; status == GDC_OK && w < n; w++) {
        int i = position_of[w];
        add_worker(writer, n, k, load, i, coefficient + (size_t)i * (size_t)load, term);
    }
    free(position_of);
    free(term);
    return status == GDC_OK ? gdc_plan_writer_finish(writer, plan) : status;
}

int gdc_ring_position(const gdc_plan *plan, int worker)
{
    return plan->leg[plan->leg_at[worker]].span.first / (plan->partitions / plan->workers);
}
