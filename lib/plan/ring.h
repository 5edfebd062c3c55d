/* ring.h - walks around a ring of shards, and plans in which everybody sends one row over neighbouring ones.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_PLAN_RING_H
#define GDC_PLAN_RING_H

#include "plan/plan.h"

/* The worker at position i (in order of rank, or by a seeded permutation) walks shards i .. i + load - 1 (mod n) and then
 * sends their combination with coefficient[i * load] .. [i * load + load - 1]. ENOMEM. */
gdc_status gdc_ring_build(int n, int k, int load, bool permute, uint64_t seed, const double *coefficient,
                          gdc_plan **plan);

/* Adds the walk of `held` partitions from `first` on around a ring of partitions: one leg, or two around its end. */
void gdc_ring_walk(gdc_plan_writer *writer, gdc_span ring, int first, int held);

/* The position of a worker of such a plan. */
int gdc_ring_position(const gdc_plan *plan, int worker);

#endif
