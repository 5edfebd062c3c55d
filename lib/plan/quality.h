/* quality.h - what the rows of a plan can do, for codes that choose among draws.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GDC_PLAN_QUALITY_H
#define GDC_PLAN_QUALITY_H

#include "gradcode/plan.h"

#include <stdint.h>

/* The worst amplification over straggler sets of exactly `size` workers: all of them where there are at most `sets`, else
 * `sets` seeded ones, the same for every plan of n workers. *worst is INFINITY if a tried set cannot be decoded. Gives up,
 * with what was found so far, once *worst exceeds `limit`. straggler [n] (may be NULL): 1 for each worker of the set that
 * has it. ENOMEM. */
gdc_status gdc_plan_worst(const gdc_plan *plan, int size, int sets, uint64_t seed, double limit, double *worst,
                          unsigned char *straggler);

#endif
