/* fractional.c - fractional repetition codes (arXiv 1612.03301, section 4), for any number of workers.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The workers fall into s + 1 replication classes (position modulo s + 1). Each class by itself tiles all n
 * shards with near-equal contiguous chunks, so that with at most s stragglers some class is complete
 * (pigeonhole). Where s + 1 divides n the chunks of all classes coincide: groups of s + 1 workers hold the
 * same. Rows are all ones, and the decoder's tiling has weights 1. */
#include "plan/code.h"

#include <limits.h>
#include <stdlib.h>

typedef struct fractional_options {
    int load, permute;
} fractional_options;

static const gdc_option rows[] = {
    {"load", GDC_INT, offsetof(fractional_options, load), "2", 1, INT_MAX, NULL,
     "shards held per worker; load - 1 stragglers are survived", 0},
    {"permute", GDC_INT, offsetof(fractional_options, permute), "1", 0, 1, NULL,
     "1: a seeded permutation spreads replicas; 0: neighbours in rank are replicas", 0},
    {.key = NULL},
};

/* The partitions of the worker at a position. */
static gdc_span chunk(int n, int k, int load, int position)
{
    int class = position % load, member = position / load;
    int members = (n - class + load - 1) / load;
    gdc_span shards = gdc_shard(members, n, member);
    gdc_span first = gdc_shard(n, k, shards.first), last = gdc_shard(n, k, shards.first + shards.count - 1);
    return (gdc_span){first.first, last.first + last.count - first.first};
}

static gdc_status fractional_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const fractional_options *o = options;
    gdc_status status = gdc_code_check_load("fractional", o->load, n);
    if (status != GDC_OK)
        return status;
    int *position_of;
    gdc_plan_writer *writer;
    status = gdc_code_placement(o->permute != 0, n, seed, NULL, &position_of);
    if (status != GDC_OK)
        return status;
    status = gdc_plan_writer_create(n, k, &writer);
    for (int w = 0; status == GDC_OK && w < n; w++) {
        gdc_term term = {chunk(n, k, o->load, position_of[w]), 1};
        gdc_plan_add_leg(writer, term.span, false);
        gdc_plan_add_row(writer, term.span.count, 1, &term);
        gdc_plan_end_worker(writer);
    }
    free(position_of);
    return status == GDC_OK ? gdc_plan_writer_finish(writer, plan) : status;
}

const gdc_code_ops gdc_code_fractional = {
    .name = "fractional",
    .help = "replicated chunks, one message per worker, weights 0 and 1: survives load - 1 stragglers",
    .options = rows,
    .options_bytes = sizeof(fractional_options),
    .build = fractional_build,
};
