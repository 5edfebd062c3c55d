/* erasurehead.c - fractional repetition that is decoded approximately (ErasureHead, arXiv 1901.09671).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of `load` workers hold the same shards and send their sum. One responder per group with weight 1 is all that decoding
 * takes; groups that nobody answered for are left out. Of n workers of which m uniformly random ones have answered, the share
 * that is left out is C(n - load, m)/C(n, m) on average, and it is also the square of the residual. */
#include "plan/code.h"

#include <limits.h>
#include <stdlib.h>

typedef struct erasurehead_options {
    int load, permute;
} erasurehead_options;

static const gdc_option rows[] = {
    {"load", GDC_INT, offsetof(erasurehead_options, load), "2", 1, INT_MAX, NULL,
     "workers per group and shards held per worker, a divisor of the number of workers", 0},
    {"permute", GDC_INT, offsetof(erasurehead_options, permute), "1", 0, 1, NULL,
     "1: a seeded permutation puts workers into groups; 0: neighbours in rank are a group", 0},
    {.key = NULL},
};

static gdc_status erasurehead_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const erasurehead_options *o = options;
    int *position_of;
    gdc_plan_writer *writer;
    gdc_status status = gdc_code_check_divisor("erasurehead", "load", o->load, n);
    if (status == GDC_OK)
        status = gdc_code_placement(o->permute != 0, n, seed, NULL, &position_of);
    if (status != GDC_OK)
        return status;
    status = gdc_plan_writer_create(n, k, &writer);
    for (int w = 0; status == GDC_OK && w < n; w++) {
        gdc_term term = {gdc_shard(n / o->load, k, position_of[w] / o->load), 1};
        gdc_plan_add_leg(writer, term.span, false);
        gdc_plan_add_row(writer, term.span.count, 1, &term);
        gdc_plan_end_worker(writer);
    }
    free(position_of);
    return status == GDC_OK ? gdc_plan_writer_finish(writer, plan) : status;
}

const gdc_code_ops gdc_code_erasurehead = {
    .name = "erasurehead",
    .help = "groups that hold the same shards, one message per worker: groups that nobody answers for may be left out",
    .options = rows,
    .options_bytes = sizeof(erasurehead_options),
    .build = erasurehead_build,
};
