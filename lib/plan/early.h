/* early.h - amplification where rounds really end: at the earliest message that makes the gradient decodable.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Straggler sets within the tolerance do not show it for plans of several messages per worker or of several clusters:
 * rounds then end with more stragglers, or with rows of different orders that barely suffice together. */
#ifndef GDC_PLAN_EARLY_H
#define GDC_PLAN_EARLY_H

#include "gradcode/plan.h"

#include <stdint.h>

/* Of `orders` seeded arrival orders, in which worker w sends a message due after m partitions at time m T_w, T_w exponential:
 * worst and median amplification of the decode from what was accepted up to the first decodable moment; NAN if the plan cannot
 * decode. given [messages] (may be NULL): 1 for what was accepted in the worst of them. ENOMEM. */
gdc_status gdc_plan_early(const gdc_plan *plan, int orders, uint64_t seed, double *worst, double *median,
                          unsigned char *given);

#endif
