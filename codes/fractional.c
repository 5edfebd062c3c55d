/* fractional.c - fractional repetition codes (arXiv 1612.03301, section 4), for any number of workers.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The workers fall into s + 1 replication classes (position modulo s + 1). Each class by itself tiles all n
 * shards with near-equal contiguous chunks, so that with at most s stragglers some class is complete
 * (pigeonhole). Where s + 1 divides n the chunks of all classes coincide: groups of s + 1 workers hold the
 * same. Rows are all ones, and the decoder's tiling has weights 1. */
#include "plan/code.h"

#include <limits.h>

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

static gdc_status fractional_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const fractional_options *o = options;
    gdc_status status = gdc_code_check_load("fractional", o->load, n);
    return status == GDC_OK ? gdc_code_repeat(o->load, o->permute != 0, n, k, seed, plan) : status;
}

const gdc_code_ops gdc_code_fractional = {
    .name = "fractional",
    .help = "replicated chunks, one message per worker, weights 0 and 1: survives load - 1 stragglers",
    .options = rows,
    .options_bytes = sizeof(fractional_options),
    .build = fractional_build,
};
