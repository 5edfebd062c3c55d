/* every_plan.h - walks the registry of codes: every code, number of workers, valid load and variant.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_EVERY_PLAN_H
#define TESTS_SUPPORT_EVERY_PLAN_H

#include "plan/plan.h"

typedef void (*plan_law)(const char *spec, const gdc_plan *plan, void *context);

/* Calls the law with each different plan for 1 to most_workers workers, 1 and 2 partitions per shard, every load (or
 * degree) that the code accepts, and where the code has those options message=1, the orders {1 .. load}, and one at a time every word of its
 * word options. With one partition per shard also {load - 1, load} and every number of clusters (not together with words),
 * and without clusters {1, load}. Returns how many plans there were. The code whose rows are in
 * a file is left out. Fails the test if a load of 1 .. n is refused by
 * anything but a sentence that names the nearest valid ones. */
int for_every_plan(int most_workers, plan_law law, void *context);

/* All rows are constant on shards of several partitions: the same plan with one partition per shard says as much of orders of
 * arrival; and of everything, if nothing is weighted. */
bool plan_is_whole(const gdc_plan *plan);

#endif
