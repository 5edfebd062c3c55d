/* cyclic.c - cyclic gradient codes from a random matrix (arXiv 1612.03301, section 5): any n - load + 1 workers suffice.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan/code.h"

#include "plan/cyclic_rows.h"
#include "plan/ring.h"

#include <limits.h>
#include <stdlib.h>

typedef struct cyclic_options {
    int load, tries, permute;
} cyclic_options;

static const gdc_option rows[] = {
    {"load", GDC_INT, offsetof(cyclic_options, load), "2", 1, INT_MAX, NULL,
     "shards held per worker; load - 1 stragglers are survived", 0},
    {"tries", GDC_INT, offsetof(cyclic_options, tries), "20", 1, 10000, NULL,
     "seeded draws of which the one with the least worst amplification is taken", 0},
    {"permute", GDC_INT, offsetof(cyclic_options, permute), "1", 0, 1, NULL,
     "1: a seeded permutation puts workers on the ring; 0: in order of rank", 0},
    {.key = NULL},
};

static gdc_status cyclic_build(const void *options, int n, int k, uint64_t seed, gdc_plan **plan)
{
    const cyclic_options *o = options;
    gdc_status status = gdc_code_check_load("cyclic", o->load, n);
    if (status != GDC_OK)
        return status;
    double *coefficient = calloc((size_t)n * (size_t)o->load, sizeof *coefficient);
    if (coefficient == NULL)
        return gdc_fail(GDC_ENOMEM, "cyclic: no memory for rows of %d shards", o->load);
    status = gdc_cyclic_rows("cyclic", n, o->load, o->tries, seed, 0, coefficient);
    if (status == GDC_OK)
        status = gdc_ring_build(n, k, o->load, o->permute != 0, seed, coefficient, plan);
    free(coefficient);
    return status;
}

const gdc_code_ops gdc_code_cyclic = {
    .name = "cyclic",
    .help = "random cyclic combinations, one message per worker: survives any load - 1 stragglers at any n",
    .options = rows,
    .options_bytes = sizeof(cyclic_options),
    .build = cyclic_build,
};
