/* stochastic.c - stochastic gradient coding: what arrives is added up and right on average (arXiv 1905.05383).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every shard is on `load` workers, each of which weights it by 1/(load (1 - p)). If every worker straggles with probability p on
 * its own, the sum of what arrives is the gradient on average, with variance p/(load (1 - p)) per shard; nothing needs to be
 * solved. The placement is pair-wise balanced as far as whole numbers allow: no two shards are together on more than one worker
 * while there is room for that (plan/place.h: spread), so that the errors of two shards are as little alike as can be. */
#include "plan/code.h"

#include "plan/place.h"

#include <limits.h>
#include <stdlib.h>

typedef struct stochastic_options {
    int load, permute;
    double p;
} stochastic_options;

static const gdc_option rows[] = {
    {"load", GDC_INT, offsetof(stochastic_options, load), "2", 1, INT_MAX, NULL,
     "workers per shard and shards held per worker", 0},
    {"p", GDC_REAL, offsetof(stochastic_options, p), "0.2", 0, 0.99, NULL,
     "share of the workers that is expected to be missing; for a round that waits for m of n: 1 - m/n", 0},
    {"permute", GDC_INT, offsetof(stochastic_options, permute), "1", 0, 1, NULL,
     "1: a seeded permutation puts workers on places; 0: in order of rank", 0},
    {.key = NULL},
};

static void add_worker(gdc_plan_writer *writer, int n, int k, int load, const int *shard, double coefficient,
                       gdc_term *term)
{
    for (int q = 0; q < load; q++) {
        term[q] = (gdc_term){gdc_shard(n, k, shard[q]), coefficient};
        gdc_plan_add_leg(writer, term[q].span, false);
    }
    gdc_plan_add_row(writer, load * (k / n), load, term);
    gdc_plan_end_worker(writer);
}

static gdc_status write_plan(const stochastic_options *o, int n, int k, const int *held, gdc_plan **plan)
{
    size_t load = (size_t)o->load;
    gdc_plan_writer *writer;
    gdc_term *term = calloc(load, sizeof *term);
    if (term == NULL)
        return gdc_fail(GDC_ENOMEM, "stochastic: no memory for rows of %d shards", o->load);
    gdc_status status = gdc_plan_writer_create(n, k, &writer);
    for (int w = 0; status == GDC_OK && w < n; w++)
        add_worker(writer, n, k, o->load, held + (size_t)w * load, 1 / (o->load * (1 - o->p)), term);
    free(term);
    return status == GDC_OK ? gdc_plan_writer_finish(writer, plan) : status;
}

static gdc_status stochastic_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const stochastic_options *o = options;
    const gdc_placing placing = {GDC_PLACE_SPREAD, 1, o->load, o->permute != 0, seed};
    int *held;
    gdc_status status = gdc_code_check_load("stochastic", o->load, n);
    if (status == GDC_OK)
        status = gdc_place_create(&placing, n, &held);
    if (status != GDC_OK)
        return status;
    status = write_plan(o, n, k, held, plan);
    free(held);
    return status;
}

const gdc_code_ops gdc_code_stochastic = {
    .name = "stochastic",
    .help = "every shard on load workers, one message per worker; what arrives is added up and right on average",
    .options = rows,
    .options_bytes = sizeof(stochastic_options),
    .build = stochastic_build,
    .adds = true,
};
