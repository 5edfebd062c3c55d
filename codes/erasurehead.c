/* erasurehead.c - fractional repetition that is decoded approximately (ErasureHead, arXiv 1901.09671).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of `load` workers hold the same shards and send their sum. One responder per group with weight 1 is all that decoding
 * takes; groups that nobody answered for are left out. Of n workers of which m uniformly random ones have answered, the share
 * that is left out is C(n - load, m)/C(n, m) on average, and it is also the square of the residual. */
#include "plan/code.h"

#include <limits.h>

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
    gdc_status status = gdc_code_check_divisor("erasurehead", "load", o->load, n);
    return status == GDC_OK ? gdc_code_repeat(o->load, o->permute != 0, n, k, seed, plan) : status;
}

const gdc_code_ops gdc_code_erasurehead = {
    .name = "erasurehead",
    .help = "groups that hold the same shards, one message per worker: groups that nobody answers for may be left out",
    .options = rows,
    .options_bytes = sizeof(erasurehead_options),
    .build = erasurehead_build,
};
