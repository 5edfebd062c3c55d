/* owners.h - who owns which stretch of partitions, for codes in which every partition has the same number of owners.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * There are at most n + 1 stretches, whatever k is: nothing here grows with the number of partitions. */
#ifndef GDC_PLAN_OWNERS_H
#define GDC_PLAN_OWNERS_H

#include "plan/place.h"
#include "plan/plan.h"

typedef struct gdc_owners {
    int workers, partitions;
    int each;       /* owners per partition */
    int count;      /* stretches */
    gdc_span *span; /* [count] ascending; together all partitions */
    int *worker;    /* [count * each] owners of each stretch, ascending */
    int *leg_at;    /* [workers + 1] */
    gdc_span *leg;  /* walk of worker w: leg[leg_at[w]] .. leg[leg_at[w + 1] - 1] */
} gdc_owners;

/* Whole shards as placed, k a multiple of n; a worker walks its own shard first. ENOMEM. */
gdc_status gdc_owners_by_place(const gdc_placing *placing, int n, int k, gdc_owners *owners);

/* Worker w owns k * each * speed[w] / sum(speed) partitions, rounded up or down: contiguous ones, one worker after another around
 * the ring of all partitions, in order of rank or, with `permute`, of seeded positions. speed[n] positive and checked: none is
 * above sum(speed) / each, or a worker would come round to its own. ENOMEM. */
gdc_status gdc_owners_by_speed(const int *speed, int n, int k, int each, bool permute, uint64_t seed,
                               gdc_owners *owners);

void gdc_owners_free(gdc_owners *owners); /* accepts a zeroed struct */

#endif
