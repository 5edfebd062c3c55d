/* repeat.c - fractional repetition (arXiv 1612.03301, section 4), for any number of workers.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/code.h"

#include <stdlib.h>

/* The partitions of the worker at a position. */
static gdc_span chunk(int n, int k, int load, int position)
{
    int class = position % load, member = position / load;
    int members = (n - class + load - 1) / load;
    gdc_span shards = gdc_shard(members, n, member);
    gdc_span first = gdc_shard(n, k, shards.first), last = gdc_shard(n, k, shards.first + shards.count - 1);
    return (gdc_span){first.first, last.first + last.count - first.first};
}

gdc_status gdc_code_repeat(int load, bool permute, int n, int k, uint64_t seed, gdc_plan **plan)
{
    int *position_of;
    gdc_plan_writer *writer;
    gdc_status status = gdc_code_placement(permute, n, seed, NULL, &position_of);
    if (status != GDC_OK)
        return status;
    status = gdc_plan_writer_create(n, k, &writer);
    for (int w = 0; status == GDC_OK && w < n; w++) {
        gdc_term term = {chunk(n, k, load, position_of[w]), 1};
        gdc_plan_add_leg(writer, term.span, false);
        gdc_plan_add_row(writer, term.span.count, 1, &term);
        gdc_plan_end_worker(writer);
    }
    free(position_of);
    return status == GDC_OK ? gdc_plan_writer_finish(writer, plan) : status;
}
