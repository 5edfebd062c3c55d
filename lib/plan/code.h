/* code.h - a code is one file in codes/ that ends in one table, and one word in the list of CMakeLists.txt.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_PLAN_CODE_H
#define GDC_PLAN_CODE_H

#include "gradcode/spec.h"
#include "plan/plan.h"

typedef struct gdc_code_ops {
    const char *name;
    const char *help;          /* one line */
    const gdc_option *options; /* keys common to codes are repeated in each table: permute=0|1 */
    size_t options_bytes;      /* size of the struct that options fill */
    /* required: writes the plan of n workers and k = n*M partitions. Not called with k % n != 0. */
    gdc_status (*build)(const void *options, int n, int k, uint64_t seed, gdc_plan **plan);
    /* optional fast path: weights of the accepted messages (accepted[i], i = global message number), all others 0, of block v at
     * weight + v * messages; called only when these seem to give the full gradient, or, if it approximates, always: its weights
     * then leave the least residual that there is. Returns false to let the generic decoder do it, which also does it where these
     * leave a residual, and is the referee in tests. A round allocates nothing: what the fast path needs beyond the plan, scratch
     * memory included, it prepares once per decoder. */
    bool (*weights)(const gdc_plan *plan, void *prepared, const unsigned char *accepted, double *weight);
    gdc_status (*prepare)(const gdc_plan *plan, void **prepared); /* NULL: nothing to prepare. ENOMEM */
    void (*release)(void *prepared);                              /* accepts NULL; required with prepare */
    bool approximates;                                            /* see weights */
    /* What arrives is simply added up: the coefficients make up for what is expected to be missing, whatever did arrive. */
    bool adds;
} gdc_code_ops;

extern const gdc_code_ops *const gdc_code_registry[]; /* NULL-terminated, generated from the list */

/* EINVAL that lists all codes, and which was probably meant; ENOMEM. */
gdc_status gdc_code_find(const char *name, const gdc_code_ops **code);

/* EINVAL naming the code, the load and the nearest valid one, unless 1 <= load <= n. */
gdc_status gdc_code_check_load(const char *code, int load, int n);
/* EINVAL naming the divisors of n and the nearest one, unless value is one. */
gdc_status gdc_code_check_divisor(const char *code, const char *key, int value, int n);
/* EINVAL naming the valid numbers of clusters and the nearest one, unless clusters divides n; and as above, unless
 * 1 <= load <= n / clusters. */
gdc_status gdc_code_check_clusters(const char *code, int clusters, int load, int n);

/* Fractional repetition: the workers fall into `load` classes (position modulo load), each of which tiles all n shards with
 * near-equal chunks; every worker sends the sum over its chunk. Where load divides n, groups of load workers hold the same. For a
 * load that was checked. ENOMEM. */
gdc_status gdc_code_repeat(int load, bool permute, int n, int k, uint64_t seed, gdc_plan **plan);

/* Positions: worker at position p is order[p]; the identity, or a seeded permutation (neighbours in rank
 * share a node and are slow together). order[n]. */
void gdc_code_positions(bool permute, int n, uint64_t seed, int *order);
/* The inverse as well: worker w is at position_of[w]. order may be NULL. */
gdc_status gdc_code_placement(bool permute, int n, uint64_t seed, int **order, int **position_of);

#endif
