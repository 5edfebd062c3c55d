/* place.h - who holds which shards, for codes whose workers hold several whole ones.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The workers stand on positions, in order of rank or by a seeded permutation, and fall into clusters of
 * neighbouring positions that share no shard. A worker's own shard comes first; q = 1 .. load - 1 are those of the
 * workers of its cluster at these positions (p its own position in the cluster, l the size of the cluster):
 *
 *   ring    (p + q) mod l
 *   group   blocks of `load` neighbours hold the same shards; where load does not divide l the blocks are larger,
 *           near-equal, and rings in themselves
 *   spread  (p + o_q) mod l, o = 0, 1, 3, 7, 12, 20, ...: each the smallest whose differences to those before are
 *           new, as long as it is below l; from there on the smallest that is unused
 *   random  seeded permutations, one per q, such that nobody holds a shard twice */
#ifndef GDC_PLAN_PLACE_H
#define GDC_PLAN_PLACE_H

#include "gradcode/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GDC_PLACE_RING, GDC_PLACE_GROUP, GDC_PLACE_SPREAD, GDC_PLACE_RANDOM };
#define GDC_PLACE_WORDS "ring|group|spread|random"

typedef struct gdc_placing {
    int place, clusters, load; /* checked: clusters divides n, 1 <= load <= n / clusters */
    bool permute;
    uint64_t seed;
} gdc_placing;

/* (*held)[w * load + q] is the q-th shard that worker w holds; every shard has `load` holders. The caller frees it.
 * ENOMEM. */
gdc_status gdc_place_create(const gdc_placing *placing, int n, int **held);

#endif
